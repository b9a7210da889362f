"""What a feed may be told of its list: how much each partition holds, and how many items there are.

Both are functions, or `Shares` a mapping. Those of `dynapages.Feed.apage` may be awaited.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from inspect import isawaitable
from math import inf
from typing import Any, TypeAlias, TypeVar

from dynapages.calls.meter import Meter, labelled_calls, metered_apart
from dynapages.lists.key_texts import Key

T = TypeVar("T")

# Keys are of any type: a mapping by KeyValue would not be a `dict[str, int]`.
Weights: TypeAlias = Mapping[Any, float]
"""Numbers of any scale that tell how much of a list each partition holds, such as its items."""
Shares: TypeAlias = Weights | Callable[[Sequence[Any]], Weights | Awaitable[Weights]]
"""Weights, or a function that returns those of some partitions."""
Total: TypeAlias = Callable[[], int | Awaitable[int]]
"""A function that returns how many items a list has."""


TOTAL = "total"
"""The label of the calls that count a list."""


# Shares


def checked_shares(shares: Shares | None) -> Shares | None:
    """Return shares as they are given. Raises ValueError for what are none."""
    return shares if callable(shares) else _checked_weights(shares)


def weights_of(shares: Shares | None, partitions: Sequence[Key]) -> Weights | None:
    """Return how much of a list each partition holds, None where that is not known.

    Raises ValueError for what are no weights, and TypeError for a function that is awaited.
    """
    if not callable(shares):
        return shares
    return _checked_weights(_returned(shares(partitions)))


async def aweights_of(shares: Shares | None, partitions: Sequence[Key]) -> Weights | None:
    """Return the same by a function that may be awaited."""
    if not callable(shares):
        return shares
    return _checked_weights(await _awaited(shares(partitions)))


def _checked_weights(weights: Weights | None) -> Weights | None:
    """Return weights, or None for none. Raises ValueError for what is not a mapping to numbers."""
    if weights is None:
        return None
    given: object = weights
    if not isinstance(given, Mapping):
        sentence = f"Shares are numbers by partition, as {{'red': 60}}, and not {given!r}"
        raise ValueError(sentence)  # noqa: TRY004 - a wrong argument, as the others
    for partition, number in weights.items():
        if not _is_share(number):
            sentence = f"The share of {partition!r} is a number of at least 0, not {number!r}"
            raise ValueError(sentence)
    return weights


def _is_share(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal):
        return False
    return 0 <= number < inf


# Totals


@dataclass(frozen=True, slots=True)
class Counted:
    """How many items a list has, and the calls that this took."""

    total: int
    calls: Meter


def checked_total(total: Total | None) -> Total | None:
    """Return a function, or None for none. Raises ValueError for what cannot be called."""
    if total is not None and not callable(total):
        sentence = f"total is a function that returns how many items there are, and not {total!r}"
        raise ValueError(sentence)
    return total


def counted(total: Total) -> Counted:
    """Count a list. Raises what the function does, ValueError for what it may not return."""
    with metered_apart() as calls, labelled_calls(TOTAL):
        return Counted(_checked_count(_returned(total())), calls)


async def acounted(total: Total) -> Counted:
    """Count a list by a function that may be awaited."""
    with metered_apart() as calls, labelled_calls(TOTAL):
        return Counted(_checked_count(await _awaited(total())), calls)


def _checked_count(count: int) -> int:
    """Return how many items a list has. Raises ValueError for what is not an int."""
    given: object = count
    if not isinstance(given, int) or isinstance(given, bool):
        sentence = f"The function total returns an int, and not {given!r}"
        raise ValueError(sentence)  # noqa: TRY004 - wrong, as the arguments
    return count


# Functions that may be awaited


def _returned(result: T | Awaitable[T]) -> T:
    """Return what a function returned. Raises TypeError where that is to be awaited."""
    if isawaitable(result):
        if isinstance(result, Coroutine):
            result.close()
        raise TypeError("A function that is awaited is for apage and async for")
    return result


async def _awaited(result: T | Awaitable[T]) -> T:
    """Return what a function returned, awaited where it is to be."""
    if isawaitable(result):
        value: T = await result
        return value
    return result
