"""``manage.py bench``, from end to end on a little data."""

from importlib.util import find_spec
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command

from comments.filters import CommentFilter
from demo import processes
from dynapages.django.options import Progress
from dynapages.engine.server import find_dynoxide
from lab.bench import grid as bench_grid
from lab.bench import pages as bench_pages
from lab.bench import run as benchmark_run
from lab.bench import throughput
from lab.bench.run import PARTS, Options, run_benchmarks
from lab.management.commands import bench as command
from lab.reports.results import Results
from tests.support.project import PROJECT

PAGE_SIZE = 4
LITTLE = {
    "comments": 60,
    "seasonal": 60,
    "orders": 44,
    "queued": 38,
    "pages": (1, 10),
    "turns": 1,
    "seconds": 0.5,
    "imported": 50,
}
GRID = [
    CommentFilter(),
    CommentFilter.of(ratings=(1, 2, 4, 5)),
    CommentFilter.of(("de", "en"), (1, 2, 4, 5)),
    CommentFilter.of(("nl",), (2,)),
]

pytestmark = [pytest.mark.real_engine, pytest.mark.slow, pytest.mark.long]
needs_locust = pytest.mark.skipif(find_spec("locust") is None, reason="Locust is not installed")


@pytest.fixture(scope="module")
def found(django_db_blocker):
    if find_dynoxide(PROJECT) is None:
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
def report(found, tmp_path_factory):
    """What is written into the documents."""
    pytest.importorskip("matplotlib")
    output = tmp_path_factory.mktemp("docs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "run_benchmarks", lambda _options, **_: found)
        call_command("bench", "--json", output=output, stdout=StringIO())
    return (output / "benchmarks.md").read_text()


@pytest.fixture
def comments(found):
    return found.where(part="comments")


@pytest.fixture
def orders(found):
    return found.where(part="orders")


@pytest.fixture
def lists(found):
    """The rows of each list of the grid."""
    return [each for (name,), each in found.where(part="grid").by("list").items() if name]


def depths_of(pages: Results) -> dict[object, list[object]]:
    depths: dict[object, list[object]] = {}
    for name, page in pages.where(metric="plan").by("list", "page"):
        depths.setdefault(name, []).append(page)
    return depths


def units(pages: Results, name: str, page: int, of: str = "list") -> float:
    return pages.where(list=name, page=page).number(f"{of}.capacity_units")


class TestPagesOfComments:
    def test_are_those_asked_for_that_a_list_has_and_its_last(self, comments):
        assert depths_of(comments) == {
            "no filter": [1, 10, 15],
            "one rating": [1, 6],
            "one language": [1, 10],
            "four ratings": [1, 10, 14],
            "two languages, two ratings": [1, 8],
        }

    def test_read_a_page_and_one_item_more_from_a_single_run(self, comments):
        first = comments.where(list="no filter", page=1).facts()
        assert (first["list.requests"], first["list.items_read"]) == (1, PAGE_SIZE + 1)
        assert 200 < first["entry_bytes"] < 500


class TestPagesOfOrders:
    def test_are_of_the_customer_and_of_the_queue(self, orders):
        assert depths_of(orders) == {
            "all orders": [1, 10, 11],
            "one status": [1, 10],
            "three statuses": [1, 10],
            "two statuses, one year": [1, 4],
            "queue": [1, 10],
            "queue, one status": [1, 6],
        }
        plans = {"all orders": "orders_by_user", "one status": "orders_by_status"}
        for name, plan in {**plans, "queue": "open_orders"}.items():
            assert orders.where(list=name).value("plan") == plan


class TestTheGrid:
    def test_has_some_pages_of_every_list_by_every_reader(self, lists):
        assert len(lists) == len(GRID)
        assert all(one.names("reader") == ["planner", "rules", "filter"] for one in lists)
        assert lists[0].where(reader="planner").names("page") == [1, 6, 11]

    def test_reads_a_whole_page_of_each_run_by_the_rules(self, lists):
        _, four_ratings, eight_runs, _ = (one.where(reader="rules") for one in lists)
        assert four_ratings.number("items_read") == 4 * (PAGE_SIZE + 1)
        assert eight_runs.number("requests") == 8

    def test_reads_everything_to_find_a_rare_comment_by_a_filter(self, lists):
        rare = lists[-1]
        assert rare.number("matching") == 1
        assert rare.where(reader="filter").number("items_read") == LITTLE["comments"]


@needs_locust
class TestThroughput:
    def test_is_measured_for_each_list(self, found):
        rates = found.where(part="throughput", metric="per_second")
        assert len(rates) == 4
        assert all(row.value > 0 for row in rates)


class TestImports:
    def test_compare_both_ways_turn_by_turn(self, found):
        imports = found.where(part="imports")
        raw, counted = (
            imports.where(reader=way).number("per_second") for way in ("raw batches", "with counts")
        )
        assert imports.numbers("ratio") == [round(counted / raw, 2)]


class TestWhatIsWritten:
    @needs_locust
    def test_is_a_document_with_the_tables(self, found, report):
        for text in (
            "## Pages of comments",
            "## Pages of orders",
            "| no filter | 1 | all |",
            "| list | page | plan | whole page | ms |",
            "| capacity units | planner |",
            found.value("engine"),
        ):
            assert text in report
        assert "| no filter | " in report.partition("Pages a second")[2]
        assert str(PROJECT) not in report + found.as_lines()
