"""The products of the project, and what the app tells it of them."""

from collections.abc import Collection, Mapping

from django.contrib.auth import get_user_model

from comments.host import Product, Products, Rating

NAMES = {"lamp": "A lamp", "chair": "A chair"}
BUYER = "buyer"
"""The user who has bought everything, by the user name."""
RATINGS: dict[str, Rating | None] = {}
"""What the app has told of how products are rated."""


def find(product_ids: Collection[str]) -> dict[str, Product]:
    return {
        each: Product(each, NAMES[each], f"/reviews/products/{each}/")
        for each in product_ids
        if each in NAMES
    }


def has_bought(user_id: str, product_id: str) -> bool:
    return get_user_model().objects.filter(pk=user_id, username=BUYER).exists()


class RatedProducts(Products):
    """Products that keep their ratings, for lists of the project's own."""

    def keep_ratings(self, ratings: Mapping[str, Rating | None]) -> None:
        RATINGS.update(ratings)


PRODUCTS = RatedProducts(find)
