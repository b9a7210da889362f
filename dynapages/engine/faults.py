"""The faults that calls may meet, and the answers by which they show."""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Literal, get_args
from zlib import crc32

from dynapages.engine.proxy import HTML, SINGLE_WRITES, Answer, Call, refusal

Fault = Literal[
    "throttled",
    "rate exceeded",
    "server error",
    "front end",
    "expired token",
    "conflict",
    "unprocessed",
    "partly unprocessed",
    "reset before",
    "reset after",
    "stalled",
    "cut",
    "truncated",
    "dripping",
    "wrong checksum",
    "damaged",
]
"""What a call may meet.

Refused, and nothing is changed:

- ``throttled``: ProvisionedThroughputExceededException; a transaction is cancelled with the reason
  ThrottlingError; calls that neither read nor write items meet a ThrottlingException
- ``rate exceeded``: ThrottlingException, a transaction as well
- ``server error``: InternalServerError, with the status 500
- ``front end``: a page of HTML, with the status 503
- ``expired token``: ExpiredTokenException
- ``conflict``: a transaction is cancelled with the reason TransactionConflict; a single write meets
  a TransactionConflictException; other calls do not meet this fault
- ``unprocessed``: a batch is answered without having done anything; other calls do not meet it

Carried out, maybe in part:

- ``partly unprocessed``: half of a batch is done, rounded down; other calls do not meet it
- ``reset after``: carried out, and the answer is lost
- ``cut``: the connection is reset in the middle of the answer
- ``truncated``: half of the answer arrives, as if it were whole, with the checksum of the whole
- ``dripping``: there are ``drip_seconds`` after each byte of the answer
- ``wrong checksum``: the answer is right, but for its header x-amz-crc32
- ``damaged``: one of ``bodies`` is answered, with a checksum of its own

Not answered:

- ``reset before``: not carried out, and the connection is reset
- ``stalled``: not carried out, no answer for ``stall_seconds``, then the connection is reset
"""
TRANSACTIONS = frozenset({"TransactWriteItems", "TransactGetItems"})
BATCHES = frozenset({"BatchWriteItem", "BatchGetItem"})
OPERATIONS_ON_ITEMS = TRANSACTIONS | BATCHES | SINGLE_WRITES | {"GetItem", "Query", "Scan"}
OPERATIONS_WITH: Mapping[Fault, frozenset[str]] = {
    "conflict": TRANSACTIONS | SINGLE_WRITES,
    "unprocessed": BATCHES,
    "partly unprocessed": BATCHES,
}
"""Faults of some operations; all others meet each operation."""
RANDOM_FAULTS: tuple[Fault, ...] = tuple(
    kind for kind in get_args(Fault) if kind not in {"dripping", "expired token"}
)
"""Those that may be drawn without being named: the other two make a test slow, or end it."""
DAMAGED_BODIES = (
    b"",
    b"[]",
    b"null",
    b"5",
    b'{"Item": {"pk": {"S": "a"}}',
    b'{"Item": {"pk": {"S": "\xe4"}}}',
)
"""Bodies that are no JSON object, or not UTF-8: with the status and checksum of a good answer."""
UNAVAILABLE_PAGE = b"<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>"
ONGOING = "Transaction is ongoing for the item"
TOO_FAST = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)
EXPIRED = "The security token included in the request is expired"
RATE_EXCEEDED = refusal(
    400, "ThrottlingException", "Rate of requests exceeds the allowed throughput."
)
REFUSALS: Mapping[Fault, Answer] = {
    "server error": refusal(500, "InternalServerError", "Internal server error"),
    "front end": Answer(503, UNAVAILABLE_PAGE, HTML),
    "expired token": refusal(400, "ExpiredTokenException", EXPIRED),
}
TableRequest = dict[str, Any] | list[Any]
"""What a batch requests of one table: ``Keys`` to read, or a list of writes."""


def can_meet(fault: Fault, operation: str) -> bool:
    """Return whether calls of an operation can meet a fault."""
    return fault not in OPERATIONS_WITH or operation in OPERATIONS_WITH[fault]


