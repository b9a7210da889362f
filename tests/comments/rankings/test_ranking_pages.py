"""The front page, the rankings of the shop, and a product's most helpful comments, as pages."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest

from comments.items import NewComment
from comments.posting.services import add_comment
from comments.rankings.derivation import RANKED
from comments.votes.services import refresh_comment
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.services import ensure_products, put_catalogue
from tests.support.chance import unique
from tests.support.comments.browsing import HTMX, Shown, follow, visit
from tests.support.comments.loading import load
from tests.support.comments.truth import START

pytestmark = pytest.mark.usefixtures("tables")
MOST_LOVED, RECENTLY_COMMENTED = "/rankings/most-loved/", "/rankings/recently-commented/"
FUTURE = START.replace(year=2999)
"""What is commented on then stands in front of all other tests' products."""


@pytest.fixture(scope="module")
def lamps(tables):
    """Twelve lamps: the first has the fewest 5-star comments, and the last comment."""
    shelf = NewCategory(slug="ranked-lamps", name="Lamps")
    ids = [f"{shelf.slug}-{number:02}" for number in range(12)]
    lamps = [NewProduct(id=i, name=f"Lamp {i}", category_slugs=(shelf.slug,)) for i in ids]
    put_catalogue(categories=[shelf], products=lamps)
    for number, product_id in enumerate(ids):
        for star in range(number // 4 + 1):
            at = FUTURE - timedelta(minutes=number, seconds=star)
            add_comment(made(product_id, star, created_at=at))
    return ids


@pytest.fixture(scope="module")
def helpful(tables):
    """A product with 45 comments, as many helpful votes as their numbers say."""
    product_id = unique("product")
    load(
        made(product_id, number, rating=number % 5 + 1, language=("en", "ja")[number % 2])
        for number in range(46)
    )
    for number in range(46):
        refresh_comment(f"{product_id}-{number}", tally=partial(int, number))
    return product_id


def made(product_id: str, number: int, **changes: object) -> NewComment:
    comment = NewComment(
        id=f"{product_id}-{number}",
        product_id=product_id,
        language="en",
        rating=5,
        created_at=START + timedelta(minutes=number),
        author="Ada",
        body=f"Comment number {number}.",
    )
    return replace(comment, **changes)  # type: ignore[arg-type] # a test may change any field


def listed(shown: Shown) -> list[str]:
    return [element["data-product-id"] for element in shown.page.all(data_product_id=True)]


def panel(shown: Shown, name: str):
    return shown.page.one(aria_labelledby=f"panel-{name}")


class TestFrontPage:
    def test_begins_with_the_ten_most_loved_products(self, lamps):
        loved = panel(visit("/"), "most_loved")
        numbers = [int(e["data-five-stars"]) for e in loved.all(data_five_stars=True)]
        assert len(numbers) == 10
        assert numbers == sorted(numbers, reverse=True)
        assert loved.one("h2").one("a")["href"] == MOST_LOVED

    def test_shows_the_ten_products_commented_on_last(self, lamps):
        recent = panel(visit("/"), "recently_commented")
        elements = recent.all(data_product_id=True)
        assert [e["data-product-id"] for e in elements] == lamps[:10]
        assert elements[0]["data-commented"] == "2999-11-20T09:30:00.000000Z"
        assert [a["href"] for a in elements[0].all("a")] == [
            f"/products/{lamps[0]}/",
            f"/comments/{lamps[0]}-0/",
        ]
        assert f"Lamp {lamps[0]}" in elements[0].text

    def test_still_shows_the_shelves(self, lamps):
        assert visit("/").page.one(id="shelves").all(class_="shelf")

    def test_leaves_the_rankings_out_of_what_htmx_swaps(self, lamps):
        assert listed(visit("/", **HTMX)) == []

    def test_says_what_the_rankings_cost(self, lamps):
        read = visit("/").page.one(id="explanation").text
        for name in ("most loved", "recently commented", "shards"):
            assert name in read


class TestRankingOfProducts:
    @pytest.mark.real_engine
    def test_leads_from_page_to_page_there_and_back(self, lamps, settings):
        settings.PAGE_SIZE = 5
        there = list(follow(MOST_LOVED, "older"))
        back = list(follow(there[-2].older, "newer"))
        ids = [i for shown in there for i in listed(shown)]
        assert [i for shown in reversed(back) for i in listed(shown)] == ids
        mine = [i for i in ids if i in lamps]
        assert mine == [*lamps[11:7:-1], *lamps[7:3:-1], *lamps[3::-1]]
        assert (there[0].newer, there[-1].older) == (None, None)

    def test_numbers_the_products_through_its_pages(self, lamps, settings):
        settings.PAGE_SIZE = 5
        second = visit(visit(RECENTLY_COMMENTED).older)
        assert listed(second) == lamps[5:10]
        assert second.page.one("ol", class_="ranked")["start"] == "6"
        assert [n.text for n in second.page.all(class_="ranked-number")] == [*"6789", "10"]

    def test_is_swapped_alone_by_htmx(self, lamps):
        shown = visit(RECENTLY_COMMENTED, **HTMX)
        assert shown.page.one("section")["id"] == "ranking"
        assert shown.page.all("html") == []

    def test_refuses_a_page_link_of_the_other_ranking(self, lamps, settings):
        settings.PAGE_SIZE = 5
        token = parse_qs(urlsplit(visit(MOST_LOVED).older).query)["after"][0]
        refused = visit(f"{RECENTLY_COMMENTED}?after={token}")
        assert refused.status == 400
        assert refused.page.one(class_="button")["href"] == RECENTLY_COMMENTED

    def test_leads_to_the_other_one(self):
        links = [a["href"] for a in visit(MOST_LOVED).page.one(class_="orders-of-list").all("a")]
        assert links == [MOST_LOVED, RECENTLY_COMMENTED]

    @pytest.mark.real_engine
    def test_costs_half_a_unit_for_each_shard(self, lamps, settings):
        settings.PAGE_SIZE = 5  # twenty products with long ids, as other tests have, exceed 4 KB
        read = visit(MOST_LOVED).page.one(id="explanation")
        units = [row.all("td")[-1].text for row in read.all("table")[0].one("tbody").all("tr")]
        assert units == ["0.5"] * RANKED.count()

    def test_shows_a_product_that_the_shop_does_not_know_by_its_id(self, lamps, fresh):
        product_id = fresh("product")
        add_comment(made(product_id, 0, created_at=FUTURE - timedelta(hours=1)))
        element = visit(RECENTLY_COMMENTED).page.one(data_product_id=product_id)
        assert product_id in element.one(class_="ranked-name").text


class TestMostHelpful:
    def test_lists_comments_by_votes_from_page_to_page(self, helpful):
        url = f"/products/{helpful}/most-helpful/"
        there = list(follow(url, "older"))
        back = list(follow(there[-2].older, "newer"))
        expected = [f"{helpful}-{number}" for number in range(45, 0, -1)]
        assert [i for shown in there for i in shown.comment_ids] == expected
        assert [i for shown in reversed(back) for i in shown.comment_ids] == expected

    def test_says_how_many_found_a_comment_helpful(self, helpful):
        first = visit(f"/products/{helpful}/most-helpful/").page.all(data_comment_id=True)[0]
        assert "Helpful · 45" in first.text
        assert (first["data-rating"], first["data-language"]) == ("1", "ja")

    def test_says_that_it_takes_no_filter(self, helpful):
        shown = visit(f"/products/{helpful}/most-helpful/")
        assert "All languages and ratings together" in shown.page.one(class_="list-title").text
        assert shown.page.all(data_toggle=True) == []

    def test_is_linked_from_the_product_and_leads_back(self, helpful):
        url = f"/products/{helpful}/most-helpful/"
        *_, there = visit(f"/products/{helpful}/").page.one(class_="orders-of-list").all("a")
        back, *_ = visit(url).page.one(class_="orders-of-list").all("a")
        assert (there["href"], there.text) == (url, "Most helpful")
        assert (back["href"], back.text) == (f"/products/{helpful}/comments/~/~/", "Newest first")
        assert visit(url).page.one("a", aria_current="true")["href"] == url

    def test_without_any_vote_says_so(self, fresh):
        product_id = fresh("product")
        ensure_products(product_ids=[product_id])
        add_comment(made(product_id, 1))
        shown = visit(f"/products/{product_id}/most-helpful/")
        assert shown.comment_ids == []
        assert "No comment has been found helpful yet" in shown.page.one(class_="empty").text

    def test_of_no_product_is_404(self, fresh):
        assert visit(f"/products/{fresh('product')}/most-helpful/").status == 404

    def test_refuses_a_page_link_of_another_product(self, helpful, fresh):
        other = fresh("product")
        ensure_products(product_ids=[other])
        token = parse_qs(urlsplit(visit(f"/products/{helpful}/most-helpful/").older).query)
        refused = visit(f"/products/{other}/most-helpful/?after={token['after'][0]}")
        assert refused.status == 400

    @pytest.mark.real_engine
    def test_is_read_by_one_query(self, helpful):
        read = visit(f"/products/{helpful}/most-helpful/").page.one(id="explanation").text
        assert "· 1 round ·" in read
        assert f"RANK#HELPFUL#{helpful}" in read
