"""Partitions that the counts held for empty: looked at when the end of a list is reached.

A wrong count may cost capacity, but must not hide a comment for good. So the last page of a list
looks into the partitions its plan skipped. What is found there is shown on that page, wherever
it belongs in the order, and the counts that hid it are put right, so that the next reader finds
it in its place.

What is counted are the comments themselves, under every read model: a copy in a set can outlive
its comment for a while, and must not be counted in.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace

from comments.filters import CommentFilter
from comments.indexes.access_patterns import exact_pattern
from comments.models import Comment
from comments.store.counts import Cell, cell, counters
from dynamo.calls.client import client
from dynamo.lists.merging import Entry
from dynamo.lists.reader import Page, PageRequest
from dynamo.lists.runs import Run
from dynamo.lists.site_reader import read
from dynamo.writes.transactions import ConditionFailed, write_together

logger = logging.getLogger(__name__)

MOST_FOUND_LATE = 200
MOST_RECOUNTED = 10_000
"""Comments of a language and rating up to which a page recounts; `check_integrity` does all."""


def with_skipped(product_id: str, page: Page, skipped: Sequence[Run]) -> Page:
    """Add to a last page what the skipped runs hold after all, and put their counts right."""
    late = read(skipped, PageRequest(MOST_FOUND_LATE), look_ahead=False)
    if late.entries:
        _recount(product_id, {_cell_of(entry) for entry in late.entries})
    entries = sorted(
        (*page.entries, *late.entries), key=lambda entry: entry.position.place, reverse=True
    )
    return replace(
        page,
        entries=tuple(entries),
        rounds=page.rounds + late.rounds,
        reads=(*page.reads, *late.reads),
    )


def _cell_of(entry: Entry) -> Cell:
    comment = Comment.from_raw_data(dict(entry.item))
    return comment.language, int(comment.rating)


def _recount(product_id: str, cells: Collection[Cell]) -> None:
    counted = {cell(*one): _count(product_id, one) for one in cells}
    if any(number != 0 for number in counted.values()):
        logger.warning("%s has comments where its counts say none: %s", product_id, sorted(cells))
    known = {name: number for name, number in counted.items() if number is not None}
    try:
        if actions := counters().settle(product_id, known):
            write_together(client(), actions)
    except ConditionFailed:
        logger.info("%s is being written to: the next reader will recount", product_id)


def _count(product_id: str, one: Cell) -> int | None:
    """Count comments from their own index; None when there are more than a page should count."""
    chosen = CommentFilter.of([one[0]], [one[1]])
    (run,) = exact_pattern(chosen).runs(product_id, chosen)
    pages = (
        client()
        .get_paginator("query")
        .paginate(
            TableName=run.index.table,
            IndexName=run.index.name or "",
            KeyConditionExpression="#p = :p",
            ExpressionAttributeNames={"#p": run.index.partition_key},
            ExpressionAttributeValues={":p": {"S": run.partition}},
            Select="COUNT",
        )
    )
    counted = 0
    for page in pages:
        counted += page["Count"]
        if counted > MOST_RECOUNTED:
            return None
    return counted
