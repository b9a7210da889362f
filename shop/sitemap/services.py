"""The write of the sitemap: where its pages begin, for the command ``write_sitemap``."""

import json
import zlib
from collections.abc import Iterator

from dynapages.lists import PageRequest
from shop import keys
from shop.sitemap.queries import LISTS, MOST_ADDRESSES, PageStart, StoredSitemap, list_page


def write_sitemap() -> list[PageStart]:
    """Walk through all products and categories, and store where the sitemap's pages begin."""
    starts: list[PageStart] = []
    for name in LISTS:
        starts += _starts_in(name)
    # A hundred thousand products have a hundred starts: one item holds them all.
    compressed = zlib.compress(json.dumps(starts, separators=(",", ":")).encode(), 9)
    StoredSitemap(pk=keys.SITEMAP, sk=keys.SITEMAP, pages=compressed).save()
    return starts


def _starts_in(name: str) -> Iterator[PageStart]:
    """Yield where the pages of a list begin; each page is read to know where the next one does."""
    yield PageStart(name)
    # As many as a request reads later, so that a page of the sitemap costs no more.
    position = list_page(name, PageRequest(MOST_ADDRESSES)).page.next_position
    while position:
        yield PageStart(name, position.place)
        position = list_page(name, PageRequest(MOST_ADDRESSES, position)).page.next_position
