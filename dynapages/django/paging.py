"""Pages of a list: their URLs (`Pager`), their answers (`show_page`), and what these say of them.

In URLs ``?after=TOKEN`` is the next page, ``?before=TOKEN`` the previous, ``?before=end`` the last.
A page is rendered whole, or as the fragment that htmx swaps in, with its explanation if the visitor
wants that. `page_of` and `links_of` are for lists of a `Feed`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from math import floor
from re import Match
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from django.conf import settings
from django.contrib.messages import WARNING, get_messages
from django.core.signing import BadSignature
from django.core.signing import Signer as DjangoSigner
from django.dispatch import Signal
from django.http import HttpRequest, HttpResponse, QueryDict
from django.middleware.csrf import get_token
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
from dynapages.django.formats import ATOM, PARAMETER, AtomFeed, as_atom, requested_format
from dynapages.django.notices import extras_of
from dynapages.django.problems import BAD_CURSOR
from dynapages.django.refusals import Refusal
from dynapages.lists.explain import Counted, Explanation, ReadsOfPage, explain
from dynapages.lists.feed import ONE_OF_BOTH, Feed
from dynapages.lists.feed_pages import END, FeedPage
from dynapages.lists.merging import Entry
from dynapages.lists.reader import Page, PageRequest, Toward
from dynapages.lists.runs import Position
from dynapages.lists.tokens import BadToken, Tokens

LONGEST_ID = 128
"""Characters of an id in a URL or a form."""
EXPLAIN = "explain"
"""The parameter of a page that shows how it was read; htmx gets with it the explanation alone."""
EXPLAINED = "Dynapages-Explained"
"""The header by which ``lists.js`` asks for a list with its explanation, as on the screen."""
NO_FORMAT = gettext_lazy("This is a page and has no other format: leave “format” out.")
ONLY_ATOM = gettext_lazy("The only other format of this list is “atom”.")
LEAST_GROUPED = 1_000
"""The least number that has thousands."""
SPARE_UNITS_FACTOR = 4
"""How many times what a page cost must be allowed, so that the first page surely has its items."""
_ID_PLACE = "=ID="
"""Stands for an id in a URL that is made once for all items."""
_SAFE_IN_PATHS = f"{RFC3986_SUBDELIMS}/~:@"
_NOT_IN_ANCHORS = re.compile(r"[^A-Za-z0-9-]")
"""What `reverse` leaves as it is."""

list_read: Signal = Signal()
"""Sent when a page of a list is shown, with its ``name`` (kind of list), ``plan`` and ``shape``.

``shape`` says how it is filtered, in numbers and names of orders: nothing that somebody wrote.
"""

T = TypeVar("T")
Filter = TypeVar("Filter")
Result = TypeVar("Result")


class BadCursor(Refusal):
    """A link to a page of a list was altered, or is of another list."""

    problem_type = BAD_CURSOR


# Addresses.


def site_of(request: HttpRequest) -> str:
    """Return SITE_URL; without it, as on a developer's machine, what the request was sent to."""
    return settings.SITE_URL or f"{request.scheme}://{request.get_host()}"


def site_name(before: str = "") -> str:
    """Return ``SITE_NAME`` with what stands ``before`` it; nothing where it is empty."""
    if not settings.SITE_NAME:
        return ""
    return before + settings.SITE_NAME


def _with_query(url: str, query: str) -> str:
    """Return a URL with more in its query; the filter of a list may be in there already."""
    joint = "&" if "?" in url else "?"
    return f"{url}{joint}{query}"


class Id(StringConverter):
    """``<id:…>``: any 1 to 128 characters but a slash."""

    regex: str = f"[^/]{{1,{LONGEST_ID}}}"


class IdWithSlashes(PathConverter):
    """``<id_with_slashes:…>``: any 1 to 128 characters, at the end of a URL."""

    regex: str = f".{{1,{LONGEST_ID}}}"


@lru_cache(maxsize=2_000)
def address_of(route: str, *args: str) -> str:
    """Return what `reverse` does, at a tenth of its time where the same was asked for lately."""
    return reverse(route, args=args)


