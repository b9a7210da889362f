"""What the app asks of its project, where the project's answers are not as the app's own."""

from types import SimpleNamespace

from django.urls import reverse

from comments import host
from comments.host import Product, Products, Rating, find_products
from tests.support.comments.options import comments_set


def by_number(ids):
    """Find the products of a project whose ids are numbers."""
    return {int(one): Product(one, f"Number {one}", f"/goods/{one}/") for one in ids if one != "9"}


ONLY_FOUND = SimpleNamespace(find=by_number)


class TestProductsOfAnObject:
    def test_need_not_keep_ratings(self):
        with comments_set(PRODUCTS=f"{__name__}.ONLY_FOUND"):
            host.keep_ratings({"7": Rating(count=1, stars=5)})
            assert host.kept_ratings(["7"]) == {}


class TestProductsOfAFunction:
    def test_are_found_by_their_ids_as_text_though_they_are_numbers(self):
        assert Products(by_number).find(["7"])["7"].url == "/goods/7/"

    def test_are_shown_by_their_id_where_the_project_has_them_no_more(self):
        with comments_set(PRODUCTS=f"{__name__}.by_number"):
            found = find_products(["7", "9"])
        assert found["7"].name == "Number 7"
        assert (found["9"].name, found["9"].url) == ("9", reverse("comments:product", args=["9"]))
