"""How many pages a second the whole site serves: gunicorn with two workers, as ``make run``.

Clients, site and engine share the machine, so that the absolute numbers are low; compare those of
different filters with each other. The lists take turns. Then each of many different pages is
requested once, to see what the processes have filled their memory with.
"""

import http.client
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice, zip_longest
from math import inf
from pathlib import Path
from statistics import median

from comments.filters import CommentFilter
from comments.lists.listing import pager_of
from demo.processes import WORKERS, serving
from dynamo.engine import LOOPBACK
from dynamo.lists.runs import Position
from lab.bench.comment_data import PRODUCT_ID, CommentAnswers
from lab.bench.context import BenchContext, PageFailed, site_config
from lab.bench.grid import grid
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
VARIED = 3_400
"""Different pages that are requested for the memory."""
PSS = re.compile(r"^Pss: +(\d+) kB$", re.MULTILINE)


def measure_throughput(
    context: BenchContext, answers: CommentAnswers, *, turns: int, seconds: float
) -> ThroughputFigures:
    """Request pages of each list for ``seconds`` at a time. Raises DemoFailed and PageFailed."""
    paths = {name: _paths(context, answers, chosen) for name, chosen in LISTS.items()}
    rates: dict[str, list[float]] = {name: [] for name in paths}
    varied = list(islice(_varied(context, answers), VARIED))
    config = site_config(context.endpoint_url)
    with serving(config) as site:
        at_start = memory_of(site.pid)
        for of_list in paths.values():
            _request(config.port, of_list, seconds=seconds / 2)
        total = turns * len(paths)
        with context.progress.step("Requesting pages", total=total, unit="") as advance:
            for _ in range(turns):
                for name, of_list in paths.items():
                    rates[name].append(_request(config.port, of_list, seconds=seconds))
                    advance(1)
        with ThreadPoolExecutor(CLIENTS) as clients:
            parts = [varied[number::CLIENTS] for number in range(CLIENTS)]
            seen = sum(clients.map(lambda part: _run_client(config.port, part), parts))
        after = memory_of(site.pid)
    return ThroughputFigures(
        workers=WORKERS,
        clients=CLIENTS,
        turns=turns,
        seconds=seconds,
        per_second={name: round(median(found), 1) for name, found in rates.items()},
        varied=seen,
        megabytes=(at_start, after),
    )


def memory_of(pid: int) -> float:
    """Return the megabytes of a process and its children: the sum of their PSS (Linux).

    PSS counts a page of memory that several processes share once, in parts.
    """
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    rollups = (Path(f"/proc/{each}/smaps_rollup").read_text() for each in (pid, *children))
    kilobytes = (int(found[1]) for text in rollups if (found := PSS.search(text)))
    return round(sum(kilobytes) / 1024, 1)


def _varied(context: BenchContext, answers: CommentAnswers) -> Iterator[str]:
    """Yield the paths of the first pages of all lists of the grid, then of the second ones."""
    lists = [_paths(context, answers, chosen) for chosen in grid()]
    yield from (path for nth in zip_longest(*lists) for path in nth if path)


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
        starts = (number * len(paths) // CLIENTS for number in range(CLIENTS))
        turns = (cycle((*paths[start:], *paths[:start])) for start in starts)
        served = sum(clients.map(lambda turn: _run_client(port, turn, until), turns))
        return served / (time.perf_counter() - began)


def _run_client(port: int, paths: Iterable[str], until: float = inf) -> int:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=30)
    served = 0
    try:
        for path in paths:
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
