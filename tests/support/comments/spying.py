"""Watches what is asked of DynamoDB, before it is sent."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dynamo.calls.client import client


@dataclass(frozen=True)
class Asked:
    """One request: the operation, and its parameters."""

    operation: str
    parameters: dict[str, Any]


@contextmanager
def spied() -> Iterator[list[Asked]]:
    """Collect what the process's client is asked inside the block, but for what tables look like.

    That is asked by `tests.support.strict`, when it first sees an index.
    """
    requests: list[Asked] = []

    def note(params: dict[str, Any], model: Any, **_: object) -> None:
        if model.name != "DescribeTable":
            requests.append(Asked(model.name, dict(params)))

    with hooked("before-parameter-build.dynamodb.*", note):
        yield requests


@contextmanager
def hooked(event: str, hook: Callable[..., Any]) -> Iterator[None]:
    """Have the process's client call a hook at each such event inside the block."""
    events = client().meta.events
    events.register(event, hook)
    try:
        yield
    finally:
        events.unregister(event, hook)
