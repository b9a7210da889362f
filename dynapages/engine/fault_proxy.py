"""A proxy before an engine, which behaves like Amazon's on a bad day.

The engines of tests never fail, never throttle, never conflict and never lag. Behind this proxy
calls meet faults: exactly those of its `Rule` list, and others at random, by a seed. Transactions
may hold their items for a while, so that those that meet are cancelled. Eventual reads may lag, see
`dynapages.engine.lag`.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from random import Random
from threading import Lock
from time import sleep
from typing import Any, Literal, Self, get_args
from zlib import crc32

from dynapages.engine.lag import Lag, item_name
from dynapages.engine.proxy import HTML, SINGLE_WRITES, Answer, Call, Proxy, refusal

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
OF_ITEMS = TRANSACTIONS | BATCHES | SINGLE_WRITES | {"GetItem", "Query", "Scan"}
OPERATIONS_WITH: Mapping[Fault, frozenset[str]] = {
    "conflict": TRANSACTIONS | SINGLE_WRITES,
    "unprocessed": BATCHES,
    "partly unprocessed": BATCHES,
}
"""Faults of some operations; all others meet each operation."""
AT_RANDOM: tuple[Fault, ...] = tuple(
    kind for kind in get_args(Fault) if kind not in {"dripping", "expired token"}
)
DAMAGED = (
    b"",
    b"[]",
    b"null",
    b"5",
    b'{"Item": {"pk": {"S": "a"}}',
    b'{"Item": {"pk": {"S": "\xe4"}}}',
)
"""Bodies that are no JSON object, or not UTF-8: with the status and checksum of a good answer."""
OfTable = dict[str, Any] | list[Any]
"""What a batch asks for in one table: ``Keys`` to read, or a list of writes."""
PAGE = b"<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>"
ONGOING = "Transaction is ongoing for the item"
TOO_FAST = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)

IN_PROGRESS = refusal(
    400,
    "TransactionInProgressException",
    "The transaction with the given request token is already in progress.",
)
EXPIRED = "The security token included in the request is expired"
RATE_EXCEEDED = refusal(
    400, "ThrottlingException", "Rate of requests exceeds the allowed throughput."
)
REFUSALS: Mapping[Fault, Answer] = {
    "server error": refusal(500, "InternalServerError", "Internal server error"),
    "front end": Answer(503, PAGE, HTML),
    "expired token": refusal(400, "ExpiredTokenException", EXPIRED),
}


@dataclass(slots=True)
class Rule:
    """A fault that certain calls meet.

    They are the calls of ``operation`` and about ``table``, where these are given, for whose
    parameters ``when`` returns true. The first ``skip`` of them are spared, and after ``times``
    the rule is over; without ``times`` it never is. ``actions`` are the indexes of a transaction's
    actions that are reasons of its cancellation; -1 is the last. ``fired`` counts the calls that
    met the fault, ``matched`` the spared ones too.
    """

    fault: Fault
    operation: str | None = None
    table: str | None = None
    when: Callable[[Mapping[str, Any]], bool] | None = None
    times: int | None = None
    skip: int = 0
    actions: Collection[int] = (0,)
    fired: int = field(init=False, default=0)
    matched: int = field(init=False, default=0)

    def matches(self, call: Call) -> bool:
        """Return whether this is one of its calls."""
        if self.operation not in {None, call.operation} or not can_meet(self.fault, call.operation):
            return False
        if self.table is not None and self.table not in call.tables():
            return False
        return self.when is None or self.when(call.request)

    def fires(self) -> bool:
        """Count a call of its own; return whether it meets the fault."""
        if self.times is not None and self.fired >= self.times:
            return False
        self.matched += 1
        if self.matched <= self.skip:
            return False
        self.fired += 1
        return True


def can_meet(fault: Fault, operation: str) -> bool:
    """Return whether calls of an operation can meet a fault."""
    return fault not in OPERATIONS_WITH or operation in OPERATIONS_WITH[fault]


@dataclass(slots=True, kw_only=True)
class FaultProxy(Proxy):
    """A proxy whose calls meet faults: those of ``rules``, and others at random.

    The first rule that fires counts. Any other call meets one of ``kinds`` with the probability
    ``rate``, 0 to 1, drawn from ``seed``; without ``kinds``, any but ``dripping`` and ``expired
    token``. Transactions take ``lock_seconds`` longer, and then conflict with others of the same
    items; a second attempt meanwhile meets a TransactionInProgressException. ``lag`` says how far
    eventual reads are behind. All of these may be changed at any time. ``met`` counts the faults by
    (fault, operation).

    Within its ``with`` block, which raises EngineError where the lag needs an engine and none can
    start, clients reach it at ``endpoint_url``::

        with FaultProxy(engine.endpoint_url) as proxy:
            proxy.rules.append(Rule("reset after", operation="PutItem", times=1))
    """

    rules: list[Rule] = field(default_factory=list)
    lag: Lag = field(default_factory=Lag)
    rate: float = 0.0
    kinds: Sequence[Fault] = ()
    seed: int = 0
    lock_seconds: float = 0.0
    stall_seconds: float = 20.0
    drip_seconds: float = 0.5
    bodies: Sequence[bytes] = DAMAGED
    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    _random: Random = field(init=False)
    _guard: Lock = field(init=False, default_factory=Lock)
    _held: set[str] = field(init=False, default_factory=set)
    _keys: dict[str, Sequence[str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)  # noqa: S311 - repeatable, nothing secret

    def __enter__(self) -> Self:
        self.lag.open(self.upstream)
        # A dataclass with slots is a class of its own, which super() does not know.
        return super(FaultProxy, self).__enter__()

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        try:
            super(FaultProxy, self).__exit__(kind, *raised)
        finally:
            self.lag.close()

    def answer(self, call: Call) -> Answer | None:
        """Return what a call is answered, with its fault; None where there is no answer."""
        rule = self._rule_for(call)
        fault = rule.fault if rule else self._drawn(call.operation)
        if fault is None:
            return self._forward(call)
        with self._guard:
            self.met[fault, call.operation] += 1
        if fault == "reset before":
            return None
        if fault == "stalled":
            self.is_over.wait(self.stall_seconds)
            return None
        if fault == "unprocessed":
            return _batch_answer(call, call.request["RequestItems"])
        if fault == "partly unprocessed":
            return self._half(call)
        answer = _refusal(call, fault, rule.actions if rule else (0,))
        return answer or self._spoiled(self._forward(call), fault)

    def _rule_for(self, call: Call) -> Rule | None:
        for rule in tuple(self.rules):
            # A predicate is not called under the lock: it may wait for another call.
            if rule.matches(call):
                with self._guard:
                    if rule.fires():
                        return rule
        return None

    def _drawn(self, operation: str) -> Fault | None:
        with self._guard:
            if self._random.random() >= self.rate:
                return None
            kinds = [kind for kind in self.kinds or AT_RANDOM if can_meet(kind, operation)]
            return self._random.choice(kinds) if kinds else None

    def _spoiled(self, answer: Answer, fault: Fault) -> Answer | None:
        """Return an answer as it arrives; None where it is lost."""
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
            return replace(answer, byte_seconds=self.drip_seconds)
        with self._guard:
            return replace(answer, body=self._random.choice(self.bodies))

    # What is carried out.

    def _forward(self, call: Call) -> Answer:
        if not self.lock_seconds or call.operation not in OPERATIONS_WITH["conflict"]:
            return self.lag.send(call)
        with self._locked(call) as refused:
            if refused:
                return refused
            if call.operation == "TransactWriteItems":
                sleep(self.lock_seconds)
            return self.lag.send(call)

    @contextmanager
    def _locked(self, call: Call) -> Iterator[Answer | None]:
        """Lock the items that a call writes or checks, and its token, if nobody else holds them.

        Yields the refusal of the call where somebody does. What is only read is not locked.
        """
        items = [self._item_of(call, action) for action in call.actions()]
        token = f"token {call.request.get('ClientRequestToken', '')}"
        mine: set[str] = set()
        refused = None
        with self._guard:
            conflicts = [index for index, item in enumerate(items) if item in self._held]
            if token in self._held:
                refused = IN_PROGRESS  # the first attempt of this call is not over
            elif conflicts:
                refused = _conflict(call, conflicts)
            elif call.operation != "TransactGetItems":
                mine = set(items)
            if mine and "ClientRequestToken" in call.request:
                mine.add(token)
            self._held |= mine
        try:
            yield refused
        finally:
            with self._guard:
                self._held -= mine

    def _item_of(self, call: Call, action: Mapping[str, Any]) -> str:
        table, key = action["TableName"], action.get("Key")
        if key is None:
            names = self._key_names(call, table)
            key = {name: action["Item"][name] for name in names if name in action["Item"]}
        return item_name(table, key)

    def _key_names(self, call: Call, table: str) -> Sequence[str]:
        """Return the names of a table's key attributes; of a table that is not there, none."""
        if table not in self._keys:
            description = call.ask("DescribeTable", {"TableName": table}).decoded()
            parts = description.get("Table", {}).get("KeySchema", [])
            if not parts:
                return ()
            self._keys[table] = [part["AttributeName"] for part in parts]
        return self._keys[table]

    def _half(self, call: Call) -> Answer:
        """Carry out the first half of a batch."""
        first, rest = _halves(call.request["RequestItems"])
        if not first:
            return _batch_answer(call, rest)
        body = json.dumps({**call.request, "RequestItems": first}).encode()
        answer = self._forward(replace(call, body=body))
        return _batch_answer(call, rest, answer) if answer.status == HTTPStatus.OK else answer


