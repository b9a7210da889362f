"""The navigation of every page: its section, the basket's pieces, and how much waits for staff.

`Navigation` is what templates have; `config.web.middleware` swaps its counts with every fragment.
Counts are remembered for a few seconds, as the lists that count them tell by their signals.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

from django.contrib.auth import SESSION_KEY
from django.core.cache import cache
from django.dispatch import Signal, receiver
from django.http import HttpRequest

from comments.moderation.queries import count_reports, reports_counted
from dynapages.calls import clock, fault_in, labelled_calls
from dynapages.django.paging import address_of, grouped
from dynapages.process import pool
from dynapages.pynamodb import FAILURES
from shop.basket.basket import Basket
from shop.orders.counts import read_queue_lengths
from shop.orders.refs import ANOTHERS_ORDER
from shop.orders.signals import queue_counted

REMEMBERED_SECONDS = 15
SECTION_ROUTES = (
    "staff_orders",
    "comments:moderation",
    "activity",
    "api_keys",
    "webhooks",
    "staff_overview",
    "orders",
    "basket",
)
"""Of a path the first one counts: the overview has all other pages of staff."""
PAGES_OF_THE_QUEUE = frozenset(
    {"staff_customer", "staff_customer_orders", "product_orders", "staff_find"}
)
"""The routes of pages that lead on from the queue, but have another path."""
COUNT_READERS: Mapping[str, Callable[[], object]] = {
    "queue": read_queue_lengths,
    "reports": count_reports,
}
"""What reads each count. A reader sends the count by a signal, so that it is remembered."""
COUNT_SIGNALS = {queue_counted: "queue", reports_counted: "reports"}
CHANGED_BY_FORMS_OF = {"shop": "queue", "comments": "reports"}
"""The count that forms of a package change."""


# What waits for staff, as it was counted last


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many items of a list wait for staff, None where that could not be read.

    They were counted at the moment ``at`` (aware) or later; there are more if ``has_more``.
    """

    count: int | None
    at: datetime
    has_more: bool = False

    @property
    def text(self) -> str:
        """The count as the navigation shows it, such as ``20+``; empty where it is not known."""
        if self.count is None:
            return ""
        mark = "+" if self.has_more else ""
        return f"{grouped(self.count)}{mark}"


def remember_waiting(name: str, waiting: Waiting) -> None:
    """Remember a count of ``queue`` or ``reports``, for the navigation of every page."""
    cache.set(_cache_key(name), waiting, REMEMBERED_SECONDS)


@receiver([*COUNT_SIGNALS])
def _remember_counted(
    signal: Signal, count: int, *, at: datetime, has_more: bool = False, **_: object
) -> None:
    """Remember what a list of staff has counted anyway."""
    remember_waiting(COUNT_SIGNALS[signal], Waiting(count, at, has_more))


def _cache_key(name: str) -> str:
    return f"waiting/{name}"


def _session_key(name: str) -> str:
    """Return where a session has the moment at which its visitor changed what is counted."""
    return f"changed-{name}"


def _read_counts(names: Iterable[str]) -> None:
    """Read counts in one round, which are then remembered; or remember that it failed."""
    try:
        with labelled_calls("navigation"):
            pool().gather([COUNT_READERS[name] for name in names])
    except FAILURES as failure:
        if fault_in(failure) is None:
            raise
        # A page without a count is better than no page.
        for name in names:
            remember_waiting(name, Waiting(None, clock.now()))


# What templates have


class Navigation:
    """What the navigation shows; read when a template asks for it, and not before."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def section(self) -> str:
        """The route of the list that the page belongs to, by its path; empty for no list.

        Somebody else's order belongs to the queue: only staff see it.
        """
        match = self._request.resolver_match
        if ANOTHERS_ORDER in self._request.META:
            return "staff_orders"
        if match is not None and match.view_name in PAGES_OF_THE_QUEUE:
            return "staff_orders"
        for route in SECTION_ROUTES:
            if self._request.path.startswith(address_of(route)):
                return route
        return ""

    @property
    def mark(self) -> str:
        """The ``aria-current`` of the link to the section: of itself, or of a page below it."""
        if self.section and self._request.path == address_of(self.section):
            return "page"
        return "true"

    @property
    def basket(self) -> int:
        """The number of pieces in the visitor's basket; 0 where a request was refused unread."""
        session = getattr(self._request, "session", None)
        if session is None:
            return 0
        return sum(Basket(session).quantities.values())

    @cached_property
    def staff(self) -> Mapping[str, str]:
        """What waits for staff, such as ``20+``, by name; empty where it could not be read.

        It is read where nothing is remembered since the visitor's own latest change.
        """
        return self._counts(COUNT_READERS)

    @property
    def known(self) -> Mapping[str, str]:
        """What ``staff`` has, without what was neither counted nor changed in the last seconds."""
        recently = clock.now() - timedelta(seconds=REMEMBERED_SECONDS)
        changed = []
        for name in COUNT_READERS:
            if self._changed_at(name) > recently:
                changed.append(name)
        return self._counts(changed)

    def note_change(self) -> None:
        """Note in the session that the visitor has changed what is counted."""
        match = self._request.resolver_match
        if match is None:
            return
        package = match.func.__module__.partition(".")[0]
        name = CHANGED_BY_FORMS_OF.get(package)
        if name and SESSION_KEY in self._request.session:
            self._request.session[_session_key(name)] = clock.now().timestamp()

    def _counts(self, needed: Iterable[str]) -> Mapping[str, str]:
        """Return the counts that are remembered, and those ``needed``, which are read otherwise."""
        remembered = self._remembered()
        missing = [name for name in needed if name not in remembered]
        if missing:
            _read_counts(missing)
            remembered = self._remembered()
        return {name: waiting.text for name, waiting in remembered.items()}

    def _remembered(self) -> dict[str, Waiting]:
        """Return the counts since the visitor's own latest change, by name."""
        remembered = {}
        for name in COUNT_READERS:
            waiting: Waiting | None = cache.get(_cache_key(name))
            if waiting and waiting.at >= self._changed_at(name):
                remembered[name] = waiting
        return remembered

    def _changed_at(self, name: str) -> datetime:
        """Return when this visitor last changed what is counted; 1970 for never."""
        return datetime.fromtimestamp(self._request.session.get(_session_key(name), 0), UTC)


def navigation(request: HttpRequest) -> dict[str, Navigation]:
    """Return ``navigation`` for all templates."""
    return {"navigation": Navigation(request)}
