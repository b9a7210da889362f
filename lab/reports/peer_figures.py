"""What ``manage.py bench peers`` found: times of the site's pages beside those of SQL's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.reports.bench_figures import FRAGMENT, LIST, PAGE, Figures
from lab.reports.figures import Timing

OFFSET = "offset"
COMPARED = (LIST, FRAGMENT, PAGE)
"""What is timed of a page on both sides; in SQL also the list by OFFSET."""
PRODUCT_PAGE = "product page"
COUNT, COUNTS_TABLE, COUNTER = COUNTINGS = ("COUNT(*)", "table of counts", "the site's counter")
"""The ways to count a list; the last two read the numbers of all lists at once."""


@dataclass(frozen=True, slots=True)
class PeerLoad:
    """How the comments were loaded into PostgreSQL; ``megabytes`` are with all indexes."""

    version: str
    rows: int
    seconds: float
    megabytes: float

    @property
    def sentence(self) -> str:
        return (
            f"PostgreSQL {self.version} holds the same {self.rows:,} comments, loaded by COPY and "
            f"indexed in {self.seconds:.1f} s; {self.megabytes:,.0f} MB with all indexes."
        )


@dataclass(frozen=True, slots=True)
class PeerTimes(Figures):
    """Times of one page of one list, by what was timed, of the site and of SQL."""

    list_name: str
    page: int
    site: Mapping[str, Timing]
    sql: Mapping[str, Timing]

    def ratio(self, what: str) -> float:
        """Divide the site's median by SQL's."""
        return round(self.site[what].median_ms / self.sql[what].median_ms, 2)

    def as_dict(self) -> dict[str, Any]:
        return Figures.as_dict(self) | {"ratios": {what: self.ratio(what) for what in COMPARED}}


@dataclass(frozen=True, slots=True)
class CountTimes:
    """Times of counting the ``matching`` comments of one list, by the way of counting."""

    list_name: str
    matching: int
    times: Mapping[str, Timing]


@dataclass(frozen=True, slots=True)
class PeerFigures(Figures):
    """The same pages of the same comments, from DynamoDB and from PostgreSQL."""

    page_size: int
    turns: int
    load: PeerLoad
    pages: tuple[PeerTimes, ...]
    counting: tuple[CountTimes, ...]

    @property
    def product_page(self) -> PeerTimes:
        return next(page for page in self.pages if page.list_name == PRODUCT_PAGE)

    def as_dict(self) -> dict[str, Any]:
        return Figures.as_dict(self) | {"pages": [page.as_dict() for page in self.pages]}
