"""``manage.py bench``, from end to end on a little data."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.benchmark import run as benchmark_run
from dynamo.client import client
from dynamo.engine import find

pytestmark = pytest.mark.real_engine


@pytest.fixture(scope="module")
def output(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("docs")


@pytest.fixture(scope="module")
def report(output) -> dict[str, Any]:
    if find(Path(__file__).parents[2]) is None:
        pytest.skip("dynoxide is not installed")
    printed = StringIO()
    call_command(
        "bench",
        "comments",
        "--json",
        comments=2_000,
        turns=1,
        pages=(1, 10),
        output=output,
        stdout=printed,
    )
    return json.loads(printed.getvalue())


@pytest.fixture
def pages(report) -> dict[tuple[str, int], dict[str, Any]]:
    return {(p["list_name"], p["page"]): p for p in report["parts"]["comments"]["pages"]}


class TestTheFigures:
    def test_describe_the_machine_and_the_load(self, report):
        load = report["parts"]["comments"]["data"]["load"]
        assert report["machine"]["engine"].startswith("dynoxide ")
        assert load["items"] >= 2_000
        assert load["seconds"] > 0

    def test_are_of_every_list_at_each_depth_and_its_last_page(self, pages):
        depths: dict[str, list[int]] = {}
        for name, page in pages:
            depths.setdefault(name, []).append(page)
        assert len(depths) == 5
        assert all(found[:2] == [1, 10] and len(found) == 3 for found in depths.values())
        assert depths["no filter"] == [1, 10, 100]

    def test_have_a_time_for_everything_and_ratios(self, pages):
        for page in pages.values():
            assert set(page["times"]) == {"query", "list", "fragment", "page", "page_calls"}
            assert all(timing["median_ms"] > 0 for timing in page["times"].values())
            assert set(page["ratios"]) == {
                "list / query",
                "fragment / query",
                "page / query",
                "page / page_calls",
            }

    def test_cost_the_same_at_page_10_as_at_page_1_without_a_filter(self, pages):
        first, tenth = pages["no filter", 1], pages["no filter", 10]
        assert first["list_cost"] == tenth["list_cost"]

    def test_read_a_page_and_one_item_more_from_a_single_run(self, pages):
        cost = pages["no filter", 1]["list_cost"]
        assert cost == {"calls": 1, "items_read": 21, "capacity_units": 1.0}

    def test_cost_four_runs_at_most_four_times_one(self, pages):
        one = pages["no filter", 1]["list_cost"]["capacity_units"]
        for name in ("four ratings", "two languages, two ratings"):
            assert pages[name, 1]["list_cost"]["capacity_units"] <= 4 * one

    def test_tell_the_list_apart_from_the_counts_and_the_page(self, pages):
        page = pages["no filter", 1]
        assert page["other_cost"] == {"calls": 1, "items_read": 0, "capacity_units": 0.5}
        assert page["page_cost"]["calls"] > page["list_cost"]["calls"] + 1

    def test_weigh_what_a_list_entry_weighs(self, pages):
        assert 200 < pages["no filter", 1]["entry_bytes"] < 500


class TestWhatIsWritten:
    def test_is_a_document_with_the_tables(self, report, output):
        text = (output / "benchmarks.md").read_text()
        assert "## Pages of comments" in text
        assert "| no filter | 1 | all |" in text
        assert report["machine"]["engine"] in text

    def test_is_a_plot_with_text_and_a_ground_of_its_own(self, report, output):
        plot = (output / "benchmarks" / "comments.svg").read_text()
        assert "number of the page</text>" in plot
        assert "#fbfaf7" in plot

    def test_names_no_place_of_this_machine(self, report, output):
        text = (output / "benchmarks.md").read_text()
        assert str(Path(__file__).parents[2]) not in text + json.dumps(report)


class TestTheCommand:
    def test_loads_the_data_once(self, report, settings):
        note = settings.VAR_DIR / "bench" / "comments-2000.json"
        before = note.stat().st_mtime_ns
        printed = StringIO()
        call_command(
            "bench",
            "comments",
            comments=2_000,
            turns=1,
            pages=(1,),
            output=settings.VAR_DIR / "docs",
            stdout=printed,
        )
        assert note.stat().st_mtime_ns == before
        assert "÷" in printed.getvalue()

    def test_leaves_the_site_connected_to_its_own_engine(self, report, settings):
        assert client().meta.endpoint_url == settings.DYNAMODB_ENDPOINT_URL

    def test_says_in_one_line_that_dynoxide_is_missing(self, monkeypatch):
        monkeypatch.setattr(benchmark_run, "find", lambda _folder: None)
        with pytest.raises(CommandError, match=r"^dynoxide is not installed here.*$"):
            call_command("bench", stdout=StringIO())

    def test_refuses_a_part_that_does_not_exist(self):
        with pytest.raises(CommandError, match="There is no part “lunch”"):
            call_command("bench", "lunch", stdout=StringIO())
