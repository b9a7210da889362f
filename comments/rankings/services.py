"""Ranks of products: derived from counts and comments after the commit of these, and stored.

A product has one item in each ranking. While it ranks, the item has the keys of the sparse index
``ranked``: the partition of one of the ranking's shards, where it stays, and a sort key that begins
with its score. Else they are removed; its version stays, by which a late derivation is refused.
"Sparse Index" and "Write Sharding (GSI)" of the pattern list.

The writer of a comment derives the product's ranks from the counts and the newest comment, and
stores them on condition that nobody else stored any since it began to read (a version), with a new
version each time. One that loses that race tries again. One that loses twice may stop: the second
winner began after our commit. Only the newest comment has to be looked for by its own writer,
because the index may not have it yet; it is confirmed by a strong read. See docs/writing.md.

A rank gets the product's name when it is first derived; renaming gives it a new version.
"""

import logging
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice

from comments import host, keys
from comments.filters import CommentFilter
from comments.keys import scored
from comments.lists.queries import read_model
from comments.models import TABLE, Comment, ProductRank
from comments.store.counts import counters, counts_in, parse_cell
from comments.store.states import is_listed, product_id_of
from comments.store.table import comment_key, write_if_condition_holds
from comments.store.writing import CommentChange, Following, Owes
from dynapages.calls import Backoff, in_chunks, labelled_calls, sentence_about
from dynapages.django.options import Advance
from dynapages.items import Item, table_key
from dynapages.lists import SEPARATOR, PageRequest, id_at
from dynapages.process import client, page_batches, pool, read
from dynapages.pynamodb import FAILURES, unchanged, update
from dynapages.writes import (
    MOST_ACTIONS,
    Action,
    ConditionFailed,
    Contended,
    Shards,
    write_transaction,
)

PARTITION = ProductRank.rank_partition.attr_name
PLACE = ProductRank.rank_place.attr_name
NEWEST = ProductRank.newest.attr_name
NAME = ProductRank.name.attr_name
VERSION = ProductRank.version.attr_name


RANK_SHARDS = 2
"""That products which begin to rank are spread over, at least; fewer later lose nothing."""
RANKED = Shards(client, TABLE, keys.shards("RANKED"), lambda: RANK_SHARDS)
"""The shards that the rankings of the shop share."""


class Ranking(StrEnum):
    """A ranking of the shop's products; the value is in the keys."""

    FIVE_STARS = "FIVE_STARS"
    COMMENTED = "COMMENTED"


RankKey = tuple[Ranking, str]
"""A ranking and a product id."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A product's rank as it is derived, beside the item that is ``stored`` (empty if none is).

    ``place`` is None when the product does not rank; ``newest`` is the place of its latest
    comment, in the ranking by that alone.
    """

    key: RankKey
    stored: Item
    place: str | None
    newest: str | None = None
    name: str | None = None

    @property
    def is_stored(self) -> bool:
        """Whether the index holds just this."""
        found = [self.stored.get(name, {}).get("S") for name in (PLACE, NEWEST, NAME)]
        return found == [self.place, self.newest, self.name]


def stored_ranks(rank_keys: Iterable[RankKey]) -> dict[RankKey, Item]:
    """Read the items of ranks, strongly; those that do not exist are left out."""
    wanted = {keys.rank(*key): key for key in rank_keys}
    found = page_batches().get(TABLE, map(key_of, wanted.values()))
    return {wanted[item["pk"]["S"]]: item for item in found}


def key_of(key: RankKey) -> Item:
    """Build the key of a rank's item."""
    return table_key(keys.rank(*key), keys.rank(*key))


BEST_RATING = 5


@dataclass(frozen=True, slots=True)
class Touch:
    """What a writer knows of a product: its newest comment's place, and how many it has seen.

    One who ``is_unsure`` has the index asked for the newest comment in any case.
    """

    newest: str = ""
    seen: int = 0
    is_unsure: bool = False


Touched = Mapping[str, Touch]
"""Product ids, each with what the writer knows of it."""


def rankings_of(*ratings: int) -> tuple[Ranking, ...]:
    """Return the rankings that comments of these ratings count for."""
    return tuple(Ranking) if BEST_RATING in ratings else (Ranking.COMMENTED,)


