"""Walks through a list of comments, page by page, there and back."""

from collections.abc import Iterator

from comments.counts import ProductCounts, counts_of
from comments.filters import CommentFilter
from comments.queries import CommentPage, list_comments
from dynamo.reader import PageRequest, Toward


def read_page(
    product_id: str,
    chosen: CommentFilter,
    request: PageRequest,
    counts: ProductCounts | None = None,
) -> CommentPage:
    """One page, read as the site does."""
    return list_comments(
        product_id, chosen, request, counts=counts_of(product_id) if counts is None else counts
    )


def behind(found: CommentPage, *, size: int) -> PageRequest | None:
    """What the link to the older page asks for."""
    page = found.page
    return PageRequest(size, page.entries[-1].position) if page.has_next else None


def in_front(found: CommentPage, *, size: int) -> PageRequest | None:
    """What the link to the newer page asks for."""
    page = found.page
    if not page.has_previous:
        return None
    return PageRequest(size, page.entries[0].position, Toward.PREVIOUS)


def ids_on(found: CommentPage) -> list[str]:
    return [comment.id for comment in found.comments]


def there_and_back(
    product_id: str, chosen: CommentFilter, *, size: int
) -> tuple[list[str], list[str]]:
    """The ids as the pages give them: walking on from the first, and back from the last."""
    counts = counts_of(product_id)
    there = list(_walk(product_id, chosen, PageRequest(size), behind, counts))
    here = there[-1]
    back = [here]
    if start := in_front(here, size=size):
        back = [*reversed(list(_walk(product_id, chosen, start, in_front, counts))), here]
    assert not there[0].page.has_previous
    assert all(len(found.comments) == size for found in there[:-1])
    return _ids(there), _ids(back)


def _walk(product_id, chosen, request, onward, counts) -> Iterator[CommentPage]:
    size = request.size
    while request:
        found = read_page(product_id, chosen, request, counts)
        yield found
        request = onward(found, size=size)


def _ids(pages: list[CommentPage]) -> list[str]:
    return [comment_id for found in pages for comment_id in ids_on(found)]
