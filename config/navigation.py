"""Counts in the navigation of every page, as a template context processor.

What staff see is remembered for some seconds, so that hardly a page reads it. The basket is in the
session, and costs nothing.
"""

from dataclasses import dataclass
from functools import cached_property, partial

from django.core.cache import cache
from django.http import HttpRequest
from django.urls import reverse

from comments.moderation.queries import run_of
from comments.store.revision import State
from dynamo.calls.client import pool
from dynamo.calls.faults import FAILURES, fault_in
from dynamo.calls.meter import labelled_calls
from dynamo.lists.reader import PageRequest
from dynamo.lists.site_reader import read
from shop.basket.basket import Basket
from shop.orders.counts import queue_lengths

SECTIONS = ("staff_orders", "moderation", "activity", "orders", "basket")
REMEMBERED_SECONDS = 15
MOST_COUNTED = 20
"""Reported comments: they are counted by reading them."""


@dataclass(frozen=True, slots=True)
class StaffCounts:
    """What waits for staff, as the navigation shows it; empty where it could not be read."""

    queue: str = ""
    reports: str = ""


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
        counts: StaffCounts | None = cache.get("navigation")
        if counts is None:
            counts = _read()
            cache.set("navigation", counts, REMEMBERED_SECONDS)
        return counts


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
            more = "+" if page.has_next else ""
            return StaffCounts(f"{sum(lengths.result().values()):,}", f"{len(page.entries)}{more}")
    except FAILURES as failure:
        if fault_in(failure) is None:
            raise
        return StaffCounts()