def _refusal(call: Call, fault: Fault, actions: Collection[int]) -> Answer | None:
    """Build the answer of a fault that refuses a call; None where the fault is another."""
    if fault in REFUSALS:
        return REFUSALS[fault]
    if fault == "conflict":
        return _conflict(call, actions)
    if fault == "throttled" and call.operation in TRANSACTIONS:
        return _cancelled(call, "ThrottlingError", TOO_FAST, actions)
    if fault == "throttled" and call.operation in OF_ITEMS:
        return refusal(400, "ProvisionedThroughputExceededException", TOO_FAST)
    return RATE_EXCEEDED if fault in {"throttled", "rate exceeded"} else None


def _conflict(call: Call, actions: Collection[int]) -> Answer:
    if call.operation in TRANSACTIONS:
        return _cancelled(call, "TransactionConflict", ONGOING, actions)
    return refusal(400, "TransactionConflictException", ONGOING)


def _cancelled(call: Call, code: str, message: str, actions: Collection[int]) -> Answer:
    """Cancel a transaction because of the actions at some indexes."""
    number = len(call.request["TransactItems"])
    reasons = [{"Code": "None"} for _ in range(number)]
    for index in actions:
        reasons[index] = {"Code": code, "Message": message}
    codes = ", ".join(reason["Code"] for reason in reasons)
    said = (
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    )
    return refusal(400, "TransactionCanceledException", said, CancellationReasons=reasons)


