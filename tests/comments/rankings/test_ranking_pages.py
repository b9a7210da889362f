"""The front page, the rankings of the shop, and a product's most helpful comments, as pages."""

from datetime import timedelta
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest

from comments.items import NewComment
from comments.posting.services import add_comment
from comments.votes.rank import store_rank
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.comments.browsing import Shown, visit
from tests.support.comments.loading import load
from tests.support.comments.truth import START, written
from tests.support.config.api import NOBODY

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


def made(product_id: str, number: int, **changes: object) -> NewComment:
    what = {
        "rating": 5,
        "created_at": START + timedelta(minutes=number),
        "body": f"Comment number {number}.",
    }
    return written(product_id, id=f"{product_id}-{number}", **{**what, **changes})


def listed(shown: Shown) -> list[str]:
    return [element["data-product-id"] for element in shown.page.all(data_product_id=True)]


def panel(shown: Shown, name: str):
    return shown.page.one(aria_labelledby=f"panel-{name}")


class TestFrontPage:
    def test_begins_with_a_shelf_of_the_most_loved_products(self, lamps):
        loved = panel(visit("/"), "most_loved")
        sentences = [e.text for e in loved.all(class_="tile-line") if "five-star" in e.text]
        numbers = [int(sentence.split()[0]) for sentence in sentences]
        assert len(numbers) == 6
        assert numbers == sorted(numbers, reverse=True)
        assert loved.one("h2").one("a")["href"] == MOST_LOVED

    def test_shows_the_products_commented_on_last(self, lamps):
        recent = panel(visit("/"), "recently_commented")
        elements = recent.all(data_product=True)
        assert [e["data-product"] for e in elements] == lamps[:6]
        assert elements[0].one("time")["datetime"] == "2999-11-20T09:30:00Z"
        assert [a["href"] for a in elements[0].all("a")] == [f"/products/{lamps[0]}/"]
        assert f"Lamp {lamps[0]}" in elements[0].text


class TestRankingOfProducts:
    def test_numbers_the_products_through_its_pages(self, lamps, settings):
        settings.PAGE_SIZE = 5
        second = visit(visit(RECENTLY_COMMENTED).older)
        assert listed(second) == lamps[5:10]
        assert second.page.one("ol", class_="ranked")["start"] == "6"
        assert [n.text for n in second.page.all(class_="ranked-number")] == [*"6789", "10"]

    def test_numbers_no_products_of_its_end(self, lamps, settings):
        settings.PAGE_SIZE = 5
        last = visit(f"{RECENTLY_COMMENTED}?before=end")
        assert len(listed(last)) == 5
        assert "start" not in last.page.one("ol", class_="ranked").attributes
        assert [n.text for n in last.page.all(class_="ranked-number")] == [""] * 5

    @pytest.mark.parametrize("name", ["most-loved", "recently-commented"])
    def test_has_numbers_for_programs_from_1_on_alone(self, lamps, name):
        first = NOBODY.get(f"/rankings/{name}?limit=3").json()
        second = NOBODY.get(first["next"]).json()
        last = NOBODY.get(first["last"]).json()
        assert [each["number"] for each in first["items"]] == [1, 2, 3]
        assert [each["number"] for each in second["items"]] == [4, 5, 6]
        assert [each["number"] for each in last["items"]] == [None] * 3

    def test_refuses_a_page_link_of_the_other_ranking(self, lamps, settings):
        settings.PAGE_SIZE = 5
        token = parse_qs(urlsplit(visit(MOST_LOVED).older).query)["after"][0]
        refused = visit(f"{RECENTLY_COMMENTED}?after={token}")
        assert refused.status == 400
        assert refused.page.one("main").one(class_="button")["href"] == RECENTLY_COMMENTED


def test_the_most_helpful_comments_tell_their_votes_and_lead_on_for_their_product_alone(
    fresh, settings
):
    settings.PAGE_SIZE = 2
    product_id, other = fresh("product"), fresh("product")
    load([*(made(product_id, number) for number in range(3)), made(other, 0)])
    for number in range(3):
        store_rank(f"{product_id}-{number}", count=partial(int, number + 1))
    lists = "/products/{}/comments/~/~/?order=helpful"
    shown = visit(lists.format(product_id))
    assert shown.comment_ids == [f"{product_id}-2", f"{product_id}-1"]
    assert "Helpful · 3" in shown.page.all(data_comment_id=True)[0].text
    token = parse_qs(urlsplit(shown.older).query)["after"][0]
    assert visit(f"{lists.format(other)}&after={token}").status == 400
