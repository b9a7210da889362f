"""Figures of both commands: costs, times, and the machine they were taken on."""

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from operator import add
from statistics import fmean, median, quantiles
from typing import Self

import django

from dynamo.calls.meter import Call

BUSY = 1.0
"""Load average above which times are distorted. Below, it may be of work that has just ended."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Requests to DynamoDB, items they read, capacity units, and bytes of the answers' bodies.

    ``items_read`` counts items that were read, returned or not. The figures may be means.
    """

    requests: float = 0
    items_read: float = 0
    capacity_units: float = 0.0
    response_bytes: float = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(*map(add, astuple(self), astuple(other)))

    @classmethod
    def of(cls, calls: Sequence[Call]) -> Self:
        """Sum up metered calls, whose bytes are not known."""
        return cls(
            requests=len({call.number for call in calls}),
            items_read=sum(call.items_read for call in calls),
            capacity_units=sum(call.capacity_units for call in calls),
        )

    @classmethod
    def mean(cls, costs: Iterable[Self]) -> Self:
        """Return the mean of at least one cost."""
        columns = zip(*map(astuple, costs), strict=True)
        return cls(*(round(fmean(values), 2) for values in columns))


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds: the median of all turns, and their 95th percentile."""

    median_ms: float
    p95_ms: float

    @classmethod
    def of(cls, seconds: list[float]) -> Self:
        return cls(round(median(seconds) * 1000, 3), round(percentile_95(seconds) * 1000, 3))


def percentile_95(values: Sequence[float]) -> float:
    """Return the 95th percentile of at least one value."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def medians_of(turns: int) -> str:
    """Format what times are: ``medians of 5 turns``."""
    return f"medians of {turns} turn{'' if turns == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where it was measured; ``load`` is the load average just before."""

    cores: int
    system: str
    python: str
    django: str
    engine: str
    load: float

    @classmethod
    def here(cls, *, engine: str) -> Self:
        return cls(
            cores=os.cpu_count() or 1,
            system=f"{platform.system()} {platform.machine()}",
            python=platform.python_version(),
            django=django.get_version(),
            engine=engine,
            load=round(os.getloadavg()[0], 2),
        )

    @property
    def sentence(self) -> str:
        """Describe the machine, without its name or its user's."""
        return (
            f"Measured on {self.cores} cores ({self.system}) with Python {self.python}, Django "
            f"{self.django} and {self.engine}; engine, site and benchmark share the cores."
        )

    @property
    def warning(self) -> str:
        """Warn that other work may have distorted the times; empty where there was none."""
        if self.load <= BUSY:
            return ""
        return (
            f"Other work was running (load average {self.load:g} before the start): "
            "the times are distorted, the costs are not."
        )