def derive(rank_keys: Sequence[RankKey], touched: Touched) -> list[Rank]:
    """Derive ranks from the counts and the newest comments, as they are now."""
    stored = stored_ranks(rank_keys)
    by_stars = {p for ranking, p in rank_keys if ranking is Ranking.FIVE_STARS}
    commented = [p for ranking, p in rank_keys if ranking is Ranking.COMMENTED]
    counted = by_stars | {p for p in commented if touched[p].seen}
    counts = counters().read_many(counted, consistent=True)
    complete = {p for p in counted if counts_in(counts[p]).total == touched[p].seen}
    newest = _newest(commented, stored, touched, complete)
    names = find_names({key[1] for key in rank_keys if NAME not in stored.get(key, {})})
    ranks = []
    for key in rank_keys:
        ranking, product = key
        item = stored.get(key, {})
        name = item[NAME]["S"] if NAME in item else names.get(product)
        if ranking is Ranking.FIVE_STARS:
            cells = counts[product].items()
            number = sum(n for name, n in cells if parse_cell(name)[1] == BEST_RATING)
            ranks.append(Rank(key, item, five_stars_place(product, number), name=name))
        else:
            latest = newest.get(product)
            ranks.append(Rank(key, item, commented_place(product, latest), latest, name))
    return ranks


def five_stars_place(product_id: str, number: int) -> str | None:
    """Format the place of a product with a number of 5-star comments; None for none."""
    return scored(number, product_id) if number > 0 else None


def commented_place(product_id: str, newest: str | None) -> str | None:
    """Format the place of a product by that of its newest comment; None without any."""
    return newest and newest.partition(SEPARATOR)[0] + SEPARATOR + product_id


def _newest(
    products: Sequence[str],
    stored: Mapping[RankKey, Item],
    touched: Touched,
    complete: Collection[str],
) -> dict[str, str]:
    suggested, unsure = {}, []
    for product in products:
        item = stored.get((Ranking.COMMENTED, product), {})
        known = item.get(NEWEST, {"S": ""})["S"]
        suggested[product] = {place for place in (known, touched[product].newest) if place}
        if touched[product].is_unsure or (not known and product not in complete):
            unsure.append(product)
    return find_newest(suggested, unsure=unsure)


_PLACE = Comment.place.attr_name
_MOST_READ = 64

Suggestion = tuple[str, str]
"""A product id, and the place of one of its comments."""


def find_newest(
    suggested: Mapping[str, Collection[str]], *, unsure: Collection[str]
) -> dict[str, str]:
    """Return the place of the newest comment of each product that has any.

    ``suggested`` has, for each product, places of comments that may be the newest. The index is
    read for products whose suggestions do not all exist (any more), and for those ``unsure``.
    """
    suggestions = {(p, place) for p, places in suggested.items() for place in places}
    there = _confirmed(suggestions)
    doubtful = sorted({product for product, _ in suggestions - there} | set(unsure))
    searched = pool().gather([partial(_newest_indexed, product) for product in doubtful])
    indexed = {pair for pair in zip(doubtful, searched, strict=True) if pair[1]}
    newest: dict[str, str] = {}
    for product, place in there | indexed:
        newest[product] = max(place, newest.get(product, ""))
    return newest


def _newest_indexed(product_id: str) -> str:
    """Return the first place in the index that the table confirms; empty if there is none."""
    runs = read_model().plan(product_id, CommentFilter()).runs
    request = PageRequest(1)
    while True:
        page = read(runs, request)
        places = [entry.position.place for entry in page.entries]
        there = _confirmed((product_id, place) for place in places)
        if there or not page.has_next:
            return max((place for _, place in there), default="")
        more = min(request.size * 4, _MOST_READ)
        request = PageRequest(more, page.entries[-1].position)


def _confirmed(suggestions: Iterable[Suggestion]) -> set[Suggestion]:
    wanted = set(suggestions)
    ids = {id_at(place) for _, place in wanted}
    found = page_batches().get(TABLE, map(comment_key, ids))
    return wanted & {(product_id_of(i), i[_PLACE]["S"]) for i in found if is_listed(i)}


def rename_ranks(product_id: str, name: str) -> list[Action]:
    """Build the actions that write a product's name into its ranks."""
    changes = [ProductRank.name.set(name), ProductRank.version.add(1)]
    return [update(ProductRank, key_of((ranking, product_id)), changes) for ranking in Ranking]


def find_names(product_ids: Collection[str]) -> dict[str, str]:
    """Read the names of products, strongly, by id; of those that exist. One left out has ``""``."""
    return dict(host.products().names_to_rank(product_ids))


logger = logging.getLogger(__name__)

ENOUGH_LOSSES = 2
TOGETHER = 400
"""Products whose ranks are derived in one go."""
FEW = 8
"""Ranks up to which each is stored by itself, which costs half of what a transaction does."""
MOST_NAMED = 3
_BACKOFF = Backoff(attempts=12, first=0.01, longest=0.3)


