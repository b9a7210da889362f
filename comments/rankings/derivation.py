"""Ranks of products: their items and shards, and their derivation from counts and comments.

A product has one item in each ranking. While it ranks, the item has the keys of the sparse index
``ranked``: the partition of one of the ranking's shards, where it stays, and a sort key that begins
with its score. Else they are removed; its version stays, by which a late derivation is refused.
"Sparse Index" and "Write Sharding (GSI)" of the pattern list.

The newest comment is confirmed by a strong read, as the index ``all`` is eventually consistent.
A rank gets the product's name when it is first derived; renaming gives it a new version.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeVar

from comments import host, keys
from comments.filters import CommentFilter
from comments.keys import scored
from comments.lists.queries import read_model
from comments.models import TABLE, Comment, ProductRank
from comments.store.counts import counters, counts_in, parse_cell
from comments.store.table import comment_key
from dynapages.items import Item, table_key
from dynapages.lists import SEPARATOR, PageRequest, id_at
from dynapages.process import client, page_batches, pool, read
from dynapages.pynamodb import update
from dynapages.writes import Action, NamedShards, Shards

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


T = TypeVar("T")


PARTITION = ProductRank.rank_partition.attr_name
PLACE = ProductRank.rank_place.attr_name
NEWEST = ProductRank.newest.attr_name
NAME = ProductRank.name.attr_name
VERSION = ProductRank.version.attr_name


@lru_cache(maxsize=4)
def _shards(connected: "DynamoDBClient") -> Shards:
    return Shards(connected, TABLE, keys.shards)


RANK_SHARDS = 2
"""That products which begin to rank are spread over, at least; fewer later lose nothing."""
RANKED = NamedShards("RANKED", lambda: _shards(client()), lambda: RANK_SHARDS)
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
    """What a writer knows of a product: its newest comment's place, and how many it has seen."""

    newest: str = ""
    seen: int = 0


Touched = Mapping[str, Touch]
"""Product ids, each with what the writer knows of it."""


def rankings_of_comment(rating: int) -> tuple[Ranking, ...]:
    """Return the rankings that a comment counts for."""
    return tuple(Ranking) if rating == BEST_RATING else (Ranking.COMMENTED,)


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
        if not known and product not in complete:
            unsure.append(product)
    return find_newest(suggested, unsure=unsure)


_PARTITION = Comment.product_partition.attr_name
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
    listed = [item for item in found if _PARTITION in item]
    return wanted & {
        (keys.product_id_in(item[_PARTITION]["S"]), item[_PLACE]["S"]) for item in listed
    }


def rename_ranks(product_id: str, name: str) -> list[Action]:
    """Build the actions that write a product's name into its ranks."""
    changes = [ProductRank.name.set(name), ProductRank.version.add(1)]
    return [update(ProductRank, key_of((ranking, product_id)), changes) for ranking in Ranking]


def find_names(product_ids: Collection[str]) -> dict[str, str]:
    """Read the names of products, strongly, by id; of those that exist."""
    return {one: name for one, (name, _former_id) in host.products().names(product_ids).items()}
