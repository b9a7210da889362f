"""Ranks of products: derived from counts and comments after the commit of these, and stored.

A product has one item in each ranking. While it ranks, the item has the keys of the sparse index
``ranked``: the partition of one of the ranking's shards, where it stays, and a sort key that begins
with its score. Else they are removed; its version stays, by which a late derivation is refused.
"Sparse Index" and "Write Sharding (GSI)" of the pattern list.

The writer of a comment derives the product's ranks from the counts and the newest comment, and
stores them on condition that nobody else stored any since it began to read (a version), with a new
version each time. The version is read at the same time as the comment is written, the counts and
the newest comment after that. One that loses that race tries again. One that then loses twice more
may stop: the last winner began after our commit. Only the newest comment has to be looked for by
its own writer, because the index may not have it yet; it is confirmed by a strong read. See
docs/writing.md.

A rank gets the product's name when it is first derived; renaming gives it a new version.
"""

import itertools
import logging
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from comments import host, keys
from comments.keys import scored
from comments.models import TABLE, ProductRank
from comments.rankings.newest import IndexStart, find_newest, index_start
from comments.store.counts import counters, counts_in, parse_cell_name
from comments.store.writing import CommentChange, Following, Owes
from dynapages.calls import Backoff, Started, few_of, in_chunks, labelled_calls, sentence_about
from dynapages.django.options import Advance
from dynapages.items import Item, table_key
from dynapages.lists import SEPARATOR
from dynapages.process import client, page_batches, pool
from dynapages.pynamodb import FAILURES, unchanged, update
from dynapages.writes import (
    MOST_ACTIONS,
    Action,
    ConditionFailed,
    Contended,
    Shards,
    write_item,
    write_transaction,
)

RANK_SHARDS = 2
"""That products which begin to rank are spread over, at least; fewer later lose nothing."""
BEST_RATING = 5
PRODUCTS_AT_ONCE = 400
"""Products whose ranks are derived in one go."""
MOST_STORED_SINGLY = 8
"""Ranks up to which each is stored by itself, which costs half of what a transaction does."""
ENOUGH_LOSSES = 2
"""Lost races, begun after the commit, after which a writer may stop if another has its comment."""
_BACKOFF = Backoff(attempts=12, first=0.01, longest=0.3)

PARTITION = ProductRank.rank_partition.attr_name
PLACE = ProductRank.rank_place.attr_name
NEWEST = ProductRank.newest.attr_name
NAME = ProductRank.name.attr_name
VERSION = ProductRank.version.attr_name


logger = logging.getLogger(__name__)


class Ranking(StrEnum):
    """A ranking of the shop's products; the value is in the keys."""

    FIVE_STARS = "FIVE_STARS"
    COMMENTED = "COMMENTED"


@dataclass(frozen=True, slots=True)
class RankHint:
    """What a writer knows of a product: its newest comment's place, and how many it has seen.

    One who ``is_unsure`` has the index asked for the newest comment in any case.
    """

    newest: str = ""
    seen: int = 0
    is_unsure: bool = False


def _least_shards() -> int:
    return RANK_SHARDS


RankKey = tuple[Ranking, str]
"""A ranking and a product id."""
RankHints = Mapping[str, RankHint]
"""Product ids, each with what the writer knows of it."""
RANKED = Shards(client, TABLE, keys.shards("RANKED"), _least_shards)
"""The shards that the rankings of the shop share."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A product's rank as it is derived, with the item that is ``stored`` (empty if none is).

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
        derived = {PLACE: self.place, NEWEST: self.newest, NAME: self.name}
        stored = {name: self.stored.get(name, {}).get("S") for name in derived}
        return stored == derived


@dataclass(frozen=True, slots=True)
class ReadBefore:
    """What was read before a commit, or meanwhile: stored ranks, and by product the index's start.

    The index is read for those products alone whose rank does not name a newest comment that stays.
    """

    stored: Mapping[RankKey, Item]
    starts: Mapping[str, IndexStart]


def key_of(key: RankKey) -> Item:
    """Build the key of a rank's item."""
    return table_key(keys.rank(*key), keys.rank(*key))


def rankings_of(*ratings: int) -> tuple[Ranking, ...]:
    """Return the rankings that comments of these ratings count for."""
    if BEST_RATING in ratings:
        return tuple(Ranking)
    return (Ranking.COMMENTED,)


