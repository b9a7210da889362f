"""The tables of prices in ``docs/designs/``, from the figures that the documentation has.

``make readme`` writes them into the documents, whose marks call these functions.
"""

from collections.abc import Iterable, Mapping, Sequence

from dynapages.django.text_tables import format_table
from lab.figures import Figures, find_published
from lab.report import Table
from lab.sets import report as sets_report
from lab.sets.figures import published_checks, published_copies


def subject_table(subject_name: str, designs: Mapping[str, str]) -> str:
    """Return a table in Markdown of what the designs of a subject cost, in capacity units.

    That is the first page of each list, and each write. ``designs`` are the cells of the first
    column, by the names that the designs have in the figures.
    """
    subject = _figures().subject(subject_name)
    questions = [question.name for question in subject.questions]
    actions = [writing.action for writing in subject.designs[0].writings]
    rows = []
    for name, cell in designs.items():
        design = subject.design(name)
        reads = [design.of_question(question)[0].capacity_units for question in questions]
        writes = [writing.capacity_units for writing in design.writings]
        rows.append((cell, *reads, *writes))
    return format_table(("capacity units", *questions, *actions), rows)


def choice_table(*choices: Sequence[str]) -> str:
    """Return a table in Markdown of what one wants, the design for it, and its price.

    Each choice is what one wants, the design, and its subject and name in the figures. Where lists,
    or writes, cost a design more or less, the price has both.
    """
    rows = []
    for purpose, cell, subject_name, name in choices:
        design = _figures().subject(subject_name).design(name)
        first_pages = [one.capacity_units for one in design.readings if one.page == 1]
        writes = [writing.capacity_units for writing in design.writings]
        rows.append((purpose, cell, _range_of(first_pages), _range_of(writes)))
    return format_table(("you want", "design", "a page", "a write"), rows)


def copies_table(data: str) -> str:
    """Return a table in Markdown of the bytes and units of copies, as they are and compressed."""
    return _without_caption(sets_report.weights_table(published_copies(), data))


def copy_efforts_table() -> str:
    """Return a table in Markdown of the processor time that compressed copies take."""
    return _without_caption(sets_report.efforts_table(published_copies()))


def checks_table() -> str:
    """Return a table in Markdown of what checks of copies took."""
    return _without_caption(sets_report.checks_table(published_checks()))


def checks_forecast_table() -> str:
    """Return a table in Markdown of what checks of a large table would take."""
    return _without_caption(sets_report.forecast_table(published_checks()))


def _without_caption(table: Table) -> str:
    return format_table(table.titles, table.rows)


def _range_of(units: Iterable[float]) -> str:
    ordered = sorted(units)
    least, most = f"{ordered[0]:g}", f"{ordered[-1]:g}"
    return least if least == most else f"{least}–{most}"


def _figures() -> Figures:
    figures = find_published()
    if figures is None:
        raise FileNotFoundError("The documentation has no figures of the lab.")
    return figures
