"""The figures of copies and their checks: stored as JSON, shown in reports and documents."""

import json
from dataclasses import replace

import pytest

from lab import document_tables
from lab.document_tables import (
    checks_forecast_table,
    checks_table,
    copies_table,
    copy_efforts_table,
)
from lab.sets.figures import (
    RECENT,
    WHOLE_SETS,
    Check,
    CheckFigures,
    CopyFigures,
    Effort,
    PageTimes,
    Weighed,
    Weight,
    published_checks,
    published_copies,
)
from lab.sets.report import checks_section, copies_section

PLAIN = Weight("as they are", 190.3, 310.1, 62, 6_323, 1.0, 26_083)
PACKED = Weight("zlib", 160.2, 280.4, 62, 5_680, 0.5, 24_120)
FIGURES = CopyFigures(
    taken_at="2026-11-20T13:05:00.000000Z",
    python="3.11.7",
    page_size=20,
    weighed=(Weighed("sample", "40 comments of nobody", (PLAIN, PACKED)),),
    efforts=(Effort("zlib", 30, 200),),
    page_times=PageTimes(10_000, 40_000),
)

CHECKS = CheckFigures(
    taken_at="2026-11-20T13:05:00.000000Z",
    engine="dynoxide 1.2.1 in memory",
    comments=1_000,
    changes=10,
    records=330,
    record_bytes=198_000,
    checks=(Check(WHOLE_SETS, 50, 4_000, 9.5), Check(RECENT, 20, 40, 0.5)),
)


def rows_of(table: str) -> list[str]:
    """The lines of a table, without what pads its cells."""
    return [" ".join(line.split()) for line in table.splitlines()]


@pytest.fixture
def _published(monkeypatch):
    monkeypatch.setattr(document_tables, "published_copies", lambda: FIGURES)
    monkeypatch.setattr(document_tables, "published_checks", lambda: CHECKS)


def test_figures_are_the_same_after_they_were_stored():
    assert CopyFigures.from_json(FIGURES.as_json()) == FIGURES
    assert CheckFigures.from_json(CHECKS.as_json()) == CHECKS


def test_figures_of_another_shape_are_refused():
    document = json.loads(FIGURES.as_json())
    del document["page_times"]
    with pytest.raises(KeyError):
        CopyFigures.from_json(json.dumps(document))


@pytest.mark.usefixtures("_published")
class TestTheDocuments:
    def test_have_a_row_for_each_way(self):
        _titles, _rule, *rows = rows_of(copies_table("sample"))
        assert rows == [
            "| as they are | 190 | 310 | 6,323 | 26,083 | 1 | 62 |",
            "| zlib | 160 | 280 | 5,680 | 24,120 | 0.5 | 62 |",
        ]

    def test_have_no_table_of_data_that_was_not_weighed(self):
        with pytest.raises(KeyError, match="pigeons"):
            copies_table("pigeons")

    def test_have_the_share_of_a_page_that_unpacking_takes(self):
        assert rows_of(copy_efforts_table())[-1] == "| zlib | 30 | 200 | 2.0% | 0.5% |"

    def test_have_what_each_check_took(self):
        _titles, _rule, *rows = rows_of(checks_table())
        assert rows == [
            f"| {WHOLE_SETS} | 50 | 4,000 | 9.5 |",
            f"| {RECENT} | 20 | 40 | 0.5 |",
        ]

    def test_have_what_checks_of_a_million_comments_would_take(self):
        _titles, _rule, *rows = rows_of(checks_forecast_table())
        # Of 1,000 changes an hour: two hours are looked at, and the records of 24 are read.
        assert "| the changes, 1,000 an hour | 8,000 | 792 | $0.72 |" in rows
        assert rows[:2] == [
            "| all, once a day | 4,000,000 | 0 | $15 |",
            "| all, once an hour | 4,000,000 | 0 | $360 |",
        ]

    def test_count_calls_by_the_bytes_of_records_where_these_are_large(self, monkeypatch):
        large = replace(CHECKS, record_bytes=330 * 4_000)
        monkeypatch.setattr(document_tables, "published_checks", lambda: large)
        rows = rows_of(checks_forecast_table())
        assert "| the changes, 1,000 an hour | 8,000 | 3,168 | $0.72 |" in rows


def test_the_report_has_all_data_and_says_when_it_was_taken():
    report = copies_section(FIGURES).text()
    assert "Taken on 2026-11-20, with Python 3.11.7, for pages of 20." in report
    assert "40 comments of nobody" in report
    assert "Microseconds of the processor" in report


def test_the_report_of_checks_says_on_what_they_were_made():
    report = checks_section(CHECKS).text()
    assert "1,000 comments of the sample shop, and 10 changes, which left 330 records." in report
    assert "Computed for 1,000,000 comments" in report


def test_the_documents_have_figures():
    assert published_copies().of_data("sample shop").weights[0].way == "as they are"
    assert published_checks().check(RECENT).units > 0
