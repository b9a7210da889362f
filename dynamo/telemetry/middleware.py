"""A meter for each request, a line of the log, and what an observer is told."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase, StreamingHttpResponse

from dynamo.calls.meter import Meter, metered
from dynamo.telemetry.facts import RequestFacts, facts_of, filter_shape
from dynamo.telemetry.log_format import FACTS
from dynamo.telemetry.observers import ObservedRequest, observer

HEALTH = frozenset({"/healthz", "/readyz"})
"""Paths that are asked every few seconds, and not told of."""
_TRACE = ("traceparent", "tracestate")
_log = logging.getLogger("requests")


class TelemetryMiddleware:
    """Counts what a request reads and writes, and tells of it once it was answered.

    See `dynamo.calls.meter.current_meter`. It stands before all others, so that their refusals are
    told too. Static files and health checks are not.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_silent(request.path):
            with metered():
                return self._get_response(request)
        observed = observer().begin(request.method or "", _parents(request))
        with observed.active(), metered() as meter:
            response = self._get_response(request)

        def tell() -> None:
            _tell(_facts(request, response, meter), observed)

        if isinstance(response, StreamingHttpResponse):
            parts: Iterable[bytes] = response.streaming_content
            response.streaming_content = _streamed(parts, meter, observed, tell)
        else:
            tell()
        return response


def is_silent(path: str) -> bool:
    """Return whether requests for a path are not told of: health checks and static files."""
    return path in HEALTH or path.startswith(settings.STATIC_URL)


def tell_of_shed(method: str) -> None:
    """Tell of a request that was refused before anything was known of it but its method."""
    facts = RequestFacts(view="", method=method, status=503, shed=True)
    observer().shed(facts)
    _write(facts)


def _streamed(
    parts: Iterable[bytes], meter: Meter, observed: ObservedRequest, tell: Callable[[], None]
) -> Iterator[bytes]:
    """Yield the parts of an answer, read by its meter; tell of it when the last one was sent."""
    rest = iter(parts)
    try:
        while True:
            with observed.active(), metered(meter):
                part = next(rest, None)
            if part is None:
                return
            yield part
    finally:
        tell()


def _facts(request: HttpRequest, response: HttpResponseBase, meter: Meter) -> RequestFacts:
    found = request.resolver_match
    query: Mapping[str, list[str]] = {}
    with suppress(SuspiciousOperation):  # too many fields: it was refused
        query = dict(request.GET.lists())
    return facts_of(
        meter,
        view=(found.url_name or "") if found else "",
        route=found.route if found else "",
        method=request.method or "",
        status=response.status_code,
        shape=filter_shape(found.kwargs, query) if found else {},
    )


def _tell(facts: RequestFacts, observed: ObservedRequest) -> None:
    observed.end(facts)
    _write(facts)


def _write(facts: RequestFacts) -> None:
    if _log.isEnabledFor(logging.INFO):
        _log.info("%s", facts, extra={FACTS: facts.as_dict()})


def _parents(request: HttpRequest) -> Mapping[str, str]:
    """Return the headers of a trace, which a proxy of ours may set, and nobody else."""
    if not settings.TRUSTED_PROXIES:
        return {}
    return {name: request.headers[name] for name in _TRACE if name in request.headers}
