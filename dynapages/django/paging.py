"""Pages of a list in URLs: ``?after=TOKEN`` is the next page, ``?before=TOKEN`` the previous.

``?before=end`` is the last page.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from django.conf import settings
from django.contrib.messages import WARNING, get_messages
from django.core.signing import BadSignature
from django.core.signing import Signer as DjangoSigner
from django.dispatch import Signal
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import register_converter, reverse
from django.urls.converters import PathConverter, StringConverter, get_converters
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.formats import number_format
from django.utils.http import RFC3986_SUBDELIMS
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event

from dynapages.calls.meter import current_meter
from dynapages.django.formats import ATOM, PARAMETER, AtomFeed, as_atom, format_asked
from dynapages.django.refusals import Refusal
from dynapages.lists.explain import Counted, ReadsOfPage, explain, metered_total
from dynapages.lists.feed import END, ONE_OF_BOTH, Feed, FeedPage
from dynapages.lists.merging import Entry
from dynapages.lists.reader import Page, PageRequest, Toward
from dynapages.lists.runs import Position
from dynapages.lists.tokens import BadToken, Tokens


def site_of(request: HttpRequest) -> str:
    """Return SITE_URL; without it, as on a developer's machine, what the request was sent to."""
    return settings.SITE_URL or f"{request.scheme}://{request.get_host()}"


LONGEST_ID = 128
"""Characters of an id in a URL or a form."""


class Id(StringConverter):
    """``<id:…>``: any 1 to 128 characters but a slash."""

    regex = f"[^/]{{1,{LONGEST_ID}}}"


class IdWithSlashes(PathConverter):
    """``<id_with_slashes:…>``: any 1 to 128 characters, at the end of a URL."""

    regex = f".{{1,{LONGEST_ID}}}"


@lru_cache(maxsize=2_000)
def address_of(route: str, *args: str) -> str:
    """Return what `reverse` does, at a tenth of its time where the same was asked for lately."""
    return reverse(route, args=args)


_ID = "=ID="


def address_of_item(route: str, item_id: str) -> str:
    """Return what `reverse` does for a route whose one argument is an id, without asking it."""
    quoted = quote(item_id, safe=f"{RFC3986_SUBDELIMS}/~:@")
    return address_of(route, _ID).replace(_ID, quoted)


def anchor_of(kind: str, item_id: str) -> str:
    """Return the id of an item's element on a page, and the fragment of a link to it."""
    return f"{kind}-{quote(item_id, safe='')}"


def anchors_behind(anchors: Sequence[str]) -> list[str]:
    """Return for each item of a page the id to go on at when it has left its list.

    It is that of the next one, for the last that of the one before, else that of the heading.
    """
    return [*anchors[1:], *(anchors[-2:-1] or ["list-heading"])]


def register_id_converters() -> None:
    """Register both converters, unless they are: tests may get apps ready several times."""
    for name, converter in (("id", Id), ("id_with_slashes", IdWithSlashes)):
        if name not in get_converters():
            register_converter(converter, name)


@dataclass(frozen=True, slots=True)
class Toggle:
    """A link that adds a value to the filter, or takes it out if it is ``pressed``.

    ``count`` is the number of items with that value, None if it is not known.
    """

    value: str
    label: str
    url: str
    pressed: bool
    count: int | None = None


class PositionSigner:
    """Adapts ``django.core.signing.Signer`` to `dynapages.lists.tokens.Signer`."""

    def __init__(self) -> None:
        self._signer = DjangoSigner(sep=".", salt="dynamo.position")

    def sign(self, value: str) -> str:
        return self._signer.sign(value)

    def unsign(self, value: str) -> str | None:
        try:
            return self._signer.unsign(value)
        except BadSignature:
            return None


@lru_cache(maxsize=1)
def tokens() -> Tokens:
    """Return the site's tokens."""
    return Tokens(PositionSigner())


Filter = TypeVar("Filter")
Result = TypeVar("Result")

