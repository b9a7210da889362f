"""Transactions that meet others: what no engine of the tests ever answers, and Amazon's does."""

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


def cancelled(actions: int) -> ClientError:
    """Make the error of a transaction that met another on its last action."""
    reasons = [{"Code": "None"}] * (actions - 1) + [{"Code": "TransactionConflict"}]
    error = {"Code": "TransactionCanceledException", "Message": "met another"}
    return ClientError(
        {"Error": error, "CancellationReasons": reasons},
        "TransactWriteItems",
    )
