"""Categories as pages: orders to choose from, breadcrumbs, the tree of all."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from shop.catalogue.access_patterns import ProductOrder
from shop.catalogue.services import put_catalogue
from tests.support.catalogue.making import category, in_order, products_in
from tests.support.comments.browsing import HTMX, Shown, follow, visit
from tests.support.comments.spying import spied

pytestmark = pytest.mark.usefixtures("tables")

SLUG, INNER, INNERMOST = "halls", "halls-a", "halls-a-b"
PRODUCTS = products_in(SLUG, 45)
orders = pytest.mark.parametrize("order", list(ProductOrder))


@pytest.fixture(scope="module", autouse=True)
def halls(tables: None) -> None:
    """A category of 45 products, with one in it, in which is another."""
    tree = [category(SLUG), category(INNER, SLUG), category(INNERMOST, INNER)]
    deep = products_in(INNERMOST, 1)
    put_catalogue(categories=tree, products=[*PRODUCTS, *deep])


def url(order: ProductOrder) -> str:
    return f"/categories/{SLUG}/?order={order.value}"


def ids(shown: Shown) -> list[str]:
    return [tile["data-product"] for tile in shown.page.all(class_="tile")]


def trail(address: str) -> list[str]:
    return [link["href"] for link in visit(address).page.one(class_="breadcrumbs").all("a")]


class TestAnOrderedCategory:
    @orders
    def test_is_walked_by_its_links_there_and_back(self, order):
        there = list(follow(url(order), "older"))
        back = list(follow(there[-2].older, "newer"))
        truth = in_order(PRODUCTS, order)
        assert [i for shown in there for i in ids(shown)] == truth
        assert [i for shown in reversed(back) for i in ids(shown)] == truth
        assert (there[0].newer, there[-1].older, back[-1].newer) == (None, None, None)

    @pytest.mark.parametrize("chosen", [None, *ProductOrder])
    def test_presses_its_own_toggle_alone(self, chosen):
        shown = visit(url(chosen) if chosen else f"/categories/{SLUG}/")
        toggles = shown.page.all(data_toggle="order")
        pressed = [t["data-value"] for t in toggles if t["aria-pressed"] == "true"]
        assert len(toggles) == 4
        assert pressed == [chosen.value if chosen else "~"]

    def test_shows_prices(self):
        prices = [
            price.text for price in visit(url(ProductOrder.DEAREST)).page.all(class_="amount")
        ]
        assert prices[0] == "EUR 999,999.99"
        assert len(prices) == 20

    def test_is_a_fragment_for_htmx(self):
        shown = visit(url(ProductOrder.NAME), **HTMX)
        assert [element.tag for element in shown.page.elements] == ["section"]
        assert len(ids(shown)) == 20

    def test_tells_how_it_was_read(self):
        explanation = visit(url(ProductOrder.NAME)).page.one(id="explanation").text
        assert "by_data" in explanation
        assert f"CATEGORY#{SLUG}#NAME#0" in explanation

    @pytest.mark.parametrize("wrong", ["", "PRICE", "date", "price "])
    def test_of_an_unknown_order_is_refused_with_what_is_allowed(self, wrong):
        with spied() as asked:
            shown = visit(f"/categories/{SLUG}/?" + urlencode({"order": wrong}))
        assert (shown.status, asked) == (400, [])
        assert "name, price, -price" in shown.page.text
        assert shown.page.one(class_="button")["href"] == f"/categories/{SLUG}/"

    @orders
    def test_refuses_the_token_of_another_order_before_it_reads(self, order):
        others = [f"/categories/{SLUG}/", *(url(o) for o in ProductOrder if o is not order)]
        for other in others:
            (token,) = parse_qs(urlsplit(visit(other).older).query)["after"]
            with spied() as asked:
                shown = visit(f"{url(order)}&{urlencode({'after': token})}")
            assert (shown.status, asked) == (400, [])

    def test_that_does_not_exist_is_404(self):
        assert visit("/categories/no-such-hall/?order=name").status == 404


class TestBreadcrumbs:
    def test_lead_from_a_product_to_the_root(self):
        (product,) = products_in(INNERMOST, 1)
        expected = ["/", *(f"/categories/{slug}/" for slug in (SLUG, INNER, INNERMOST))]
        assert trail(f"/products/{product.id}/") == expected
        assert trail(f"/products/{product.id}/most-helpful/")[:-1] == expected

    def test_lead_from_a_category_to_the_root(self):
        assert trail(f"/categories/{INNERMOST}/") == [
            "/",
            f"/categories/{SLUG}/",
            f"/categories/{INNER}/",
        ]
        assert trail(f"/categories/{SLUG}/") == ["/"]

    def test_have_their_counterpart_in_links_to_subcategories(self):
        links = visit(f"/categories/{SLUG}/").page.one(class_="subcategories").all("a")
        assert [link["href"] for link in links] == [f"/categories/{INNER}/"]
        assert visit(f"/categories/{INNERMOST}/").page.all(class_="subcategories") == []


class TestAllCategories:
    def test_are_walked_there_and_back_each_before_those_in_it(self, fresh):
        prefix = fresh("aisle")
        tops = [f"{prefix}-{n:02}" for n in range(14)]
        tree = [c for top in tops for c in (category(top), category(f"{top}x", top))]
        put_catalogue(categories=tree, products=[])
        there = list(follow("/categories/", "older"))
        back = list(follow(there[-2].older, "newer"))
        for pages in (there, reversed(back)):
            listed = [row for shown in pages for row in shown.page.all(data_category=True)]
            ours = [row for row in listed if row["data-category"].startswith(prefix)]
            assert [row["data-category"] for row in ours] == [category.slug for category in tree]
            assert [row["data-depth"] for row in ours] == ["0", "1"] * 14

    def test_say_what_they_are_in(self):
        rows = [r for shown in follow("/categories/", "older") for r in shown.page.all("li")]
        (row,) = [row for row in rows if row.get("data-category") == INNERMOST]
        assert row.text == f"Category {INNERMOST} (Category {SLUG} / Category {INNER})"
        assert row.one("a")["href"] == f"/categories/{INNERMOST}/"

    def test_are_a_fragment_for_htmx(self):
        shown = visit("/categories/", **HTMX)
        assert [element.tag for element in shown.page.elements] == ["section"]

    def test_refuse_the_token_of_the_front_page(self):
        for wrong in ("x", "", visit(url(ProductOrder.NAME)).older.partition("after=")[2]):
            assert visit("/categories/?" + urlencode({"after": wrong})).status == 400

    def test_at_the_top_alone_are_on_the_front_page(self):
        shelves = [s for shown in follow("/", "older") for s in shown.page.all(class_="shelf")]
        links = {shelf.one("h3").one("a")["href"] for shelf in shelves}
        assert f"/categories/{SLUG}/" in links
        assert f"/categories/{INNER}/" not in links

    def test_are_linked_from_the_front_page(self):
        assert "/categories/" in [link["href"] for link in visit("/").page.all("a")]
