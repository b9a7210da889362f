"""Writes that are counted: actions and the changes of counters they bring, all or nothing."""

from collections.abc import Callable, Mapping, Sequence

from dynamo.writes.actions import Action
from dynamo.writes.counters import Counters
from dynamo.writes.transactions import Transactions

Deltas = Mapping[str, Mapping[str, int]]
"""What a write adds to counters: the counter's name to cells and their changes."""


def write_counted(
    actions: Sequence[Action],
    deltas: Deltas,
    *,
    transactions: Transactions,
    counters: Callable[[str], Counters],
) -> None:
    """Write actions and counts in one transaction; where writers of a counter meet, it spreads.

    ``counters`` gives, for the name of a counter, the `Counters` it is one of. Raises like
    `Transactions.write`; the counts come last, so that the numbers of failed actions are those
    of ``actions``.
    """
    names = [name for name, cells in deltas.items() if any(cells.values())]

    def build() -> list[Action]:
        return [*actions, *(counters(name).change(name, deltas[name]) for name in names)]

    def spread(conflicts: frozenset[int]) -> None:
        for number, name in enumerate(names, len(actions)):
            if number in conflicts:
                counters(name).spread(name)

    transactions.write(build, on_conflict=spread)