def _halves(requests: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divide the RequestItems of a batch: by table the keys to read, or a list of writes."""
    wanted = sum(len(_entries(request)) for request in requests.values()) // 2
    first: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for table, request in requests.items():
        entries = _entries(request)
        if entries[:wanted]:
            first[table] = _with_entries(request, entries[:wanted])
        if entries[wanted:]:
            rest[table] = _with_entries(request, entries[wanted:])
        wanted = max(0, wanted - len(entries))
    return first, rest


def _entries(request: OfTable) -> list[Any]:
    """Return what a batch asks for in one table: keys, or writes."""
    return request["Keys"] if isinstance(request, dict) else request


def _with_entries(request: OfTable, entries: list[Any]) -> OfTable:
    return {**request, "Keys": entries} if isinstance(request, dict) else entries


def _batch_answer(call: Call, left: Mapping[str, Any], done: Answer | None = None) -> Answer:
    """Build the answer of a batch of which some is left unprocessed, and some maybe done."""
    answer: dict[str, Any] = done.decoded() if done else {}
    name = "UnprocessedItems"
    if call.operation == "BatchGetItem":
        name = "UnprocessedKeys"
        answer.setdefault("Responses", {})
    unprocessed = dict(left)
    for table, request in answer.get(name, {}).items():
        entries = [*_entries(request), *_entries(left.get(table, []))]
        unprocessed[table] = _with_entries(request, entries)
    return Answer(HTTPStatus.OK, json.dumps({**answer, name: unprocessed}).encode())
