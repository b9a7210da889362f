"""The front page, categories, their orders and their tree, as pages."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.test import Client

from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.queries import ProductOrder
from shop.catalogue.services import put_catalogue
from tests.support.catalogue.making import category, in_order, products_in
from tests.support.comments.browsing import Shown, follow, visit
from tests.support.comments.spying import spied

pytestmark = pytest.mark.usefixtures("tables")


SLUG, INNER, INNERMOST = "halls", "halls-a", "halls-a-b"
PRODUCTS = products_in(SLUG, 45)
orders = pytest.mark.parametrize("order", list(ProductOrder))


@pytest.fixture(scope="module", autouse=True)
def halls(tables):
    """A category of 45 products, with one in it, in which is another."""
    tree = [category(SLUG), category(INNER, SLUG), category(INNERMOST, INNER)]
    deep = products_in(INNERMOST, 1)
    put_catalogue(categories=tree, products=[*PRODUCTS, *deep])


def url(order: ProductOrder | None) -> str:
    return f"/categories/{SLUG}/?order={order.value}" if order else f"/categories/{SLUG}/"


def ids(shown: Shown) -> list[str]:
    return [tile["data-product"] for tile in shown.page.all(class_="tile")]


def trail(address: str) -> list[str]:
    return [link["href"] for link in visit(address).page.one(class_="breadcrumbs").all("a")]


class TestAnOrderedCategory:
    @pytest.mark.parametrize("order", [None, *ProductOrder])
    def test_is_walked_by_its_links_there_and_back(self, order):
        there = list(follow(url(order), "older"))
        back = list(follow(there[-2].older, "newer"))
        truth = in_order(PRODUCTS, order) if order else sorted(p.id for p in PRODUCTS)
        assert [i for shown in there for i in ids(shown)] == truth
        assert [i for shown in reversed(back) for i in ids(shown)] == truth
        assert (there[0].newer, there[-1].older, back[-1].newer) == (None, None, None)

    @pytest.mark.parametrize("chosen", [None, *ProductOrder])
    def test_is_chosen_from_four_in_a_form_that_needs_no_script(self, chosen):
        form = visit(url(chosen)).page.one("form", class_="list-choice")
        options = form.one("select", name="order").all("option")
        assert [one["value"] for one in options] == ["", *ProductOrder]
        assert [one["value"] for one in options if "selected" in one.attributes] == [chosen or ""]

    def test_is_the_default_without_a_choice(self):
        answer = Client().get(f"/categories/{SLUG}/?order=")
        assert (answer.status_code, answer["Location"]) == (302, url(None))

    def test_shows_prices(self):
        prices = [
            price.text for price in visit(url(ProductOrder.DEAREST)).page.all(class_="tile-price")
        ]
        assert prices[0] == "€999,999.99"
        assert len(prices) == 20

    @pytest.mark.parametrize("wrong", ["PRICE", "date", "price "])
    def test_of_an_unknown_order_is_refused_with_what_is_allowed(self, wrong):
        with spied() as asked:
            shown = visit(f"/categories/{SLUG}/?" + urlencode({"order": wrong}))
        assert (shown.status, asked) == (400, [])
        assert "name, price, -price" in shown.page.text
        assert shown.page.one("main").one(class_="button")["href"] == f"/categories/{SLUG}/"

    @orders
    def test_refuses_the_token_of_another_order_before_it_reads(self, order):
        other = url(next(o for o in (None, *ProductOrder) if o is not order))
        (token,) = parse_qs(urlsplit(visit(other).older).query)["after"]
        for wrong in (token, f"{token}x", "", "x"):
            with spied() as asked:
                shown = visit(f"{url(order)}&{urlencode({'after': wrong})}")
            assert (shown.status, asked) == (400, [])
            assert shown.page.one("main").one(class_="button")["href"] == url(order)


class TestBreadcrumbs:
    def test_lead_from_a_product_to_the_root(self):
        (product,) = products_in(INNERMOST, 1)
        expected = ["/", *(f"/categories/{slug}/" for slug in (SLUG, INNER, INNERMOST))]
        assert trail(f"/products/{product.id}/") == expected
        assert trail(f"/products/{product.id}/comments/~/~/")[:-1] == expected

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

    def test_at_the_top_alone_are_on_the_front_page(self):
        pages = [shown.page.one(id="shelves") for shown in follow("/", "older")]
        shelves = [shelf for page in pages for shelf in page.all(class_="shelf")]
        links = {shelf.one("h3").one("a")["href"] for shelf in shelves}
        assert f"/categories/{SLUG}/" in links
        assert f"/categories/{INNER}/" not in links


NASTY = """<script>alert("1")</script>'"><img src=x>"""


