"""Watches what is asked of DynamoDB, before it is sent."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dynapages_testing.hooks import hooked


@dataclass(frozen=True)
class Asked:
    """One request: the operation, and its parameters."""

    operation: str
    parameters: dict[str, Any]


@contextmanager
def spied() -> Iterator[list[Asked]]:
    """Collect what the process's client is asked inside the block, but for what tables look like.

    That is asked by `dynapages_testing.strict`, when it first sees an index.
    """
    requests: list[Asked] = []

    def note(params: dict[str, Any], model: Any, **_: object) -> None:
        if model.name != "DescribeTable":
            requests.append(Asked(model.name, dict(params)))

    with hooked("before-parameter-build.dynamodb.*", note):
        yield requests
