"""Runs of steps of ``migrate_items``, and what gets in their way."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from dynamo.calls.client import client, pool
from dynamo.upkeep.migrations import Checkpoint, Migration, Step
from dynamo.upkeep.pace import Pace
from dynamo.writes.actions import Action


class Killed(BaseException):
    """Stands for the end of the process."""


def step_named(steps: Sequence[Step], name: str) -> Step:
    return next(step for step in steps if step.name == name)


def migrate(step: Step, *, page: int | None = None, **how: Any) -> Checkpoint:
    """Carry out a step from its beginning, or with ``restart=False`` what is left of it."""
    pace = Pace(page, sleep=lambda _seconds: None)
    return Migration(client(), pool(), pace).carry_out(step, **{"restart": True, **how})


def interrupted(step: Step, *, page: int, after: int) -> Checkpoint:
    """Carry out a step from its beginning, kill it after so many pages; return how far it came."""
    left = iter(range(after))

    def kill(**_: object) -> None:
        if next(left, None) is None:
            raise Killed

    client().meta.events.register("before-call.dynamodb.Scan", kill)
    try:
        with pytest.raises(Killed):
            migrate(step, page=page)
    finally:
        client().meta.events.unregister("before-call.dynamodb.Scan", kill)
    return Migration(client(), pool()).load(step)


@contextmanager
def before_the_write(happens: Callable[[], object], *, of: str) -> Iterator[None]:
    """Let something happen between the first derivation of an item and its write.

    ``of`` is a part of the item's key.
    """
    left = [happens]
    write = Migration._write

    def meddle(migration: Migration, actions: Sequence[Action]) -> None:
        if left and of in str(actions):
            left.pop()()
        write(migration, actions)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Migration, "_write", meddle)
        yield
