"""At the end of a list, check the partitions skipped because their count was zero.

A wrong count may cost capacity, but must not hide a comment for good. What the last page of a list
finds there is shown on it, and the comments themselves are counted anew. Of many partitions each
reader checks some, drawn at random.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf
from random import sample

from comments import keys
from comments.models import ByLanguageAndRating, Comment
from comments.store.counts import Cell, cell, counters
from comments.store.table import query_pages
from dynamo.calls.client import client
from dynamo.lists.merging import LEAST_UNITS
from dynamo.lists.reader import Order, Page, PageRequest, read
from dynamo.lists.runs import Run
from dynamo.writes.transactions import ConditionFailed, write_together

logger = logging.getLogger(__name__)

MOST_CHECKED = 8
"""Partitions: half a capacity unit each."""
MOST_FOUND_LATE = 200
MOST_RECOUNTED = 10_000
"""Comments of a language and rating up to which a page recounts; `check_integrity` does all."""


def with_empty_partitions(
    product_id: str, page: Page, runs: Sequence[Run], order: Order, *, most_units: float = inf
) -> Page:
    """Add to a last page the comments in runs that were counted as empty; correct the counts.

    At least one of the runs is read, and no more than ``most_units`` allow.
    """
    most = int(max(1, min(MOST_CHECKED, most_units / LEAST_UNITS)))
    if len(runs) > most:
        runs = sample(runs, most)
    late = read(runs, PageRequest(MOST_FOUND_LATE), look_ahead=False)
    if found := [Comment.from_raw_data(dict(entry.item)) for entry in late.entries]:
        _recount(product_id, {(each.language, int(each.rating)) for each in found})
    entries = sorted(
        (*page.entries, *late.entries),
        key=lambda entry: entry.position.place,
        reverse=order is Order.NEWEST_FIRST,
    )
    return replace(
        page,
        entries=tuple(entries),
        rounds=page.rounds + late.rounds,
        reads=(*page.reads, *late.reads),
    )


def _recount(product_id: str, cells: Collection[Cell]) -> None:
    counted = {cell(*one): _count(product_id, one) for one in cells}
    if any(number != 0 for number in counted.values()):
        logger.warning("%s has comments where its counts say none: %s", product_id, sorted(cells))
    known = {name: number for name, number in counted.items() if number is not None}
    try:
        if actions := counters().set_sums(product_id, known):
            write_together(client(), actions)
    except ConditionFailed:
        logger.info("%s is being written to: the next reader will recount", product_id)


def _count(product_id: str, one: Cell) -> int | None:
    """Count comments from their own index; None when there are more than a page should count."""
    partition = ByLanguageAndRating.partition == keys.product_partition(product_id, *one)
    index = ByLanguageAndRating.Meta.index_name
    counted = 0
    for page in query_pages(partition, IndexName=index, Select="COUNT"):
        counted += page["Count"]
        if counted > MOST_RECOUNTED:
            return None
    return counted
