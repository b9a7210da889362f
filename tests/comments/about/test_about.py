"""The page about a product's reviews: what is known of them, and nothing else."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from django.test import override_settings

from comments import gates
from comments.about.wording import GATES, sentences_of_gates
from comments.host import Product
from comments.models import TABLE
from comments.moderation.year_counts import Step, count, keys_of_last_year
from comments.reports.services import Reason
from dynapages.calls import metered
from dynapages.process import client
from tests.support.comments.options import comments_set
from tests.support.comments.threads import made_comment
from tests.support.comments.topical import with_topics
from tests.support.comments.writers import Visitor, nobody
from tests.support.markup import Element

pytestmark = pytest.mark.usefixtures("few_items", "nothing_counted")
NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
HOLDS = {name: gate for name, gate in vars(gates).items() if name.startswith("hold_")}
MODERATION = "moderation-title"


@pytest.fixture
def nothing_counted() -> Iterator[None]:
    """Begin with no counts of the last year, in March 2026."""
    for key in keys_of_last_year(NOW):
        client().delete_item(TableName=TABLE, Key=key)
    with patch("dynapages.calls.clock.now", lambda: NOW):
        yield


def only_lamps(ids: Iterable[str]) -> dict[str, Product]:
    """The products of a project that reads them by itself: all that this file makes."""
    return {one: Product(one, "A lamp", f"/lamps/{one}/") for one in ids if one != "no-lamp"}


def url(product_id: str) -> str:
    return f"/products/{product_id}/comments/about/"


def about(product_id: str, visitor: Visitor | None = None) -> Element:
    return (visitor or nobody()).get(url(product_id)).page


def section(page: Element, title: str) -> Element:
    return page.one("section", aria_labelledby=title)


def rows(table: Element) -> list[list[str]]:
    (body,) = table.all("tbody")
    return [[cell.text for cell in [*row.all("th"), *row.all("td")]] for row in body.all("tr")]


class TestAPage:
    def test_is_linked_from_the_page_of_the_product_and_its_lists(self, lamp):
        for path in (f"/products/{lamp}/", f"/products/{lamp}/comments/de/5/"):
            links = nobody().get(path).page.all("a", href=url(lamp))
            assert [link.text for link in links] == ["About these reviews"]

    def test_leads_to_the_product(self, lamp):
        hrefs = {link["href"] for link in about(lamp).all("a")}
        assert f"/products/{lamp}/" in hrefs

    def test_of_no_product_is_none(self):
        assert nobody().get(url("no-such-product")).status == 404

    def test_has_one_address_for_search_engines(self, lamp):
        head = about(lamp).one("head")
        assert head.one("link", rel="canonical")["href"].endswith(url(lamp))

    @pytest.mark.real_engine
    def test_is_read_in_one_call_of_two_units(self, lamp):
        made_comment(product_id=lamp)
        count(Step.HELD, "link", NOW)
        nobody().get(url(lamp))
        with metered() as meter:
            nobody().get(url(lamp))
        assert (meter.calls, meter.rounds, meter.units) == (1, 1, 2)

    def test_of_a_project_that_reads_its_products_itself_is_read_as_well(self, lamp):
        made_comment(product_id=lamp)
        with comments_set(PRODUCTS=f"{__name__}.only_lamps"):
            assert "On A lamp" in about(lamp).text
            assert "5 stars" in about(lamp).text
            assert nobody().get(url("no-lamp")).status == 404


class TestTopics:
    def test_are_explained_where_the_shop_has_them(self, lamp):
        with with_topics():
            explained = section(about(lamp), "topics-title").text
        assert "with at least 30 comments" in explained
        assert "No text is written by a model" in explained

    def test_are_not_named_where_it_has_none(self, lamp):
        assert not about(lamp).all("section", aria_labelledby="topics-title")


class TestWhatItCounts:
    def test_are_the_comments_of_the_product_by_stars_and_language(self, lamp):
        for rating, language in ((5, "de"), (5, "en"), (2, "de")):
            made_comment(product_id=lamp, rating=rating, language=language)
        by_rating, by_language = section(about(lamp), "counts-title").all("table")
        assert rows(by_rating) == [
            ["5 stars", "2"],
            ["4 stars", "0"],
            ["3 stars", "0"],
            ["2 stars", "1"],
            ["1 star", "0"],
        ]
        assert rows(by_language) == [["German", "2"], ["English", "1"]]
        assert by_language.all("a")[0]["href"] == f"/products/{lamp}/comments/de/~/#comments"

    def test_is_nothing_of_a_product_without_comments(self, lamp):
        counts = section(about(lamp), "counts-title")
        assert not counts.all("table")
        assert "No comments yet." in counts.text

    def test_is_the_moderation_of_all_products_by_reason(self, lamp):
        for step, reason, number in (
            (Step.HELD, "link", 1),
            (Step.HELD, "own", 2),
            (Step.HELD, "import", 1),
            (Step.HELD, "of-a-newer-version", 1),
            (Step.REJECTED, "", 1),
            (Step.HIDDEN, "spam", 2),
            (Step.HIDDEN, "none", 1),
            (Step.RESTORED, "", 1),
        ):
            for _ in range(number):
                count(step, reason, NOW)
        moderation = section(about(lamp), MODERATION)
        assert rows(moderation.one("table")) == [
            ["Waited for the shop", "a rule of the shop's own", "2"],
            ["Waited for the shop", "another reason", "1"],
            ["Waited for the shop", "it has a link", "1"],
            ["Waited for the shop", "it waited in another system", "1"],
            ["Rejected by the shop", "–", "1"],
            ["Hidden by the shop", "It is advertising or spam", "2"],
            ["Hidden by the shop", "nobody had reported it", "1"],
            ["Decisions taken back", "–", "1"],
        ]

    def test_is_said_to_begin_where_the_counting_did(self, lamp):
        count(Step.HELD, "link", datetime(2025, 5, 9, tzinfo=UTC))
        text = section(about(lamp), MODERATION).text
        assert "from March 2025 until today (UTC)" in text
        assert "The first of them was counted on 9 May 2025." in text

    def test_is_of_whole_months_where_it_was_counted_before(self, lamp):
        count(Step.HELD, "link", datetime(2025, 2, 9, tzinfo=UTC))
        count(Step.HELD, "link", NOW)
        moderation = section(about(lamp), MODERATION)
        assert "The first of them" not in moderation.text
        assert rows(moderation.one("table")) == [["Waited for the shop", "it has a link", "1"]]

    def test_is_said_to_be_nothing(self, lamp):
        moderation = section(about(lamp), MODERATION)
        assert "None was counted." in moderation.text
        assert not moderation.all("table")

    @pytest.mark.parametrize("reason", Reason)
    def test_has_a_name_for_every_reason_of_reports(self, lamp, reason):
        count(Step.HIDDEN, reason.value, NOW)
        table = section(about(lamp), MODERATION).one("table")
        assert rows(table) == [["Hidden by the shop", str(reason.label), "1"]]


class TestWhatItSaysOfPurchases:
    def test_is_how_they_are_verified(self, lamp):
        text = section(about(lamp), "purchases-title").text
        assert "had bought the product here when they wrote or changed it" in text
        assert "not checked" not in text

    def test_is_that_they_are_not_where_the_project_does_not_tell(self, lamp):
        with comments_set(HAS_BOUGHT=""):
            text = section(about(lamp), "purchases-title").text
        assert "Whether authors have bought the product is not checked here." in text
        assert "had bought" not in text


class TestWhatItSaysOfChecks:
    def test_has_a_sentence_for_every_gate_of_the_app(self):
        assert set(GATES) == {f"comments.gates.{name}" for name in HOLDS}

    @pytest.mark.parametrize("gate", GATES)
    def test_is_what_the_gate_holds(self, lamp, gate):
        with comments_set(GATE=gate):
            text = section(about(lamp), "checks-title").text
        assert str(GATES[gate]) in text
        assert "A comment that its author changes is checked again." in text
        assert "at once" not in text

    def test_is_of_each_of_several_gates(self, lamp):
        with comments_set(GATE=[*GATES, "mine.gate", "mine.other_gate"]):
            sentences = sentences_of_gates()
            text = section(about(lamp), "checks-title").text
        assert len(sentences) == len(GATES) + 1
        assert "by rules of its own" in text
        for sentence in sentences:
            assert sentence in text

    def test_is_that_comments_are_published_at_once_without_a_gate(self, lamp):
        with comments_set(GATE=()):
            text = section(about(lamp), "checks-title").text
        assert "Comments are published at once" in text
        assert "checked again" not in text


class TestWhatItSaysOfRequests:
    @pytest.fixture
    def says(self, lamp):
        def text() -> str:
            return section(about(lamp), "writing-title").text

        return text

    def test_is_nothing_where_nobody_is_asked(self, says):
        assert "e-mail" not in says()

    @override_settings(REVIEW_REQUEST_DAYS=7, SITE_URL="")
    def test_is_nothing_where_e_mails_have_no_links(self, says):
        assert "e-mail" not in says()

    @override_settings(REVIEW_REQUEST_DAYS=7, SITE_URL="https://shop.example.com")
    def test_is_when_customers_are_asked_and_that_it_does_not_depend_on_their_mind(self, says):
        assert "7 days after a delivery, customers are asked by e-mail" in says()
        assert "does not depend on what they may think of the product" in says()

    @override_settings(REVIEW_REQUEST_DAYS=1, SITE_URL="https://shop.example.com")
    def test_is_in_the_singular(self, says):
        assert "A day after a delivery, customers are asked" in says()

    def test_is_no_more_than_that_of_a_project_with_a_function_of_its_own(self, says):
        with comments_set(DUE_PURCHASES="mine.due"):
            assert "Customers are asked by e-mail for their comments." in says()
            assert "does not depend" not in says()
