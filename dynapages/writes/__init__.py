"""Writes: transactions with retries, sharded counters, totals of lists, rate limits."""

from dynapages.writes.counters import (
    SHARDS,
    Counters,
    Deltas,
    NoSuchCounter,
    shards_in,
    write_with_counters,
)
from dynapages.writes.counting import Counting
from dynapages.writes.rate_limiter import Limit, Limiter, Spent
from dynapages.writes.shards import Shards
from dynapages.writes.transactions import (
    MOST_ACTIONS,
    Action,
    ConditionFailed,
    Contended,
    Expression,
    Transactions,
    check,
    delete,
    put,
    too_old,
    unchanged,
    update,
    write_item,
    write_transaction,
)

__all__ = [
    "MOST_ACTIONS",
    "SHARDS",
    "Action",
    "ConditionFailed",
    "Contended",
    "Counters",
    "Counting",
    "Deltas",
    "Expression",
    "Limit",
    "Limiter",
    "NoSuchCounter",
    "Shards",
    "Spent",
    "Transactions",
    "check",
    "delete",
    "put",
    "shards_in",
    "too_old",
    "unchanged",
    "update",
    "write_item",
    "write_transaction",
    "write_with_counters",
]
