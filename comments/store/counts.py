"""How many comments a product has, by language and rating (AP7 to AP10), and by month.

A product's counts are one sharded counter (see `dynapages.writes.counters`) with a cell for each
language and rating, such as ``en.5``, and for each month (UTC), such as ``2026-03.0``.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b

from django.core.cache import cache

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.host import COMMENTS
from comments.models import TABLE
from dynapages.calls import Batches
from dynapages.lists import timestamp
from dynapages.process import client, page_batches
from dynapages.writes import Action, Counters, Deltas, Transactions, write_with_counters

Cell = tuple[str, int]
"""A language and a rating."""
ShardKey = Callable[[str, int], Mapping[str, str]]
"""Returns the key of a counter's shard by the counter's name and the shard's number."""
_OF_A_MONTH = ".0"
"""What the names of cells of months end in: ratings begin at 1."""


@dataclass(frozen=True, slots=True)
class ProductCounts:
    """A product's counts by language and rating, and by month (not remembered); missing is zero."""

    cells: Mapping[Cell, int]
    months: Mapping[str, int] = field(default_factory=dict)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that there are comments in, in the order of their codes."""
        languages = {language for (language, _rating), n in self.cells.items() if n > 0}
        return tuple(sorted(languages))

    @property
    def total(self) -> int:
        return self.of(CommentFilter())

    @property
    def average_rating(self) -> float | None:
        """The mean rating, None where there are no comments."""
        total = self.total
        if not total:
            return None
        stars = sum(rating * max(n, 0) for (_language, rating), n in self.cells.items())
        return stars / total

    def misses_partitions_of(self, other: "ProductCounts", chosen: CommentFilter) -> bool:
        """Return whether ``other`` counts comments of a filter where these, if any, count none."""
        if not self.cells:
            return False
        for language in chosen.languages or other.languages:
            for rating in chosen.ratings or RATINGS:
                cell = language, rating
                if other.cells.get(cell, 0) > 0 >= self.cells.get(cell, 0):
                    return True
        return False

    def of(self, chosen: CommentFilter) -> int:
        """Count the comments that a filter lets through."""
        return self.within(chosen.languages or self.languages, chosen.ratings or RATINGS)

    def within(self, languages: Iterable[str], ratings: Iterable[int]) -> int:
        """Count the comments in any of these languages of any of these ratings."""
        # Ratings may repeat in an address.
        number = 0
        distinct_ratings = set(ratings)
        for language in languages:
            for rating in distinct_ratings:
                # A counter may be below zero for a moment, while transactions meet.
                number += max(self.cells.get((language, rating), 0), 0)
        return number


def counters() -> Counters:
    """Return the counters of all products."""
    return _cached_counters(page_batches(), keys.counts, COMMENTS["COUNTER_SHARDS"])


def tallies() -> Counters:
    """Return the counters of all comments' votes; see `comments.votes.services`."""
    return _cached_counters(page_batches(), keys.tally, COMMENTS["COUNTER_SHARDS"], must_exist=True)


def read_counts(product_id: str, *, consistent: bool = False) -> ProductCounts:
    """Read a product's counts, for half a capacity unit as long as they are one item."""
    return counts_in(counters().read(product_id, consistent=consistent))


def counts_in(sums: Mapping[str, int]) -> ProductCounts:
    """Build a product's counts from the sums of its counter."""
    cells: dict[Cell, int] = {}
    months: dict[str, int] = {}
    for name, number in sums.items():
        if name.endswith(_OF_A_MONTH):
            months[name.removesuffix(_OF_A_MONTH)] = number
        else:
            cells[parse_cell_name(name)] = number
    return ProductCounts(cells, months)


def remember_counts(product_id: str, counts: ProductCounts) -> None:
    """Keep counts that were just read, in Django's cache, for the next page to be planned by."""
    # Without months: pages are planned by languages and ratings.
    cache.set(remembered_as("counts", product_id), counts.cells)


def remembered_counts(product_id: str) -> ProductCounts | None:
    """Return a product's counts as they were last read, to plan by; None where they were not."""
    cells = cache.get(remembered_as("counts", product_id))
    if cells is None:
        return None
    return ProductCounts(cells)


def remembered_as(kind: str, product_id: str) -> str:
    """Return the key in Django's cache of something that is remembered of a product."""
    # A cache may refuse keys with spaces, or long ones.
    digest = blake2b(product_id.encode(), digest_size=16).hexdigest()
    return f"{TABLE}/{kind}/{digest}"


def cell_name(language: str, rating: int) -> str:
    """Format the name of the cell of a language and rating."""
    return f"{language}.{rating}"


def cell_names(language: str, rating: int, created: datetime) -> tuple[str, str]:
    """Format the names of the cells that a comment is counted in."""
    month = timestamp(created)[: len("2026-03")]
    return cell_name(language, rating), month + _OF_A_MONTH


def parse_cell_name(name: str) -> Cell:
    """Parse the name of a cell."""
    language, _, rating = name.partition(".")
    return language, int(rating)


@lru_cache(maxsize=8)
def _cached_counters(
    batches: Batches, shard_key: ShardKey, most_shards: int, *, must_exist: bool = False
) -> Counters:
    # Once for each client: they remember how many shards they have.
    return Counters(batches, TABLE, shard_key, most_shards=most_shards, must_exist=must_exist)


class CountChanges(defaultdict[str, Counter[str]]):
    """What a transaction adds to the counts of products."""

    def __init__(self) -> None:
        super().__init__(Counter)

    def add(self, product_id: str, cell: Cell, created: datetime, number: int) -> None:
        """Add a number, which may be negative, to the counts of a cell and of a month."""
        language, rating = cell
        for name in cell_names(language, rating, created):
            self[product_id][name] += number


def write_with_counts(actions: Sequence[Action], changes: Deltas) -> None:
    """Write actions, and changes of the counts of products by their ids, in one transaction.

    Raises ConditionFailed with the numbers of ``actions``, and Contended.
    """
    write_with_counters(
        actions,
        changes,
        transactions=Transactions(client()),
        counters=lambda _product_id: counters(),
    )


def write_with_tally(actions: Sequence[Action], comment_id: str, votes: Mapping[str, int]) -> None:
    """Write actions, and a change of the tally of a comment, in one transaction.

    Raises NoSuchCounter where the comment has no tally yet, and what `write_with_counts` does.
    """
    write_with_counters(
        actions,
        {comment_id: votes},
        transactions=Transactions(client()),
        counters=lambda _comment_id: tallies(),
    )