# What ranks are now.


def stored_ranks(rank_keys: Iterable[RankKey]) -> dict[RankKey, Item]:
    """Read the items of ranks, strongly; those that do not exist are left out."""
    by_partition = {keys.rank(*key): key for key in rank_keys}
    items = page_batches().get(TABLE, map(key_of, by_partition.values()))
    return {by_partition[item["pk"]["S"]]: item for item in items}


def read_before(
    rank_keys: Sequence[RankKey], *, leaving: Mapping[str, Collection[str]]
) -> ReadBefore:
    """Read what a commit cannot make wrong: stored ranks, and the index where they do not do.

    ``leaving`` are the places of comments that leave the lists of a product, by product.
    """
    starts: dict[str, Started[IndexStart]] = {}
    with labelled_calls("ranks"), pool().together() as together:
        stored = stored_ranks(rank_keys)
        for ranking, product in rank_keys:
            if ranking is Ranking.COMMENTED:
                newest = stored.get((ranking, product), {}).get(NEWEST, {"S": ""})["S"]
                gone = leaving.get(product, ())
                if not newest or newest in gone:
                    starts[product] = together.start(index_start, product, without=gone)
        return ReadBefore(stored, {name: start.result() for name, start in starts.items()})


def derive(
    rank_keys: Sequence[RankKey], hints: RankHints, before: ReadBefore | None = None
) -> list[Rank]:
    """Derive ranks from the counts and the newest comments, as they are now."""
    if before is None:
        before = ReadBefore(stored_ranks(rank_keys), {})
    stored = before.stored
    by_time: list[str] = []
    counted: set[str] = set()
    unnamed: set[str] = set()
    for key in rank_keys:
        ranking, product = key
        if ranking is Ranking.COMMENTED:
            by_time.append(product)
        # Whose writer has seen all comments need not ask the index for the newest one.
        if ranking is Ranking.FIVE_STARS or hints[product].seen:
            counted.add(product)
        # A name is looked up once, and stays in the rank.
        if NAME not in stored.get(key, {}):
            unnamed.add(product)
    with pool().together() as together:
        reading_counts = together.start(counters().read_many, counted, consistent=True)
        # Which products the index is asked for depends on counts only where writers have seen some.
        complete: set[str] = set()
        for product in counted:
            seen = hints[product].seen
            if seen and counts_in(reading_counts.result()[product]).total == seen:
                complete.add(product)
        reading_newest = together.start(_newest_of, by_time, before, hints, complete)
        names = find_names(unnamed)
        inputs = _Inputs(reading_counts.result(), reading_newest.result(), names)
    return [inputs.rank(key, stored.get(key, {})) for key in rank_keys]


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What ranks are derived from, by product: cells of counts, newest places, and names."""

    counts: Mapping[str, Mapping[str, int]]
    newest: Mapping[str, str]
    names: Mapping[str, str]

    def rank(self, key: RankKey, stored: Item) -> Rank:
        """Derive a rank, where this item is stored."""
        ranking, product = key
        if NAME in stored:
            name = stored[NAME]["S"]
        else:
            name = self.names.get(product)
        if ranking is Ranking.FIVE_STARS:
            number = _number_of_best(self.counts[product])
            return Rank(key, stored, five_stars_place(product, number), name=name)
        latest = self.newest.get(product)
        return Rank(key, stored, commented_place(product, latest), latest, name)


def _number_of_best(counts: Mapping[str, int]) -> int:
    """Return the number of 5-star comments in the cells of a product's counts."""
    number = 0
    for name, value in counts.items():
        _language, rating = parse_cell_name(name)
        if rating == BEST_RATING:
            number += value
    return number


def five_stars_place(product_id: str, number: int) -> str | None:
    """Format the place of a product with a number of 5-star comments; None for none."""
    if number <= 0:
        return None
    return scored(number, product_id)


def commented_place(product_id: str, newest: str | None) -> str | None:
    """Format the place of a product by that of its newest comment; None without any."""
    if not newest:
        return None
    moment, _separator, _comment_id = newest.partition(SEPARATOR)
    return moment + SEPARATOR + product_id


def find_names(product_ids: Collection[str]) -> dict[str, str]:
    """Read the names of products, strongly, by id; of those that exist. One left out has ``""``."""
    return dict(host.products().names_to_rank(product_ids))


