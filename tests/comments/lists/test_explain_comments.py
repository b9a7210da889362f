"""``manage.py explain comments``, and the same figures folded away on the page."""

import json
from collections.abc import Iterator
from io import StringIO
from urllib.parse import parse_qs, parse_qsl, unquote, urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.urls import resolve

from dynapages.calls import metered
from tests.support.comments.browsing import follow, visit, with_explanation
from tests.support.comments.loading import forget_counts, load
from tests.support.comments.spying import spied
from tests.support.comments.truth import Truth, numbered_comments
from tests.support.markup import Element

pytestmark = pytest.mark.usefixtures("tables")

LANGUAGES = ("de", "en", "fr")
PLANS = ("all", "by_language", "by_rating", "by_language_and_rating", "mixed", "sets")
READS = {"Query", "GetItem", "BatchGetItem"}
SMALL = "small-shop"
PATTERNS = [
    ("~", "~", "all", 1),
    ("~", "1.2.3.4.5", "all", 1),
    ("de", "~", "by_language", 1),
    ("de.en", "~", "by_language", 2),
    ("de.en.fr", "~", "by_language", 3),
    ("~", "1", "by_rating", 1),
    ("~", "1.2.3.4", "by_rating", 4),
    ("de", "5", "by_language_and_rating", 1),
    ("de.en.fr", "1.2", "by_language_and_rating", 6),
    ("de.en", "1.2.3.4.5", "by_language", 2),
]
FILTERS = [pattern[:2] for pattern in PATTERNS[::4]]


@pytest.fixture(scope="module")
def counted(tables):
    """A product of 90 comments."""
    load(numbered_comments("explained", count=90, languages=LANGUAGES))
    return "explained"


@pytest.fixture(scope="module")
def uncounted(tables):
    """The same, as it is before anything has been counted: it is read by rule."""
    load(numbered_comments("uncounted", count=90, languages=LANGUAGES))
    forget_counts("uncounted")
    return "uncounted"


def explained(product_id: str, *options: str) -> dict:
    output = StringIO()
    call_command("explain", "comments", "--product", product_id, "--json", *options, stdout=output)
    return json.loads(output.getvalue())


def url_of(product_id: str, languages: str, ratings: str) -> str:
    spelled = "~" if ratings == "1.2.3.4.5" else ratings
    return f"/products/{product_id}/comments/{languages}/{spelled}/"


class TestReadingByRule:
    @pytest.mark.parametrize("pattern", PATTERNS)
    def test_makes_one_query_for_each_run_of_the_plan_as_explained(self, uncounted, pattern):
        languages, ratings, plan, runs = pattern
        with metered() as meter, spied() as asked:
            visit(url_of(uncounted, languages, ratings))
        calls = meter.labelled("list")
        assert [(call.operation, call.index) for call in calls] == [("Query", plan)] * runs
        assert len({call.partition for call in calls}) == runs
        assert not any("FilterExpression" in request.parameters for request in asked)
        figures = explained(uncounted, f"--languages={languages}", f"--ratings={ratings}")
        assert figures["plan"] == plan
        assert [query["index"] for query in figures["queries"]] == [plan] * runs
        assert {query["rounds"] for query in figures["queries"]} == {1}


class TestSite:
    def test_never_scans(self, tables, settings):
        """A page of each kind that links and choices lead to, from the front page on."""
        settings.PAGE_SIZE = 2
        load(numbered_comments(SMALL, count=3))
        waiting, seen = [f"/products/{SMALL}/", "/"], set()
        with spied() as asked:
            while waiting:
                url = waiting.pop()
                if (kind := _kind_of(url)) in seen:
                    continue
                seen.add(kind)
                shown = visit(url)
                assert shown.status < 400 or url.startswith(("/orders/", "/staff/")), url
                links = [element["href"] for element in shown.page.all("a", href=True)]
                links += [*_choices(shown.page), shown.response.get("Location", "")]
                waiting += filter(_is_ours, links)
        assert len(seen) > 20
        assert {request.operation for request in asked} <= READS

    def test_reads_what_the_page_says_it_reads(self, counted):
        url = url_of(counted, "de.en", "1.2")
        for page in follow(url, "older"):
            with metered() as meter:
                shown = visit(with_explanation(page.response.wsgi_request.get_full_path()))
            table = shown.page.one("table", class_="ledger-queries")
            at = [heading.text for heading in table.one("thead").all("th")].index("Rounds")
            rounds = [int(row.elements[at].text) for row in table.one("tbody").all("tr")]
            assert sum(rounds) == len(meter.labelled("list"))


