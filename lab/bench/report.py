"""What one run found, as data: everything that tables and plots show comes from here."""

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import django

from lab.bench.stores import Load

BUSY = 1.0
"""Load average above which the times are worth less. Below, a minute's average may well remember
what has ended just before."""


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
    def here(cls, *, engine: str) -> "Machine":
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
        """Describe it, without anything that tells whose it is."""
        return (
            f"Measured on {self.cores} cores ({self.system}) with Python {self.python}, Django "
            f"{self.django} and {self.engine}; engine, site and benchmark share the cores."
        )

    @property
    def warning(self) -> str:
        """Say so when other work may have distorted the times; empty when none did."""
        if self.load <= BUSY:
            return ""
        return (
            f"Other work was running (load average {self.load:g} before the start): "
            "the times are distorted, the costs are not."
        )


@dataclass(frozen=True, slots=True)
class DataFigures:
    """A data set and how it was loaded."""

    name: str
    load: Load

    @property
    def sentence(self) -> str:
        load = self.load
        return (
            f"Data: {self.name}, {load.items:,} items, loaded by `dynoxide import` in "
            f"{load.seconds:.1f} s ({load.items_per_second:,.0f} items a second); "
            f"{load.megabytes:,.0f} MB with all indexes."
        )


class Figures(Protocol):
    """What one part of the benchmarks found."""

    def as_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a run: what was found, on which data, None where it makes its own."""

    figures: Figures
    data: DataFigures | None


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a run found, by the names of its parts."""

    machine: Machine
    parts: Mapping[str, Part]

    def as_dict(self) -> dict[str, Any]:
        """Give the figures as ``bench --json`` prints them."""
        return {
            "machine": asdict(self.machine),
            "parts": {
                name: {"data": asdict(part.data) if part.data else None, **part.figures.as_dict()}
                for name, part in self.parts.items()
            },
        }
