"""How many pages a second the whole site serves: gunicorn with two workers, as ``make run``.

Clients, site and engine share the machine, so that the absolute numbers are low; compare those of
different filters with each other. The lists take turns.
"""

import http.client
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from statistics import median

from comments.filters import CommentFilter
from comments.lists.listing import pager_of
from demo.processes import WORKERS, serving
from dynamo.engine.ports import LOOPBACK
from dynamo.lists.runs import Position
from lab.bench.comment_data import PRODUCT_ID, CommentAnswers
from lab.bench.context import BenchContext, PageFailed, site_config
from lab.bench.pages import cut, path_of
from lab.reports.bench_figures import UNFILTERED, ThroughputFigures

LISTS = {
    UNFILTERED: CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "three ratings": CommentFilter.of(ratings=(1, 3, 5)),
    "four ratings, two languages": CommentFilter.of(("de", "en"), (1, 2, 4, 5)),
}
CLIENTS = 4
PAGES = 25
"""Pages of each list that are requested in turn."""


def measure_throughput(
    context: BenchContext, answers: CommentAnswers, *, turns: int, seconds: float
) -> ThroughputFigures:
    """Request pages of each list for ``seconds`` at a time. Raises DemoFailed and PageFailed."""
    paths = {name: _paths(context, answers, chosen) for name, chosen in LISTS.items()}
    rates: dict[str, list[float]] = {name: [] for name in paths}
    config = site_config(context.endpoint_url)
    with serving(config):
        for of_list in paths.values():
            _request(config.port, of_list, seconds=seconds / 2)
        total = turns * len(paths)
        with context.progress.step("Requesting pages", total=total, unit="") as advance:
            for _ in range(turns):
                for name, of_list in paths.items():
                    rates[name].append(_request(config.port, of_list, seconds=seconds))
                    advance(1)
    return ThroughputFigures(
        workers=WORKERS,
        clients=CLIENTS,
        turns=turns,
        seconds=seconds,
        per_second={name: round(median(found), 1) for name, found in rates.items()},
    )


def _paths(context: BenchContext, answers: CommentAnswers, chosen: CommentFilter) -> list[str]:
    positions = [Position(place) for place in answers.places(chosen)]
    pages = min(PAGES, len(positions) // context.page_size)
    pager = pager_of(PRODUCT_ID, chosen)
    return [
        path_of(pager, cut(positions, page=page, size=context.page_size)[0])
        for page in range(1, pages + 1)
    ]


def _request(port: int, paths: Sequence[str], *, seconds: float) -> float:
    """Send requests from all clients at once, and return the pages a second."""
    until = time.perf_counter() + seconds
    with ThreadPoolExecutor(CLIENTS) as clients:
        began = time.perf_counter()
        served = sum(
            clients.map(lambda first: _run_client(port, paths, first, until), range(CLIENTS))
        )
        return served / (time.perf_counter() - began)


def _run_client(port: int, paths: Sequence[str], number: int, until: float) -> int:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=30)
    served = 0
    start = number * len(paths) // CLIENTS
    try:
        for path in cycle((*paths[start:], *paths[:start])):
            if time.perf_counter() >= until:
                return served
            connection.request("GET", path)
            response = connection.getresponse()
            response.read()
            if response.status != http.client.OK:
                raise PageFailed(path, response.status)
            served += 1
        return served
    finally:
        connection.close()
