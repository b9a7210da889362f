"""Health checks for a load balancer, and what the navigation of every page shows."""

from dataclasses import dataclass
from functools import cached_property, partial
from http import HTTPStatus

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from comments.moderation.listing import run_of
from comments.store.comments import State
from dynamo.calls.client import pool
from dynamo.calls.faults import FAILURES, fault_in
from dynamo.calls.meter import labelled_calls
from dynamo.lists.reader import PageRequest, read
from dynamo.tables import unreadiness
from dynamo.web.paging import grouped
from shop.basket.basket import Basket
from shop.orders.actions import queue_lengths

READY_SECONDS = 3


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 while the process is alive, without a call to the database."""
    del request
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the tables can be reached and are active, else 503 with the reason.

    The answer is remembered for a few seconds: anybody may ask.
    """
    del request
    models = map(import_string, settings.DYNAMODB_MODELS)
    reason = cache.get_or_set("readyz", lambda: unreadiness([*models]) or "", READY_SECONDS)
    status = HTTPStatus.SERVICE_UNAVAILABLE if reason else HTTPStatus.OK
    return HttpResponse(f"{reason or 'ready'}\n", content_type="text/plain", status=status)


SECTIONS = ("staff_orders", "moderation", "activity", "orders", "basket")
REMEMBERED_SECONDS = 15
MOST_COUNTED = 20
"""Reported comments: they are counted by reading them."""


@dataclass(frozen=True, slots=True)
class StaffCounts:
    """What waits for staff; None where it could not be read.

    ``has_more_reports`` says that there are more than were counted.
    """

    open_orders: int | None = None
    reported: int | None = None
    has_more_reports: bool = False

    @property
    def queue(self) -> str:
        """The number of open orders as the navigation shows it; empty where it is not known."""
        return "" if self.open_orders is None else grouped(self.open_orders)

    @property
    def reports(self) -> str:
        """The number of reported comments, such as ``20+``; empty where it is not known."""
        more = "+" if self.has_more_reports else ""
        return "" if self.reported is None else f"{grouped(self.reported)}{more}"


class Navigation:
    """What the navigation shows; read when a template asks for it, and not before."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @property
    def section(self) -> str:
        """The address of the list that the page belongs to, by its path; empty for no list."""
        addresses = map(reverse, SECTIONS)
        return next((url for url in addresses if self._request.path.startswith(url)), "")

    @property
    def basket(self) -> int:
        """The number of pieces in the visitor's basket; 0 where a request was refused unread."""
        session = getattr(self._request, "session", None)
        return 0 if session is None else sum(Basket(session).quantities.values())

    @cached_property
    def staff(self) -> StaffCounts:
        found: StaffCounts | None = cache.get_or_set("navigation", _read, REMEMBERED_SECONDS)
        return found or StaffCounts()


def navigation(request: HttpRequest) -> dict[str, Navigation]:
    """Return ``navigation`` for all templates."""
    return {"navigation": Navigation(request)}


def _read() -> StaffCounts:
    """Read all counts in one round."""
    try:
        with labelled_calls("navigation"), pool().together() as together:
            lengths = together.start(queue_lengths)
            reported = together.start(
                partial(read, [run_of(State.REPORTED)], PageRequest(MOST_COUNTED))
            )
            page = reported.result()
            return StaffCounts(sum(lengths.result().values()), len(page.entries), page.has_next)
    except FAILURES as failure:
        if fault_in(failure) is None:
            raise
        return StaffCounts()
