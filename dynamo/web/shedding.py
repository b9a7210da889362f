"""Load shedding: a bounded number of requests is worked on, a bounded number waits, briefly.

Where more arrive than the process can serve, a queue only makes all of them late. So at most
PAGES_AT_ONCE requests run at a time, twice as many wait, for `MOST_SECONDS` at most, and each
further one is answered with 503 at once, by a page that was rendered before. Health checks and
static files do not wait: a process that is busy is not to be killed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from threading import BoundedSemaphore, Lock

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from dynamo.web.refusals import NOTICE

MOST_SECONDS = 0.5
WAITING_BY_RUNNING = 2
RETRY_AFTER = 2
HEALTH = frozenset({"/healthz", "/readyz"})


@dataclass(slots=True)
class Slots:
    """``most`` slots, for which `WAITING_BY_RUNNING` times as many threads wait at most."""

    most: int
    _slots: BoundedSemaphore = field(init=False)
    _waiting: int = 0
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._slots = BoundedSemaphore(self.most)

    def take(self) -> bool:
        """Take a slot, waiting for one up to `MOST_SECONDS`; return whether there was one."""
        if self._slots.acquire(blocking=False):
            return True
        with self._lock:
            if self._waiting >= self.most * WAITING_BY_RUNNING:
                return False
            self._waiting += 1
        try:
            return self._slots.acquire(timeout=MOST_SECONDS)
        finally:
            with self._lock:
                self._waiting -= 1

    def give_back(self) -> None:
        """Give a slot back that was taken."""
        self._slots.release()


class SheddingMiddleware:
    """Answers 503 to the requests that are too many for this process."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        self._slots = Slots(settings.PAGES_AT_ONCE)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info in HEALTH or request.path.startswith(settings.STATIC_URL):
            return self._get_response(request)
        if not self._slots.take():
            return _busy(request)
        try:
            return self._get_response(request)
        finally:
            self._slots.give_back()


def _busy(request: HttpRequest) -> HttpResponse:
    is_partial = "HX-Request" in request.headers
    status = HTTPStatus.SERVICE_UNAVAILABLE
    headers = {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
    if is_partial:
        headers |= {"HX-Retarget": NOTICE, "HX-Reswap": "innerHTML", "HX-Push-Url": "false"}
    return HttpResponse(_page(is_partial=is_partial), status=status, headers=headers)


@cache
def _page(*, is_partial: bool) -> str:
    context = {
        "message": "Too many people are in the shop at the moment.",
        "retry_after": RETRY_AFTER,
        "is_away": True,
        "status": HTTPStatus.SERVICE_UNAVAILABLE.value,
    }
    return render_to_string("_error.html" if is_partial else "503.html", context)
