"""Pages of a list in URLs: ``?after=TOKEN`` is the next page, ``?before=TOKEN`` the previous."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect

from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain
from dynamo.lists.reader import Page, PageRequest, Toward
from dynamo.lists.runs import Position
from dynamo.lists.tokens import TokenError
from dynamo.web.addresses import site_of
from dynamo.web.formats import PARAMETER, Format, format_asked
from dynamo.web.partials import render_list
from dynamo.web.refusals import Refusal
from dynamo.web.signing import tokens

NO_SUCH_FORM = "This list is to be had as a page, or with format=json."
NO_OTHER_FORM = "This is to be had as a page alone, without “format”."


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The URLs around a page: ``older_url`` leads on in the list's order, ``newer_url`` back."""

    older_url: str | None
    newer_url: str | None
    first_url: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class Pager:
    """The pages of one list.

    ``first_url`` is the URL of its first page, filter included; its tokens are bound to
    ``list_name``. ``canonical`` is the path under which search engines may list the first page,
    empty for a filtered list and for one that is not for everybody.
    """

    first_url: str
    list_name: str
    canonical: str = ""

    def requested(self, query: QueryDict, *, size: int) -> PageRequest:
        """Return the page a request asks for.

        Raises Refusal, with a link to the first page, for a token that is not of this list.
        """
        after, before = query.get("after"), query.get("before")
        if after is not None and before is not None:
            sentence = "A page lies after or before a place in its list: give one of the two."
            raise Refusal(sentence, first_url=self.first_url)
        if after is not None:
            return PageRequest(size, self._position(after))
        if before is not None:
            return PageRequest(size, self._position(before), Toward.PREVIOUS)
        return PageRequest(size)

    def links(self, page: Page, request: PageRequest) -> PageLinks:
        """Build the links of a page that was read for a request."""
        return PageLinks(
            older_url=self.next_url(page),
            newer_url=self.previous_url(page),
            first_url=self.first_url,
            is_first=request.position is None,
        )

    def next_url(self, page: Page) -> str | None:
        """Return the URL of the next page in the list's order, if there is one."""
        if not page.has_next:
            return None
        position = page.next_position
        return self.url_behind(position) if position else self.first_url

    def url_behind(self, position: Position) -> str:
        """Return the URL of the page that begins behind a position."""
        return self._beside("after", position)

    def previous_url(self, page: Page) -> str | None:
        """Return the URL of the previous page in the list's order, if there is one."""
        if not page.has_previous:
            return None
        position = page.previous_position
        return self._beside("before", position) if position else self.first_url

    def in_format(self, name: str) -> Self:
        """Return the pager whose links lead to the same pages in another form."""
        return replace(self, first_url=self._with(PARAMETER, name)) if name else self

    def overshot(self, page: Page, request: PageRequest) -> bool:
        """Return whether the way back reached the list's start: show the first page instead."""
        is_short = len(page.entries) < request.size and page.cut_at is None
        return is_short and request.toward is Toward.PREVIOUS

    def _beside(self, direction: str, position: Position) -> str:
        return self._with(direction, tokens().write(position, list_name=self.list_name))

    def _with(self, name: str, value: str) -> str:
        joint = "&" if "?" in self.first_url else "?"
        return f"{self.first_url}{joint}{urlencode({name: value})}"

    def _position(self, token: str) -> Position:
        try:
            return tokens().read(token, list_name=self.list_name)
        except TokenError as error:
            raise Refusal(str(error), first_url=self.first_url) from error


@dataclass(frozen=True, slots=True)
class ListData:
    """A page of a list for programs.

    ``items`` have values as JSON knows them, and decimals, which become strings. ``total`` is how
    many items the whole list has, None where that is not known.
    """

    items: Sequence[Mapping[str, Any]]
    total: int | None = None


def show_page(
    request: HttpRequest,
    pager: Pager,
    asked: PageRequest,
    page: Page,
    *,
    templates: tuple[str, str],
    context: Callable[[], Mapping[str, Any]],
    plan: str = "",
    data: Callable[[], ListData] | None = None,
) -> HttpResponse:
    """Render a page of a list, or redirect to the first page from one in front of it.

    ``templates`` are those of the whole page and of the fragment for htmx. They get the page's
    ``links`` (`PageLinks`), its ``canonical_url`` if search engines may list it, what ``context``
    returns, and its ``explanation`` where a ``plan`` is named. A program that asks for JSON gets
    what ``data`` returns; without it, Refusal is raised. Only one of ``context`` and ``data`` is
    called, and neither for a redirect; what they read is in the figures.
    """
    form = format_asked(request.META)
    pager = pager.in_format(form)
    if pager.overshot(page, asked):
        return redirect(pager.first_url)
    if form:
        if data is None or form != Format.JSON:
            raise Refusal(NO_SUCH_FORM if data else NO_OTHER_FORM)
        return _as_json(pager, page, data())
    filled = {"links": pager.links(page, asked), **context()}
    if pager.canonical and asked.position is None:
        filled["canonical_url"] = f"{site_of(request)}{pager.canonical}"
    if plan:
        filled["explanation"] = explain(page, plan=plan, meter=current_meter())
    return render_list(request, *templates, filled)


def _as_json(pager: Pager, page: Page, data: ListData) -> HttpResponse:
    meter = current_meter()
    answer = {
        "items": data.items,
        "next": pager.next_url(page),
        "previous": pager.previous_url(page),
        "total": data.total,
        "capacity_units": meter.capacity_units() if meter else page.capacity_units,
    }
    return JsonResponse(answer, json_dumps_params={"ensure_ascii": False})