# Calls that are refused


def refusal_by(fault: Fault, call: Call, actions: Collection[int]) -> Answer | None:
    """Build the answer of a fault that refuses a call; None where the fault is another.

    ``actions`` are the indexes of a transaction's actions that are named as reasons.
    """
    if fault in REFUSALS:
        return REFUSALS[fault]
    if fault == "conflict":
        return conflict(call, actions)
    if fault == "throttled" and call.operation in TRANSACTIONS:
        return _cancelled(call, "ThrottlingError", TOO_FAST, actions)
    if fault == "throttled" and call.operation in OPERATIONS_ON_ITEMS:
        return refusal(400, "ProvisionedThroughputExceededException", TOO_FAST)
    if fault in {"throttled", "rate exceeded"}:
        return RATE_EXCEEDED
    return None


def conflict(call: Call, actions: Collection[int]) -> Answer:
    """Build the answer of a call that met another transaction at some of its actions."""
    if call.operation in TRANSACTIONS:
        return _cancelled(call, "TransactionConflict", ONGOING, actions)
    return refusal(400, "TransactionConflictException", ONGOING)


def _cancelled(call: Call, code: str, message: str, actions: Collection[int]) -> Answer:
    """Build the answer of a transaction that is cancelled because of the actions at indexes."""
    number = len(call.request["TransactItems"])
    reasons = [{"Code": "None"} for _ in range(number)]
    for index in actions:
        reasons[index] = {"Code": code, "Message": message}
    codes = ", ".join(reason["Code"] for reason in reasons)
    sentence = (
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    )
    return refusal(400, "TransactionCanceledException", sentence, CancellationReasons=reasons)


# Answers that do not arrive as they were sent


def spoiled(
    answer: Answer, fault: Fault, *, drip_seconds: float, damaged_body: bytes
) -> Answer | None:
    """Return a good answer as it arrives with a fault; None where it is lost."""
    if fault == "reset after":
        return None
    if fault == "cut":
        return replace(answer, is_cut=True)
    if fault == "truncated":
        half = answer.body[: len(answer.body) // 2]
        return replace(answer, body=half, checksum=crc32(answer.body))
    if fault == "wrong checksum":
        return replace(answer, checksum=crc32(answer.body) ^ 1)
    if fault == "dripping":
        return replace(answer, byte_seconds=drip_seconds)
    return replace(answer, body=damaged_body)


# Batches that are done in part


def halves(requests: Mapping[str, TableRequest]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divide the RequestItems of a batch into its first half and the rest, each by table."""
    remaining = sum(len(_entries(request)) for request in requests.values()) // 2
    first: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for table, request in requests.items():
        entries = _entries(request)
        in_first, in_rest = entries[:remaining], entries[remaining:]
        if in_first:
            first[table] = _with_entries(request, in_first)
        if in_rest:
            rest[table] = _with_entries(request, in_rest)
        remaining -= len(in_first)
    return first, rest


def batch_answer(
    call: Call, unprocessed: Mapping[str, TableRequest], done: Answer | None = None
) -> Answer:
    """Build the answer of a batch of which a part is unprocessed; ``done`` is that of the rest."""
    answer: dict[str, Any] = done.decoded() if done else {}
    name = "UnprocessedItems"
    if call.operation == "BatchGetItem":
        name = "UnprocessedKeys"
        answer.setdefault("Responses", {})
    together = dict(unprocessed)
    # The engine itself may have left something of what it was sent.
    for table, request in answer.get(name, {}).items():
        entries = [*_entries(request), *_entries(unprocessed.get(table, []))]
        together[table] = _with_entries(request, entries)
    return Answer(HTTPStatus.OK, json.dumps({**answer, name: together}).encode())


def _entries(request: TableRequest) -> list[Any]:
    """Return what a batch requests of one table: keys, or writes."""
    return request["Keys"] if isinstance(request, dict) else request


def _with_entries(request: TableRequest, entries: list[Any]) -> TableRequest:
    return {**request, "Keys": entries} if isinstance(request, dict) else entries
