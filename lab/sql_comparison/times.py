"""What pages took on both sides, and how the sides compare."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from lab.report import Limit, Table

SITE, SQL = "site", "SQL"
"""The names of the sides."""
MOST_TIMES_SQL = 1.15
"""How many times the processor time of the page from SQL a list of the site may take."""
MOST_OF_A_PRODUCTS_PAGE = 1.0
"""The same of a product's own page, which takes twice as many queries from SQL."""
TITLES = ("pages", "site", "SQL", "site ÷ SQL", "site, wall", "SQL, wall", "wall, site ÷ SQL")


@dataclass(frozen=True, slots=True)
class PageTime:
    """Milliseconds of the processor, and of the clock on the wall, that a page took."""

    processor: float
    wall: float


class Times:
    """What pages took, by the kind of their visits and by the name of the side."""

    def __init__(self) -> None:
        self._times: dict[str, dict[str, list[PageTime]]] = {}

    def add(self, kind: str, spent: Mapping[str, PageTime]) -> None:
        """Add what a page took on each side."""
        of_kind = self._times.setdefault(kind, defaultdict(list))
        for name, each in spent.items():
            of_kind[name].append(each)

    def medians(self, kind: str) -> tuple[PageTime, PageTime]:
        """Return the medians of a kind of visits: the site's, and those from SQL."""
        of_kind = self._times[kind]
        return _median_of(of_kind[SITE]), _median_of(of_kind[SQL])

    def table(self, *, visits: int) -> Table:
        """Return the medians of all kinds of visits, in the order in which they were added."""
        rows = []
        for kind in self._times:
            site, sql = self.medians(kind)
            processor = (round(site.processor, 1), round(sql.processor, 1))
            wall = (round(site.wall, 1), round(sql.wall, 1))
            ratios = (site.processor / sql.processor, site.wall / sql.wall)
            rows.append((kind, *processor, round(ratios[0], 2), *wall, round(ratios[1], 2)))
        caption = f"Milliseconds of the processor, and on the wall, as medians of {visits} visits"
        return Table(caption, TITLES, rows)

    def limits(self) -> list[Limit]:
        """Return how many times the processor time of SQL each kind of the site's pages takes."""
        limits = []
        for kind in self._times:
            site, sql = self.medians(kind)
            what = f"{kind}: processor, site ÷ SQL"
            most = MOST_TIMES_SQL
            if "product" in kind:
                most = MOST_OF_A_PRODUCTS_PAGE
            limits.append(Limit(what, most, site.processor / sql.processor))
        return limits


def _median_of(spent: Sequence[PageTime]) -> PageTime:
    return PageTime(median(each.processor for each in spent), median(each.wall for each in spent))
