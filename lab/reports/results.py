"""What was measured, as rows of one shape; the tables, plots and pages are made of them.

A row is one figure: of which part of a command, of which page of which list, as which reader read
it, which metric, and its value. What a row is not about is None. Rows are kept as JSON lines.
"""

import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from operator import add
from statistics import fmean, median, quantiles
from typing import NamedTuple, Self

import django

from dynapages.calls import Call

Value = float | int | str
RUN = "run"
"""The part whose rows tell where and how all others were measured."""
BUSY = 1.0
"""Load average above which times are distorted. Below, it may be of work that has just ended."""


class Row(NamedTuple):
    """One figure."""

    part: str
    list: str | None
    page: int | None
    reader: str | None
    metric: str
    value: Value


def rows(
    part: str,
    values: Mapping[str, Value],
    *,
    list: str | None = None,  # noqa: A002 - the name of the row's field
    page: int | None = None,
    reader: str | None = None,
) -> Iterator[Row]:
    """Yield a row for each metric and its value."""
    for metric, value in values.items():
        yield Row(part, list, page, reader, metric, value)


class Results(tuple[Row, ...]):
    """Rows, and what is asked of them; their order is that of tables."""

    __slots__ = ()

    def where(self, **wanted: object) -> "Results":
        """Return the rows whose fields have these values, or one of those in a tuple."""
        allowed = [
            (Row._fields.index(field), value if isinstance(value, tuple) else (value,))
            for field, value in wanted.items()
        ]
        return Results(row for row in self if all(row[at] in values for at, values in allowed))

    def by(self, *fields: str) -> "dict[tuple[object, ...], Results]":
        """Group the rows by some of their fields, in the order of their first rows."""
        groups: dict[tuple[object, ...], list[Row]] = {}
        for row in self:
            groups.setdefault(tuple(getattr(row, field) for field in fields), []).append(row)
        return {key: Results(found) for key, found in groups.items()}

    def names(self, field: str) -> list[str]:
        """Return the values of a field, each once, without None."""
        found = dict.fromkeys(getattr(row, field) for row in self)
        return [name for name in found if name is not None]

    def values(self, metric: str) -> list[Value]:
        """Return all values of a metric."""
        return [row.value for row in self if row.metric == metric]

    def value(self, metric: str) -> Value:
        """Return the first value of a metric. Raises KeyError where there is none."""
        try:
            return self.values(metric)[0]
        except IndexError:
            raise KeyError(metric) from None

    def numbers(self, metric: str) -> list[float]:
        """Return the values of a metric that are numbers."""
        return [value for value in self.values(metric) if not isinstance(value, str)]

    def number(self, metric: str) -> float:
        """Return the first number of a metric; 0 where there is none."""
        return next(iter(self.numbers(metric)), 0)

    def facts(self) -> dict[str, Value]:
        """Return the first value of each metric, by its name."""
        return {row.metric: row.value for row in reversed(self)}

    def as_lines(self) -> str:
        """Format the rows as JSON lines."""
        return "".join(f"{json.dumps(row._asdict(), ensure_ascii=False)}\n" for row in self)

    @classmethod
    def of_lines(cls, text: str) -> Self:
        """Read what `as_lines` returned. Raises ValueError or TypeError for anything else."""
        return cls(Row(**json.loads(line)) for line in text.splitlines())


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
        """Sum up metered calls, whose bytes are not known; the units are Amazon DynamoDB's."""
        return cls(
            requests=len({call.number for call in calls}),
            items_read=sum(call.items_read for call in calls),
            capacity_units=sum(call.amazon_units for call in calls),
        )

    @classmethod
    def mean(cls, costs: Iterable[Self]) -> Self:
        """Return the mean of at least one cost."""
        columns = zip(*map(astuple, costs), strict=True)
        return cls(*(round(fmean(values), 2) for values in columns))

    def metrics(self, of: str = "") -> dict[str, Value]:
        """Return the figures by the names of their metrics, which begin with ``of``.

        Without bytes where none were counted.
        """
        found = asdict(self)
        return {f"{of}{name}": found[name] for name in found if name in METERED or found[name]}


METERED = ("requests", "items_read", "capacity_units")


class Timing(NamedTuple):
    """Milliseconds: the median of all turns, their 95th percentile, and the processor's median.

    The last one is the time of this process alone, in all its threads.
    """

    median_ms: float
    p95_ms: float
    processor_ms: float

    @classmethod
    def of(cls, seconds: Sequence[float], of_processor: Sequence[float]) -> "Timing":
        found = median(seconds), percentile_95(seconds), median(of_processor)
        return cls(*(round(each * 1000, 3) for each in found))

    def metrics(self, of: str) -> dict[str, Value]:
        """Return all by the names of their metrics, which begin with ``of``."""
        return {f"{of}.{name}": value for name, value in self._asdict().items()}


def percentile_95(values: Sequence[float]) -> float:
    """Return the 95th percentile of at least one value."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def medians_of(results: Results) -> str:
    """Format what times are: ``medians of 5 turns``."""
    turns = results.number("turns")
    return f"medians of {turns} turn{'' if turns == 1 else 's'}"


def machine_rows(*, engine: str) -> Iterator[Row]:
    """Yield where it is measured; ``load`` is the load average just before."""
    found: dict[str, Value] = {
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "django": django.get_version(),
        "engine": engine,
        "load": round(os.getloadavg()[0], 2),
    }
    return rows(RUN, found)


def machine_sentence(results: Results) -> str:
    """Describe the machine, without its name or its user's."""
    run = results.where(part=RUN).facts()
    return (
        f"Measured on {run['cores']} cores ({run['system']}) with Python {run['python']}, Django "
        f"{run['django']} and {run['engine']}."
    )


def machine_warning(results: Results) -> str:
    """Warn that other work may have distorted the times; empty where there was none."""
    load = results.where(part=RUN).number("load")
    if load <= BUSY:
        return ""
    return (
        f"Other work was running (load average {load:g} before the start): "
        "the times are distorted, the costs are not."
    )
