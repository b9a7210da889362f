"""Upkeep: integrity checks with repair, migrations, and erasure of a person's data."""

from dynapages.upkeep.derived import Derived, texts_in
from dynapages.upkeep.erasure import StoredItem, Trace, erase
from dynapages.upkeep.integrity import (
    Candidate,
    Difference,
    Handlers,
    Kind,
    compare,
    every_item,
    find_differences,
    key_of,
    repair_once,
)
from dynapages.upkeep.migrations import AnotherRun, Migration, MigrationStep, Pace
from dynapages.upkeep.sums import Sums

__all__ = [
    "AnotherRun",
    "Candidate",
    "Derived",
    "Difference",
    "Handlers",
    "Kind",
    "Migration",
    "MigrationStep",
    "Pace",
    "StoredItem",
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
