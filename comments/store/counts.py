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
from comments.host import COMMENTS, Rating
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
        """The number of all comments."""
        # A counter may be below zero for a moment, while transactions meet.
        return sum(number for number in self.cells.values() if number > 0)

    @property
    def rating(self) -> Rating | None:
        """How the product is rated, None where there are no comments."""
        total = stars = 0
        for (_language, rating), number in self.cells.items():
            if number > 0:
                total += number
                stars += rating * number
        if not total:
            return None
        return Rating(total, stars)

    @property
    def average_rating(self) -> float | None:
        """The mean rating, None where there are no comments."""
        rating = self.rating
        return rating.average if rating else None

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
        if not chosen.languages and not chosen.ratings:
            return self.total
        return self.within(chosen.languages or self.languages, chosen.ratings or RATINGS)

    def within(self, languages: Iterable[str], ratings: Iterable[int]) -> int:
        """Count the comments in any of these languages of any of these ratings."""
        # Ratings may repeat in an address.
        number = 0
        distinct_ratings = set(ratings)
        for language in languages:
            for rating in distinct_ratings:
                # As `total`, without what is below zero.
                number += max(self.cells.get((language, rating), 0), 0)
        return number

    def by_value(self, chosen: CommentFilter) -> "ValueCounts":
        """Count the comments of a filter that have each language, and those that have each rating.

        Each is counted as if nothing else of its own kind were chosen.
        """
        chosen_languages, chosen_ratings = chosen.languages, chosen.ratings
        languages: dict[str, int] = {}
        ratings: dict[int, int] = {}
        # One pass over the cells: to count within a filter for each value takes ten times as long.
        for (language, rating), number in self.cells.items():
            if number <= 0:
                continue
            if not chosen_ratings or rating in chosen_ratings:
                languages[language] = languages.get(language, 0) + number
            if not chosen_languages or language in chosen_languages:
                ratings[rating] = ratings.get(rating, 0) + number
        return ValueCounts(languages, ratings)


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """How many comments of a list have a language or a rating.

    Its names are those of `comments.lists.search_listing.MatchCounts`, which counts a search.
    """

    languages: Mapping[str, int]
    ratings: Mapping[int, int]
    without_languages: str = ""
    without_ratings: str = ""

    def in_language(self, code: str) -> int:
        return self.languages.get(code, 0)

    def with_rating(self, rating: int) -> int:
        return self.ratings.get(rating, 0)

    @property
    def in_any_language(self) -> int:
        return sum(self.languages.values())

    @property
    def with_any_rating(self) -> int:
        return sum(self.ratings.values())


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
