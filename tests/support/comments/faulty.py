"""A DynamoDB that fails on purpose: at one call, or now and then."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from random import Random
from threading import Lock
from typing import Any, Literal

from botocore.exceptions import ClientError, EndpointConnectionError

from dynapages_testing.conflicts import cancelled
from dynapages_testing.hooks import before_the_next, hooked

When = Literal["before it is sent", "after it was applied"]
EVENTS: dict[When, str] = {
    "before it is sent": "provide-client-params.dynamodb.*",
    "after it was applied": "after-call.dynamodb.*",
}
READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan"})
NEVER: dict[When, frozenset[str]] = {
    "before it is sent": frozenset({"DescribeTable"}),
    "after it was applied": READS | {"DescribeTable"},
}
"""What is not let fail: a read may as well not be sent; `strict` describes tables."""


class Killed(BaseException):
    """Stands for the end of the process."""


@dataclass
class Fault:
    """A call that fails: the ``number``-th, counted from 1, or the first of a ``kind``; or none.

    ``calls`` are the kinds of those that were made, up to the one that failed. With ``kills`` it
    is the process that ends there, so that no later call is made either.
    """

    when: When
    number: int | None = None
    kind: str | None = None
    kills: bool = False
    calls: list[str] = field(default_factory=list)
    failed: bool = False
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def injected(self) -> Iterator[None]:
        with hooked(EVENTS[self.when], self._meet):
            yield

    def _meet(self, model: Any, context: dict[str, Any], **event: Any) -> None:
        if model.name in NEVER[self.when]:
            return
        request = event.get("params") or context["dynamo_request"]
        with self._lock:
            if self.failed and self.kills:
                raise Killed
            if self.failed:
                return
            self.calls.append(kind_of(model.name, request))
            self.failed = len(self.calls) == self.number or self.calls[-1] == self.kind
            if not self.failed:
                return
        if self.kills:
            raise Killed
        raise EndpointConnectionError(endpoint_url="nowhere")


def faults(when: When, *, every_call: bool, kills: bool = False) -> Iterator[Fault]:
    """Failures of what is done again in each round: at every call, or at one write of each kind.

    In one of the rounds nothing fails. Limits are written before all else: those are no kind.
    """
    if every_call:
        for number in count(1):
            fault = Fault(when, number, kills=kills)
            yield fault
            if not fault.failed:
                return
    healthy = Fault(when)
    yield healthy
    for kind in dict.fromkeys(healthy.calls):
        if kind.partition(" ")[0] in READS or kind.endswith("LIMIT"):
            continue
        fault = Fault(when, kind=kind)
        yield fault
        assert fault.failed, kind


def kind_of(operation: str, request: Mapping[str, Any]) -> str:
    """Name the operation, and the tables, the index and the kinds of items it is for."""
    if "TransactItems" in request:
        actions = [action for each in request["TransactItems"] for action in each.items()]
        targets = {f"{name} {_target(action)}" for name, action in actions}
    elif "RequestItems" in request:
        targets = set(request["RequestItems"])
    else:
        targets = {_target(request)}
    return f"{operation} {', '.join(sorted(targets))}"


def _target(request: Mapping[str, Any]) -> str:
    key = request.get("Key") or request.get("Item") or {}
    prefixes = [key[name]["S"].partition("#")[0] for name in ("pk", "sk") if name in key]
    kinds = [prefix for prefix in prefixes if prefix.isalpha()]
    return " ".join([request["TableName"], request.get("IndexName", ""), *kinds])


@contextmanager
def unreachable() -> Iterator[None]:
    """Let every call fail, as when there is no network."""

    def fail(**_: object) -> None:
        raise EndpointConnectionError(endpoint_url="nowhere")

    with hooked(EVENTS["before it is sent"], fail):
        yield


@contextmanager
def troubled(*, seed: int, conflicts: float, throttled: float) -> Iterator[None]:
    """Let transactions meet others, and calls be throttled, with these probabilities."""
    random, lock = Random(seed), Lock()

    def trouble(params: dict[str, Any], model: Any, **_: object) -> None:
        with lock:
            conflict, throttle = random.random() < conflicts, random.random() < throttled
        if conflict and model.name == "TransactWriteItems":
            raise cancelled(len(params["TransactItems"]))
        if throttle:
            error = {"Code": "ThrottlingException", "Message": "too fast"}
            raise ClientError({"Error": error}, model.name)

    with hooked("provide-client-params.dynamodb.*", trouble):
        yield


before_the_next_transaction = partial(before_the_next, "TransactWriteItems")