list_read = Signal()
"""Sent when a page of a list is shown, with its ``name`` (kind of list), ``plan`` and ``shape``.

``shape`` says how it is filtered, in numbers and names of orders: nothing that somebody wrote.
"""
NO_FORMAT = gettext_lazy("This is a page and has no other format: leave “format” out.")
ONLY_ATOM = gettext_lazy("The only other format of this list is “atom”.")


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The URLs around a page: ``older_url`` leads on in the list's order, ``newer_url`` back.

    ``last_url`` is None on the last page.
    """

    older_url: str | None
    newer_url: str | None
    first_url: str
    last_url: str | None
    is_first: bool


CHEAP = 4
"""How many times what a page cost must be allowed, so that the first page surely has its items."""


@dataclass(frozen=True, slots=True)
class Pager:
    """The pages of one list.

    ``first_url`` is the URL of its first page, filter included; its tokens are bound to
    ``list_name``, which begins with the kind of list and a slash. ``canonical`` is the path under
    which search engines may list the first page, if any. ``shape`` is how it is filtered, for the
    log: in numbers and names of orders, never in what was chosen. ``shown`` are the items that
    there are of a page already, which is short and reads on by itself.
    """

    first_url: str
    list_name: str
    canonical: str = ""
    shape: Mapping[str, int | str] = field(default_factory=dict)
    shown: int = 0

    def requested(self, query: QueryDict | Mapping[str, str], *, size: int) -> PageRequest:
        """Return the page a request asks for by ``after`` or ``before``.

        Raises Refusal, with a link to the first page, for a token that is not of this list.
        """
        after, before = query.get("after"), query.get("before")
        if after is not None and before is not None:
            raise Refusal(_(ONE_OF_BOTH), first_url=self.first_url)
        if after is not None:
            return PageRequest(size, self._position(after))
        if before == END:
            return PageRequest(size, toward=Toward.PREVIOUS)
        if before is not None:
            return PageRequest(size, self._position(before), Toward.PREVIOUS)
        return PageRequest(size)

    def url_of(self, request: PageRequest) -> str:
        """Return the URL of a page that was asked for."""
        if request.position:
            side = "after" if request.toward is Toward.NEXT else "before"
            return self._url(**{side: self._token(request.position)})
        return self._url(before=END) if request.is_last else self.first_url

    def links(self, page: Page, request: PageRequest) -> PageLinks:
        """Build the links of a page that was read for a request."""
        return PageLinks(
            older_url=self.next_url(page),
            newer_url=self.previous_url(page),
            first_url=self.first_url,
            last_url=self._url(before=END) if page.has_next else None,
            is_first=request.is_first,
        )

    def next_url(self, page: Page) -> str | None:
        """Return the URL of the next page in the list's order, if there is one."""
        position = page.next_position
        return self.url_behind(position) if position else None

    def url_behind(self, position: Position) -> str:
        """Return the URL of the page that begins behind a position."""
        return self._url(after=self._token(position))

    def previous_url(self, page: Page) -> str | None:
        """Return the URL of the previous page in the list's order, if there is one."""
        position = page.previous_position
        return self._url(before=self._token(position)) if position else None

    def token_behind(self, page: Page) -> str:
        """Return the token of the place behind a page that has entries, for a form."""
        return self._token(page.entries[-1].position)

    def url_in(self, form: str) -> str:
        """Return the URL of the first page in a form beside the page, empty for the page itself."""
        return self._url(**{PARAMETER: form}) if form else self.first_url

    def overshot(self, page: Page, request: PageRequest) -> bool:
        """Return whether the way back reached the list's start: show the first page instead.

        But not where that might end before it has shown these items, because its units are spent.
        """
        if self.shown or request.toward is Toward.NEXT:
            return False
        is_short = len(page.entries) < request.size and page.cut_at is None
        if not is_short and not (request.is_last and not page.has_previous):
            return False
        return page.capacity_units * CHEAP <= page.most_units

    def _url(self, **query: str) -> str:
        joint = "&" if "?" in self.first_url else "?"
        return f"{self.first_url}{joint}{urlencode(query)}"

    def _token(self, position: Position) -> str:
        return tokens().write(position, list_name=self.list_name)

    def _position(self, token: str) -> Position:
        try:
            return tokens().read(token, list_name=self.list_name)
        except BadToken as error:
            raise Refusal(_(str(error)), first_url=self.first_url) from error


@dataclass(frozen=True, slots=True)
class ListRequest(Generic[Filter]):
    """A request for a page of a list: how the list is filtered, and which of its pages."""

    filter: Filter
    page_request: PageRequest


@dataclass(frozen=True, slots=True)
class ListResult(ListRequest[Filter], Generic[Filter, Result]):
    """A request for a page of a list, with the ``result`` that was read for it."""

    result: Result


def page_of(request: HttpRequest, feed: Feed, *, size: int) -> FeedPage:
    """Read the page of a feed that a request asks for by ``after`` or ``before``.

    One that would begin in front of the list is the first page, whole. The feed needs tokens, such
    as those of `tokens`. Raises Refusal, with a link to the first page, for a token that was
    altered or is of another list, and what `Feed.page` does.
    """
    after, before = request.GET.get("after"), request.GET.get("before")
    try:
        page = feed.page(size, after=after, before=before)
    except BadToken as error:
        raise Refusal(_(str(error)), first_url=_url_with(request)) from error
    if before is not None and not page.has_previous and len(page.items) < size:
        return feed.page(size)
    return page


