"""The sitemap's pages: where they begin, one page of products or categories, and both stored.

A page is a stretch of all products by name, or of all categories. Where they begin, no request
could find out at a bounded cost: `write_sitemap` stores it, and what is added meanwhile lies
between two.
"""

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from pynamodb.attributes import BinaryAttribute

from dynapages.calls import labelled_calls
from dynapages.lists import PageRequest, PageResult
from shop import keys
from shop.catalogue.queries import list_all_categories, list_all_products
from shop.models import ShopItem

MOST_ADDRESSES = 1_000
"""Of a page."""
MOST_UNITS = 8.0
"""Of a page: some four hundred products, as long as their names are usual."""
FIRST_READ = 24
"""Items of a page's first read, which shows how large they are."""
LISTS: dict[str, Callable[..., PageResult[Any]]] = {
    "categories": list_all_categories,
    "products": list_all_products,
}


class PageStart(NamedTuple):
    """Where a page of the sitemap begins.

    ``of`` is the name of one of `LISTS`. The page begins behind the item at ``place`` there, or at
    the start of the list.
    """

    of: str
    place: str = ""


class StoredSitemap(ShopItem):
    """The beginnings of all pages: JSON, compressed."""

    pages = BinaryAttribute(legacy_encoding=False, null=True)


def find_starts() -> list[PageStart]:
    """Return where the pages begin; before the first `write_sitemap`, the first of each list."""
    with labelled_calls("sitemap"):
        stored = StoredSitemap.find(keys.SITEMAP, keys.SITEMAP, consistent_read=False)
    if stored is None or stored.pages is None:
        return [PageStart(name) for name in LISTS]
    return [PageStart(*start) for start in json.loads(zlib.decompress(stored.pages))]


def list_page(of: str, request: PageRequest) -> PageResult[Any]:
    """Read a page of one of `LISTS`, as many as `MOST_UNITS` can read."""
    return LISTS[of](replace(request, most_units=MOST_UNITS), first_read=FIRST_READ)


def write_sitemap() -> list[PageStart]:
    """Walk through all products and categories, and store where the sitemap's pages begin."""
    starts: list[PageStart] = []
    for name in LISTS:
        starts += _starts_in(name)
    compressed = zlib.compress(json.dumps(starts, separators=(",", ":")).encode(), 9)
    StoredSitemap(pk=keys.SITEMAP, sk=keys.SITEMAP, pages=compressed).save()
    return starts


def _starts_in(of: str) -> Iterator[PageStart]:
    """Yield where the pages of a list begin; each page is read to know where the next one does."""
    yield PageStart(of)
    position = list_page(of, PageRequest(MOST_ADDRESSES)).page.next_position
    while position:
        yield PageStart(of, position.place)
        position = list_page(of, PageRequest(MOST_ADDRESSES, position)).page.next_position
