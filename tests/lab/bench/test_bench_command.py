"""``manage.py bench``, from end to end on a little data."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from comments.filters import CommentFilter
from demo import processes
from dynamo.calls.client import client
from dynamo.engine import find
from dynamo.progress import Progress
from lab.bench import context, throughput
from lab.bench import grid as bench_grid
from lab.bench import pages as bench_pages
from lab.bench import run as benchmark_run
from lab.bench.grid import grid
from lab.bench.run import PARTS, Options, run_benchmarks
from lab.management.commands import bench as command
from lab.reports.bench_figures import BenchFigures, PageFigures
from tests.support.project import PROJECT

PAGE_SIZE = 4
LITTLE = {
    "comments": 60,
    "seasonal": 60,
    "orders": 44,
    "queued": 38,
    "pages": (1, 10),
    "turns": 1,
    "seconds": 0.05,
    "imported": 50,
}
GRID = [
    CommentFilter(),
    CommentFilter.of(ratings=(1, 2, 4, 5)),
    CommentFilter.of(("de", "en"), (1, 2, 4, 5)),
    CommentFilter.of(("nl",), (2,)),
]

pytestmark = [pytest.mark.real_engine, pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def output(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("docs")


@pytest.fixture(scope="module")
def found(django_db_blocker) -> BenchFigures:
    if find(PROJECT) is None:
        pytest.skip("dynoxide is not installed")
    with pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():
        patch.setattr(benchmark_run, "grid", lambda: GRID)
        patch.setattr(benchmark_run, "ONE_IN", 1)
        patch.setattr(processes, "WORKERS", 1)  # of the web server
        patch.setattr(bench_pages, "WARM_UP", 0)
        patch.setattr(bench_grid, "WARM_UP", 0)
        patch.setattr(throughput, "CLIENTS", 2)
        patch.setattr(settings, "PAGE_SIZE", PAGE_SIZE)
        patch.setenv("PAGE_SIZE", str(PAGE_SIZE))  # for the web server
        return run_benchmarks(Options(PARTS, **LITTLE), progress=Progress(shown=False))


@pytest.fixture(scope="module")
def report(found, output) -> dict[str, Any]:
    """What a run printed; its plots are of two lists, as drawing takes long."""
    plots = pytest.importorskip("lab.reports.plots")
    draw = plots._draw_depths
    printed = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "_draw_depths", lambda pages: draw(of_two_lists(pages)))
        patch.setattr(command, "run_benchmarks", lambda _options, **_: found)
        call_command("bench", "--json", output=output, stdout=printed)
    return json.loads(printed.getvalue())


def of_two_lists(pages: Sequence[PageFigures]) -> list[PageFigures]:
    first, second, *_ = dict.fromkeys(page.list_name for page in pages)
    return [page for page in pages if page.list_name in {first, second}]


@pytest.fixture
def pages(report) -> dict[tuple[str, int], dict[str, Any]]:
    return {(p["list_name"], p["page"]): p for p in report["parts"]["comments"]["pages"]}


@pytest.fixture
def order_pages(report) -> dict[tuple[str, int], dict[str, Any]]:
    return {(p["list_name"], p["page"]): p for p in report["parts"]["orders"]["pages"]}


def depths_of(pages: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """The numbers of the pages of each list."""
    found: dict[str, list[int]] = {}
    for name, page in pages:
        found.setdefault(name, []).append(page)
    return found


def first_cost(one: dict[str, Any], reader: str) -> dict[str, Any]:
    """Return the cost of the first page of a list of the grid."""
    return one["by_reader"][reader]["pages"][0]["list_cost"]


class TestSeasons:
    def test_compare_each_page_with_its_estimate(self, report):
        first, *others = report["parts"]["seasons"]["pages"]
        assert (first["languages"], first["ratings"], first["plan"]) == ([], [], "all")
        assert first["capacity_units"] >= 0.5
        assert all(page["estimate"] is not None for page in [first, *others])


class TestPagesOfComments:
    def test_describe_the_machine_and_the_load(self, report):
        load = report["parts"]["comments"]["data"]["load"]
        assert report["machine"]["engine"].startswith("dynoxide ")
        assert load["items"] >= LITTLE["comments"]
        assert load["seconds"] > 0

    def test_are_of_every_list_at_each_depth_and_its_last_page(self, pages):
        assert depths_of(pages) == {
            "no filter": [1, 10, 15],
            "one rating": [1, 6],
            "one language": [1, 10],
            "four ratings": [1, 10, 14],
            "two languages, two ratings": [1, 8],
        }

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
        assert cost == {"calls": 1, "items_read": PAGE_SIZE + 1, "capacity_units": 0.5}

    def test_cost_four_runs_at_most_four_times_one(self, pages):
        one = pages["no filter", 1]["list_cost"]["capacity_units"]
        for name in ("four ratings", "two languages, two ratings"):
            assert pages[name, 1]["list_cost"]["capacity_units"] <= 4 * one

    def test_tell_the_list_apart_from_the_counts_and_the_page(self, pages):
        page = pages["no filter", 1]
        assert page["other_cost"] == {"calls": 1, "items_read": 0, "capacity_units": 0.5}
        assert page["page_cost"]["calls"] == page["list_cost"]["calls"] + 1  # product and counts
        parts = page["list_cost"]["capacity_units"] + page["other_cost"]["capacity_units"]
        assert page["page_cost"]["capacity_units"] > parts

    def test_weigh_what_a_list_entry_weighs(self, pages):
        assert 200 < pages["no filter", 1]["entry_bytes"] < 500


class TestPagesOfOrders:
    def test_are_of_the_customer_and_of_the_queue(self, order_pages):
        assert depths_of(order_pages) == {
            "all orders": [1, 10, 11],
            "one status": [1, 10],
            "three statuses": [1, 10],
            "two statuses, one year": [1, 4],
            "queue": [1, 10],
            "queue, one status": [1, 6],
        }
        assert order_pages["all orders", 1]["plan"] == "orders_by_user"
        assert order_pages["one status", 1]["plan"] == "orders_by_status"
        assert order_pages["queue", 1]["plan"] == "open_orders"

    def test_make_a_query_for_each_status(self, order_pages):
        assert order_pages["one status", 1]["list_cost"]["calls"] == 1
        assert order_pages["three statuses", 1]["list_cost"]["calls"] == 3

    def test_cost_the_same_at_page_10_as_at_page_1(self, order_pages):
        for name in ("all orders", "queue"):
            first, tenth = order_pages[name, 1], order_pages[name, 10]
            assert first["list_cost"]["capacity_units"] == tenth["list_cost"]["capacity_units"]

    def test_tell_the_queue_apart_from_the_read_of_its_shards(self, order_pages):
        assert order_pages["queue", 1]["other_cost"]["calls"] == 1
        assert order_pages["all orders", 1]["other_cost"]["calls"] == 0


class TestTheGrid:
    def test_has_some_pages_of_every_list_by_every_reader(self, report):
        lists = report["parts"]["grid"]["lists"]
        assert len(lists) == len(GRID)
        assert all(set(one["by_reader"]) == {"planner", "rules", "filter"} for one in lists)
        assert [page["page"] for page in lists[0]["by_reader"]["planner"]["pages"]] == [1, 6, 11]

    def test_reads_a_whole_page_of_each_run_by_the_rules(self, report):
        _, four_ratings, eight_runs, _ = report["parts"]["grid"]["lists"]
        assert first_cost(four_ratings, "rules")["items_read"] == 4 * (PAGE_SIZE + 1)
        assert first_cost(eight_runs, "rules")["calls"] == 8

    def test_costs_the_planner_no_more_than_the_rules(self, report):
        for one in report["parts"]["grid"]["lists"]:
            planner, rules = (first_cost(one, name) for name in ("planner", "rules"))
            assert planner["capacity_units"] <= rules["capacity_units"]

    def test_reads_everything_to_find_a_rare_comment_by_a_filter(self, report):
        *_, rare = report["parts"]["grid"]["lists"]
        assert rare["matching"] == 1
        assert first_cost(rare, "filter")["items_read"] == LITTLE["comments"]

    def test_is_slower_with_a_delay(self, report):
        for one in report["parts"]["grid"]["lists"]:
            assert one["by_reader"]["filter"]["delayed_ms"] > report["parts"]["grid"]["delay_ms"]

    def test_has_31_sets_of_ratings_and_12_of_languages(self):
        filters = list(grid())
        assert len(filters) == 31 * 12 == len(set(filters))
        assert filters[0] == CommentFilter()


class TestThroughput:
    def test_is_measured_for_each_list(self, report):
        rates = report["parts"]["throughput"]["per_second"]
        assert len(rates) == 4
        assert all(rate > 0 for rate in rates.values())
        assert report["parts"]["throughput"]["ratios"]["no filter"] == 1

    def test_tells_how_much_memory_many_different_pages_take(self, report):
        figures = report["parts"]["throughput"]
        at_start, after = figures["megabytes"]
        assert figures["varied"] > len(list(grid()))
        assert 50 < at_start < after


class TestWhatIsWritten:
    def test_is_a_document_with_the_tables(self, report, output):
        text = (output / "benchmarks.md").read_text()
        assert "## Pages of comments" in text
        assert "## Pages of orders" in text
        assert "| no filter | 1 | all |" in text
        assert "| capacity units | planner |" in text
        assert "| no filter | " in text.partition("Pages a second")[2]
        assert report["machine"]["engine"] in text

    @pytest.mark.parametrize(
        ("name", "label"),
        [
            ("comments", "number of the page"),
            ("orders", "number of the page"),
            ("grid", "share of the pages"),
            ("throughput", "pages a second"),
        ],
    )
    def test_are_plots_with_text_and_a_ground_of_their_own(self, report, output, name, label):
        plot = (output / "benchmarks" / f"{name}.svg").read_text()
        assert f"{label}</text>" in plot
        assert "#fbfaf7" in plot

    def test_names_no_place_of_this_machine(self, report, output):
        text = (output / "benchmarks.md").read_text()
        assert str(PROJECT) not in text + json.dumps(report)


class TestTheCommand:
    def test_measures_and_prints_what_was_asked_for(self, found, tmp_path, monkeypatch):
        asked: list[Options] = []

        def run(options: Options, **_: Any) -> BenchFigures:
            asked.append(options)
            return replace(found, parts={"imports": found.parts["imports"]})

        monkeypatch.setattr(command, "run_benchmarks", run)
        printed = StringIO()
        call_command("bench", "imports", "--turns=7", output=tmp_path, stdout=printed)
        assert (asked[0].parts, asked[0].turns, asked[0].orders) == (("imports",), 7, 10_000)
        assert "IMPORTING COMMENTS" in printed.getvalue()
        assert "÷" in printed.getvalue()
        assert f"wrote {tmp_path / 'benchmarks.md'}" in printed.getvalue()

    def test_measures_a_part_alone(self, found):
        options = Options(("imports",), **(LITTLE | {"imported": 20}))
        alone = run_benchmarks(options, progress=Progress(shown=False))
        assert set(alone.parts) == {"imports"}

    def test_leaves_the_site_connected_to_its_own_engine(self, found, settings):
        assert client().meta.endpoint_url == settings.DYNAMODB_ENDPOINT_URL

    def test_says_in_one_line_that_dynoxide_is_missing(self, monkeypatch):
        monkeypatch.setattr(context, "find", lambda _folder: None)
        with pytest.raises(CommandError, match=r"^dynoxide is not installed here.*$"):
            call_command("bench", stdout=StringIO())

    def test_refuses_a_part_that_does_not_exist(self):
        with pytest.raises(CommandError, match="There is no part “lunch”"):
            call_command("bench", "lunch", stdout=StringIO())


class TestImports:
    def test_are_timed_with_counts_and_without(self, report):
        imports = report["parts"]["imports"]
        assert set(imports["per_second"]) == {"raw batches", "with counts"}
        assert all(rate > 0 for rates in imports["per_second"].values() for rate in rates)

    def test_compare_both_ways_turn_by_turn(self, report):
        imports = report["parts"]["imports"]
        (raw,), (counted,) = (imports["per_second"][w] for w in ("raw batches", "with counts"))
        assert imports["ratios"] == [round(counted / raw, 2)]

    def test_are_on_data_of_their_own(self, report):
        assert report["parts"]["imports"]["data"] is None
