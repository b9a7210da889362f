"""Counters that are spread over more shards than they begin with, and their folding."""

from collections.abc import Iterator
from functools import partial

from dynamo.items import Item
from dynamo.upkeep.integrity import Difference
from dynamo.writes.counters import Counters
from dynamo.writes.shards import shards_in


def spread_hints(counters: Counters, name: str, item: Item, subject: str) -> Iterator[Difference]:
    """Yield a hint if this is the first shard of a counter that could be folded.

    Its sums are right; it only costs more to read. Mending folds it, unless it is changed at that
    moment.
    """
    number, least = shards_in(item), counters.least_shards
    if number > least:
        fold = partial(counters.fold, name)
        yield Difference("shards", subject, str(number), str(least), fold, is_hint=True)
