"""Pages of lists in an API: their links by cursors, the size of a page, and what it cost.

An operation that lists is one of `lists`. How much a page may cost follows from its size: the
bounds of `dynapages.lists` are for each item that is asked for, and ``limit`` is at most 100.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext as _
from ninja import Query
from pydantic import WithJsonSchema

from dynapages.calls.meter import current_meter
from dynapages.django.paging import BadCursor, PageLinks, Pager, note_list
from dynapages.lists.feed_pages import FeedPage
from dynapages.lists.reader import Page, PageRequest, PageResult
from dynapages.ninja.shapes import Address, ResponseBody

T = TypeVar("T")

END = "end"
"""The cursor of the last page."""
LARGEST_PAGE = 100
"""Items."""
_CURSOR = rf"({END}|(after|before)\.[A-Za-z0-9_-]{{1,1500}}\.[A-Za-z0-9_-]{{43}})"
_CURSOR_FORM = re.compile(_CURSOR)
# The form is not checked by pydantic, whose error would show the expression itself.
_CursorText = Annotated[str, WithJsonSchema({"type": "string", "pattern": f"^{_CURSOR}$"})]
Cursor = Annotated[
    _CursorText | None,
    Query(
        description="From a link; a cursor is of one list with its filter. “end” is the last page.",
    ),
]
Limit = Annotated[
    int | None,
    Query(
        ge=1,
        le=LARGEST_PAGE,
        description="How many items a page has; links keep it. The cost of a page follows.",
    ),
]

_ADDED_PARAMETERS = (
    Parameter("response", Parameter.KEYWORD_ONLY, annotation=HttpResponse),
    Parameter("cursor", Parameter.KEYWORD_ONLY, default=None, annotation=Cursor),
    Parameter("limit", Parameter.KEYWORD_ONLY, default=None, annotation=Limit),
)
"""What an operation that lists takes besides its own parameters."""


class Listing(ResponseBody, Generic[T]):
    """A page of a list; its links are addresses on this host, null where there is no such page.

    A page may be short, even empty, and have a next one. A subclass, as
    ``class NoteListing(Listing[NoteOut])``, has a name that clients can have which are made of the
    document.
    """

    items: list[T]
    first: Address
    """The first page."""
    previous: Address | None
    """The page before; null on the first one."""
    next: Address | None
    """The page after; null on the last one."""
    last: Address | None
    """The last page."""
    total: int | None
    """How many items the list has now; null where they are not counted."""
    cost: float
    """What the answer took, in read capacity units."""


@dataclass(frozen=True, slots=True)
class PageOf(PageResult[T]):
    """A page of a list, with what its read knows: the ``total``, the ``plan``, another ``pager``.

    Links keep the query of that pager's first page. ``more`` are fields of the answer besides those
    of `Listing`: the operation's ``response`` is then a subclass of that, which declares them.
    """

    total: int | None = None
    plan: str = ""
    pager: Pager | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListOf(Generic[T]):
    """A list: its pager, what reads a page of it, and by which plan, unless a `PageOf` has one.

    A `dynapages.Feed` is read by its method `page_at`, and needs no tokens; a pager's name is for
    one feed and one order. Links leave out parameters that are of the ``first_page_only``, such as
    where that begins.
    """

    pager: Pager
    read: Callable[[PageRequest], PageResult[T] | FeedPage[T]]
    plan: str = ""
    first_page_only: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _CursorPager(Pager):
    """The pages of a list in an API, whose links have a ``cursor``."""

    def _url(self, **query: str) -> str:
        ((side, token),) = query.items()
        cursor = f"{side}.{token}"
        if token == END:
            cursor = END
        return super(_CursorPager, self)._url(cursor=cursor)

    def page_at(self, cursor: str | None, size: int) -> PageRequest:
        """Return the request of the page at a cursor.

        Raises BadCursor for one of another list, and for a text that is none.
        """
        if cursor is None:
            return self.requested({}, size=size)
        if not _CURSOR_FORM.fullmatch(cursor):
            sentence = _("This is no cursor: take one from a link, or “end” for the last page.")
            raise BadCursor(sentence, first_url=self.first_url)
        if cursor == END:
            return self.requested({"before": END}, size=size)
        side, _dot, token = cursor.partition(".")
        return self.requested({side: token}, size=size)


def lists(run: Callable[..., ListOf[Any]]) -> Callable[..., dict[str, Any]]:
    """Have an operation that returns a `ListOf` answer the page that a `Cursor` asks for.

    A page has ``limit`` items, `PAGE_SIZE` without one. The way back past the beginning is answered
    with the first page, whole. Adds the header ``Link`` (RFC 8288). Raises BadCursor for a cursor
    of another list, and what ``read`` does.
    """

    @wraps(run)
    def answer(
        request: HttpRequest,
        *,
        response: HttpResponse,
        cursor: str | None,
        limit: int | None,
        **values: Any,  # noqa: ANN401 - of any operation
    ) -> dict[str, Any]:
        size = limit or settings.PAGE_SIZE
        api_list = run(request, **values)
        return _answer_with_page(request, response, api_list, cursor=cursor, size=size)

    own = signature(run)
    answer.__signature__ = own.replace(  # type: ignore[attr-defined] # ninja asks for it
        parameters=[*own.parameters.values(), *_ADDED_PARAMETERS]
    )
    return answer


def _answer_with_page(
    request: HttpRequest,
    response: HttpResponse,
    api_list: ListOf[Any],
    *,
    cursor: str | None,
    size: int,
) -> dict[str, Any]:
    """Read the page of a list at a cursor; return the fields of its `Listing`."""
    query = request.GET.copy()
    for name in ("cursor", *api_list.first_page_only):
        query.pop(name, None)
    pager = _cursor_pager(request.path, query, api_list.pager)
    page_request = pager.page_at(cursor, size)
    result = api_list.read(page_request)
    # Programs get the first page itself; a redirect would cost them another call.
    if pager.overshot(result.page, page_request):
        page_request = PageRequest(page_request.size, most_units=_units_left_by(result.page))
        result = api_list.read(page_request)
    if isinstance(result, FeedPage):
        result = PageOf(result.items, result.page, total=result.total)
    elif not isinstance(result, PageOf):
        result = PageOf(result.items, result.page)
    note_list(api_list.pager, page_request, result.plan or api_list.plan)
    if result.pager:
        more = QueryDict(urlsplit(result.pager.first_url).query)
        for name, values in more.lists():
            query.setlist(name, values)
        pager = _cursor_pager(request.path, query, result.pager)
    links = _links(pager.links(result.page, page_request))
    # For programs that follow links without knowing this API (RFC 8288).
    response["Link"] = _link_header(links)
    return {
        "items": result.items,
        **links,
        "total": result.total,
        "cost": _units_spent(result.page),
        **result.more,
    }


def _links(links: PageLinks) -> dict[str, str | None]:
    """Return the links of a page by the names that they have in an API."""
    return {
        "first": links.first_url,
        "previous": links.newer_url,
        "next": links.older_url,
        "last": links.last_url,
    }


def _link_header(links: Mapping[str, str | None]) -> str:
    """Format the links of a page as the header ``Link``, without those that are None."""
    named = []
    for name, url in links.items():
        if url:
            named.append(f'<{url}>; rel="{name}"')
    return ", ".join(named)


def _units_spent(page: Page) -> float:
    """Return the units of all that the request has read; those of its page without a meter."""
    meter = current_meter()
    if meter is None:
        return page.capacity_units
    return meter.units


def _units_left_by(page: Page) -> float:
    """Return the units that are left for another page in its place.

    What else was read counts as well: it is read again with that, as the counts of a product.
    """
    return max(page.most_units - _units_spent(page), 0)


def _cursor_pager(path: str, query: QueryDict, pager: Pager) -> _CursorPager:
    """Return the pager of a list at a path, whose filter is a query."""
    # Decoded, an id with a “?” or a “%” would lead elsewhere, and a Greek one fits in no header.
    url = escape_uri_path(path)
    if query:
        url += f"?{query.urlencode()}"
    return _CursorPager(url, pager.list_name)
