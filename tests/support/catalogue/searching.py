"""Searches of products' names, and the plain answers that they must agree with."""

import re
from collections.abc import Iterable
from unicodedata import combining, normalize

from dynapages.lists import PageRequest, Toward
from shop.catalogue.content import NewProduct
from shop.catalogue.search import find_products, parse_search
from shop.catalogue.services import put_catalogue
from tests.support.catalogue.making import category
from tests.support.chance import unique


def made_stem() -> str:
    """What the words of one test begin with, and those of no other."""
    return unique("w").replace("-", "")


def put_named(*names: str, slug: str = "") -> list[NewProduct]:
    """Put products, one of each name, or rename those of a category."""
    slug = slug or unique("shelf")
    products = [
        NewProduct(f"{slug}#{number}", name, (slug,), "", 100 + number, "EUR")
        for number, name in enumerate(names)
    ]
    put_catalogue(categories=[category(slug)], products=products)
    return products


def plain_words(text: str) -> list[str]:
    """The words of a text without case and marks, by a tokenizer of the tests' own."""
    letters = "".join(one for one in normalize("NFKD", text.casefold()) if not combining(one))
    return re.findall(r"[^\W_]+", letters)


def found_among(products: Iterable[NewProduct], typed: str, leading: str) -> list[str]:
    """The ids of the products that a search finds, by the words found, then by names."""
    words = plain_words(typed)
    found = []
    for product in products:
        names = plain_words(product.name)
        if all(any(name.startswith(word) for name in names) for word in words):
            first = min(name for name in names if name.startswith(leading))
            found.append((first, "-".join(names), product.id))
    return [product_id for _, _, product_id in sorted(found)]


def there(typed: str, size: int = 100, most_units: float = 12.0, leading: str = "") -> list[str]:
    """The products of all pages from the first one on."""
    return _walked(typed, PageRequest(size, most_units=most_units), leading)


def back(typed: str, size: int = 100, leading: str = "") -> list[str]:
    """The products of all pages from the last one back, in the order of the list."""
    return _walked(typed, PageRequest(size, toward=Toward.PREVIOUS), leading)


def _walked(typed: str, request: PageRequest, leading: str) -> list[str]:
    found: list[str] = []
    is_forward = request.toward is Toward.NEXT
    while True:
        read = find_products(parse_search(typed), request, leading=leading)
        leading = read.leading
        ids = [product.id for product in read.items]
        found = [*found, *ids] if is_forward else [*ids, *found]
        page = read.page
        position = page.next_position if is_forward else page.previous_position
        if position is None:
            return found
        request = PageRequest(request.size, position, request.toward, request.most_units)
