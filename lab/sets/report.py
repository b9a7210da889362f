"""What the figures of copies say, in tables: for the report of a run, and for the documents."""

from math import ceil

from dynapages.lists import dollars, prices
from lab.report import Section, Table
from lab.sets.figures import RECENT, WHOLE_SETS, CheckFigures, CopyFigures

WEIGHT_TITLES = (
    "copies",
    "bytes shown",
    "bytes of a copy",
    "bytes of a page",
    "bytes of all",
    "units of a page",
    "units to write",
)
EFFORT_TITLES = ("copies", "pack one", "unpack a page", "of a fragment", "of a whole page")
FORECAST_COMMENTS = 1_000_000
CHANGES_AN_HOUR = (100, 1_000, 10_000)
CHECKED_HOURS = 2
DAYS, HOURS = 30, 30 * 24
"""Of a month."""
RECORD_HOURS = 24
"""How long a stream keeps its records."""
MOST_RECORDS, MOST_BYTES = 1_000, 1_000_000
"""Of one GetRecords, whichever comes first."""


# Compressed copies.


def copies_section(figures: CopyFigures) -> Section:
    """Build the section about compressed copies."""
    day = figures.taken_at[:10]
    about = f"Taken on {day}, with Python {figures.python}, for pages of {figures.page_size}."
    tables = [weights_table(figures, weighed.name) for weighed in figures.weighed]
    return Section("Compressed copies", [about], [*tables, efforts_table(figures)])


def weights_table(figures: CopyFigures, name: str) -> Table:
    """Build the table of the bytes and units of some data. Raises KeyError for other data."""
    weighed = figures.of_data(name)
    rows = []
    for weight in weighed.weights:
        rows.append(
            (
                weight.way,
                round(weight.payload_bytes),
                round(weight.item_bytes),
                weight.page_bytes,
                weight.stored_bytes,
                weight.page_units,
                weight.write_units,
            )
        )
    return Table(f"Mean bytes and units, {weighed.about}", WEIGHT_TITLES, rows)


def efforts_table(figures: CopyFigures) -> Table:
    """Build the table of processor time, which has that of the site's own page beside it."""
    rows = []
    for effort in figures.efforts:
        of_fragment = f"{effort.unpack_page / figures.page_times.fragment:.1%}"
        of_page = f"{effort.unpack_page / figures.page_times.whole_page:.1%}"
        rows.append((effort.way, effort.pack, effort.unpack_page, of_fragment, of_page))
    return Table("Microseconds of the processor, and shares of a page's own", EFFORT_TITLES, rows)


# Checks.


def checks_section(figures: CheckFigures) -> Section:
    """Build the section about checks of copies."""
    about = (
        f"Taken on {figures.taken_at[:10]}, with {figures.engine}: {figures.comments:,} comments "
        f"of the sample shop, and {figures.changes} changes, which left {figures.records:,} "
        "records."
    )
    return Section("Checks of copies", [about], [checks_table(figures), forecast_table(figures)])


def checks_table(figures: CheckFigures) -> Table:
    """Build the table of what was measured."""
    rows = []
    for check in figures.checks:
        rows.append((check.name, check.calls, round(check.units), check.seconds))
    return Table("Each check once", ("check", "calls", "units", "seconds"), rows)


def forecast_table(figures: CheckFigures) -> Table:
    """Build the table of a larger table, whose comments and changes are as those measured.

    The whole table is read at once a day and once an hour, recent changes once an hour.
    """
    whole = figures.check(WHOLE_SETS).units / figures.comments * FORECAST_COMMENTS
    rows = [
        ("all, once a day", round(whole), 0, dollars(prices().reads(whole, times=DAYS))),
        ("all, once an hour", round(whole), 0, dollars(prices().reads(whole, times=HOURS))),
    ]
    each = figures.check(RECENT).units / figures.changes
    for changes in CHANGES_AN_HOUR:
        # A run looks at two hours, and reads the records of a whole day to find them.
        units = each * changes * CHECKED_HOURS
        calls = _calls_for_a_day(figures, changes)
        cost = dollars(prices().reads(units, times=HOURS))
        rows.append((f"the changes, {changes:,} an hour", round(units), calls, cost))
    return Table(
        f"Computed for {FORECAST_COMMENTS:,} comments",
        ("what a run checks", "units", "GetRecords", "dollars a month"),
        rows,
    )


def _calls_for_a_day(figures: CheckFigures, changes: int) -> int:
    """Return how many calls the records of a day take, at the fewest: full ones."""
    of_a_day = changes * RECORD_HOURS / figures.changes
    by_number = figures.records * of_a_day / MOST_RECORDS
    by_bytes = figures.record_bytes * of_a_day / MOST_BYTES
    return ceil(max(by_number, by_bytes))
