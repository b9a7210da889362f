"""An open-loop load: requests come at a rate, whether the site keeps up or not.

The site's capacity is measured by clients that wait for each answer, anew before each rate, as the
speed of machines varies. Then requests come at parts of it and above it. Times are counted from
when a request was due, not from when it was sent.
"""

import http.client
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, cycle
from random import Random
from threading import Event, Thread, local
from time import monotonic, sleep

from django.conf import settings

from demo.processes import WORKERS, serving
from dynamo.engine.ports import LOOPBACK
from dynamo.progress import Progress
from lab.bench.comment_data import PRODUCT_ID, CommentData
from lab.bench.context import open_context, require_binary, site_config
from lab.bench.lists import create_catalogue
from lab.bench.stores import Stores
from lab.reports.load_figures import LoadFigures, RateFigures

COMMENTS = 20_000
PATHS = (
    f"/products/{PRODUCT_ID}/",
    f"/products/{PRODUCT_ID}/comments/~/1.3.5/",
    f"/products/{PRODUCT_ID}/comments/de.en/1.2.4.5/",
)
PARTS = (0.5, 0.8, 1.2)
SENDERS = 128
PATIENCE = 15.0
BETWEEN_CHECKS = 0.1
WARM_UP = 2.0
_kept = local()


def run_load(*, seconds: float, progress: Progress) -> LoadFigures:
    """Load the comments into an engine, and measure the site on it. Raises EngineError."""
    stores = Stores(settings.VAR_DIR / "bench", require_binary(), progress)
    stored = stores.hold(CommentData(COMMENTS), fresh=False)
    with open_context(db_path=stored.path, progress=progress) as context:
        create_catalogue()
        return _measure(context.endpoint_url, seconds=seconds, progress=progress)


def _measure(endpoint_url: str, *, seconds: float, progress: Progress) -> LoadFigures:
    config, paths = site_config(endpoint_url), PATHS
    found = []
    with serving(config), progress.step("Loading", total=len(PARTS), unit="") as advance:
        _capacity(config.port, paths, seconds=WARM_UP)
        for part in PARTS:
            capacity = _capacity(config.port, paths, seconds=seconds / 2)
            found.append(_at_rate(config.port, paths, capacity, part=part, seconds=seconds))
            advance(1)
    return LoadFigures(workers=WORKERS, pages_at_once=settings.PAGES_AT_ONCE, rates=tuple(found))


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    seconds: float


def _capacity(port: int, paths: Sequence[str], *, seconds: float) -> float:
    """Return the pages a second that as many clients get as the site works for at a time."""
    clients, until = WORKERS * settings.PAGES_AT_ONCE, monotonic() + seconds

    def work(number: int) -> int:
        served = 0
        for path in cycle((*paths[number:], *paths[:number])):
            if monotonic() >= until:
                return served
            served += _ask(port, path).status == http.client.OK
        return served

    with ThreadPoolExecutor(clients) as threads:
        return sum(threads.map(work, range(clients))) / seconds


def _at_rate(
    port: int, paths: Sequence[str], capacity: float, *, part: float, seconds: float
) -> RateFigures:
    rng, end = Random(1), Event()  # noqa: S311 - repeatable
    checks: list[float] = []
    checking = Thread(target=_check_health, args=(port, checks, end))
    checking.start()
    with ThreadPoolExecutor(SENDERS) as threads:
        begun, due, sent = monotonic(), 0.0, []
        for number in count():
            due += rng.expovariate(capacity * part)
            if due > seconds:
                break
            sleep(max(0.0, begun + due - monotonic()))
            path = paths[number % len(paths)]
            sent.append(threads.submit(_ask, port, path, begun + due))
        answers = [one.result() for one in sent]
    end.set()
    checking.join()
    return RateFigures(
        capacity=capacity,
        offered=capacity * part,
        seconds=seconds,
        answered=tuple(a.seconds for a in answers if a.status == http.client.OK),
        refused=sum(a.status == http.client.SERVICE_UNAVAILABLE for a in answers),
        lost=sum(a.status not in {200, 503} for a in answers),
        health=tuple(checks),
    )


def _check_health(port: int, found: list[float], end: Event) -> None:
    while not end.wait(BETWEEN_CHECKS):
        found.append(_ask(port, "/healthz").seconds)


def _ask(port: int, path: str, due: float | None = None) -> _Answer:
    """Ask for a page, on the connection that this thread keeps open, as browsers do."""
    begun = monotonic() if due is None else due
    if not hasattr(_kept, "connection"):
        _kept.connection = http.client.HTTPConnection(LOOPBACK, port, timeout=PATIENCE)
    connection: http.client.HTTPConnection = _kept.connection
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
    except (OSError, http.client.HTTPException):
        connection.close()
        return _Answer(0, monotonic() - begun)
    return _Answer(response.status, monotonic() - begun)
