"""The report of ``manage.py bench peers``: the site beside SQL."""

from lab.reports.bench_figures import FRAGMENT, LIST, PAGE
from lab.reports.figures import medians_of
from lab.reports.peer_figures import (
    COMPARED,
    COUNTINGS,
    OFFSET,
    CountTimes,
    PeerFigures,
    PeerTimes,
)
from lab.reports.tables import Section, Table, promise

TIMES = (
    *("list", "page", "list read", "by SQL", "by OFFSET", "list ÷ SQL"),
    *("fragment", "by SQL", "fragment ÷ SQL", "whole page", "by SQL", "page ÷ SQL"),
)
MOST_OF_THE_PAGE = 1.0
"""The most that the site's product page may take, by the time of SQL's."""


def peer_section(figures: PeerFigures, name: str, notes: tuple[str, ...]) -> Section:
    """Write the section of this part."""
    times = (
        f"Milliseconds for a page of {figures.page_size}, as {medians_of(figures.turns)}, "
        "and the site's divided by SQL's"
    )
    ratio = figures.product_page.ratio(PAGE)
    return Section(
        name=name,
        title="The same comments in PostgreSQL",
        notes=(*notes, figures.load.sentence),
        tables=(
            Table(times, TIMES, tuple(map(_time_row, figures.pages))),
            Table(
                "Milliseconds of counting a list",
                ("list", "comments", *COUNTINGS),
                tuple(map(_count_row, figures.counting)),
            ),
            promise(
                "What the product page is held to",
                ("whole page ÷ SQL's", MOST_OF_THE_PAGE, ratio),
            ),
        ),
    )


def _time_row(page: PeerTimes) -> tuple[str, ...]:
    site = {what: f"{page.site[what].median_ms:.2f}" for what in COMPARED}
    sql = {what: f"{timing.median_ms:.2f}" for what, timing in page.sql.items()}
    ratio = {what: f"{page.ratio(what):.2f}" for what in COMPARED}
    return (
        *(page.list_name, f"{page.page:,}", site[LIST], sql[LIST], sql[OFFSET], ratio[LIST]),
        *(site[FRAGMENT], sql[FRAGMENT], ratio[FRAGMENT]),
        *(site[PAGE], sql[PAGE], ratio[PAGE]),
    )


def _count_row(counted: CountTimes) -> tuple[str, ...]:
    times = (f"{counted.times[way].median_ms:.2f}" for way in COUNTINGS)
    return (counted.list_name, f"{counted.matching:,}", *times)
