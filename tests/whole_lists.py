"""Lists that all tests share, read to their end: nobody knows what others have put in them."""

from collections.abc import Callable, Iterator

from dynamo.reader import Page, PageRequest
from dynamo.runs import Item


def every_item(read: Callable[[PageRequest], Page]) -> Iterator[Item]:
    """The items of all pages of a list."""
    request: PageRequest | None = PageRequest(500)
    while request:
        page = read(request)
        yield from (entry.item for entry in page.entries)
        position = page.entries[-1].position if page.has_next else None
        request = PageRequest(500, position) if position else None