def address_of_item(route: str, item_id: str) -> str:
    """Return what `reverse` does for a route whose one argument is an id, without asking it."""
    quoted = item_id
    if not _is_plain(item_id):
        quoted = quote(item_id, safe=_SAFE_IN_PATHS)
    return address_of(route, _ID_PLACE).replace(_ID_PLACE, quoted)


def anchor_of(kind: str, item_id: str) -> str:
    """Return the id of an item's element on a page, and the fragment of a link to it.

    Two items have two. It is of ``A-Z a-z 0-9 - _`` alone, and so a selector (``#…``) as it stands,
    which htmx makes of it, and a part of a list of ids: other bytes are written as ``_2F``.
    """
    if _is_plain(item_id):
        return f"{kind}-{item_id}"
    return f"{kind}-{_NOT_IN_ANCHORS.sub(_hexadecimal, item_id)}"


def _hexadecimal(signs: Match[str]) -> str:
    """Return signs as their bytes in UTF-8, such as ``_C3_A9`` for “é”."""
    return "".join(f"_{byte:02X}" for byte in signs[0].encode())


def _is_plain(item_id: str) -> bool:
    """Return whether quoting leaves an id unchanged, as it does most: quoting takes longer."""
    return item_id.isascii() and item_id.isalnum()


def anchors_behind(anchors: Sequence[str]) -> list[str]:
    """Return for each item of a page the id to go on at when it has left its list.

    It is that of the next one, for the last that of the one before, else that of the heading.
    """
    if len(anchors) > 1:
        behind_the_last = anchors[-2]
    else:
        behind_the_last = "list-heading"
    return [*anchors[1:], behind_the_last]


def register_id_converters() -> None:
    """Register both converters, unless they are: tests may get apps ready several times."""
    for name, converter in (("id", Id), ("id_with_slashes", IdWithSlashes)):
        if name not in get_converters():
            register_converter(converter, name)


# The pages of a list in URLs.


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
        # With another salt, tokens in links that visitors have kept would be refused.
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
        if request.is_last:
            return self._url(before=END)
        if not request.position:
            return self.first_url
        token = self._token(request.position)
        if request.toward is Toward.NEXT:
            return self._url(after=token)
        return self._url(before=token)

    def links(self, page: Page, request: PageRequest) -> PageLinks:
        """Build the links of a page that was read for a request."""
        last_url = None
        if page.has_next:
            last_url = self._url(before=END)
        return PageLinks(
            older_url=self.next_url(page),
            newer_url=self.previous_url(page),
            first_url=self.first_url,
            last_url=last_url,
            is_first=request.is_first,
        )

    def next_url(self, page: Page) -> str | None:
        """Return the URL of the next page in the list's order, if there is one."""
        position = page.next_position
        if position is None:
            return None
        return self.url_behind(position)

    def url_behind(self, position: Position) -> str:
        """Return the URL of the page that begins behind a position."""
        return self._url(after=self._token(position))

    def previous_url(self, page: Page) -> str | None:
        """Return the URL of the previous page in the list's order, if there is one."""
        position = page.previous_position
        if position is None:
            return None
        return self._url(before=self._token(position))

    def token_behind(self, page: Page) -> str:
        """Return the token of the place behind a page that has entries, for a form."""
        return self._token(page.entries[-1].position)

    def url_in(self, form: str) -> str:
        """Return the URL of the first page in another form, empty for the page itself."""
        if not form:
            return self.first_url
        return self._url(**{PARAMETER: form})

    def overshot(self, page: Page, request: PageRequest) -> bool:
        """Return whether the way back reached the list's start: show the first page instead.

        But not where that might end before it has shown these items, because its units are spent.
        """
        if self.shown or request.toward is Toward.NEXT:
            return False
        # Going back from a page behind the first one may leave fewer than a page in front of it.
        is_short = len(page.entries) < request.size and page.cut_at is None
        is_whole_list = request.is_last and not page.has_previous
        if not is_short and not is_whole_list:
            return False
        return page.capacity_units * SPARE_UNITS_FACTOR <= page.most_units

    def _url(self, **query: str) -> str:
        return _with_query(self.first_url, urlencode(query))

    def _token(self, position: Position) -> str:
        return tokens().write(position, list_name=self.list_name)

    def _position(self, token: str) -> Position:
        try:
            return tokens().read(token, list_name=self.list_name)
        except BadToken as error:
            raise BadCursor(_(str(error)), first_url=self.first_url) from error


