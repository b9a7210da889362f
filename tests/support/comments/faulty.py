"""A DynamoDB that fails on purpose: at one call, or now and then."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from threading import Lock
from typing import Any, Literal

from botocore.exceptions import ClientError, EndpointConnectionError

from dynamo.calls.client import client
from tests.support.comments.conflicts import cancelled

When = Literal["before it is sent", "after it was applied"]
EVENTS: dict[When, str] = {
    "before it is sent": "provide-client-params.dynamodb.*",
    "after it was applied": "after-call.dynamodb.*",
}


@contextmanager
def failing(number: int, when: When) -> Iterator[list[str]]:
    """Let call ``number``, counted from 1, fail; gives the operations that failed, one at most."""
    failed: list[str] = []
    lock, calls = Lock(), [0]

    def fail(model: Any, **_: object) -> None:
        with lock:
            calls[0] += 1
            if calls[0] != number:
                return
            failed.append(model.name)
        raise EndpointConnectionError(endpoint_url="nowhere")

    with _hooked(EVENTS[when], fail):
        yield failed


@contextmanager
def unreachable() -> Iterator[None]:
    """Let every call fail, as when there is no network."""

    def fail(**_: object) -> None:
        raise EndpointConnectionError(endpoint_url="nowhere")

    with _hooked(EVENTS["before it is sent"], fail):
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

    with _hooked("provide-client-params.dynamodb.*", trouble):
        yield


@contextmanager
def before_the_next_transaction(happens: Callable[[], object]) -> Iterator[None]:
    """Let something happen, once, just before a transaction is sent."""
    left = [happens]

    def meet(**_: object) -> None:
        if left:
            left.pop()()

    with _hooked("provide-client-params.dynamodb.TransactWriteItems", meet):
        yield


@contextmanager
def _hooked(event: str, hook: Any) -> Iterator[None]:
    events = client().meta.events
    events.register(event, hook)
    try:
        yield
    finally:
        events.unregister(event, hook)