def _truth(languages: str, ratings: str) -> list[str]:
    everything = Truth(numbered_comments("explained", count=90, languages=LANGUAGES))
    codes = () if languages == "~" else languages.split(".")
    return everything.ids(codes, [int(rating) for rating in ratings.split(".") if rating != "~"])


def _kind_of(link: str) -> tuple[str, frozenset[str]]:
    """The view that answers, and what the query tells it."""
    parts = urlsplit(link)
    told = {
        f"{name}={value}" if name == "order" else name for name, value in parse_qsl(parts.query)
    }
    return resolve(unquote(parts.path)).route, frozenset(told)


def _choices(page: Element) -> Iterator[str]:
    for form in page.all("form", class_="list-choice"):
        name = form.one("select")["name"]
        yield from (f"{form['action']}?{name}={one['value']}" for one in form.all("option"))


def _is_ours(link: str) -> bool:
    path = urlsplit(link).path
    elsewhere = path.startswith(("/products/", "/comments/", "/categories/"))
    return link.startswith("/") and (not elsewhere or SMALL in path) and "." not in path


@pytest.mark.real_engine
class TestExplainComments:
    def test_prints_what_the_contract_promises(self, counted):
        figures = explained(counted, "--languages=de,en", "--ratings=1,2")
        assert {"plan", "queries", "items_returned", "items_read", "capacity_units",
                "alternatives", "other"} <= figures.keys()  # fmt: skip
        assert figures["plan"] in PLANS
        for query in figures["queries"]:
            assert query.keys() >= {"index", "key", "rounds", "items_read", "items_returned",
                                    "capacity_units"}  # fmt: skip
        for alternative in figures["alternatives"]:
            assert alternative.keys() == {"plan", "estimated_capacity_units"}
            assert alternative["plan"] in PLANS

    @pytest.mark.parametrize(("languages", "ratings"), FILTERS)
    def test_adds_up_to_what_was_metered(self, counted, languages, ratings):
        with metered() as meter:
            figures = explained(counted, f"--languages={languages}", f"--ratings={ratings}")
        queries, calls = figures["queries"], meter.labelled("list")
        beside = figures["other"].values()
        assert meter.units == figures["capacity_units"] + sum(
            other["capacity_units"] for other in beside
        )
        assert figures["capacity_units"] == sum(call.capacity_units for call in calls)
        assert figures["capacity_units"] == sum(query["capacity_units"] for query in queries)
        assert figures["items_read"] == sum(call.items_read for call in calls)
        assert figures["items_returned"] == sum(query["items_returned"] for query in queries)
        assert figures["items_returned"] == min(20, len(_truth(languages, ratings)))
        assert 0 < figures["mean_item_bytes"] < 200

    def test_is_of_the_page_that_a_link_leads_to_and_of_its_size(self, counted):
        older = parse_qs(urlsplit(visit(url_of(counted, "~", "~")).older).query)["after"][0]
        assert explained(counted, f"--after={older}", "--page-size=7")["items_returned"] == 7

    def test_of_an_unknown_product_returns_nothing(self, tables):
        figures = explained("never-heard-of")
        assert (figures["items_returned"], figures["mean_item_bytes"]) == (0, None)

    @pytest.mark.parametrize("impossible", ["", "\udcff"])
    def test_of_what_can_be_no_id_says_so(self, tables, impossible):
        for whose in (["comments", "--product"], ["orders", "--user"]):
            with pytest.raises(CommandError, match="1 to 128 printable characters"):
                call_command("explain", *whose, impossible)

    def test_prints_a_table_for_people(self, counted):
        output = StringIO()
        call_command("explain", "comments", "--product", counted, stdout=output)
        assert "plan all: 1 query on all, 1 round" in output.getvalue()
        assert "bytes on average" in output.getvalue()
        assert "also read: counts, 1 call, " in output.getvalue()

    @pytest.mark.parametrize(
        ("option", "sentence"),
        [
            ("--languages=xx", "ISO 639-1"),
            ("--ratings=6", "1, 2, 3, 4 and 5"),
            ("--after=nonsense", "damaged"),
            ("--page-size=0", "at least"),
        ],
    )
    def test_refuses_in_one_sentence(self, counted, option, sentence):
        with pytest.raises(CommandError, match=sentence):
            explained(counted, option)
