"""What designs cost at other sizes, computed from measured units, and which one is cheapest."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.translation import gettext_noop

from dynapages.lists import prices

VIEWS_A_WRITE = 100
"""Page views for each write, at which designs are compared."""
WRITES = 1_000_000 // VIEWS_A_WRITE
"""Those that come with a million page views."""
SIZES = {
    10_000: gettext_noop("10 thousand"),
    1_000_000: gettext_noop("1 million"),
    100_000_000: gettext_noop("100 million"),
}
UNITS_A_CALL = 128
"""What one call reads at the most: a megabyte, at half a unit for each 4 KB."""
LEAST_UNITS = 0.5
"""Of a read."""


@dataclass(frozen=True, slots=True)
class SizedCost:
    """What a page costs in a table of some size.

    ``dollars`` are those of a million views, and of the writes that come with them.
    """

    units: float
    calls: int
    dollars: float


@dataclass(frozen=True, slots=True)
class DesignCost:
    """The measured units of a design's most expensive page, and of its first write.

    ``items_read`` are those of the page. With ``reads_table`` they are the whole table, whatever
    the page; other designs read as much in a table of any size.
    """

    title: str
    read_units: float
    items_read: float
    write_units: float
    reads_table: bool = False

    def dollars(self) -> float:
        """Return what a million page views cost, with a write for every `VIEWS_A_WRITE` of them."""
        return self._dollars(self.read_units)

    def _dollars(self, units_of_page: float) -> float:
        return prices().reads(units_of_page) + prices().writes(self.write_units / VIEWS_A_WRITE)

    def at_size(self, items: int) -> SizedCost:
        """Return what a page costs if the table holds so many items, as large as those measured."""
        # A Query reads as much when others write more; a Scan reads what they wrote.
        units = self.read_units
        if self.reads_table and self.items_read:
            units *= items / self.items_read
        return SizedCost(units, ceil(units / UNITS_A_CALL), self._dollars(units))

    def views_until_cheaper(self, other: "DesignCost") -> float:
        """Return from how many page views for each write on a design that reads for less wins."""
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
        return round(self.dearest.read_units / max(self.cheapest.read_units, LEAST_UNITS))


def judge(designs: Sequence[DesignCost]) -> Verdict:
    """Compare designs at `VIEWS_A_WRITE`; the first of equals is cheapest."""
    # Pages are viewed far more often than written; at which ratio a design wins is said as well.
    cheapest = min(designs, key=DesignCost.dollars)
    dearest = max(designs, key=_read_units)
    rivals = [design for design in designs if design.read_units < cheapest.read_units]
    if not rivals:
        return Verdict(cheapest, dearest, None, 0)
    rival = min(rivals, key=cheapest.views_until_cheaper)
    # Rounded first: a sum of cents must not make one view more.
    views = ceil(round(cheapest.views_until_cheaper(rival), 6))
    return Verdict(cheapest, dearest, rival, views)


def _read_units(design: DesignCost) -> float:
    return design.read_units
