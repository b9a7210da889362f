"""What happens beside the calls of a client: between two of them, or in place of one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dynapages.process import client


@contextmanager
def hooked(event: str, hook: Callable[..., object], *, of: Any = None) -> Iterator[None]:
    """Have botocore call a hook at an event, of this client or of that of the process."""
    events = (of or client()).meta.events
    events.register(event, hook)
    try:
        yield
    finally:
        events.unregister(event, hook)


@contextmanager
def before_the_next(operation: str, happens: Callable[[], object]) -> Iterator[None]:
    """Let something happen, once, just before the next call of an operation is sent."""
    left = [happens]

    def meet(**_: object) -> None:
        if left:
            left.pop()()

    with hooked(f"provide-client-params.dynamodb.{operation}", meet):
        yield