def refresh_ranks(
    products: Touched,
    *,
    rankings: Iterable[Ranking] = tuple(Ranking),
    only_stale: bool = False,
    log_failures: bool = False,
    advance: Advance = lambda _number: None,
) -> bool:
    """Derive the ranks of products anew, after a change of their comments was committed.

    ``only_stale`` stores those alone that are not as they should be; ``advance`` is called with
    numbers of products done. Raises Contended when others kept storing theirs; the same call again
    does the rest. With ``log_failures`` it logs that instead, and returns False.
    """
    try:
        with labelled_calls("ranks"):
            for some in in_chunks(sorted(products), TOGETHER):
                touched = {product: products[product] for product in some}
                pending = [(ranking, product) for ranking in rankings for product in some]
                if only_stale:
                    pending = [rank.key for rank in derive(pending, touched) if not rank.is_stored]
                _refresh(pending, touched)
                advance(len(some))
    except FAILURES as failure:
        if not log_failures:
            raise
        named = ", ".join(islice(products, MOST_NAMED))
        sentence = "The ranks of %d products were left behind (%s): %s"
        logger.warning(sentence, len(products), named, sentence_about(failure))
        return False
    return True


def follow(changes: Sequence[CommentChange]) -> Following:
    """Return that products are to be ranked whose lists or number of 5-star comments change."""
    newest: dict[str, str] = {}
    affected: set[Ranking] = set()
    for change in changes:
        rankings = _affected_rankings(change)
        if rankings:
            affected.update(rankings)
            newest[change.product_id] = change.newest_place

    def rank() -> bool:
        return refresh_ranks(
            {product_id: Touch(place) for product_id, place in newest.items()},
            rankings=[ranking for ranking in Ranking if ranking in affected],
            log_failures=True,
        )

    return Following(owes=Owes(ranks=newest), finish=rank) if newest else Following()


def _affected_rankings(change: CommentChange) -> Collection[Ranking]:
    """Return the rankings of a product that a change of one of its comments may change."""
    if change.is_listed is not change.was_listed:
        return rankings_of(*change.ratings)
    are_best = {rating == BEST_RATING for rating in change.ratings}
    return [Ranking.FIVE_STARS] if len(are_best) > 1 else []


def _refresh(pending: Sequence[RankKey], touched: Touched) -> None:
    pauses, losses = _BACKOFF.pauses(), 0
    while pending:
        ranks = derive(pending, touched)
        if losses >= ENOUGH_LOSSES:
            ranks = [rank for rank in ranks if not _is_seen(rank, touched)]
        pending = [rank.key for rank in _store_all(ranks)]
        losses += 1
        if not pending:
            return
        if (pause := next(pauses, None)) is None:
            raise Contended("Others kept storing the same ranks.")
        time.sleep(pause)


def _is_seen(rank: Rank, touched: Touched) -> bool:
    if rank.key[0] is Ranking.FIVE_STARS:
        return True
    newest: str = rank.stored.get(NEWEST, {"S": ""})["S"]
    return newest >= touched[rank.key[1]].newest


def _store_all(ranks: Sequence[Rank]) -> list[Rank]:
    if len(ranks) <= FEW:
        lost = pool().gather([partial(_store, rank) for rank in ranks])
    else:
        lost = pool().gather(
            [partial(_store_together, some) for some in in_chunks(ranks, MOST_ACTIONS)]
        )
    return [rank for some in lost for rank in some]


def _store_together(ranks: Sequence[Rank]) -> list[Rank]:
    try:
        write_transaction(client(), [_update(rank) for rank in ranks])
    except (ConditionFailed, Contended):
        return [lost for rank in ranks for lost in _store(rank)]
    return []


def _store(rank: Rank) -> list[Rank]:
    return [] if write_if_condition_holds(_update(rank)) else [rank]


def _update(rank: Rank) -> Action:
    partition = rank.stored[PARTITION]["S"] if PARTITION in rank.stored else None
    # A product that begins to rank is put into any shard, and stays there.
    partition = partition or keys.ranking_shard(rank.key[0], RANKED.pick()) if rank.place else None
    version = int(rank.stored.get(VERSION, {"N": "0"})["N"])
    values = (
        (ProductRank.rank_partition, partition),
        (ProductRank.rank_place, rank.place),
        (ProductRank.newest, rank.newest),
        (ProductRank.name, rank.name),
    )
    changes = [a.remove() if value is None else a.set(value) for a, value in values]
    return update(
        ProductRank,
        key_of(rank.key),
        [ProductRank.version.set(version + 1), *changes],
        unchanged(rank.stored, ProductRank.version),
    )
