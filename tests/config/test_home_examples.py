"""The lists that the front page of the sample shop offers to try."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client

from comments.items import NewComment
from config.home import PRODUCT_ID
from dynapages.calls import metered
from tests.support.chance import unique
from tests.support.comments.browsing import visit
from tests.support.comments.loading import load
from tests.support.comments.truth import START

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]


@pytest.fixture
def sample_shop(settings):
    settings.SAMPLE_SIGN_IN = ("alex", "sam", "sample-shop")
    load(
        NewComment(unique("c"), PRODUCT_ID, language, 1, START + timedelta(minutes=n))
        for n in range(25)
        for language in ("de", "en")
    )
    cache.clear()


@pytest.mark.usefixtures("sample_shop")
class TestTheExamples:
    def test_are_on_the_front_page(self):
        links = visit("/").page.one(class_="examples").all("a")
        assert [link["href"] for link in links] == [
            f"/products/{PRODUCT_ID}/comments/de.en/1.2/",
            f"/products/{PRODUCT_ID}/comments/~/~/?before=end",
            "/staff/orders/?status=PLACED",
        ]

    def test_lead_to_lists_and_cost_nothing_on_the_front_page_itself(self):
        page = visit("/").page.one(class_="examples")
        for link in page.all("a")[:2]:
            assert visit(link["href"]).comment_ids
        assert page["hx-get"] == "/examples/"
        assert " per million views" not in page.text

    def test_are_read_for_their_costs_and_remembered(self):
        with metered() as meter:
            shown = visit("/examples/").page.one(class_="examples")
        assert 0 < meter.units <= 10
        costs = [cost.text for cost in shown.all(class_="example-cost")]
        assert len(costs) == 3
        assert all(" · $" in cost and " per million views" in cost for cost in costs)
        assert not shown.all(hx_get=True)
        with metered() as again:
            visit("/examples/")
        assert again.units == 0

    def test_are_remembered_in_no_language(self):
        Client().get("/examples/")
        german = Client(headers={"Accept-Language": "de"}).get("/examples/")
        assert "2.500" in german.content.decode()


def test_another_shop_has_none():
    assert visit("/").page.all(class_="examples") == []
    assert Client().get("/examples/").status_code == 404