@dataclass(frozen=True, slots=True)
class ListRequest(Generic[Filter]):
    """A request for a page of a list: how the list is filtered, and which of its pages."""

    filter: Filter
    page_request: PageRequest


@dataclass(frozen=True, slots=True)
class ListResult(ListRequest[Filter], Generic[Filter, Result]):
    """A request for a page of a list, with the ``result`` that was read for it."""

    result: Result


# Pages of a feed.


def page_of(request: HttpRequest, feed: Feed[T], *, size: int) -> FeedPage[T]:
    """Read the page of a feed that a request asks for by ``after`` or ``before``.

    One that would begin in front of the list is the first page, whole. The feed needs tokens, such
    as those of `tokens`. Raises Refusal, with a link to the first page, for a token that was
    altered or is of another list, and what `Feed.page` does.
    """
    after, before = request.GET.get("after"), request.GET.get("before")
    try:
        page = feed.page(size, after=after, before=before)
    except BadToken as error:
        raise BadCursor(_(str(error)), first_url=_url_with(request)) from error
    if before is not None and not page.has_previous and len(page.items) < size:
        return feed.page(size)
    return page


def links_of(request: HttpRequest, page: FeedPage[Any]) -> PageLinks:
    """Build the links around a page of a feed, at the address of the request, filter included."""
    older_url = newer_url = last_url = None
    if page.has_next:
        older_url = _url_with(request, after=page.next)
        last_url = _url_with(request, before=page.last)
    if page.has_previous:
        newer_url = _url_with(request, before=page.previous)
    return PageLinks(
        older_url=older_url,
        newer_url=newer_url,
        first_url=_url_with(request),
        last_url=last_url,
        is_first=not page.has_previous,
    )


def _url_with(request: HttpRequest, **place: str | None) -> str:
    """Return the address of a request with another place in its list, or with none."""
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    for name, token in place.items():
        if token:
            query[name] = token
    if not query:
        return request.path
    return f"{request.path}?{query.urlencode()}"


# Answers.


def note_list(pager: Pager, page_request: PageRequest, plan: str) -> None:
    """Send `list_read`: which list the request reads by which plan."""
    if page_request.is_first:
        edge = "first"
    elif page_request.is_last:
        edge = "last"
    else:
        edge = page_request.toward.value
    kind = pager.list_name.partition("/")[0]
    shape = {**pager.shape, "page": edge}
    list_read.send(Pager, name=kind, plan=plan, shape=shape)


def _hide_nothing(_entry: Entry) -> bool:
    return False