def links_of(request: HttpRequest, page: FeedPage) -> PageLinks:
    """Build the links around a page of a feed, at the address of the request, filter included."""
    return PageLinks(
        older_url=_url_with(request, after=page.next) if page.has_next else None,
        newer_url=_url_with(request, before=page.previous) if page.has_previous else None,
        first_url=_url_with(request),
        last_url=_url_with(request, before=page.last) if page.has_next else None,
        is_first=not page.has_previous,
    )


def _url_with(request: HttpRequest, **place: str | None) -> str:
    """Return the address of a request with another place in its list, or with none."""
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    query.update({name: token for name, token in place.items() if token})
    return f"{request.path}?{query.urlencode()}" if query else request.path


def note_list(pager: Pager, asked: PageRequest, plan: str) -> None:
    """Send `list_read`: which list the request reads by which plan."""
    edge = "first" if asked.is_first else "last" if asked.is_last else asked.toward.value
    kind = pager.list_name.partition("/")[0]
    shape = {**pager.shape, "page": edge}
    list_read.send(Pager, name=kind, plan=plan, shape=shape)


def show_page(  # noqa: PLR0913 - what a page shows, each a keyword
    request: HttpRequest,
    pager: Pager,
    asked: PageRequest,
    page: Page,
    *,
    templates: tuple[str, str],
    context: Callable[[], Mapping[str, Any]],
    plan: str = "",
    counted: Counted | None = None,
    hides: Callable[[Entry], bool] = lambda _entry: False,
    feed: Callable[[], AtomFeed] | None = None,
) -> HttpResponse:
    """Render a page of a list, or redirect to the first page from one in front of it.

    ``templates`` are those of the whole page and of the fragment for htmx. They get ``links``
    (`PageLinks`), what ``context`` returns, an ``explanation`` (see `render_list`) where a ``plan``
    is named, with what other designs would cost where items are ``counted`` and without the places
    of entries that the page ``hides`` from this visitor, ``canonical_url`` and ``feed_url`` where
    there are such, for an explanation ``here_url`` (that of this page), ``extent`` (which part of
    the list it is) and ``title_extent``, that behind a heading. Who asks for a feed gets what
    ``feed`` returns, or Refusal. Only one of ``context`` and ``feed`` is called, and neither for a
    redirect.
    """
    if plan:
        note_list(pager, asked, plan)
    form = format_asked(request.META)
    if pager.overshot(page, asked):
        first_url = pager.url_in(form)
        return redirect(_explained(first_url) if EXPLAIN in request.GET else first_url)
    if form:
        if form != ATOM or feed is None:
            raise Refusal(str(ONLY_ATOM if feed else NO_FORMAT))
        here, site = request.get_full_path(), site_of(request)
        return as_atom(feed(), site=site, page_path=pager.first_url, feed_path=here)
    filled = {"links": pager.links(page, asked), **context()}
    extent = extent_of(page, filled.get("total"), shown=pager.shown)
    in_title = f", {extent}" if extent and page.has_previous else ""
    filled |= {"extent": extent, "title_extent": in_title}
    if pager.canonical and asked.position is None:
        filled["canonical_url"] = f"{site_of(request)}{pager.canonical}"
    if wants_explanation(request):
        filled["here_url"] = pager.url_of(asked)
    if feed:
        filled["feed_url"] = pager.url_in(ATOM)
    if plan:
        meter = current_meter()
        filled["explain"] = partial(
            explain, page, plan=plan, meter=meter, counted=counted, hides=hides
        )
    return render_list(request, *templates, filled)


EXPLAIN = "explain"
"""The parameter of a page that shows how it was read; htmx gets with it the explanation alone."""
EXPLAINED = "Dynapages-Explained"
"""The header by which ``lists.js`` asks for a list with its explanation, as on the screen."""


