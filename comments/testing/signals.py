"""The signals of comments that are sent while a test runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.dispatch import Signal

from comments import signals


class SentSignal(NamedTuple):
    """A signal of `comments.signals`: its name there, and the arguments receivers got."""

    name: str
    arguments: dict[str, Any]


@contextmanager
def sent_signals() -> Iterator[list[SentSignal]]:
    """Return a list that gets each signal of comments which is sent in the block, in order.

    The project's own receivers are called as well.
    """
    everything = vars(signals).items()
    names = {value: name for name, value in everything if isinstance(value, Signal)}
    found: list[SentSignal] = []

    def receive(signal: Signal, **arguments: Any) -> None:  # noqa: ANN401 - each signal has its own
        found.append(SentSignal(names[signal], arguments))

    for signal in names:
        signal.connect(receive)
    try:
        yield found
    finally:
        for signal in names:
            signal.disconnect(receive)