def show_page(  # noqa: PLR0913 - what a page shows, each a keyword
    request: HttpRequest,
    pager: Pager,
    page_request: PageRequest,
    page: Page,
    *,
    templates: tuple[str, str],
    context: Callable[[], Mapping[str, Any]],
    plan: str = "",
    counted: Counted | None = None,
    hides: Callable[[Entry], bool] = _hide_nothing,
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
        note_list(pager, page_request, plan)
    form = format_of(request)
    if pager.overshot(page, page_request):
        return _redirect_to_first(request, pager.url_in(form))
    if form:
        return _answer_in_format(request, pager, form, feed)
    shown = {"links": pager.links(page, page_request), **context()}
    extent = extent_of(page, shown.get("total"), shown=pager.shown)
    shown["extent"] = extent
    shown["title_extent"] = ""
    # The first page is called by the list's name alone.
    if extent and page.has_previous:
        shown["title_extent"] = f", {extent}"
    if pager.canonical and page_request.position is None:
        shown["canonical_url"] = f"{site_of(request)}{pager.canonical}"
    if wants_explanation(request):
        shown["here_url"] = pager.url_of(page_request)
    if feed:
        shown["feed_url"] = pager.url_in(ATOM)
    if plan:
        # Explaining takes a while, so it waits until the page is to show it.
        meter = current_meter()

        def explain_page() -> Explanation:
            return explain(page, plan=plan, meter=meter, counted=counted, hides=hides)

        shown["explain"] = explain_page
    return render_list(request, *templates, shown)


def _redirect_to_first(request: HttpRequest, first_url: str) -> HttpResponse:
    """Redirect to the first page of a list, which is explained where the other one was to be."""
    if EXPLAIN in request.GET:
        first_url = _explained(first_url)
    return redirect(first_url)


def _answer_in_format(
    request: HttpRequest, pager: Pager, form: str, feed: Callable[[], AtomFeed] | None
) -> HttpResponse:
    """Answer a list as a feed. Raises Refusal for any other format."""
    if feed is None:
        raise Refusal(str(NO_FORMAT))
    if form != ATOM:
        raise Refusal(str(ONLY_ATOM))
    atom = feed()
    atom = replace(atom, title=atom.title + site_name(" · "))
    site, feed_path = site_of(request), request.get_full_path()
    return as_atom(atom, site=site, page_path=pager.first_url, feed_path=feed_path)


def _explained(url: str) -> str:
    return _with_query(url, f"{EXPLAIN}=1")


def format_of(request: HttpRequest) -> str:
    """Return the other format that a request asks for a list in, empty for its page."""
    if PARAMETER not in request.GET:
        return ""
    return requested_format(request.META)


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
    request: HttpRequest, page: str, fragment: str, context: Mapping[str, Any]
) -> HttpResponse:
    """Render the list's fragment for htmx, else the whole page around it.

    A fragment has no place for Django's messages: they are sent as the event ``said``, for a script
    to show. ``Vary`` keeps a cache from confusing page and fragment.

    Where the context has a function ``explain``, ``dynapages/explanation.html`` shows what it
    returns, as ``explanation``, if the visitor ``wants_explanation``. Else the explanation is no
    more than its ``total``, and ``explain_url`` leads to the page that shows it.
    """
    is_partial = wants_partial(request)
    template = page
    if is_partial:
        template = fragment
    if "explain" in context:
        context = {**context, **_explanation(request, context["explain"])}
        if _is_swap(request) and not is_partial:
            template = "dynapages/explanation.html"
    response = render(request, template, dict(context))
    if is_partial:
        _notify_of_messages(request, response)
    headers = ("HX-Request", "HX-History-Restore-Request", "HX-Boosted", EXPLAINED)
    patch_vary_headers(response, headers)
    # What it cost is true of this one read only.
    if wants_explanation(request):
        patch_cache_control(response, private=True, no_store=True)
    return response


def render_page(request: HttpRequest, template: str, context: Mapping[str, Any]) -> HttpResponse:
    """Render a page without a list, with its explanation as `render_list` does."""
    return render_list(request, template, template, context)


def _explanation(request: HttpRequest, explain: Callable[[], object]) -> dict[str, object]:
    is_explained = wants_explanation(request)
    meter = current_meter()
    explanation: object
    # A whole explanation takes a while: most pages show no more than what their reads cost.
    if meter is not None and not is_explained:
        explanation = ReadsOfPage(meter.total)
    else:
        explanation = explain()
    return {
        "explanation": explanation,
        "wants_explanation": is_explained,
        "explain_url": _explained(request.get_full_path()),
    }


def redirect_page(request: HttpRequest, url: str) -> HttpResponse:
    """Redirect to a whole page; htmx would swap in the target of a plain redirect."""
    if _is_swap(request):
        return HttpResponseClientRedirect(url)
    return redirect(url)


