"""``manage.py bench``, from end to end on a little data."""

from contextlib import suppress
from importlib import import_module
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections

from comments.filters import CommentFilter
from dynapages.lists import Page
from lab.bench import topics, words
from lab.bench.readers import ListRead, WrongAnswer
from lab.management.commands import bench
from lab.sets import checks, compressed
from lab.sets.figures import RECENT, WHOLE_SETS, published_checks, published_copies
from lab.sql_comparison.postgres import PostgresMissing, require_programs
from tests.test_rooms import below, offenders

GRID = [CommentFilter(), CommentFilter.of(ratings=(1, 2, 4, 5)), CommentFilter.of(("nl",), (2,))]
on_dynoxide = [
    pytest.mark.real_engine,
    pytest.mark.slow,
    pytest.mark.usefixtures("dynoxide", "little"),
]


@pytest.fixture
def little(monkeypatch, settings, tmp_path, django_db_blocker):
    settings.VAR_DIR = tmp_path
    settings.PAGE_SIZE = 4
    monkeypatch.setenv("REAL_DATA_DIR", str(tmp_path))  # where there are none
    monkeypatch.setattr(words, "MADE_COMMENTS", 600)
    monkeypatch.setattr(bench, "CUSTOMER_ORDERS", 44)
    monkeypatch.setattr(bench, "QUEUED_ORDERS", 38)
    monkeypatch.setattr(bench, "grid", lambda: GRID)
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def postgres():
    try:
        require_programs()
    except PostgresMissing as error:
        pytest.skip(str(error))


def report_of(part: str, **options: object) -> str:
    """What is printed about a part; whether its limits hold on this machine does not matter."""
    out = StringIO()
    numbers = {"comments": 60, "turns": 1, "searches": 10, "visits": 3}
    with suppress(CommandError):
        call_command("bench", part, **numbers, **options, stdout=out)
    return out.getvalue()


def rows_of(report: str) -> list[list[str]]:
    """The cells of all rows of all tables."""
    lines = [line for line in report.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


class TestTheParts:
    pytestmark = on_dynoxide

    def test_comments_are_measured_at_each_depth(self):
        report = report_of("comments")
        found = [tuple(row[:3]) for row in rows_of(report)]
        for page in ("1", "10", "15"):
            assert ("no filter", page, "all") in found
        assert "fragment ÷ bare query" in report

    def test_lists_in_the_api_are_measured_beside_their_pages(self):
        report = report_of("api")
        names = [row[0] for row in rows_of(report)]
        assert {"no filter", "two languages, two ratings"} <= {*names}
        assert "API ÷ page" in report

    def test_orders_are_those_of_a_customer_and_of_the_queue(self):
        plans = {row[0]: row[2] for row in rows_of(report_of("orders")) if len(row) == 4}
        assert plans["all orders"] == "orders_by_user"
        assert plans["one status"] == "orders_by_status"
        assert plans["queue"] == "open_orders"

    def test_the_grid_is_read_by_each_reader(self):
        rows = rows_of(report_of("grid"))
        most_read = {row[1]: row[-1] for row in rows if row[0] == "items read"}
        assert most_read["filter"] == "60"  # everything, to find a rare comment
        assert int(most_read["planner"]) < 60

    def test_searches_show_what_made_comments_have(self):
        report = report_of("words")
        assert "10 searches of 600 comments" in report
        assert "units of the dearest page" in report

    def test_topics_are_made_of_few_comments_and_of_many(self, monkeypatch):
        monkeypatch.setattr(topics, "SIZES", (40,))
        monkeypatch.setattr(topics, "MOST_PRODUCTS", 6)
        monkeypatch.setattr(topics, "EVERY_PLANTED", 4)
        rows = [row for row in rows_of(report_of("topics")) if "comments" in row[0]]
        units = {row[0]: float(row[1]) for row in rows}
        assert units["topics of 60 comments"] > units["topics of 40 comments"] > 0
        assert units["whether 60 comments are due"] == 2

    def test_copies_are_weighed_and_their_figures_stored_for_the_documents(
        self, monkeypatch, tmp_path
    ):
        monkeypatch.setattr(compressed, "SAMPLE_COMMENTS", 60)
        monkeypatch.setattr(compressed, "LONG_COMMENTS", 60)
        monkeypatch.setattr(compressed, "PAGE_COMMENTS", 60)
        (tmp_path / "lab").mkdir()
        names = [row[0] for row in rows_of(report_of("copies", write_docs=tmp_path))]
        assert {"as they are", "zlib with a dictionary"} <= {*names}
        assert published_copies(tmp_path).page_times.whole_page > 0

    def test_checks_find_a_lost_copy_and_their_figures_are_stored(self, monkeypatch, tmp_path):
        monkeypatch.setattr(checks, "COMMENTS", 80)
        monkeypatch.setattr(checks, "POSTED", 4)
        (tmp_path / "lab").mkdir()
        names = [row[0] for row in rows_of(report_of("checks", write_docs=tmp_path))]
        assert {WHOLE_SETS, RECENT, "all, once a day"} <= {*names}
        figures = published_checks(tmp_path)
        assert figures.changes == 24
        assert figures.check(RECENT).units < figures.check(WHOLE_SETS).units

    def test_peers_are_timed_on_both_sides(self, postgres):
        rows = rows_of(report_of("peers"))
        assert "no filter, page 1" in [row[0] for row in rows]
        assert {"COUNT(*)", "GROUP BY"} <= {cell for row in rows for cell in row}

    def test_peers_are_visited_as_people_do(self, postgres):
        kinds = [row[0] for row in rows_of(report_of("peers")) if len(row) == 7]
        for kind in ("lists at random, each once", "pages by Zipf's law", "list after a post"):
            assert kind in kinds

    def test_throughput_is_that_of_the_site_and_of_sql(self, postgres, monkeypatch):
        throughput = import_module("lab.sql_comparison.throughput")
        monkeypatch.setattr(throughput, "TURN_SECONDS", 0.5)
        monkeypatch.setattr(throughput, "WARM_UP_SECONDS", 0.1)
        served = {tuple(row[:2]): row for row in rows_of(report_of("throughput")) if len(row) == 8}
        for name in ("site", "SQL"):
            for clients in throughput.CLIENTS:
                assert float(served[name, str(clients)][2]) > 0


def test_a_part_that_there_is_not_is_refused():
    with pytest.raises(CommandError, match="no part “elephants”"):
        call_command("bench", "elephants")


def test_a_page_that_holds_something_else_is_not_measured():
    read = ListRead("all", Page((), has_next=False, has_previous=False, rounds=1, reads=()))
    with pytest.raises(WrongAnswer, match="page 1"):
        read.require(["2024-01-01T00:00:00.000000Z#1"], name="page 1")


class TestTheShop:
    def test_has_no_sql_database(self):
        assert set(settings.DATABASES) <= {"default"}  # Django's own placeholder
        assert connections["default"].settings_dict["ENGINE"] == "django.db.backends.dummy"

    def test_imports_nothing_of_sql(self):
        assert offenders(below("dynapages", "shop", "comments", "demo", "config"), "psycopg") == []
