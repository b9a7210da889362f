"""Transactions: all or nothing, with the retries botocore leaves to its caller.

A transaction that meets another one on the same item is cancelled with TransactionConflict;
botocore does not retry that. Here it is tried again, ever later, with jitter, a bounded number
of times. A condition that does not hold is not a conflict: it is the answer, and raised.
Follows "Amazon DynamoDB Transactions: How it works" of the Developer Guide.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynamo.calls.backoff import Backoff
from dynamo.calls.faults import Throttled, fault_in
from dynamo.errors import DynamoError
from dynamo.items import Item
from dynamo.writes.actions import Action

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

MOST_ACTIONS = 100

_CONFLICT = "TransactionConflict"
_RETRIED = frozenset(
    {_CONFLICT, "ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"}
)
_RETRIED_ERRORS = frozenset({"TransactionInProgressException", "TransactionConflictException"})
_BACKOFF = Backoff(attempts=10, first=0.02, longest=1.0)


class ConditionFailed(DynamoError):
    """A condition of the transaction did not hold; nothing was written.

    ``failed`` maps the number of each such action to the item as it is, where the action asked
    for it by ``ReturnValuesOnConditionCheckFailure`` (else to an empty one).
    """

    def __init__(self, failed: Mapping[int, Item]) -> None:
        super().__init__("Something that was read has changed since; nothing was written.")
        self.failed = failed


class Contended(Throttled):
    """Other writers kept winning until the last attempt; nothing was written."""

    retry_after = 1


@dataclass(frozen=True, slots=True)
class Transactions:
    """Write transactions of one client."""

    client: "DynamoDBClient"
    backoff: Backoff = _BACKOFF
    sleep: Callable[[float], None] = time.sleep

    def write(
        self,
        build: Callable[[], Sequence[Action]],
        *,
        on_conflict: Callable[[frozenset[int]], None] = lambda _numbers: None,
    ) -> None:
        """Write what ``build`` gives, which is asked anew for each attempt.

        ``on_conflict`` is told the numbers of the actions that met another transaction, before
        the next attempt; a sharded counter uses it to spread further.

        Raises ConditionFailed, Contended after the last attempt, and botocore's errors. An
        item may be named by one action only, and there may be 100 of them.
        """
        pauses = self.backoff.pauses()
        while True:
            try:
                self.client.transact_write_items(TransactItems=list(build()))  # type: ignore[arg-type]
            except ClientError as error:
                conflicts = _conflicts_in(error)
            else:
                return
            pause = next(pauses, None)
            if pause is None:
                raise Contended("Too many others are writing the same at the moment.")
            on_conflict(conflicts)
            self.sleep(pause)


def write_together(client: "DynamoDBClient", actions: Sequence[Action]) -> None:
    """Write a few actions as one; see `Transactions.write` for what it raises."""
    Transactions(client).write(lambda: actions)


def _conflicts_in(error: ClientError) -> frozenset[int]:
    """Give the actions that met another transaction; raise when trying again cannot help."""
    code = error.response["Error"]["Code"]
    if code in _RETRIED_ERRORS or isinstance(fault_in(error), Throttled):
        return frozenset()
    if code != "TransactionCanceledException":
        raise error
    reasons: Sequence[Mapping[str, Any]] = error.response.get("CancellationReasons", [])
    failed = {
        number: reason.get("Item", {})
        for number, reason in enumerate(reasons)
        if reason.get("Code") == "ConditionalCheckFailed"
    }
    if failed:
        raise ConditionFailed(failed) from error
    codes = [reason.get("Code") for reason in reasons]
    if not _RETRIED.intersection(codes):
        raise error
    return frozenset(number for number, code in enumerate(codes) if code == _CONFLICT)
