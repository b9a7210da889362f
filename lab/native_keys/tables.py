"""Tables of the figures of keys: those of the report, and those in ``docs/designs/``.

``make readme`` writes the latter into the documents, whose marks call these functions.
"""

from collections.abc import Sequence
from typing import TypeAlias

from dynapages.django.text_tables import format_table
from lab.figures import Reading
from lab.native_keys.figures import KeyFigures, find_published_keys

Rows: TypeAlias = tuple[Sequence[str], Sequence[Sequence[object]]]
"""The titles of a table, and its rows."""


def heading_of(figures: KeyFigures) -> str:
    """Return a sentence on when and on what the figures were taken."""
    day, time = figures.taken_at[:10], figures.taken_at[11:16]
    return f"Taken on {day} at {time} UTC, with {figures.engine}; units are counted from bytes."


def storage_rows(figures: KeyFigures) -> Rows:
    """Return what a comment stores on average, in bytes."""
    rows = []
    for design in figures.designs:
        number = design.stored.items
        sizes = (design.stored.item_bytes, design.stored.entry_bytes, design.stored.billed)
        rows.append((design.name, *(round(size / number) for size in sizes)))
    return ("keys", "item", "its entries in indexes", "billed"), rows


def reading_rows(figures: KeyFigures) -> Rows:
    """Return what each page of each list takes."""
    rows = []
    for design in figures.designs:
        for reading in design.readings:
            counted = (reading.requests, reading.items_read, reading.capacity_units)
            rows.append((design.name, reading.question, reading.page, *counted))
    return ("keys", "list", "page", "Queries", "items", "units"), rows


def writing_rows(figures: KeyFigures) -> Rows:
    """Return what each kind of write takes on average."""
    rows = []
    for design in figures.designs:
        for writing in design.writings:
            attributes = (writing.list_keys, writing.attributes)
            entries = (writing.entries_put, writing.entries_changed, writing.entries_deleted)
            rows.append((design.name, writing.action, *attributes, *entries, writing.units))
    titles = (
        *("keys", "write", "keys of lists", "attributes"),
        *("entries put", "changed", "deleted", "units"),
    )
    return titles, rows


def list_rows(figures: KeyFigures) -> Rows:
    """Return what an item of each list takes in its overloaded index, and in one of its own."""
    rows = []
    for listed in figures.lists:
        sizes = (listed.entry_bytes, listed.own_bytes)
        edits: tuple[object, object] = ("", "")
        if listed.text_units:
            edits = (listed.text_units, listed.own_text_units)
        rows.append((listed.index, listed.name, *sizes, listed.own_put_units, *edits))
    titles = (
        *("index", "list", "entry, bytes", "in its own"),
        *("units to put", "another text, units", "in its own"),
    )
    return titles, rows


# Parts of the documents


def key_data() -> str:
    """Return a sentence in Markdown on when the figures were taken, and one on what."""
    figures = find_published_keys()
    return f"\n{heading_of(figures)} {figures.data}\n"


def key_storage_table() -> str:
    """Return a table in Markdown of what a comment stores with each design of keys."""
    return format_table(*storage_rows(find_published_keys()))


def key_reading_table() -> str:
    """Return a table in Markdown of what pages of lists take, in capacity units and Queries.

    Each list has a row for each of its pages, and each design a column.
    """
    figures = find_published_keys()
    rows = []
    for question in figures.questions:
        by_design = [design.of_question(question.name) for design in figures.designs]
        for readings in zip(*by_design, strict=True):
            cells = [_units_and_queries(reading) for reading in readings]
            rows.append((question.name, f"{readings[0].page} of {question.pages}", *cells))
    titles = ("list", "page", *(design.name for design in figures.designs))
    return format_table(titles, rows)


def key_writing_table() -> str:
    """Return a table in Markdown of what writes change today, and with native keys."""
    figures = find_published_keys()
    today, native = figures.designs[:2]
    rows = []
    for writing, natively in zip(today.writings, native.writings, strict=True):
        entries = (writing.entries_put, writing.entries_changed, writing.entries_deleted)
        attributes = (writing.list_keys, natively.list_keys)
        rows.append((writing.action, *attributes, *entries, writing.units, natively.units))
    titles = (
        *("write", "keys of lists, concatenated", "native"),
        *("entries put", "changed", "deleted", "units, concatenated", "native"),
    )
    return format_table(titles, rows)


def key_list_table() -> str:
    """Return a table in Markdown of the lists of overloaded indexes."""
    return format_table(*list_rows(find_published_keys()))


def _units_and_queries(reading: Reading) -> str:
    queries = "1 Query" if reading.requests == 1 else f"{reading.requests} Queries"
    return f"{reading.capacity_units:g}, {queries}"
