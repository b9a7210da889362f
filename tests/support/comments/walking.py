"""Walks through a list of comments, page by page, there and back."""

from collections.abc import Callable

from comments.filters import CommentFilter
from comments.lists.orders import CommentOrder
from comments.lists.queries import list_comments, read_model
from comments.store.counts import ProductCounts, read_counts
from dynapages.lists import Page, PageRequest, Toward, id_at
from dynapages.process import read

Read = Callable[[str, CommentFilter, PageRequest, ProductCounts], Page]


def read_page(
    product_id: str,
    chosen: CommentFilter,
    request: PageRequest,
    counts: ProductCounts | None = None,
    *,
    order: CommentOrder = CommentOrder.NEWEST,
) -> Page:
    """One page, read as the site does; what it shows is what it was read for."""
    known = read_counts(product_id) if counts is None else counts
    found = list_comments(product_id, chosen, request, counts=known, order=order)
    assert [comment.id for comment in found.comments] == ids_on(found.page)
    return found.page


def read_places(
    product_id: str, chosen: CommentFilter, request: PageRequest, counts: ProductCounts
) -> Page:
    """The same without making comments of its items, which takes most of the time."""
    plan = read_model().plan_list(product_id, chosen, counts, needed=request.size + 1)
    return read(plan.runs, request, first_reads=plan.first_reads, fallback=plan.fallback)


def behind(page: Page, *, size: int) -> PageRequest | None:
    """What the link to the older page asks for."""
    return PageRequest(size, page.next_position) if page.has_next else None


def in_front(page: Page, *, size: int) -> PageRequest | None:
    """What the link to the newer page asks for."""
    if not page.has_previous:
        return None
    return PageRequest(size, page.previous_position, Toward.PREVIOUS)


def ids_on(page: Page) -> list[str]:
    return [id_at(entry.position.place) for entry in page.entries]


def there_and_back(
    product_id: str, chosen: CommentFilter, *, size: int, read: Read = read_page
) -> tuple[list[str], list[str]]:
    """The ids as the pages give them: walking on from the first, and back from the last.

    Each page has as many as it may, but for the one that each walk ends with.
    """
    counts = read_counts(product_id)

    def walk(request: PageRequest | None, onward: Callable[..., PageRequest | None]) -> list[Page]:
        pages = []
        while request:
            pages.append(read(product_id, chosen, request, counts))
            request = onward(pages[-1], size=size)
        return pages

    there = walk(PageRequest(size), behind)
    back = walk(PageRequest(size, toward=Toward.PREVIOUS), in_front)
    assert not there[0].has_previous
    assert not back[0].has_next
    assert all(len(page.entries) == size for page in there[:-1] + back[:-1])
    return _ids(there), _ids(back[::-1])


def _ids(pages: list[Page]) -> list[str]:
    return [comment_id for page in pages for comment_id in ids_on(page)]
