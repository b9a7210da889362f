"""An open-loop load: requests come at a rate, whether the site keeps up or not.

The site's capacity is measured by clients that wait for each answer. Then requests come at parts of
it and above it. Both take turns, as the speed of machines varies from second to second. Times are
counted from when a request was due, not from when it was sent.

In the end clients sign in as often as the site lets them, half of them by wrong names, beside a few
readers. Who is refused waits as long as the answer says.
"""

import http.client
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import count, cycle
from math import ceil
from random import Random
from threading import Event, Thread
from time import monotonic, sleep
from typing import TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.hashers import make_password

from demo.processes import WORKERS, serving
from dynamo.engine import LOOPBACK
from dynamo.progress import Progress
from lab.bench.comment_data import PRODUCT_ID, CommentData
from lab.bench.context import open_context, require_binary, site_config
from lab.bench.lists import create_catalogue
from lab.bench.stores import Stores
from lab.reports.load_figures import LoadFigures, RateFigures, SignInFigures, mean_of
from lab.storm.browsers import TOKEN
from shop.accounts.hashing import SLOTS
from shop.accounts.services import UsernameTaken, create_profile

COMMENTS = 20_000
PATHS = (
    f"/products/{PRODUCT_ID}/",
    f"/products/{PRODUCT_ID}/comments/~/1.3.5/",
    f"/products/{PRODUCT_ID}/comments/de.en/1.2.4.5/",
)
PARTS = (0.5, 0.8, 1.2)
TURN = 4.0
"""Seconds for which requests come at a rate, after the capacity was measured for half as long."""
SENDERS = 128
PATIENCE = 15.0
BETWEEN_CHECKS = 0.1
WARM_UP = 2.0
SIGN_INS, READERS = 16, 4
READING = 0.25
"""Seconds for which a reader looks at a page."""
IDLE = 0.5
"""Seconds after which a free connection is not used: gunicorn closes it after 2, unasked."""
LOGIN = "/accounts/login/"
CUSTOMER = "load-{}".format
PASSWORD = "lampshades on the moon"  # noqa: S105 - of customers of an engine that others cannot reach
T = TypeVar("T")
Work = Callable[[int, float], list[T]]
"""What a client of a number does until a moment."""
_free: defaultdict[int, deque[tuple[http.client.HTTPConnection, float]]] = defaultdict(deque)
"""Open connections to each port, and since when they are free: each belongs to one process."""


def run_load(*, seconds: float, progress: Progress) -> LoadFigures:
    """Load the comments into an engine, and measure the site on it. Raises EngineError."""
    stores = Stores(settings.VAR_DIR / "bench", require_binary(), progress)
    stored = stores.hold(CommentData(COMMENTS), fresh=False)
    with open_context(db_path=stored.path, progress=progress) as context:
        create_catalogue()
        for number in range(0, SIGN_INS, 2):
            with suppress(UsernameTaken):
                create_profile(username=CUSTOMER(number), password=PASSWORD, now=datetime.now(UTC))
        return _measure(context.endpoint_url, seconds=seconds, progress=progress)


def _measure(endpoint_url: str, *, seconds: float, progress: Progress) -> LoadFigures:
    config, paths = site_config(endpoint_url, TRUSTED_PROXIES="1"), PATHS
    found = []
    with serving(config), progress.step("Loading", total=len(PARTS), unit="") as advance:
        _capacity(config.port, paths, seconds=WARM_UP)
        for part in PARTS:
            turns = [_turn(config.port, paths, part=part) for _ in range(ceil(seconds / TURN))]
            found.append(mean_of(turns))
            advance(1)
        sign_ins = _sign_in(config.port, paths, seconds=seconds)
        _hang_up(config.port)
    return LoadFigures(
        workers=WORKERS,
        pages_at_once=settings.MAX_CONCURRENT_REQUESTS,
        rates=tuple(found),
        sign_ins=sign_ins,
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """``status`` is 0 where there was none; ``wait`` is the seconds of ``Retry-After``."""

    status: int
    seconds: float
    wait: float = 0.0


def _capacity(port: int, paths: Sequence[str], *, seconds: float) -> float:
    """Return the pages a second that as many clients get as the site works for at a time."""
    clients, until = WORKERS * settings.MAX_CONCURRENT_REQUESTS, monotonic() + seconds
    _hang_up(port)

    def work(number: int) -> int:
        served = 0
        for path in cycle((*paths[number:], *paths[:number])):
            if monotonic() >= until:
                return served
            served += _ask(port, path).status == http.client.OK
        return served

    with ThreadPoolExecutor(clients) as threads:
        return sum(threads.map(work, range(clients))) / seconds


def _turn(port: int, paths: Sequence[str], *, part: float) -> RateFigures:
    """Measure the capacity, and then offer a part of it."""
    capacity = _capacity(port, paths, seconds=TURN / 2)
    rng, end = Random(1), Event()  # noqa: S311 - repeatable
    checks: list[float] = []
    checking = Thread(target=_check_health, args=(port, checks, end))
    checking.start()
    with ThreadPoolExecutor(SENDERS) as threads:
        begun, due, sent = monotonic(), 0.0, []
        for number in count():
            due += rng.expovariate(capacity * part)
            if due > TURN:
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
        seconds=TURN,
        answered=tuple(a.seconds for a in answers if a.status == http.client.OK),
        refused=sum(a.status == http.client.SERVICE_UNAVAILABLE for a in answers),
        lost=sum(a.status not in {200, 503} for a in answers),
        health=tuple(checks),
    )


