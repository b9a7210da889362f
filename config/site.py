"""Health checks for a load balancer, and what the navigation of every page shows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from http import HTTPStatus

from django.contrib.auth import SESSION_KEY
from django.core.cache import cache
from django.dispatch import Signal, receiver
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from comments.moderation.listing import count_reports, reports_counted
from dynapages.calls import clock, fault_in, labelled_calls
from dynapages.django.paging import address_of, grouped, wants_partial
from dynapages.django.tables import declared_models
from dynapages.process import client, pool
from dynapages.pynamodb import FAILURES
from dynapages.tables import unreadiness
from shop.accounts.sessions import READ_STAFF
from shop.basket.basket import Basket
from shop.orders.actions import queue_counted, queue_lengths

READY_SECONDS = 3


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 while the process is alive, without a call to the database."""
    del request
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the tables can be reached, are active and as declared, else 503 and why.

    The answer is remembered for a few seconds: anybody may ask.
    """
    del request
    models = declared_models()
    reason = cache.get_or_set("readyz", lambda: unreadiness(client(), models) or "", READY_SECONDS)
    status = HTTPStatus.SERVICE_UNAVAILABLE if reason else HTTPStatus.OK
    return HttpResponse(f"{reason or 'ready'}\n", content_type="text/plain", status=status)


REMEMBERED_SECONDS = 15


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many items of a list wait for staff, None where that could not be read.

    They were counted at the moment ``at`` (aware) or later; there are more if ``has_more``.
    """

    count: int | None
    at: datetime
    has_more: bool = False


def remember_waiting(name: str, waiting: Waiting) -> None:
    """Remember a count of ``queue`` or ``reports``, for the navigation of every page."""
    cache.set(f"waiting/{name}", waiting, REMEMBERED_SECONDS)


COUNTED = {queue_counted: "queue", reports_counted: "reports"}


@receiver([*COUNTED])
def _remember_counted(
    signal: Signal, count: int, *, at: datetime, has_more: bool = False, **_: object
) -> None:
    remember_waiting(COUNTED[signal], Waiting(count, at, has_more))


SECTIONS = ("staff_orders", "comments:moderation", "activity", "orders", "basket")


READS: Mapping[str, Callable[[], object]] = {"queue": queue_lengths, "reports": count_reports}
"""What counts, and tells of it by the signals above."""
CHANGED_BY = {"shop": "queue", "comments": "reports"}
"""The counts that forms of a package change."""


class Navigation:
    """What the navigation shows; read when a template asks for it, and not before."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def section(self) -> str:
        """The route of the list that the page belongs to, by its path; empty for no list."""
        path = self._request.path
        return next((route for route in SECTIONS if path.startswith(address_of(route))), "")

    @property
    def mark(self) -> str:
        """The ``aria-current`` of the link to the section: of itself, or of a page below it."""
        is_page = self.section and self._request.path == address_of(self.section)
        return "page" if is_page else "true"

    @property
    def basket(self) -> int:
        """The number of pieces in the visitor's basket; 0 where a request was refused unread."""
        session = getattr(self._request, "session", None)
        return 0 if session is None else sum(Basket(session).quantities.values())

    @cached_property
    def staff(self) -> Mapping[str, str]:
        """What waits for staff, such as ``20+``, by name; empty where it could not be read.

        It is read where nothing is remembered since the visitor's own latest change.
        """
        return self._counts(READS)

    @property
    def known(self) -> Mapping[str, str]:
        """What ``staff`` has, without what was neither counted nor changed in the last seconds."""
        recently = clock.now() - timedelta(seconds=REMEMBERED_SECONDS)
        return self._counts(name for name in READS if self._changed_at(name) > recently)

    def note_change(self) -> None:
        """Note in the session that the visitor has changed what is counted."""
        match = self._request.resolver_match
        name = match and CHANGED_BY.get(match.func.__module__.partition(".")[0])
        if name and SESSION_KEY in self._request.session:
            self._request.session[_mark(name)] = clock.now().timestamp()

    def _counts(self, wanted: Iterable[str]) -> Mapping[str, str]:
        """Return the counts that are known, and those ``wanted``, which are read otherwise."""
        known = self._known()
        if names := [name for name in wanted if name not in known]:
            _read(names)
            known = self._known()
        return {name: _in_words(waiting) for name, waiting in known.items()}

    def _known(self) -> dict[str, Waiting]:
        found: dict[str, Waiting | None] = {name: cache.get(f"waiting/{name}") for name in READS}
        return {
            name: waiting
            for name, waiting in found.items()
            if waiting and waiting.at >= self._changed_at(name)
        }

    def _changed_at(self, name: str) -> datetime:
        return datetime.fromtimestamp(self._request.session.get(_mark(name), 0), UTC)


def navigation(request: HttpRequest) -> dict[str, Navigation]:
    """Return ``navigation`` for all templates."""
    return {"navigation": Navigation(request)}


class NavigationMiddleware:
    """Has htmx swap the counts of the navigation with every fragment, so that both agree.

    What a member of staff changed is counted anew: a round more, unless the page counts it itself.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            return response
        is_staff = request.META.get(READ_STAFF, False)
        if is_staff and request.method == "POST":
            Navigation(request).note_change()
        if _is_fragment(request, response) and not request.session.is_empty():
            context = {"is_staff": is_staff}
            response.content += render_to_string("_nav_counts.html", context, request).encode()
        return response


def _is_fragment(request: HttpRequest, response: HttpResponse) -> bool:
    # A label alone, as plain text, is swapped into a place that has no room for more.
    is_page = response.get("Content-Type", "").startswith("text/html") and not response.streaming
    return is_page and wants_partial(request) and bool(response.content)


def _mark(name: str) -> str:
    return f"changed-{name}"


def _in_words(waiting: Waiting) -> str:
    return "" if waiting.count is None else f"{grouped(waiting.count)}{'+' * waiting.has_more}"


def _read(names: Iterable[str]) -> None:
    """Read counts in one round, which are then remembered; or remember that it failed."""
    try:
        with labelled_calls("navigation"):
            pool().gather([READS[name] for name in names])
    except FAILURES as failure:
        if fault_in(failure) is None:
            raise
        for name in names:
            remember_waiting(name, Waiting(None, clock.now()))
