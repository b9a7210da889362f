"""A lamp in two categories, and ways to spoil what is stored of it, to find it and to mend it."""

from dynapages.upkeep import Difference
from shop import keys
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from tests.support.catalogue.making import category, sell
from tests.support.chance import unique
from tests.support.shop.checks import Key, differences


def put_lamp() -> NewProduct:
    """Put a lamp in a category that is in another."""
    slug = unique("shelf")
    product = NewProduct(unique("lamp"), "Lamp", (f"{slug}-in", slug), "", 1_999, "EUR")
    put_catalogue(categories=[category(slug), category(f"{slug}-in", slug)], products=[product])
    return product


def sell_to_someone(product: NewProduct, status: Status = Status.DELIVERED) -> str:
    username = unique("buyer")
    sell(username, [product.id], day=3, status=status)
    return username


def edge_of(product: NewProduct) -> Key:
    return keys.category(product.category_slugs[0]), keys.product(product.id)


def by_name_of(product: NewProduct) -> Key:
    return keys.category(product.category_slugs[0]), keys.by_name(product.id)


def word_of(product: NewProduct) -> Key:
    """The key of the item by the one word of a name."""
    word = product.name.lower()
    return keys.words(word), f"{word}${word}#{product.id}"


def found(*names: str) -> list[Difference]:
    """The differences that tell of any of these names."""
    return list(found_lazily(*names))


def mend(*names: str) -> list[bool]:
    """Mend as the command does: each as it is found, until nothing more is."""
    return [bool(d.repair and d.repair()) for d in found_lazily(*names)]


def found_lazily(*names: str):
    return (d for d in differences("catalogue") if any(name in d.subject for name in names))
