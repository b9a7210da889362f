"""Walks through a list of comments, page by page, there and back."""

from collections.abc import Iterator

from comments.filters import CommentFilter
from comments.queries import list_comments
from dynamo.places import id_at
from dynamo.reader import Page, PageRequest, Toward


def forward(product_id: str, chosen: CommentFilter, *, size: int) -> Iterator[Page]:
    """All pages from the first one on."""
    request = PageRequest(size)
    while True:
        page = list_comments(product_id, chosen, request).page
        yield page
        if not page.has_next:
            return
        request = PageRequest(size, page.entries[-1].position)


def back(product_id: str, chosen: CommentFilter, page: Page, *, size: int) -> Iterator[Page]:
    """All pages in front of one, the nearest first."""
    while page.has_previous:
        request = PageRequest(size, page.entries[0].position, Toward.PREVIOUS)
        page = list_comments(product_id, chosen, request).page
        yield page


def ids_on(page: Page) -> list[str]:
    return [id_at(entry.position.place) for entry in page.entries]


def there_and_back(
    product_id: str, chosen: CommentFilter, *, size: int
) -> tuple[list[str], list[str]]:
    """The ids as the pages give them: walking on from the first, and back from the last."""
    there = list(forward(product_id, chosen, size=size))
    here = there[-1]
    returned = [*reversed(list(back(product_id, chosen, here, size=size))), here]
    assert not there[0].has_previous
    assert all(len(page.entries) == size for page in there[:-1])
    return _ids(there), _ids(returned)


def _ids(pages: list[Page]) -> list[str]:
    return [comment_id for page in pages for comment_id in ids_on(page)]
