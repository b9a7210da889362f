"""What the app of comments asks of the project that it is installed in: options, and products.

Its one setting is ``COMMENTS``; docs/installing.md explains each option. ``PRODUCTS`` names a
function of product ids, such as ``find(ids) -> {id: Product}``, or an object with the methods of
`Products`, by which products are read in the page's own round. ``HAS_BOUGHT`` names a function of a
user id and a product id. What is asked about users is in `comments.users`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Protocol

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy

from dynapages.calls import Together, labelled_calls
from dynapages.django.paging import address_of_item
from dynapages.items import Item

SETS = "sets"
"""What the setting ``COMMENTS_READ_MODEL`` is when lists are read from ``comment_sets``."""
DEFAULTS: Final[dict[str, Any]] = {
    # Dotted paths of the project's own functions: see `comments.host`. The first is needed.
    "PRODUCTS": "",
    "HAS_BOUGHT": "",
    # Who users are, and what pages call them: see `comments.users`.
    "USER_ID": "pk",
    "DISPLAY_NAME": "get_username",
    "FIND_USER": "comments.users.find_active_user",
    "PROFILE_SLUGS": "",
    # Of what decides on a comment before it is published, or several: see `comments.gates`.
    "GATE": (),
    # What the gate `comments.gates.hold_words` holds comments for: words and phrases.
    "HELD_WORDS": (),
    # The template that the app's pages extend, with the blocks `title` and `content` at the least.
    "BASE_TEMPLATE": "base.html",
    # Comments posted, edited, deleted, voted on and reported in an hour.
    "WRITES_PER_USER": 60,
    "WRITES_PER_ADDRESS": 300,
    "LANGUAGES_COOKIE": "comment-languages",
    # Of a function of a moment that yields what customers are asked to review by then, each a
    # `comments.requests.purchases.DuePurchase`: for `manage.py request_reviews`.
    "DUE_PURCHASES": "",
    # How lists are read, "indexes" or "sets", and the keys of these: see docs/designs/sets.md.
    "READ_MODEL": "indexes",
    "SETS_KEY_FORMAT": "names",
    # Whether comments can be searched by their words: see docs/search.md.
    "SEARCH": False,
    # Whether postings of the version before may still be in that table.
    "SEARCH_OLDER": False,
    # Whether topics of products are made and shown, which needs SEARCH: see docs/topics.md.
    "TOPICS": False,
    # Shards of a product's counts and of a comment's votes, at most.
    "COUNTER_SHARDS": 8,
}
"""All options, and what they are where the project does not set them."""
NO_SUCH_PRODUCT = gettext_lazy("There is no such product.")

TableKey = tuple[str, Item]
"""The name of a table, and the key of an item in it."""


# Options


class Options:
    """The setting ``COMMENTS``, read each time an option is asked for."""

    def __getitem__(self, option: str) -> Any:  # noqa: ANN401 - an option is of any type
        return self.given().get(option, DEFAULTS[option])

    @staticmethod
    def given() -> Mapping[str, Any]:
        """Return the options that the project sets."""
        return getattr(settings, "COMMENTS", None) or {}

    def load(self, option: str) -> Any:  # noqa: ANN401 - what is imported is of any type
        """Return what the dotted path of an option names. Raises ImportError."""
        return import_string(self[option])

    def paths(self, option: str) -> tuple[str, ...]:
        """Return the dotted paths of an option: none, one, or several."""
        value = self[option]
        paths = [value] if isinstance(value, str) else value
        return tuple(path for path in paths if path)


COMMENTS: Final = Options()
"""The options, as in ``COMMENTS["GATE"]``."""


def uses_sets() -> bool:
    """Return whether lists are read from ``comment_sets``: whether primaries are written."""
    return bool(COMMENTS["READ_MODEL"] == SETS)


def is_searchable() -> bool:
    """Return whether postings are written, and comments can be searched by their words."""
    return bool(COMMENTS["SEARCH"])


def has_topics() -> bool:
    """Return whether topics of products are made and shown: each is a link to a search."""
    return bool(COMMENTS["TOPICS"]) and is_searchable()


# Products


class NoSuchProduct(LookupError):
    """The project has no product with this id."""


class Link(Protocol):
    """Something with a page of its own."""

    @property
    def name(self) -> str: ...
    @property
    def url(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Rating:
    """How a product is rated: by how many comments, 1 at the least, and by how many stars in all.

    Anything with these attributes will do.
    """

    count: int
    stars: int

    @property
    def average(self) -> float:
        """The mean, from 1 to 5."""
        return self.stars / self.count


@dataclass(frozen=True, slots=True)
class Product:
    """A product as pages of comments show it; anything with these attributes will do.

    ``url`` is its page in the project. ``trail`` leads to it, as in breadcrumbs. ``price`` is its
    price as pages show it, such as “€35.00”; ``unit_price`` and ``currency`` (ISO 4217) are for
    search engines. ``image`` is the address of a picture, for them and for lists, with or without a
    host. ``rating`` is for lists of products; None without comments.
    Its ``repr`` must differ where what it shows does: ETags of pages are made from it.
    """

    id: str
    name: str
    url: str
    description: str = ""
    trail: Sequence[Link] = ()
    categories: Sequence[Link] = ()
    unit_price: Decimal | None = None
    currency: str = ""
    price: str = ""
    image: str = ""
    rating: Rating | None = None


@dataclass(frozen=True, slots=True)
class Products:
    """The products of a project that has a function for them.

    A project whose products are in DynamoDB names an object with these methods instead.
    """

    find_all: Callable[[Collection[str]], Mapping[str, Product]]

    def find(self, product_ids: Collection[str]) -> Mapping[str, Product]:
        """Return products by their ids, without those that do not exist."""
        products = self.find_all(product_ids)
        return {str(product_id): product for product_id, product in products.items()}

    def keys(self, product_id: str, *, whole: bool) -> Sequence[TableKey]:
        """Return the keys of the items that a product is built from; () reads it by `find`.

        Its description is needed only if it is wanted ``whole``.
        """
        del product_id, whole
        return ()

    def built(self, product_id: str, items: Iterable[Item]) -> Product | None:
        """Build a product from the items that were found; None where there is none.

        The active language is that of the page.
        """
        del product_id, items
        raise NotImplementedError

    def names(self, product_ids: Collection[str]) -> Mapping[str, tuple[str, str]]:
        """Return names of products as they are now, each with its id in another system or ""."""
        products = self.find(product_ids)
        return {product_id: (product.name, "") for product_id, product in products.items()}

    def names_to_rank(self, product_ids: Collection[str]) -> Mapping[str, str]:
        """Return names of products as rankings show them; ``""`` leaves a product out."""
        names = self.names(product_ids)
        return {product_id: name for product_id, (name, _external_id) in names.items()}

    def keep_ratings(self, ratings: Mapping[str, Rating | None]) -> None:
        """Keep how products are rated where the project lists them; None is without comments.

        It is called some minutes after comments of these products have changed, once for however
        many did, maybe again with the same, and at the end of imports. A product that does not
        exist is left out.
        """
        del ratings

    def kept_ratings(self, product_ids: Collection[str]) -> Mapping[str, Rating | None]:
        """Return the ratings that are kept, for a check; without what the project does not keep."""
        del product_ids
        return {}

    def add_missing(
        self,
        product_ids: Collection[str],
        *,
        originals: Mapping[str, str],
        names: Mapping[str, str],
    ) -> int:
        """Create the products of imported comments that do not exist; return how many.

        ``originals`` are ids as the file has them, ``names`` what it calls products.
        """
        del product_ids, originals, names
        return 0


def products() -> Products:
    """Return the products of the project."""
    # A function is all that a project without DynamoDB has to write.
    function_or_object = COMMENTS.load("PRODUCTS")
    if hasattr(function_or_object, "find"):
        given: Products = function_or_object
        return given
    return Products(function_or_object)


def keep_ratings(ratings: Mapping[str, Rating | None]) -> None:
    """Have the project store how products are rated, where its products have that method."""
    keep = getattr(products(), "keep_ratings", None)
    if keep is not None:
        keep(ratings)


def kept_ratings(product_ids: Sequence[str]) -> Mapping[str, Rating | None]:
    """Return the ratings that the project has stored, empty where its products store none."""
    read = getattr(products(), "kept_ratings", None)
    return read(product_ids) if read is not None else {}


def is_read_along() -> bool:
    """Return whether products are read by their keys, together with what a page reads besides.

    Other projects read theirs by means of their own, which are called in the request's own thread:
    Django's connections to SQL databases belong to a thread.
    """
    return bool(products().keys("-", whole=False))


def built(product_id: str, items: Sequence[Item]) -> Product | None:
    """Build a product that was read along. Raises NoSuchProduct where there is none."""
    if not is_read_along():
        return None
    product = products().built(product_id, items)
    if product is None:
        raise NoSuchProduct(product_id)
    return product


def product_reader(together: Together, product_id: str) -> Callable[[], Product]:
    """Start to read a product, or leave it to be read when it is asked for."""
    if is_read_along():
        return together.start(find_product, product_id).result

    def read_later() -> Product:
        return find_product(product_id)

    return read_later


def find_product(product_id: str) -> Product:
    """Read a product, metered as ``product``. Raises NoSuchProduct."""
    with labelled_calls("product"):
        product = products().find([product_id]).get(product_id)
    if product is None:
        raise NoSuchProduct(product_id)
    return product


def find_existing(product_ids: Iterable[str]) -> Mapping[str, Product]:
    """Read products by their ids, metered as ``product names``, without those that are missing."""
    with labelled_calls("product names"):
        return products().find(set(product_ids))


def find_products(product_ids: Iterable[str]) -> dict[str, Product]:
    """Read products by their ids like `find_existing`; missing ones by their id alone."""
    distinct_ids = set(product_ids)
    existing = find_existing(distinct_ids)
    # A product may be gone from the catalogue while its comments stay.
    return {one: existing.get(one) or named(one) for one in distinct_ids}


def named(product_id: str, name: str = "", *, rating: Rating | None = None) -> Product:
    """Return a product of which no more is known; its page is that of its comments."""
    url = address_of_item("comments:product", product_id)
    return Product(product_id, name or product_id, url, rating=rating)


def has_bought(user_id: str, product_id: str) -> bool:
    """Return whether a user ever bought a product, metered as ``purchase``.

    Where the project does not say, nobody has.
    """
    if not COMMENTS["HAS_BOUGHT"]:
        return False
    with labelled_calls("purchase"):
        return bool(COMMENTS.load("HAS_BOUGHT")(user_id, product_id))
