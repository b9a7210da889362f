"""Reads of the sitemap: where its pages begin, and one page of it.

A page is a stretch of one category's products by id. Where they begin, no request could find out
at a bounded cost: `write_sitemap` stores it, and what is added meanwhile lies between two.
"""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pynamodb.attributes import BinaryAttribute

from dynapages.calls import labelled_calls
from dynapages.lists import Order, Page, PageRequest, Position, Run, every_entry
from dynapages.process import read
from shop import keys
from shop.catalogue.queries import list_all_categories
from shop.models import ShopItem
from shop.table import BY_KEY

MOST_PRODUCTS = 1_000
MOST_UNITS = 8.0
"""Of a page: some four hundred products, as long as their names are usual."""
FIRST_READ = 50
"""Products of a page's first read, which shows how large they are."""
UNTIL_WRITTEN = 50
"""Categories of the sitemap that was not written yet."""


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page of the sitemap begins: behind a place, the first one of a category without."""

    slug: str
    place: str = ""

    @property
    def position(self) -> Position | None:
        return Position(self.place) if self.place else None


class StoredSitemap(ShopItem):
    """The beginnings of all pages: JSON, compressed."""

    starts = BinaryAttribute(legacy_encoding=False)


def find_starts() -> list[PageStart]:
    """Return where the pages begin; before the first `write_sitemap`, some categories alone."""
    with labelled_calls("sitemap"):
        stored = StoredSitemap.find(keys.SITEMAP, keys.SITEMAP, consistent_read=False)
    if stored is None:
        page = list_all_categories(PageRequest(UNTIL_WRITTEN, most_units=MOST_UNITS))
        return [PageStart(category.slug) for category in page.items]
    return [PageStart(*start) for start in json.loads(zlib.decompress(stored.starts))]


def list_page(slug: str, request: PageRequest) -> Page:
    """Read a page of a category's products by id, as many as `MOST_UNITS` can read."""
    products = Run(index=BY_KEY, partition=keys.category(slug), prefix=keys.PRODUCT_PREFIX)
    asked = replace(request, most_units=MOST_UNITS)
    return read([products], asked, order=Order.OLDEST_FIRST, first_reads=[FIRST_READ])


def write_sitemap() -> list[PageStart]:
    """Walk through all products of all categories, and store where the sitemap's pages begin."""
    tree = every_entry(lambda request: list_all_categories(request).page, at_once=UNTIL_WRITTEN)
    slugs = (entry.item["pk"]["S"].removeprefix(keys.CATEGORY_PREFIX) for entry in tree)
    starts = [start for slug in slugs for start in _starts_in(slug)]
    text = json.dumps([[start.slug, start.place] for start in starts], separators=(",", ":"))
    compressed = zlib.compress(text.encode(), 9)
    StoredSitemap(pk=keys.SITEMAP, sk=keys.SITEMAP, starts=compressed).save()
    return starts


def _starts_in(slug: str) -> Iterator[PageStart]:
    start: PageStart | None = PageStart(slug)
    while start:
        yield start
        behind = list_page(slug, PageRequest(MOST_PRODUCTS, start.position)).next_position
        start = PageStart(slug, behind.place) if behind else None
