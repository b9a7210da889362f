"""Totals of lists, from counters: what `dynapages.Feed` takes as ``total``."""

from collections.abc import Sequence
from dataclasses import dataclass

from dynapages.calls import meter
from dynapages.writes.counters import Counters


@dataclass(frozen=True, slots=True)
class Counting:
    """How many items a list has, by the counter ``name`` that counts them when they are written.

    It is given to a feed: ``Feed(…, total=Counting(counters, "reviews of a lamp"))``. A call
    returns the sum of some ``cells``, or of all without them; a cell that the counter does not have
    is 0. It reads the counter eventually consistent: one BatchGetItem, of half a capacity unit for
    each shard. Its client counts in `metered` from then on.

    A call waits for its answer. For `dynapages.Feed.apage` give a function that is awaited, such as
    ``lambda: asyncio.to_thread(counting)``.

    Raises TypeError for ``cells`` that are one str.
    """

    counters: Counters
    name: str
    cells: Sequence[str] = ()

    def __post_init__(self) -> None:
        if isinstance(self.cells, str):
            raise TypeError(f"Cells are a list of names, such as [{self.cells!r}]")
        client = self.counters.batches.client
        if hasattr(client, "meta"):
            meter.attach(client)

    def __call__(self) -> int:
        """Return how many there are. Raises what `Counters.read` does."""
        sums = self.counters.read(self.name)
        if not self.cells:
            return sum(sums.values())
        return sum(sums.get(cell, 0) for cell in self.cells)
