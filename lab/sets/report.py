"""What the figures of copies say, in tables: for the report of a run, and for the documents."""

from lab.report import Section, Table
from lab.sets.figures import CopyFigures

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
