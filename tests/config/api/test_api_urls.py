"""Addresses in answers: whatever has a page has an address in the API, which answers the same."""

from collections.abc import Iterator
from typing import Any

import pytest

from dynapages.django.callers import Scope
from tests.support.config.api import ROOT, program_of
from tests.support.config.lists import IN_THE_API, listed_shop

pytestmark = pytest.mark.usefixtures("tables", "wide_limits")
SINGLE = ("/products/{product_id}", "/categories/{slug}")
NAMES = ("id", "slug")


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


@pytest.fixture(scope="module")
def staff(shop):
    return program_of(shop.arguments["username"], Scope.STAFF)


def objects_in(value: object) -> Iterator[dict[str, Any]]:
    """Yield each object in an answer, at any depth."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from objects_in(part)
    if isinstance(value, list):
        for item in value:
            yield from objects_in(item)


def name_of(item: dict[str, Any]) -> str:
    """The id or the slug of what was answered."""
    (name,) = (item[each] for each in NAMES if each in item)
    return str(name)


@pytest.mark.parametrize("url", [*IN_THE_API.values(), *SINGLE])
def test_each_object_that_has_a_page_is_answered_by_the_api(shop, staff, url):
    answer = staff.get(shop.address(url)).json()
    with_page = [each for each in objects_in(answer) if "url" in each]
    assert with_page
    for item in with_page:
        assert item["api_url"].startswith(f"{ROOT}/")
        found = staff.get(item["api_url"])
        assert found.status_code == 200, item["api_url"]
        assert name_of(found.json()) == name_of(item)


def test_the_lines_of_an_order_lead_to_its_products(staff, shop):
    (first, *_) = staff.get("/orders").json()["items"]
    order = staff.get(first["api_url"]).json()
    assert order["lines"]
    for line in order["lines"]:
        assert line["product_api_url"] == f"{ROOT}/products/{line['product_id']}"
