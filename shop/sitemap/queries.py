"""Reads of the sitemap: where its pages begin, and one page of it.

A page is a stretch of one category's products by id: as many as some units can read. Where the
pages after a category's first begin, no request could find out at a bounded cost. So
`write_sitemap` walks through all of them from time to time, and stores their beginnings. What is
added meanwhile lies between two of them, and is on a page.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pynamodb.attributes import BinaryAttribute

from dynamo.calls.meter import labelled_calls
from dynamo.lists.reader import Order, Page, PageRequest, every_entry, read
from dynamo.lists.runs import Position, Run
from shop import keys
from shop.catalogue.category_queries import list_all_categories
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

    @classmethod
    def of(cls, starts: Sequence[PageStart]) -> "StoredSitemap":
        """Build the item."""
        text = json.dumps([[start.slug, start.place] for start in starts], separators=(",", ":"))
        compressed = zlib.compress(text.encode(), 9)
        return cls(pk=keys.SITEMAP, sk=keys.SITEMAP, starts=compressed)


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


def walk_starts() -> Iterator[PageStart]:
    """Yield where the pages of all categories begin, by reading all of them."""
    tree = every_entry(lambda request: list_all_categories(request).page, at_once=UNTIL_WRITTEN)
    for entry in tree:
        yield from _starts_in(entry.item["pk"]["S"].removeprefix(keys.CATEGORY_PREFIX))


def _starts_in(slug: str) -> Iterator[PageStart]:
    request = partial(PageRequest, MOST_PRODUCTS)
    start = PageStart(slug)
    while True:
        yield start
        behind = list_page(slug, request(start.position)).next_position
        if behind is None:
            return
        start = PageStart(slug, behind.place)


def write_sitemap() -> list[PageStart]:
    """Walk through all products of all categories, and store where the sitemap's pages begin."""
    starts = list(walk_starts())
    StoredSitemap.of(starts).save()
    return starts
