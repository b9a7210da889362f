"""Stored values compared with derived ones: each check derives, compares, and mends."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from dynamo.upkeep.integrity import Difference

V = TypeVar("V")


def differing(
    kind: str,
    subject: str,
    stored: object,
    expected: object,
    *,
    mend: Callable[[], bool] | None = None,
) -> Iterator[Difference]:
    """Yield the difference of two values, if there is one."""
    if stored != expected:
        yield Difference(kind, subject, str(stored), str(expected), mend)


def differing_parts(
    kind: str,
    subject: str,
    stored: Mapping[str, V],
    expected: Mapping[str, V],
    *,
    show: Callable[[str, V], str],
    mend: Callable[[dict[str, V]], bool],
) -> Iterator[Difference]:
    """Yield the difference of two values of the same parts, in the order of ``expected``.

    Only the parts that differ are shown; ``mend`` is called with those expected.
    """
    wrong = {name: value for name, value in expected.items() if stored[name] != value}
    if wrong:
        shown = ", ".join(show(name, stored[name]) for name in wrong)
        wanted = ", ".join(show(name, value) for name, value in wrong.items())
        yield Difference(kind, subject, shown, wanted, partial(mend, wrong))
