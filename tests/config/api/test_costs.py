"""A list of the API costs what its page costs, and a key no more than its own reads."""

import pytest
from django.test import Client

from dynapages.calls import metered
from dynapages.django.callers import Scope
from tests.support.config.api import ROOT, program_of
from tests.support.config.lists import IN_THE_API, listed_shop

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]
PAGES = {page: url for page, url in IN_THE_API.items() if "orders" not in page}


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


def costs_of(url: str, text: str = "") -> tuple[int, int, float]:
    """Calls, serial rounds and capacity units of what was read before, with the text of a key."""
    browser = Client(headers={"Authorization": f"Bearer {text}"} if text else {})
    for _ in range(2):
        assert browser.get(url).status_code == 200
    with metered() as meter:
        browser.get(url)
    return meter.calls, meter.rounds, meter.units


@pytest.mark.parametrize("page", PAGES)
class TestAList:
    def test_costs_what_its_page_costs(self, shop, page):
        url = f"{ROOT}{shop.address(PAGES[page])}"
        assert costs_of(url) == costs_of(shop.address(page))

    def test_costs_two_rounds_more_with_a_key(self, shop, page):
        """The key is read in one; the limit is written, and the user read, in another."""
        url = f"{ROOT}{shop.address(PAGES[page])}"
        calls, rounds, units = costs_of(url)
        of_nobody = costs_of(url, program_of("", Scope.READ).text)
        assert of_nobody == (calls + 2, rounds + 2, units + 1.5)
        votes = "/products/{product_id}/" in page  # of the user, read beside the comments
        of_somebody = costs_of(url, program_of(shop.arguments["username"]).text)
        assert of_somebody == (calls + 3 + votes, rounds + 2, units + 2.5 + votes / 2)