def _sign_in(port: int, paths: Sequence[str], *, seconds: float) -> SignInFigures:
    """Sign in with all clients, and read with others, for ``seconds``.

    Before that, as many cores as may do so hash for half of that time, beside the same readers.
    """
    read = partial(_read, port, paths)
    hashes, _pages = _beside(read, _hash, SLOTS.most, seconds=seconds / 2)
    sign_ins, pages = _beside(read, partial(_try, port), SIGN_INS, seconds=seconds)
    done, full = {http.client.OK, http.client.FOUND}, http.client.SERVICE_UNAVAILABLE
    return SignInFigures(
        clients=SIGN_INS,
        readers=READERS,
        seconds=seconds,
        cores=SLOTS.most,
        possible=len(hashes) / (seconds / 2),
        sign_ins=tuple(a.seconds for a in sign_ins if a.status in done),
        sign_ins_refused=sum(a.status == full for a in sign_ins),
        pages=tuple(a.seconds for a in pages if a.status == http.client.OK),
        pages_refused=sum(a.status == full for a in pages),
        lost=sum(a.status not in {*done, full} for a in (*sign_ins, *pages)),
    )


def _beside(
    read: Work[_Answer], work: Work[T], workers: int, *, seconds: float
) -> tuple[list[T], list[_Answer]]:
    """Return what workers have done within a time, and what readers have got meanwhile."""
    until = monotonic() + seconds
    with ThreadPoolExecutor(workers + READERS) as threads:
        working = [threads.submit(work, number, until) for number in range(workers)]
        reading = [threads.submit(read, number, until) for number in range(READERS)]
        done = [each for one in working for each in one.result()]
        return done, [each for one in reading for each in one.result()]


def _hash(_number: int, until: float) -> list[str]:
    hashes = []
    while monotonic() < until:
        hashes.append(make_password(PASSWORD))
    return hashes


def _try(port: int, number: int, until: float) -> list[_Answer]:
    """Sign in, every second client by wrong names; wait as long as an answer says."""
    rng, answers = Random(number), []  # noqa: S311 - repeatable
    while monotonic() < until:
        name = f"nobody-{rng.getrandbits(48):x}" if number % 2 else CUSTOMER(number)
        # From everywhere, so that the limits of an address are not what is measured.
        address = ".".join(str(rng.randrange(1, 255)) for _ in range(4))
        typed = {"username": name, "password": PASSWORD}
        answers.append(_ask(port, LOGIN, typed=typed, address=address))
        sleep(max(0.0, min(answers[-1].wait, until - monotonic())))
    return answers


def _read(port: int, paths: Sequence[str], number: int, until: float) -> list[_Answer]:
    answers = []
    for path in cycle((*paths[number:], *paths[:number])):
        if monotonic() >= until:
            break
        answers.append(_ask(port, path))
        sleep(READING)
    return answers


def _hang_up(port: int) -> None:
    while _free[port]:
        _free[port].popleft()[0].close()


def _check_health(port: int, found: list[float], end: Event) -> None:
    while not end.wait(BETWEEN_CHECKS):
        found.append(_ask(port, "/healthz").seconds)


def _ask(
    port: int,
    path: str,
    due: float | None = None,
    *,
    typed: Mapping[str, str] | None = None,
    address: str = LOOPBACK,
) -> _Answer:
    """Ask for a page, on the connection that is free for the longest, as proxies do, or a new one.

    With ``typed``, a form is sent. ``address`` is the visitor's.
    """
    headers, body = {"X-Forwarded-For": address}, None
    if typed is not None:
        body = urlencode({**typed, "csrfmiddlewaretoken": TOKEN})
        kind = "application/x-www-form-urlencoded"
        headers |= {"Content-Type": kind, "Cookie": f"csrftoken={TOKEN}"}
    begun = monotonic() if due is None else due
    free = _free[port]
    try:
        connection, used = free.popleft()
    except IndexError:  # there is none, or another thread has just taken it
        connection = http.client.HTTPConnection(LOOPBACK, port, timeout=PATIENCE)
        used = monotonic()
    if monotonic() - used > IDLE:
        connection.close()  # the next request opens it
    try:
        connection.request("GET" if body is None else "POST", path, body, headers)
        response = connection.getresponse()
        response.read()
    except (OSError, http.client.HTTPException):
        connection.close()
        return _Answer(0, monotonic() - begun)
    free.append((connection, monotonic()))
    wait = float(response.headers.get("Retry-After", 0))
    return _Answer(response.status, monotonic() - begun, wait)
