"""“Also bought” on a product's page, and as a page of its own."""

import pytest

from dynapages.calls import metered
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from tests.support.catalogue.making import category, sell
from tests.support.comments.browsing import HTMX, visit

pytestmark = pytest.mark.usefixtures("tables")

LAMP, BULB = "paged-lamp", "paged-bulb"
URL = f"/products/{LAMP}/also-bought/"


@pytest.fixture(scope="module", autouse=True)
def sold(tables):
    """A lamp and a bulb that five customers bought."""
    shelves = [category("paged"), category("paged-in", "paged")]
    products = [
        NewProduct(i, i.title(), ("paged", "paged-in"), "", 500, "EUR") for i in (LAMP, BULB)
    ]
    put_catalogue(categories=shelves, products=products)
    for name in ("ann", "ben", "cem", "dan", "eva"):
        sell(f"paged-{name}", [LAMP, BULB], day=1, status=Status.DELIVERED)


class TestTheProductPage:
    def test_links_to_it_and_loads_it_when_it_comes_into_view(self):
        section = visit(f"/products/{LAMP}/").page.one(id="also-bought")
        assert (section["hx-get"], section["hx-trigger"]) == (URL, "revealed")
        assert section.one("a")["href"] == URL

    def test_reads_nothing_for_it_itself(self):
        with metered() as meter:
            visit(f"/products/{LAMP}/")
        assert {"newest buyers", "what they bought", "shards"}.isdisjoint(meter.labels())


class TestThePage:
    def test_shows_what_was_bought_besides(self):
        shown = visit(URL)
        assert [tile["data-product"] for tile in shown.page.all(class_="tile")] == [BULB]
        assert shown.page.one(class_="tile").one("a")["href"] == f"/products/{BULB}/"

    def test_names_nobody(self):
        for headers in ({}, HTMX):
            html = visit(URL, **headers).response.content.decode()
            assert "paged-ann" not in html
            assert "paged-ben" not in html

    def test_is_a_fragment_for_htmx_that_fits_into_another_page(self):
        shown = visit(URL, **HTMX)
        assert [element.tag for element in shown.page.elements] == ["section"]
        assert shown.page.one(id="also-bought").all(id="explanation") == []
        assert shown.page.all("h1") == []
        assert "HX-Request" in shown.response["Vary"]

    def test_without_anything_says_so(self, fresh):
        product = NewProduct(fresh("unsold"), "Unsold", ("paged",))
        put_catalogue(categories=[category("paged")], products=[product])
        assert visit(f"/products/{product.id}/also-bought/").page.one(class_="missing").text

    def test_of_no_product_is_404(self):
        assert visit("/products/nothing-at-all/also-bought/").status == 404
