"""Pages of a list in URLs: ``?after=TOKEN`` is the next page, ``?before=TOKEN`` the previous.

``?before=end`` is the last page.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain
from dynamo.lists.reader import Page, PageRequest, Toward
from dynamo.lists.runs import Position
from dynamo.lists.tokens import TokenError
from dynamo.web.partials import render_list
from dynamo.web.refusals import Refusal
from dynamo.web.signing import tokens

END = "end"
"""What the last page is before, in place of a token."""


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
    ``list_name``.
    """

    first_url: str
    list_name: str

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
        if before == END:
            return PageRequest(size, toward=Toward.PREVIOUS)
        if before is not None:
            return PageRequest(size, self._position(before), Toward.PREVIOUS)
        return PageRequest(size)

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
        if not page.has_next:
            return None
        position = page.next_position
        return self._url(after=self._token(position)) if position else self.first_url

    def previous_url(self, page: Page) -> str | None:
        """Return the URL of the previous page in the list's order, if there is one."""
        if not page.has_previous:
            return None
        position = page.previous_position
        return self._url(before=self._token(position)) if position else self.first_url

    def token_behind(self, page: Page) -> str:
        """Return the token of the place behind a page that has entries, for a form."""
        return self._token(page.entries[-1].position)

    def overshot(self, page: Page, request: PageRequest) -> bool:
        """Return whether the way back reached the list's start: show the first page instead."""
        if request.is_last:
            return not page.has_previous
        is_short = len(page.entries) < request.size and page.cut_at is None
        return is_short and request.toward is Toward.PREVIOUS

    def _url(self, **query: str) -> str:
        joint = "&" if "?" in self.first_url else "?"
        return f"{self.first_url}{joint}{urlencode(query)}"

    def _token(self, position: Position) -> str:
        return tokens().write(position, list_name=self.list_name)

    def _position(self, token: str) -> Position:
        try:
            return tokens().read(token, list_name=self.list_name)
        except TokenError as error:
            raise Refusal(str(error), first_url=self.first_url) from error


def show_page(
    request: HttpRequest,
    pager: Pager,
    asked: PageRequest,
    page: Page,
    *,
    templates: tuple[str, str],
    context: Callable[[], Mapping[str, Any]],
    plan: str = "",
) -> HttpResponse:
    """Render a page of a list, or redirect to the first page from one in front of it.

    ``templates`` are those of the whole page and of the fragment for htmx. They get the page's
    ``links`` (`PageLinks`), what ``context`` returns, and its ``explanation`` where a ``plan`` is
    named. ``context`` is not called for a redirect; what it reads is in the explanation.
    """
    if pager.overshot(page, asked):
        return redirect(pager.first_url)
    filled = {"links": pager.links(page, asked), **context()}
    if plan:
        filled["explanation"] = explain(page, plan=plan, meter=current_meter())
    return render_list(request, *templates, filled)
