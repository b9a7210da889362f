"""Which design of a subject is cheapest, and what its pages would cost in larger tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.translation import gettext_noop

from dynapages.lists import prices

VIEWS = 100
"""Page views for each write, at which designs are compared."""
SIZES = {
    10_000: gettext_noop("10 thousand"),
    1_000_000: gettext_noop("1 million"),
    100_000_000: gettext_noop("100 million"),
}
UNITS_A_CALL = 128
"""What one call reads at the most: a megabyte, at half a unit for each 4 KB."""
LEAST = 0.5
"""Units of the cheapest read."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A page in a table of another size, computed; ``dollars`` are those of a million views."""

    units: float
    calls: int
    dollars: float


@dataclass(frozen=True, slots=True)
class DesignCost:
    """The measured units of a design's most expensive page, and of its first write.

    ``items_read`` are those of the page. ``reads_table`` tells that they are the whole table,
    whatever the page; other designs read as much in a table of any size.
    """

    title: str
    read_units: float
    items_read: float
    write_units: float
    reads_table: bool = False

    def dollars(self, views: float = VIEWS) -> float:
        """Return what a million writes and so many page views for each of them cost."""
        return prices().reads(self.read_units * views) + prices().writes(self.write_units)

    def at(self, items: int) -> Outlook:
        """Return what a page costs if the table holds so many items, as large as those measured."""
        growth = items / (self.items_read or items) if self.reads_table else 1
        units = self.read_units * growth
        return Outlook(units, ceil(units / UNITS_A_CALL), prices().reads(units))

    def views_until_cheaper(self, other: "DesignCost") -> float:
        """Return from how many page views for each write on the other one, read for less, wins."""
        saved = prices().reads(self.read_units - other.read_units)
        return prices().writes(other.write_units - self.write_units) / saved


@dataclass(frozen=True, slots=True)
class Verdict:
    """The cheapest design, the one with the most expensive page, and by how much.

    ``rival`` becomes the cheapest from ``views`` page views for each write on, if any does.
    """

    cheapest: DesignCost
    dearest: DesignCost
    rival: DesignCost | None
    views: int

    @property
    def times(self) -> int:
        """How many times as many units the most expensive page takes."""
        return round(self.dearest.read_units / max(self.cheapest.read_units, LEAST))


def judge(designs: Sequence[DesignCost]) -> Verdict:
    """Compare designs at `VIEWS` page views for each write; the first of equals is cheapest."""
    cheapest = min(designs, key=DesignCost.dollars)
    rivals = (one for one in designs if one.read_units < cheapest.read_units)
    rival = min(rivals, key=cheapest.views_until_cheaper, default=None)
    return Verdict(
        cheapest=cheapest,
        dearest=max(designs, key=lambda one: one.read_units),
        rival=rival,
        views=ceil(round(cheapest.views_until_cheaper(rival), 6)) if rival else 0,
    )
