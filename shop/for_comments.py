"""What the app of comments needs to know of products, purchases and users that are the shop's.

The settings name these: ``COMMENTS = {"PRODUCTS": "shop.for_comments.PRODUCTS", …}``.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from django.contrib.auth.base_user import AbstractBaseUser

from dynapages.items import Item, table_key
from shop import keys
from shop.accounts.queries import load_user
from shop.catalogue.content import Rating
from shop.catalogue.queries import find_tiles
from shop.catalogue.ratings import keep_ratings, kept_ratings
from shop.catalogue.services import ensure_products
from shop.catalogue.shown_names import shown_product
from shop.catalogue.stored import stored_products
from shop.catalogue.tiles import NoSuchProduct, Product, product_in, product_keys
from shop.models import Purchase
from shop.table import TABLE


class _Rated(Protocol):
    """A rating as the app of comments has it."""

    @property
    def count(self) -> int: ...
    @property
    def stars(self) -> int: ...


class _Products:
    """The products of the shop, with the methods that the app of comments calls."""

    find = staticmethod(find_tiles)
    add_missing = staticmethod(ensure_products)
    kept_ratings = staticmethod(kept_ratings)

    def keys(self, product_id: str, *, whole: bool) -> Sequence[tuple[str, Item]]:
        """Return the tables and keys of a product's items, of its description too if whole."""
        return [(TABLE, table_key(*key)) for key in product_keys(product_id, is_whole=whole)]

    def built(self, product_id: str, items: Iterable[Item]) -> Product | None:
        """Build a product from its items, as pages show it; None where there is none."""
        try:
            return shown_product(product_in(product_id, items))
        except NoSuchProduct:
            return None

    def keep_ratings(self, ratings: Mapping[str, "_Rated | None"]) -> None:
        """Keep how products are rated, wherever the shop lists them."""
        own_ratings: dict[str, Rating | None] = {}
        for product_id, rating in ratings.items():
            if rating is None:
                own_ratings[product_id] = None
            else:
                own_ratings[product_id] = Rating(rating.count, rating.stars)
        keep_ratings(own_ratings)

    def names(self, product_ids: Collection[str]) -> Mapping[str, tuple[str, str]]:
        """Read the names of products, and their ids in another system, which may be empty."""
        names = {}
        for product_id, stored in stored_products(product_ids).items():
            names[product_id] = (stored.content.name, stored.content.external_id or "")
        return names

    def names_to_rank(self, product_ids: Collection[str]) -> Mapping[str, str]:
        """Read the names of products in rankings, empty for those that are off."""
        names = {}
        for product_id, stored in stored_products(product_ids).items():
            names[product_id] = stored.content.ranked_name
        return names


PRODUCTS = _Products()


def has_bought(username: str, product_id: str) -> bool:
    """Return whether a user ever ordered a product: one read, half a unit."""
    key = keys.bought(username, product_id)
    return Purchase.find(keys.user(username), key, consistent_read=False) is not None


def find_user(username: str) -> AbstractBaseUser | None:
    """Return the active user of this name, which is the id of the shop's own users."""
    # The project may have a user model of its own, in another database.
    user = load_user(username)
    if user is None or not user.is_active:
        return None
    return user
