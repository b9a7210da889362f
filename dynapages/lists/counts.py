"""What a feed may be told of its list: how much each partition holds, and how many items there are.

Both are functions, or `Shares` a mapping. Those of `dynapages.Feed.apage` may be awaited.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from decimal import Decimal
from inspect import isawaitable
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

# Keys are of any type: a mapping by KeyValue would not be a `dict[str, int]`.
Weights: TypeAlias = Mapping[Any, float]
"""Numbers of any scale that tell how much of a list each partition holds, such as its items."""
Shares: TypeAlias = Weights | Callable[[Sequence[Any]], Weights | Awaitable[Weights]]
"""Weights, or a function that returns those of some partitions."""
Total: TypeAlias = Callable[[], int | Awaitable[int]]
"""A function that returns how many items a list has."""


def returned(result: T | Awaitable[T]) -> T:
    """Return what a function returned. Raises TypeError where that is to be awaited."""
    if isawaitable(result):
        if isinstance(result, Coroutine):
            result.close()
        raise TypeError("A function that is awaited is for apage and async for")
    return result


async def awaited(result: T | Awaitable[T]) -> T:
    """Return what a function returned, awaited where it is to be."""
    if isawaitable(result):
        value: T = await result
        return value
    return result


def checked_total(total: Total | None) -> Total | None:
    """Return a function, or None for none. Raises ValueError for what cannot be called."""
    if total is not None and not callable(total):
        sentence = f"total is a function that returns how many items there are, and not {total!r}"
        raise ValueError(sentence)
    return total


def checked_count(count: int) -> int:
    """Return how many items a list has. Raises ValueError for what is not an int."""
    given: object = count
    if not isinstance(given, int) or isinstance(given, bool):
        sentence = f"The function total returns an int, and not {given!r}"
        raise ValueError(sentence)  # noqa: TRY004 - wrong, as the arguments
    return count


def checked_weights(weights: Weights | None) -> Weights | None:
    """Return weights, or None for none. Raises ValueError for what is not a mapping to numbers."""
    if weights is None:
        return None
    given: object = weights
    if not isinstance(given, Mapping):
        sentence = f"Shares are numbers by partition, as {{'red': 60}}, and not {given!r}"
        raise ValueError(sentence)  # noqa: TRY004 - a wrong argument, as the others
    for partition, number in weights.items():
        if isinstance(number, bool) or not isinstance(number, int | float | Decimal):
            sentence = f"The share of {partition!r} is a number of at least 0, not {number!r}"
            raise ValueError(sentence)  # noqa: TRY004 - likewise
    return weights
