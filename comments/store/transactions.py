"""Transactions on comments and on the counts they change."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from comments.store.counts import Cell, cells_of, counters
from dynamo.calls.client import client
from dynamo.writes.actions import Action
from dynamo.writes.counters import Deltas, write_counted
from dynamo.writes.transactions import Transactions


class CountChanges:
    """What a transaction adds to the counts of products."""

    def __init__(self) -> None:
        self._deltas: dict[str, Counter[str]] = {}

    def add(self, product_id: str, one: Cell, created: datetime, number: int) -> None:
        """Add a number, which may be negative, to the counts of a cell and of a month."""
        for name in cells_of(*one, created):
            self._deltas.setdefault(product_id, Counter())[name] += number

    @property
    def deltas(self) -> Deltas:
        """The changes by product."""
        return self._deltas


def write(actions: Sequence[Action], changes: CountChanges) -> None:
    """Write actions on comments and the counts they change in one transaction.

    Raises ConditionFailed with the numbers of ``actions``, Contended, and botocore's errors.
    """
    write_counted(
        actions,
        changes.deltas,
        transactions=Transactions(client()),
        counters=lambda _product_id: counters(),
    )
