"""Repair of counts by a page: comments in partitions that were counted as empty.

The last page of a list reads these partitions as well (`with_empty_partitions`). What it finds
there is shown, and the counts of its languages and ratings are corrected.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf
from random import sample

from comments import keys
from comments.models import ByLanguageAndRating, Comment
from comments.store.counts import Cell, cell_name, counters
from comments.store.table import query_pages
from dynapages.lists import LEAST_UNITS, Entry, Order, Page, PageRequest, Run
from dynapages.process import client, read
from dynapages.writes import ConditionFailed, write_transaction

MOST_CHECKED = 8
"""Partitions: half a capacity unit each."""
MOST_READ_OF_EMPTY = 200
"""Comments of these partitions that are read for one page."""
MOST_RECOUNTED = 10_000
"""Comments of a language and rating up to which a page recounts; `check_integrity` does all."""

logger = logging.getLogger(__name__)


def with_empty_partitions(
    product_id: str, page: Page, runs: Sequence[Run], order: Order, *, most_units: float = inf
) -> Page:
    """Add to a last page the comments in runs that were counted as empty; correct the counts.

    At least one of the runs is read, and no more than ``most_units`` allow.
    """
    most = int(max(1, min(MOST_CHECKED, most_units / LEAST_UNITS)))
    if len(runs) > most:
        # By chance, so that the page of another request reads the others.
        runs = sample(runs, most)
    late = read(runs, PageRequest(MOST_READ_OF_EMPTY), look_ahead=False)
    cells: set[Cell] = set()
    for entry in late.entries:
        comment = Comment.from_raw_data(dict(entry.item))
        cells.add((comment.language, int(comment.rating)))
    if cells:
        _recount(product_id, cells)
    entries = sorted(
        (*page.entries, *late.entries), key=_sort_key, reverse=order is Order.NEWEST_FIRST
    )
    return replace(
        page,
        entries=tuple(entries),
        rounds=page.rounds + late.rounds,
        reads=(*page.reads, *late.reads),
    )


def _sort_key(entry: Entry) -> str:
    return entry.position.place


def _recount(product_id: str, cells: Collection[Cell]) -> None:
    """Store the numbers of comments of some languages and ratings, as they are counted now."""
    counts_are_wrong = False
    known: dict[str, int] = {}
    for cell in cells:
        number = _count(product_id, cell)
        # None stands for more than were counted, and is left to `check_integrity`.
        if number is not None:
            known[cell_name(*cell)] = number
        if number != 0:
            counts_are_wrong = True
    if counts_are_wrong:
        logger.warning("%s has comments where its counts say none: %s", product_id, sorted(cells))
    # The counts are stored on condition that nobody has changed them while comments were counted.
    try:
        actions = counters().set_sums(product_id, known)
        if actions:
            write_transaction(client(), actions)
    except ConditionFailed:
        logger.info("%s is being written to: the next reader will recount", product_id)


def _count(product_id: str, language_and_rating: Cell) -> int | None:
    """Count comments in their own index; None when there are more than a page should count."""
    partition = keys.product_partition(product_id, *language_and_rating)
    pages = query_pages(
        ByLanguageAndRating.partition == partition,
        IndexName=ByLanguageAndRating.Meta.index_name,
        Select="COUNT",
    )
    counted = 0
    for page in pages:
        counted += page["Count"]
        if counted > MOST_RECOUNTED:
            return None
    return counted
