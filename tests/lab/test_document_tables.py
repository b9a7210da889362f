"""The tables of prices in the documents of the designs."""

from dataclasses import replace

import pytest

from lab import document_tables
from lab.document_tables import choice_table, subject_table
from lab.figures import Question, Reading
from tests.support.lab.labs import made_design, made_figures


@pytest.fixture(autouse=True)
def figures(monkeypatch):
    """Those of one design, with a second list, and a second page of the first."""
    design = made_design()
    more = (
        Reading("rare", 1, requests=1, items_read=20, capacity_units=1.5),
        Reading("popular", 31, requests=1, items_read=20, capacity_units=999),
    )
    figures = made_figures(replace(design, readings=(*design.readings, *more)))
    (subject,) = figures.subjects
    questions = (*subject.questions, Question("rare", "3 stars: 50 of 4,321", 3))
    figures = replace(figures, subjects=(replace(subject, questions=questions),))
    monkeypatch.setattr(document_tables, "find_published", lambda: figures)


def rows_of(table: str) -> list[str]:
    """The lines of a table, without what pads its cells."""
    return [" ".join(line.split()) for line in table.splitlines()]


def test_a_subject_has_the_first_page_of_each_list_and_each_write():
    titles, _rule, row = rows_of(subject_table("comments", {"scan": "[Scan](#scan)"}))
    assert titles == "| capacity units | popular | rare | a comment |"
    assert row == "| [Scan](#scan) | 138.5 | 1.5 | 66 |"


def test_a_choice_has_the_least_and_the_most_or_what_is_always_the_same():
    table = choice_table(("an export", "[Scan](#scan)", "comments", "scan"))
    assert rows_of(table)[-1] == "| an export | [Scan](#scan) | 1.5–138.5 | 66 |"


def test_a_choice_needs_figures():
    with pytest.raises(KeyError, match="carrier pigeons"):
        choice_table(("an export", "Scan", "comments", "carrier pigeons"))
