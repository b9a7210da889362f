"""How many pages a second the whole site serves: gunicorn with two workers, as ``make run``.

The clients run in this process and share the machine with all the rest, so that the absolute
numbers are low; what counts is how those of different filters compare. The lists take turns.
"""

import http.client
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import cycle
from statistics import median
from typing import Any

from django.conf import settings

from comments.filters import CommentFilter
from comments.lists.listing import pager_of
from demo.processes import WORKERS, Ground
from dynamo.engine import EngineSilent
from dynamo.engine.child import Child
from dynamo.engine.ports import LOOPBACK, free_port
from dynamo.engine.server import answers as site_answers
from dynamo.lists.runs import Position
from lab.bench.comment_data import PRODUCT_ID, CommentAnswers
from lab.bench.grounds import PageFailed, Stage
from lab.bench.pages import cut, path_of

LISTS = {
    "no filter": CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "three ratings": CommentFilter.of(ratings=(1, 3, 5)),
    "four ratings, two languages": CommentFilter.of(("de", "en"), (1, 2, 4, 5)),
}
UNFILTERED = "no filter"
CLIENTS = 4
START_SECONDS = 60.0
POLL_SECONDS = 0.05
PAGES = 25
"""Pages of each list that are asked for in turn."""


@dataclass(frozen=True, slots=True)
class ThroughputFigures:
    """Pages a second, by the list: the median of the turns."""

    workers: int
    clients: int
    turns: int
    seconds: float
    per_second: Mapping[str, float]

    def ratio(self, name: str) -> float:
        """Compare a list with the one that has no filter."""
        return round(self.per_second[name] / self.per_second[UNFILTERED], 2)

    def as_dict(self) -> dict[str, Any]:
        """Give the figures, and how lists compare with no filter."""
        return {**asdict(self), "ratios": {name: self.ratio(name) for name in self.per_second}}


def measure_throughput(
    stage: Stage, answers: CommentAnswers, *, turns: int, seconds: float
) -> ThroughputFigures:
    """Ask for pages of each list for ``seconds`` at a time. Raises EngineSilent and PageFailed."""
    paths = {name: _paths(stage, answers, chosen) for name, chosen in LISTS.items()}
    rates: dict[str, list[float]] = {name: [] for name in paths}
    with _serving(stage) as port:
        for of_list in paths.values():
            _ask(port, of_list, seconds=seconds / 2)
        total = turns * len(paths)
        with stage.progress.step("Asking for pages", total=total, unit="") as advance:
            for _ in range(turns):
                for name, of_list in paths.items():
                    rates[name].append(_ask(port, of_list, seconds=seconds))
                    advance(1)
    return ThroughputFigures(
        workers=WORKERS,
        clients=CLIENTS,
        turns=turns,
        seconds=seconds,
        per_second={name: round(median(found), 1) for name, found in rates.items()},
    )


def _paths(stage: Stage, answers: CommentAnswers, chosen: CommentFilter) -> list[str]:
    positions = [Position(place) for place in answers.places(chosen)]
    pages = min(PAGES, len(positions) // stage.page_size)
    pager = pager_of(PRODUCT_ID, chosen)
    return [
        path_of(pager, cut(positions, page=page, size=stage.page_size)[0])
        for page in range(1, pages + 1)
    ]


@contextmanager
def _serving(stage: Stage) -> Iterator[int]:
    """Run the site as the demo does, on the engine of the stage, and give its port."""
    port = free_port()
    ground = Ground(
        project=settings.BASE_DIR,
        var=settings.VAR_DIR,
        port=port,
        environment={
            **{name: value for name, value in os.environ.items() if name != "AWS_PROFILE"},
            "ALLOWED_HOSTS": LOOPBACK,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "DEBUG": "0",
            "DYNAMODB_ENDPOINT_URL": stage.endpoint_url,
            "DYNAMODB_TABLE_PREFIX": settings.DYNAMODB_TABLE_PREFIX,
            "HTTPS": "0",
            "SECRET_KEY": settings.SECRET_KEY,
        },
        table_prefix=settings.DYNAMODB_TABLE_PREFIX,
        region=settings.AWS_REGION,
    )
    site = Child(ground.gunicorn(), env=ground.environment, listen=True)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not site_answers(port, path="/healthz"):
            if time.monotonic() > deadline or site.exit_code is not None:
                raise EngineSilent("The site", port, START_SECONDS)
            time.sleep(POLL_SECONDS)
        yield port
    finally:
        site.stop()


def _ask(port: int, paths: Sequence[str], *, seconds: float) -> float:
    """Ask with all clients at once; give how many pages a second were answered."""
    until = time.perf_counter() + seconds
    with ThreadPoolExecutor(CLIENTS) as clients:
        began = time.perf_counter()
        served = sum(
            clients.map(lambda first: _ask_alone(port, paths, first, until), range(CLIENTS))
        )
        return served / (time.perf_counter() - began)


def _ask_alone(port: int, paths: Sequence[str], number: int, until: float) -> int:
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
                sentence = f"{path} answered {response.status}"
                raise PageFailed(sentence)
            served += 1
        return served
    finally:
        connection.close()