def _explained(url: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{EXPLAIN}=1"


def wants_explanation(request: HttpRequest) -> bool:
    """Return whether the page is to show how it was read; else it shows only what that cost."""
    return EXPLAIN in request.GET or EXPLAINED in request.headers


def wants_partial(request: HttpRequest) -> bool:
    """Return whether htmx asks for the list only; not when boosted or restoring history.

    The explanation alone is that of the whole page.
    """
    return _is_swap(request) and EXPLAIN not in request.GET


def _is_swap(request: HttpRequest) -> bool:
    htmx: Any = getattr(request, "htmx", None)  # django-htmx adds it
    return bool(htmx) and not htmx.history_restore_request and not htmx.boosted


def render_list(
    request: HttpRequest, page: str, partial: str, context: Mapping[str, Any]
) -> HttpResponse:
    """Render the list's fragment for htmx, else the whole page around it.

    A fragment has no place for Django's messages: they are sent as the event ``said``, for a script
    to show. ``Vary`` keeps a cache from confusing page and fragment.

    Where the context has a function ``explain``, ``dynapages/explanation.html`` shows what it
    returns, as ``explanation``, if the visitor ``wants_explanation``. Else the explanation is no
    more than its ``total``, and ``explain_url`` leads to the page that shows it.
    """
    is_partial, is_explained = wants_partial(request), wants_explanation(request)
    template = partial if is_partial else page
    if "explain" in context:
        context = {**context, **_explanation(request, context["explain"])}
        if _is_swap(request) and not is_partial:
            template = "dynapages/explanation.html"
    response = render(request, template, dict(context))
    if is_partial and (told := list(get_messages(request))):
        is_warning = any(message.level >= WARNING for message in told)
        notify(response, *map(str, told), is_warning=is_warning)
    asked_by = ("HX-Request", "HX-History-Restore-Request", "HX-Boosted", EXPLAINED)
    patch_vary_headers(response, asked_by)
    if is_explained:  # of this one read
        patch_cache_control(response, private=True, no_store=True)
    return response


def render_page(request: HttpRequest, template: str, context: Mapping[str, Any]) -> HttpResponse:
    """Render a page without a list, with its explanation as `render_list` does."""
    return render_list(request, template, template, context)


def _explanation(request: HttpRequest, explain: Callable[[], object]) -> dict[str, object]:
    is_explained = wants_explanation(request)
    meter = None if is_explained else current_meter()
    return {
        "explanation": ReadsOfPage(metered_total(meter)) if meter else explain(),
        "wants_explanation": is_explained,
        "explain_url": _explained(request.get_full_path()),
    }


def redirect_page(request: HttpRequest, url: str) -> HttpResponse:
    """Redirect to a whole page; htmx would swap in the target of a plain redirect."""
    return HttpResponseClientRedirect(url) if _is_swap(request) else redirect(url)


def notify(response: HttpResponse, *sentences: str, is_warning: bool = False) -> HttpResponse:
    """Add sentences for a script to show in the page's notice; return the response."""
    said = {"sentences": sentences, "isWarning": is_warning}
    return trigger_client_event(response, "said", said, after="settle")


def grouped(number: float, *, places: int | None = None) -> str:
    """Return a number with its thousands grouped, such as ``2,500`` or, in German, ``2.500``.

    ``places`` is the number of decimal places; None for as many as it has, six digits at most.
    """
    shown = f"{number:.{places}f}" if places is not None else f"{number:.6g}"
    if isinstance(number, int):
        shown = str(number)
    return _grouped(shown, places, get_language())


@lru_cache(maxsize=2_000)
def _grouped(shown: str, places: int | None, _language: str | None) -> str:
    return number_format(shown, decimal_pos=places, use_l10n=True, force_grouping=True)


def extent_of(page: Page, total: int | None, *, shown: int = 0) -> str:
    """Return the numbers of a page, such as ``41-60 of 812``; empty without entries.

    So many items that are ``shown`` already belong to it, in front or, read back, behind. Items
    that are added or deleted meanwhile shift the numbers of pages between the first and the last.
    A ``total`` that the page refutes is not shown. Where the numbers are not known, only
    the ``total`` is told; without a total, how many are shown.
    """
    count = len(page.entries)
    if not count:
        return ""
    first, last = page.entries[0].position.ordinal, page.entries[-1].position.ordinal
    count += shown
    has_next = page.has_next
    if total is None and page.cut_at is not None:
        first = None  # nor whether there are more
    if first is None or last is None:
        if total is None:
            return _shown(count)
        return _("%(total)s in all") % {"total": grouped(max(total, count))}
    if page.toward is Toward.NEXT:
        first = first.back(shown)
    elif shown:
        last, has_next = last.onward(shown), False  # it led on to those that are shown
    if not last.from_front:
        if total is None:
            if last.number == 1 and not has_next:
                return _("the last %(count)s") % {"count": grouped(count)}
            return _shown(count)
        total = max(total, first.number)
        number, last_number = first.in_list_of(total), last.in_list_of(total)
    else:
        number, last_number = first.signed, last.signed
    is_open = has_next and (total or 0) <= last_number
    return _spelled(number, last_number, max(total or 0, last_number), is_open=is_open)


def _spelled(first: int, last: int, total: int, *, is_open: bool) -> str:
    numbers = grouped(first) if first == last else f"{grouped(first)}–{grouped(last)}"
    if is_open:
        spelled = _("%(numbers)s of more than %(total)s")
    elif (first, last) == (1, total):
        spelled = _("%(total)s in all")
    else:
        spelled = _("%(numbers)s of %(total)s")
    return spelled % {"numbers": numbers, "total": grouped(total)}


def _shown(count: int) -> str:
    return _("%(count)s shown") % {"count": grouped(count)}