def products_of(slug: str, count: int) -> list[NewProduct]:
    return [
        NewProduct(id=f"{slug}-{number:03}", name=f"Product {number}", category_slugs=(slug,))
        for number in range(count)
    ]


class TestCategory:
    @pytest.mark.parametrize("slug", ["nothing", "%00", "%ff", "halls%20", "HALLS", "x" * 3_000])
    def test_that_does_not_exist_is_404_with_a_sentence(self, slug):
        shown = visit(f"/categories/{slug}/")
        assert shown.status == 404
        assert len(shown.page.one(class_="lede").text) > 20

    @pytest.mark.parametrize("slug", ["ärger", "a b", "50%", "a#b", "a?b", "日本語", "x" * 128])
    def test_may_have_any_slug(self, tables, slug):
        name = f"Odd {slug}"
        put_catalogue(categories=[NewCategory(slug, name)], products=[])
        headings = [h for shown in follow("/", "older") for h in shown.page.all("h3")]
        (link,) = [heading.one("a")["href"] for heading in headings if heading.text == name]
        assert visit(link).page.one("h1").text == name


class TestFrontPage:
    def test_shows_each_category_once_with_its_first_products(self, fresh):
        prefix = fresh("a-shelf")
        slugs = [f"{prefix}-{number:02}" for number in range(14)]
        put_catalogue(
            categories=[NewCategory(slug, slug) for slug in slugs],
            products=[p for slug in slugs for p in products_of(slug, 8)],
        )
        pages = [shown.page.one(id="shelves") for shown in follow("/", "older")]
        shelves = [shelf for page in pages for shelf in page.all(class_="shelf")]
        ours = [shelf for shelf in shelves if shelf.one("h3").text.startswith(prefix)]
        assert [shelf.one("h3").text for shelf in ours] == slugs
        first_six = [f"Product {number}" for number in range(6)]
        for shelf in ours:
            assert [tile.text for tile in shelf.all(class_="tile-name")] == first_six

    def test_draws_products_that_name_nothing_as_things_of_their_category(self, fresh):
        slug = f"{fresh('a')}-lamps"
        product = NewProduct(id=fresh("x"), name="X", category_slugs=(slug,))
        put_catalogue(categories=[NewCategory(slug, slug)], products=[product])
        tiles = [tile for shown in follow("/", "older") for tile in shown.page.all(class_="tile")]
        (tile,) = [tile for tile in tiles if tile["data-product"] == product.id]
        assert tile.one("img")["src"].endswith(f"/drawing.svg?category={slug}")

    @pytest.mark.parametrize("path", ["/", "/categories/"])
    def test_refuses_a_damaged_token_with_a_way_back(self, path):
        shown = visit(f"{path}?after=nonsense")
        assert (shown.status, shown.page.one("main").one(class_="button")["href"]) == (400, path)

    def test_shows_names_as_they_were_given(self, fresh):
        slug = fresh("a-nasty")
        product = NewProduct(
            id=f"{slug}-1", name=NASTY, category_slugs=(slug,), description=f"{NASTY} {NASTY}"
        )
        put_catalogue(categories=[NewCategory(slug, NASTY)], products=[product])
        for url in (f"/categories/{slug}/", f"/products/{product.id}/"):
            page = visit(url).page
            assert all(one["src"].endswith("/drawing.svg") for one in page.all("img"))
            run = [one for one in page.all("script") if one.get("type") != "application/ld+json"]
            assert all(script.get("src") for script in run)
            assert NASTY in page.one("h1").text
