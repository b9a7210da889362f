"""Reads of the sitemap: where its pages begin, and one page of products or categories.

A page is a stretch of all products by name, or of all categories. Where they begin, no request
could find out at a bounded cost: `shop.sitemap.services` stores it, and what is added meanwhile
lies between two.
"""

import json
import zlib
from collections.abc import Callable
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
    """Return where the pages begin; before they were stored once, the first of each list."""
    with labelled_calls("sitemap"):
        stored = StoredSitemap.find(keys.SITEMAP, keys.SITEMAP, consistent_read=False)
    if stored is None or stored.pages is None:
        return [PageStart(name) for name in LISTS]
    return [PageStart(*start) for start in json.loads(zlib.decompress(stored.pages))]


def list_page(of: str, request: PageRequest) -> PageResult[Any]:
    """Read a page of one of `LISTS`, as many as `MOST_UNITS` can read."""
    return LISTS[of](replace(request, most_units=MOST_UNITS), first_read=FIRST_READ)
