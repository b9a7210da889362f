"""Upkeep: integrity checks with repair, and erasure of a person's data."""

from dynapages.upkeep.integrity import (
    Candidate,
    Derived,
    Difference,
    Handlers,
    Kept,
    Kind,
    Sums,
    Trace,
    compare,
    erase,
    every_item,
    find_differences,
    key_of,
    repair_once,
    texts_in,
)
from dynapages.upkeep.migrations import AnotherRun, Migration, MigrationStep, Pace

__all__ = [
    "AnotherRun",
    "Candidate",
    "Derived",
    "Difference",
    "Handlers",
    "Kept",
    "Kind",
    "Migration",
    "MigrationStep",
    "Pace",
    "Sums",
    "Trace",
    "compare",
    "erase",
    "every_item",
    "find_differences",
    "key_of",
    "repair_once",
    "texts_in",
]