def _notify_of_messages(request: HttpRequest, response: HttpResponse) -> None:
    """Send Django's messages, if there are any, with a fragment, which has no place for them."""
    messages = list(get_messages(request))
    if messages:
        is_warning = any(message.level >= WARNING for message in messages)
        sentences = [str(message) for message in messages]
        told: dict[str, Any] = {"sentences": sentences, "isWarning": is_warning}
        for extras in map(extras_of, messages):
            if extras.link is not None:
                told["link"] = asdict(extras.link)
            if extras.undo is not None:
                token = get_token(request)
                told["undo"] = {**asdict(extras.undo), "token": token, "label": _("Undo")}
        _say(response, told)


def notify(response: HttpResponse, *sentences: str, is_warning: bool = False) -> HttpResponse:
    """Add sentences for a script to show in the page's notice; return the response."""
    return _say(response, {"sentences": sentences, "isWarning": is_warning})


def _say(response: HttpResponse, told: Mapping[str, Any]) -> HttpResponse:
    """Have a script show what is told; see ``said`` in lists.js."""
    return trigger_client_event(response, "said", dict(told), after="settle")


# Numbers.


def grouped(number: float, *, places: int | None = None, language: str | None = None) -> str:
    """Return a number with its thousands grouped, such as ``2,500`` or, in German, ``2.500``.

    ``places`` is the number of decimal places; None for as many as it has, six digits at most.
    ``language`` is the active one; callers that know it save two thirds of the time.
    """
    if isinstance(number, int):
        shown = str(number)
        # Most numbers on a page: no language groups fewer than three digits.
        if 0 <= number < LEAST_GROUPED and not places:
            return shown
    elif places is None:
        shown = f"{number:.6g}"
    else:
        shown = f"{number:.{places}f}"
    return _grouped(shown, places, language or get_language())


def rounded(number: float, places: int) -> float:
    """Return a number rounded, a half upwards, which `round` and formats round to an even digit."""
    factor: int = 10**places
    return floor(number * factor + 0.5) / factor


@lru_cache(maxsize=2_000)
def _grouped(shown: str, places: int | None, _language: str | None) -> str:
    return number_format(shown, decimal_pos=places, use_l10n=True, force_grouping=True)


def extent_of(page: Page, total: int | None, *, shown: int = 0) -> str:
    """Return the numbers of a page, such as ``41-60 of 812``; empty without entries.

    So many items that are ``shown`` already belong to it, in front or, read back, behind. Items
    that are added or deleted meanwhile shift the numbers of pages between the first and the last.
    A ``total`` that the page refutes is not shown. Where the numbers are not known, only
    the ``total`` is named; without a total, how many are shown.
    """
    count = len(page.entries)
    if not count:
        return ""
    first, last = page.entries[0].position.ordinal, page.entries[-1].position.ordinal
    count += shown
    has_next = page.has_next
    # A page that was cut short does not know whether there are more.
    if total is None and page.cut_at is not None:
        first = None
    if first is None or last is None:
        if total is None:
            return _shown(count)
        return _("%(total)s in all") % {"total": grouped(max(total, count))}
    if page.toward is Toward.NEXT:
        first = first.back(shown)
    elif shown:
        # What it would lead on to are the items that are shown already.
        last, has_next = last.onward(shown), False
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
    total = max(total or 0, last_number)
    return _extent_of_numbers(number, last_number, total, is_open=is_open)


def _extent_of_numbers(first: int, last: int, total: int, *, is_open: bool) -> str:
    """Format the numbers of a page; the list ``is_open`` if it has more than this total."""
    numbers = grouped(first)
    if first != last:
        numbers += f"–{grouped(last)}"
    if is_open:
        sentence = _("%(numbers)s of more than %(total)s")
    elif (first, last) == (1, total):
        sentence = _("%(total)s in all")
    else:
        sentence = _("%(numbers)s of %(total)s")
    return sentence % {"numbers": numbers, "total": grouped(total)}


def _shown(count: int) -> str:
    return _("%(count)s shown") % {"count": grouped(count)}