# The newest comment of a product.


def _newest_of(
    products: Sequence[str],
    before: ReadBefore,
    hints: RankHints,
    complete: Collection[str],
) -> dict[str, str]:
    """Return the place of the newest comment of each product that has any.

    It is looked for in the index for products of which nothing is stored, unless their writers
    have seen all their comments: then they are ``complete``.
    """
    suggested: dict[str, set[str]] = {}
    unsure = []
    for product in products:
        item = before.stored.get((Ranking.COMMENTED, product), {})
        known = item.get(NEWEST, {"S": ""})["S"]
        suggested[product] = {hints[product].newest} - {""}
        # The index was read where there is none, or where it is of a comment that leaves.
        is_read = product in before.starts
        if known and not is_read:
            suggested[product].add(known)
        # Where no rank is stored, there may be newer comments than the writer's own.
        is_known = known or is_read or product in complete
        if hints[product].is_unsure or not is_known:
            unsure.append(product)
    return find_newest(suggested, unsure=unsure, starts=before.starts)


# Storing them.


def rename_ranks(product_id: str, name: str) -> list[Action]:
    """Build the actions that write a product's name into its ranks."""
    changes = [ProductRank.name.set(name), ProductRank.version.add(1)]
    actions = []
    for ranking in Ranking:
        actions.append(update(ProductRank, key_of((ranking, product_id)), changes))
    return actions


def _advance_nothing(_number: int) -> None:
    """Take no note of progress."""


def refresh_ranks(
    products: RankHints,
    *,
    rankings: Iterable[Ranking] = tuple(Ranking),
    only_stale: bool = False,
    log_failures: bool = False,
    advance: Advance = _advance_nothing,
    before: ReadBefore | None = None,
) -> bool:
    """Derive the ranks of products anew, after a change of their comments was committed.

    ``only_stale`` stores those alone that are not as they should be; ``advance`` is called with
    numbers of products done; ``before`` is what was read meanwhile of a few products. Raises
    Contended when others kept storing theirs; the same call again does the rest. With
    ``log_failures`` it logs that instead, and returns False.
    """
    try:
        with labelled_calls("ranks"):
            for some in in_chunks(sorted(products), PRODUCTS_AT_ONCE):
                hints = {product: products[product] for product in some}
                pending = list(itertools.product(rankings, some))
                if only_stale:
                    pending = _stale(pending, hints)
                _derive_and_store(pending, hints, before)
                advance(len(some))
    except FAILURES as failure:
        if not log_failures:
            raise
        sentence = "The ranks of %d products were left behind (%s): %s"
        logger.warning(sentence, len(products), few_of(list(products)), sentence_about(failure))
        return False
    return True


def _stale(rank_keys: Sequence[RankKey], hints: RankHints) -> list[RankKey]:
    """Return the keys of those ranks that are not stored as they are derived now."""
    stale = []
    for rank in derive(rank_keys, hints):
        if not rank.is_stored:
            stale.append(rank.key)
    return stale


def follow(changes: Sequence[CommentChange]) -> Following:
    """Return that products are to be ranked whose lists or number of 5-star comments change."""
    newest: dict[str, str] = {}
    affected: set[Ranking] = set()
    leaving: dict[str, set[str]] = defaultdict(set)
    for change in changes:
        rankings = _affected_rankings(change)
        if rankings:
            affected.update(rankings)
            newest[change.product_id] = change.newest_place
        if change.was_listed and not change.is_listed:
            leaving[change.product_id].add(change.place_before)
    if not newest:
        return Following()
    # A set has no order, and ranks are derived in that of the rankings.
    in_order = [ranking for ranking in Ranking if ranking in affected]
    following = _RanksOfChanges(newest, in_order, leaving)
    return Following(owes=Owes(ranks=newest), read_meanwhile=following.read, finish=following.store)


