"""Who is told of requests and calls besides the log: nobody, unless `observe` was called.

So the library needs no OpenTelemetry: `dynamo.telemetry.otel` is imported by whom it is for.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol

from dynamo.telemetry.facts import RequestFacts


class ObservedRequest(Protocol):
    """A request that is being answered."""

    def active(self) -> AbstractContextManager[object]:
        """Return a block whose calls are the request's."""

    def end(self, facts: RequestFacts) -> None:
        """Note that it was answered. Must not raise."""


class Observer(Protocol):
    """What is told of requests."""

    def begin(self, method: str, parents: Mapping[str, str]) -> ObservedRequest:
        """Note that a request has begun; ``parents`` are the headers of a trace it belongs to."""

    def shed(self, facts: RequestFacts) -> None:
        """Note that a request was refused because too many were there."""


class _Unobserved:
    def active(self) -> AbstractContextManager[object]:
        return nullcontext()

    def end(self, facts: RequestFacts) -> None:
        """Tell nobody."""


class _Nobody:
    def begin(self, method: str, parents: Mapping[str, str]) -> ObservedRequest:
        del method, parents
        return _UNOBSERVED

    def shed(self, facts: RequestFacts) -> None:
        """Tell nobody."""


_UNOBSERVED = _Unobserved()


@dataclass(slots=True)
class _Process:
    observer: Observer = field(default_factory=_Nobody)


_process = _Process()


def observe(observer: Observer | None) -> None:
    """Tell this observer of all later requests; None tells nobody."""
    _process.observer = observer or _Nobody()


def observer() -> Observer:
    """Return the process's observer."""
    return _process.observer
