"""How many comments a product has, by language and rating (AP7 to AP10).

A product's counts are one sharded counter (see `dynamo.writes.counters`) with a cell for each language
and rating that occurs, such as ``en.5``. They change in the transaction that adds, edits or
deletes a comment, and in no other way.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.models import Comment
from dynamo.calls.batches import Batches
from dynamo.lists.site_reader import page_batches
from dynamo.writes.counters import Counters

Cell = tuple[str, int]
"""A language and a rating."""


@dataclass(frozen=True, slots=True)
class ProductCounts:
    """A product's counts by language and rating; what is not there is zero."""

    cells: Mapping[Cell, int]

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages there are comments in."""
        return tuple(sorted({language for (language, _), n in self.cells.items() if n > 0}))

    @property
    def total(self) -> int:
        return self.of(CommentFilter())

    @property
    def average_rating(self) -> float | None:
        """The mean rating, None where there are no comments."""
        total = self.total
        stars = sum(rating * max(n, 0) for (_, rating), n in self.cells.items())
        return stars / total if total else None

    def of(self, chosen: CommentFilter) -> int:
        """Count the comments that a filter lets through."""
        return self.within(chosen.languages or self.languages, chosen.ratings or RATINGS)

    def within(self, languages: Iterable[str], ratings: Iterable[int]) -> int:
        """Count the comments in any of these languages of any of these ratings."""
        chosen = set(ratings)
        return sum(
            max(self.cells.get((language, rating), 0), 0)
            for language in languages
            for rating in chosen
        )


def counters() -> Counters:
    """Give the counters of all products."""
    return _counters_of(page_batches())


def counts_of(product_id: str, *, consistent: bool = False) -> ProductCounts:
    """Read a product's counts: half a unit as long as they are one item."""
    cells = counters().read(product_id, consistent=consistent)
    return ProductCounts({parse_cell(name): number for name, number in cells.items()})


def cell(language: str, rating: int) -> str:
    """Name the cell of a language and rating."""
    return f"{language}.{rating}"


def parse_cell(name: str) -> Cell:
    """Read what `cell` wrote."""
    language, _, rating = name.partition(".")
    return language, int(rating)


def _key_of(product_id: str, shard: int) -> Mapping[str, str]:
    key = keys.counts(product_id, shard)
    return {"pk": key, "sk": key}


@lru_cache(maxsize=4)
def _counters_of(batches: Batches) -> Counters:
    """Make them once for each client: they remember how far they are spread."""
    return Counters.of_table(batches, table=Comment.Meta.table_name, key_of=_key_of)
