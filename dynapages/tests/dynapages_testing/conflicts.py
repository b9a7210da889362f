"""Transactions that are cancelled as no engine of the tests does it, and Amazon's does."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from botocore.exceptions import ClientError

from dynapages_testing.hooks import hooked


@contextmanager
def conflicts(number: int) -> Iterator[list[str]]:
    """Let the next ``number`` transactions meet another on their last action, the counts.

    Gives the partition keys of the items they met on.
    """
    met: list[str] = []
    lock = Lock()

    def meet(params: dict[str, Any], **_: object) -> None:
        actions = params["TransactItems"]
        with lock:
            if len(met) >= number:
                return
            met.append(actions[-1]["Update"]["Key"]["pk"]["S"] if "Update" in actions[-1] else "")
        raise cancelled(len(actions))

    with hooked("provide-client-params.dynamodb.TransactWriteItems", meet):
        yield met


@contextmanager
def throttles(number: int) -> Iterator[None]:
    """Let the next ``number`` transactions be throttled on their first action."""
    left = list(range(number))

    def throttle(params: dict[str, Any], **_: object) -> None:
        if left:
            left.pop()
            raise cancelled(len(params["TransactItems"]), "ThrottlingError", at=0)

    with hooked("provide-client-params.dynamodb.TransactWriteItems", throttle):
        yield


def cancelled(actions: int, code: str = "TransactionConflict", *, at: int = -1) -> ClientError:
    """Make the error of a transaction that met another on one of its actions, or was throttled."""
    reasons = [{"Code": "None"}] * actions
    reasons[at] = {"Code": code}
    error = {"Code": "TransactionCanceledException", "Message": "cancelled"}
    return ClientError(
        {"Error": error, "CancellationReasons": reasons},
        "TransactWriteItems",
    )
