"""Categories and “also bought” in Chromium."""

import pytest
from playwright.sync_api import expect

from shop.catalogue.content import NewCategory
from shop.catalogue.queries import ProductOrder
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from tests.browser.conftest import hold_requests
from tests.support.catalogue.making import category, in_order, products_in, sell

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

SHELF = "browsed"
FIRST_SHELF = "0, before all others"
PRODUCTS = products_in(SHELF, 45)
LAMP, BULB = PRODUCTS[3], PRODUCTS[4]


@pytest.fixture(scope="module", autouse=True)
def browsed(tables):
    """A category of 45 products within one of six; five customers bought the same two."""
    shelves = [NewCategory("browsed-hall", FIRST_SHELF), category(SHELF, "browsed-hall")]
    put_catalogue(categories=shelves, products=[*PRODUCTS, *products_in("browsed-hall", 6)])
    for number in range(5):
        username = f"browsed-{number}"
        sell(username, [LAMP.id, BULB.id], day=1, status=Status.DELIVERED)


def ids(visitor, within: str = "#products") -> list[str]:
    visitor.page.wait_for_load_state()
    tiles = visitor.page.locator(f"{within} [data-product]")
    return tiles.evaluate_all("tiles => tiles.map(tile => tile.dataset.product)")


class TestTheOrderOfACategory:
    def test_is_swapped_in_without_loading_the_page(self, visitor):
        visitor.page.goto(f"/categories/{SHELF}/")
        loads = len(visitor.loads)
        for chosen, query, truth in (
            (ProductOrder.DEAREST, "?order=-price", in_order(PRODUCTS, ProductOrder.DEAREST)),
            ("", "", sorted(product.id for product in PRODUCTS)),
        ):
            visitor.page.get_by_label("Sort by").select_option(chosen)
            visitor.page.wait_for_url(f"**/categories/{SHELF}/{query}")
            assert ids(visitor) == truth[:20]
        assert len(visitor.loads) == loads


class TestAlsoBought:
    def test_comes_when_it_is_scrolled_to(self, visitor):
        visitor.page.goto(f"/products/{LAMP.id.replace('#', '%23')}/")
        visitor.page.evaluate("document.getElementById('notice').textContent = 'Told before'")
        visitor.page.locator("#also-bought").scroll_into_view_if_needed()
        expect(visitor.page.locator("#also-bought .tile")).to_have_count(1)
        assert ids(visitor, "#also-bought") == [BULB.id]
        expect(visitor.page.locator("#notice")).to_have_text("Told before")

    def test_fails_in_silence(self, visitor):
        visitor.page.route("**/also-bought/", lambda route: route.fulfill(status=503, body="Away"))
        visitor.page.goto(f"/products/{LAMP.id.replace('#', '%23')}/")
        with visitor.page.expect_event("requestfinished", lambda it: "also-bought" in it.url):
            visitor.page.locator("#also-bought").scroll_into_view_if_needed()
        expect(visitor.page.locator("#also-bought.htmx-request")).to_have_count(0)
        expect(visitor.page.locator("#also-bought a")).to_be_visible()
        expect(visitor.page.locator("#notice")).to_be_empty()
        visitor.forgive("Failed to load resource", "Response Status Error Code 503")

    def test_leaves_the_focus_on_its_link(self, visitor):
        held = hold_requests(visitor.page, "**/also-bought/")
        visitor.page.goto(f"/products/{LAMP.id.replace('#', '%23')}/")
        visitor.page.locator("#also-bought a").focus()
        expect(visitor.page.locator("#also-bought.htmx-request")).to_have_count(1)
        for route in held:
            route.continue_()
        expect(visitor.page.locator("#also-bought .tile")).to_have_count(1)
        assert visitor.focus == "also-bought-link"


class TestAShelfOnATelephone:
    def test_is_one_row_that_is_scrolled_sideways(self, visitor):
        visitor.page.set_viewport_size({"width": 390, "height": 844})
        visitor.page.goto("/")
        shelf = visitor.page.get_by_role("region", name=FIRST_SHELF)
        tiles = shelf.locator(".tile a")
        assert tiles.count() == 6
        assert len({tile.bounding_box()["y"] for tile in tiles.all()}) == 1
        expect(tiles.last).not_to_be_in_viewport()
        for tile in tiles.all():
            tile.focus()
        expect(tiles.last).to_be_in_viewport()
        assert visitor.page.evaluate("document.documentElement.scrollWidth") == 390
