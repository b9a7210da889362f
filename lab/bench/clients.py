"""Clients that visit a server's pages one after another, over connections that are kept alive."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter

from dynapages.engine.child import LOOPBACK
from lab.bench.site import PageFailed

HEADERS = {"Accept-Language": "en", "Accept-Encoding": "gzip"}
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
USER_TICKS, SYSTEM_TICKS = 11, 12
"""Where the times are in /proc/<pid>/stat, counted from behind the name in parentheses."""


@dataclass(slots=True)
class Throughput:
    """How many pages a side served to some clients in all turns, and how fast.

    ``latencies`` are seconds, one for each page; ``refused`` are the pages that a server that was
    full did not answer. ``processor`` are the seconds that each process took of the processor, by
    its pid.
    """

    rates: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    processor: dict[int, float] = field(default_factory=dict)
    refused: int = 0

    @property
    def pages_a_second(self) -> float:
        """The median of the turns."""
        return median(self.rates)

    @property
    def busiest_share(self) -> float:
        """How much of the processes' time on the processor is of the busiest of them."""
        return max(self.processor.values()) / sum(self.processor.values())

    @property
    def processor_of_a_page(self) -> float:
        """Seconds of the processor for each page."""
        return sum(self.processor.values()) / len(self.latencies)

    def latency(self, share: float) -> float:
        """Return the seconds within which this share of the pages was answered."""
        slowest_last = sorted(self.latencies)
        return slowest_last[int(share * (len(slowest_last) - 1))]


def visit(
    port: int, pid: int, paths: Sequence[Sequence[str]], *, seconds: float, served: Throughput
) -> None:
    """Let a client for each of the sequences of paths visit a server; add what was ``served``.

    A client goes through its paths again and again, for some seconds. ``pid`` is that of the
    server's first process, of whose children the time on the processor is taken. Raises PageFailed.
    """
    before = processor_seconds(pid)
    began = perf_counter()

    def visit_one_by_one(of_client: Sequence[str]) -> tuple[list[float], int]:
        return _latencies(port, of_client, until=began + seconds)

    answered = 0
    with ThreadPoolExecutor(len(paths)) as threads:
        for latencies, refused in threads.map(visit_one_by_one, paths):
            answered += len(latencies)
            served.latencies += latencies
            served.refused += refused
    served.rates.append(answered / (perf_counter() - began))
    for child, processor in processor_seconds(pid).items():
        spent = processor - before.get(child, 0.0)
        served.processor[child] = served.processor.get(child, 0.0) + spent


def _latencies(port: int, paths: Sequence[str], *, until: float) -> tuple[list[float], int]:
    """Return the seconds that each page took, all by one connection, and how many were refused."""
    latencies: list[float] = []
    refused = 0
    with closing(HTTPConnection(LOOPBACK, port)) as connection:
        for path in cycle(paths):
            began = perf_counter()
            if began > until:
                break
            connection.request("GET", path, headers=HEADERS)
            response = connection.getresponse()
            response.read()
            if response.status == HTTPStatus.SERVICE_UNAVAILABLE:
                refused += 1
                continue
            if response.status != HTTPStatus.OK:
                raise PageFailed(path, response.status)
            latencies.append(perf_counter() - began)
    return latencies, refused


def processor_seconds(pid: int) -> dict[int, float]:
    """Return the seconds of the processor that each child of a process has taken (Linux)."""
    seconds = {}
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        stat = Path(f"/proc/{child}/stat").read_text()
        # The name of the program, which may hold anything, is in parentheses.
        numbers = stat.rpartition(")")[2].split()
        ticks = int(numbers[USER_TICKS]) + int(numbers[SYSTEM_TICKS])
        seconds[int(child)] = ticks / TICKS_PER_SECOND
    return seconds