@dataclass(slots=True)
class _RanksOfChanges:
    """The ranks of the products of some changes.

    By product: ``newest`` is a place that may be the newest, or ""; ``leaving`` are the places of
    comments that leave its lists.
    """

    newest: Mapping[str, str]
    rankings: Sequence[Ranking]
    leaving: Mapping[str, Collection[str]]
    before: ReadBefore | None = None

    def read(self) -> None:
        """Read what can be read while the changes are written."""
        rank_keys = list(itertools.product(self.rankings, self.newest))
        self.before = read_before(rank_keys, leaving=self.leaving)

    def store(self) -> bool:
        """Store the ranks; what fails is logged. Returns whether they are stored."""
        hints = {product_id: RankHint(place) for product_id, place in self.newest.items()}
        return refresh_ranks(hints, rankings=self.rankings, log_failures=True, before=self.before)


def _affected_rankings(change: CommentChange) -> Collection[Ranking]:
    """Return the rankings of a product that a change of one of its comments may change."""
    if change.is_listed is not change.was_listed:
        return rankings_of(*change.ratings)
    # An edit moves no comment in time: its product ranks anew where it gains or loses 5 stars.
    are_best = {rating == BEST_RATING for rating in change.ratings}
    if len(are_best) > 1:
        return [Ranking.FIVE_STARS]
    return []


def _derive_and_store(
    pending: Sequence[RankKey], hints: RankHints, before: ReadBefore | None
) -> None:
    """Derive ranks and store them, until no other writer stored them in between."""
    pauses, losses = _BACKOFF.pauses(), 0
    if before is not None:
        # Who wins against what was read before our commit may have begun before it, too.
        losses = -1
    while pending:
        ranks = derive(pending, hints, before)
        before = None
        # Whoever stored it last began to read after our commit, so it has what we wrote.
        if losses >= ENOUGH_LOSSES:
            ranks = [rank for rank in ranks if not _is_seen(rank, hints)]
        pending = [rank.key for rank in _store_all(ranks)]
        losses += 1
        if not pending:
            return
        pause = next(pauses, None)
        if pause is None:
            raise Contended("Others kept storing the same ranks.")
        time.sleep(pause)


def _is_seen(rank: Rank, hints: RankHints) -> bool:
    """Return whether who stored a rank has seen what our writer has, so that it can be left."""
    ranking, product = rank.key
    if ranking is Ranking.FIVE_STARS:
        return True
    newest: str = rank.stored.get(NEWEST, {"S": ""})["S"]
    return newest >= hints[product].newest


def _store_all(ranks: Sequence[Rank]) -> list[Rank]:
    """Store ranks; return those that others have stored since they were derived."""
    # A transaction takes twice the units of single writes, but one call for many.
    if len(ranks) <= MOST_STORED_SINGLY:
        lost = pool().map(_store, ranks)
    else:
        lost = pool().map(_store_together, in_chunks(ranks, MOST_ACTIONS))
    return list(itertools.chain.from_iterable(lost))


def _store_together(ranks: Sequence[Rank]) -> list[Rank]:
    """Store ranks in one transaction, each by itself if that fails; return those that were lost."""
    try:
        write_transaction(client(), [_update(rank) for rank in ranks])
    except (ConditionFailed, Contended):
        # One that is lost makes the whole transaction fail.
        lost: list[Rank] = []
        for rank in ranks:
            lost.extend(_store(rank))
        return lost
    return []


def _store(rank: Rank) -> list[Rank]:
    """Store a rank; return it if another writer stored it since it was derived."""
    try:
        write_item(client(), _update(rank))
    except ConditionFailed:
        return [rank]
    return []


def _update(rank: Rank) -> Action:
    """Build the action that stores a rank, unless its version has changed."""
    version = int(rank.stored.get(VERSION, {"N": "0"})["N"])
    values = (
        (ProductRank.rank_partition, _partition_of(rank)),
        (ProductRank.rank_place, rank.place),
        (ProductRank.newest, rank.newest),
        (ProductRank.name, rank.name),
    )
    changes = [ProductRank.version.set(version + 1)]
    for attribute, value in values:
        if value is None:
            changes.append(attribute.remove())
        else:
            changes.append(attribute.set(value))
    same = unchanged(rank.stored, ProductRank.version)
    return update(ProductRank, key_of(rank.key), changes, same)


def _partition_of(rank: Rank) -> str | None:
    """Return the index partition of a rank: any shard when it begins to rank, where it stays."""
    if not rank.place:
        return None
    if PARTITION in rank.stored:
        return str(rank.stored[PARTITION]["S"])
    ranking, _product = rank.key
    return keys.ranking_shard(ranking, RANKED.pick())
