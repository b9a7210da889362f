"""What is recorded of a request: names and figures, nothing that a visitor chose or is known by.

A record has the name of the view and not the path, how many languages were chosen and not which.
It is written to the log (logger ``request``), and passed to an observer, of which there is none by
default; `config.telemetry.spans` has one.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from http import HTTPMethod

from django.conf import settings
from django.dispatch import receiver
from django.http import HttpRequest

from dynapages.calls import Meter, Unavailable
from dynapages.django.callers import OPERATION
from dynapages.django.middleware import time_spent
from dynapages.django.paging import list_read
from dynapages.django.refusals import database_failed

METHODS = frozenset(HTTPMethod)
OTHER_METHOD = "_OTHER"
"""For what a client made up; the name is that of OpenTelemetry's conventions."""
NUMBERS = {int, float}
HEALTH_PATHS = frozenset({"/healthz", "/readyz"})
DRAWING_END = "/drawing.svg"
"""Of addresses of products' drawings, which read nothing."""

OnSent = Callable[[], None]
"""To be called when an answer was sent."""

logger = logging.getLogger("request")


def is_watched(path: str) -> bool:
    """Return whether requests of a path are metered and recorded.

    Health checks come every few seconds, and a page has dozens of static files and drawings.
    """
    is_file = path.startswith(settings.STATIC_URL) or path.endswith(DRAWING_END)
    return path not in HEALTH_PATHS and not is_file


def view_of(request: HttpRequest) -> str:
    """Return the name of a request's view, ``api:comments_edit``; empty if no URL matched.

    Operations of an API share an address, which is named for the first of them. So a request has
    the ``operationId`` of its own; one whose method the address does not know, the address's name.
    """
    match = request.resolver_match
    if match is None:
        return ""
    operation: str | None = request.META.get(OPERATION)
    if operation is None:
        return match.view_name
    return ":".join([*match.namespaces, operation])


@dataclass(slots=True)
class RequestRecord:
    """What is recorded of a request; most of it is filled in while it is answered.

    ``view`` is its name, as by `view_of`, ``route`` the pattern of its URL; both are empty where no
    URL matched.
    ``shape`` says how its list is filtered, in numbers and names of orders. ``fault`` is the fault
    of the database that it was answered 503 for. ``is_late`` means that its time budget was spent,
    ``is_shed`` that there were too many requests. ``trace_headers`` are those of its trace, where
    they can be trusted; ``trace`` is the id of the trace.
    """

    method: str
    scheme: str = "http"
    trace_headers: Mapping[str, str] = field(default_factory=dict)
    meter: Meter = field(default_factory=Meter)
    view: str = ""
    route: str = ""
    status: int = 0
    list: str = ""
    plan: str = ""
    shape: Mapping[str, int | str] = field(default_factory=dict)
    fault: str = ""
    is_late: bool = False
    is_shed: bool = False
    trace: str = ""
    milliseconds: float = 0.0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            self.method = OTHER_METHOD

    @property
    def amazon_units(self) -> float | None:
        """What Amazon DynamoDB would use, where an engine has counted other units; else None."""
        units = self.meter.amazon_units
        if units == self.meter.units:
            return None
        return units

    def fields(self) -> dict[str, object]:
        """Return the fields of a line of the log, without what is empty or false."""
        fields = {
            "view": self.view,
            "method": self.method,
            "status": self.status,
            "list": self.list,
            "plan": self.plan,
            "shape": dict(self.shape),
            "calls": self.meter.calls,
            "rounds": self.meter.rounds,
            "units": self.meter.units,
            "amazon_units": self.amazon_units,
            "ms": round(self.milliseconds, 1),
            "fault": self.fault,
            "late": self.is_late,
            "shed": self.is_shed,
            "trace": self.trace,
        }
        # A count of 0 says something, False does not.
        return {name: value for name, value in fields.items() if value or type(value) in NUMBERS}


Observer = Callable[[RequestRecord], AbstractContextManager[OnSent]]
"""A block in which a request is answered; it yields what to call when the answer was sent."""


def _do_nothing() -> None:
    pass


def _no_observer(_record: RequestRecord) -> AbstractContextManager[OnSent]:
    return nullcontext(_do_nothing)


@dataclass(slots=True)
class _Process:
    observer: Observer = _no_observer


_process = _Process()
_current: ContextVar[RequestRecord | None] = ContextVar("request_record", default=None)


def set_observer(observer: Observer) -> Observer:
    """Pass the requests of this process to an observer; return the one before."""
    before, _process.observer = _process.observer, observer
    return before


@receiver(time_spent)
def _note_late(**_: object) -> None:
    """Note that the time budget of the request is spent."""
    if record := _current.get():
        record.is_late = True


@receiver(database_failed)
def _note_fault(fault: Unavailable, **_: object) -> None:
    """Note the fault of the database that the request is answered 503 for."""
    if record := _current.get():
        record.fault = type(fault).__name__


@receiver(list_read)
def _note_list(name: str, plan: str, shape: Mapping[str, int | str], **_: object) -> None:
    """Note the list that the request reads."""
    if record := _current.get():
        record.list, record.plan, record.shape = name, plan, shape


@contextmanager
def observed(record: RequestRecord) -> Iterator[OnSent]:
    """Observe a request that is answered in the block; yield what to call when it was sent."""
    before = _current.set(record)
    try:
        with _process.observer(record) as observer_on_sent:
            yield partial(_log_and_call, record, observer_on_sent)
    finally:
        _current.reset(before)


def _log_and_call(record: RequestRecord, observer_on_sent: OnSent) -> None:
    """Log a request whose answer was sent, then call the observer."""
    record.milliseconds = record.meter.milliseconds
    if logger.isEnabledFor(logging.INFO):
        fields = record.fields()
        logger.info("%s", in_words(fields), extra={"fields": fields})
    observer_on_sent()


def in_words(fields: Mapping[str, object]) -> str:
    """Format fields as ``view=product status=200``, those of a mapping as ``name:value``."""
    return " ".join(f"{name}={_in_words(value)}" for name, value in fields.items())


def _in_words(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{name}:{part}" for name, part in value.items())
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
