"""The front page and the categories, as a visitor without a browser reads them."""

from urllib.parse import urlencode

import pytest

from dynamo.calls.meter import metered
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.comments.browsing import HTMX, Shown, follow, visit
from tests.support.comments.spying import spied

pytestmark = pytest.mark.usefixtures("tables")

NASTY = """<script>alert("1")</script>'"><img src=x>"""


def products_of(slug: str, count: int) -> list[NewProduct]:
    return [
        NewProduct(id=f"{slug}-{number:03}", name=f"Product {number}", category_slugs=(slug,))
        for number in range(count)
    ]


def names(shown: Shown) -> list[str]:
    return [tile.text for tile in shown.page.all(class_="tile-name")]


@pytest.fixture(scope="module")
def lamps(tables: None) -> str:
    """A category of 45 products."""
    put_catalogue(
        categories=[NewCategory("lamps", "Lamps & light")], products=products_of("lamps", 45)
    )
    return "lamps"


class TestCategory:
    def test_is_walked_by_its_links_there_and_back(self, lamps):
        there = list(follow(f"/categories/{lamps}/", "older"))
        back = list(follow(there[-2].older, "newer"))
        expected = [f"Product {number}" for number in range(45)]
        assert [name for shown in there for name in names(shown)] == expected
        assert [name for shown in reversed(back) for name in names(shown)] == expected
        assert (there[0].newer, there[-1].older, back[-1].newer) == (None, None, None)

    def test_leads_to_its_products(self, lamps):
        shown = visit(f"/categories/{lamps}/")
        link = shown.page.all(class_="tile")[0].one("a")["href"]
        assert visit(link).page.one("h1").text == "Product 0"

    def test_leads_back_from_its_products(self, lamps):
        links = visit("/products/lamps-007/").page.one(class_="breadcrumbs").all("a")
        assert links[-1]["href"] == f"/categories/{lamps}/"
        assert links[-1].text == "Lamps & light"

    def test_is_a_fragment_for_htmx(self, lamps):
        shown = visit(f"/categories/{lamps}/", **HTMX)
        assert [element.tag for element in shown.page.elements] == ["section"]
        assert len(names(shown)) == 20
        assert "HX-Request" in shown.response["Vary"]

    @pytest.mark.parametrize(
        "slug", ["nothing", "~", "%00", "%ff", "lamps%20", "LAMPS", "x" * 3_000]
    )
    def test_that_does_not_exist_is_404_with_a_sentence(self, lamps, slug):
        shown = visit(f"/categories/{slug}/")
        assert shown.status == 404
        assert len(shown.page.one(class_="lede").text) > 20

    @pytest.mark.parametrize("way", ["after", "before"])
    def test_refuses_tokens_of_another_list_before_it_reads(self, lamps, fresh, way):
        other = fresh("category")
        put_catalogue(categories=[NewCategory(other, "Other")], products=products_of(other, 21))
        token = visit(f"/categories/{other}/").older.partition("=")[2]
        for wrong in (token, token[:-1], "", "x"):
            with spied() as asked:
                shown = visit(f"/categories/{lamps}/?" + urlencode({way: wrong}))
            assert (shown.status, asked) == (400, [])
            assert shown.page.one(class_="button")["href"] == f"/categories/{lamps}/"

    def test_without_products_says_so(self, fresh):
        slug = fresh("category")
        put_catalogue(categories=[NewCategory(slug, "Bare")], products=[])
        assert "There are no products here yet." in visit(f"/categories/{slug}/").page.text

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
        shelves = [s for shown in follow("/", "older") for s in shown.page.all(class_="shelf")]
        ours = [shelf for shelf in shelves if shelf.one("h3").text.startswith(prefix)]
        assert [shelf.one("h3").text for shelf in ours] == slugs
        first_six = [f"Product {number}" for number in range(6)]
        for shelf in ours:
            assert [tile.text for tile in shelf.all(class_="tile-name")] == first_six

    def test_reads_its_shelves_under_a_name_of_their_own(self, lamps):
        with metered() as meter:
            visit("/")
        assert len(meter.labelled("list")) == 1
        assert {call.operation for call in meter.calls} <= {"Query", "GetItem", "BatchGetItem"}

    def test_refuses_a_damaged_token_with_a_way_back(self, tables):
        shown = visit("/?after=nonsense")
        assert shown.status == 400
        assert shown.page.one(class_="button")["href"] == "/"

    def test_shows_names_as_they_were_given(self, fresh):
        slug = fresh("a-nasty")
        product = NewProduct(
            id=f"{slug}-1", name=NASTY, category_slugs=(slug,), description=f"{NASTY} {NASTY}"
        )
        put_catalogue(categories=[NewCategory(slug, NASTY)], products=[product])
        for url in (f"/categories/{slug}/", f"/products/{product.id}/"):
            page = visit(url).page
            assert page.all("img") == []
            run = [one for one in page.all("script") if one.get("type") != "application/ld+json"]
            assert all(script.get("src") for script in run)
            assert NASTY in page.one("h1").text
