"""How fast comments are imported with exact counts, and how fast the same items without any.

The raw rate is BatchWriteItem's for the comments' items alone, without long bodies: nothing stored
is read, there is no transaction and no counter. Both load comments of their own, in turns, into
one growing table.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from comments.imports.writer import BulkWriter, in_chunks
from comments.items import NewComment, items_of
from comments.models import Comment
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.tables.create import create_missing
from lab.bench.comment_data import CommentData
from lab.bench.context import BenchContext
from lab.reports.bench_figures import COUNTED, RAW, ImportFigures

PRODUCTS = 10
"""Products that a load's comments are spread over."""


def measure_imports(context: BenchContext, *, comments: int, turns: int) -> ImportFigures:
    """Load ``comments`` comments each way in each turn. Raises what the writers do."""
    create_missing([Comment], client=client())
    ways: dict[str, Callable[[Sequence[NewComment]], None]] = {RAW: _put, COUNTED: _import}
    found: dict[str, list[float]] = {name: [] for name in ways}
    with context.progress.step("Importing", total=turns * len(ways), unit="") as advance:
        for turn in range(turns):
            for name in sorted(ways, reverse=bool(turn % 2)):
                load = _comments(f"{name.replace(' ', '-')}-{turn}", comments, seed=turn)
                began = time.perf_counter()
                ways[name](load)
                found[name].append(round(comments / (time.perf_counter() - began), 1))
                advance(1)
    return ImportFigures(comments=comments, turns=turns, per_second=found)


def _comments(load: str, number: int, *, seed: int) -> list[NewComment]:
    made = CommentData(number, seed=seed).comments()
    return [
        replace(comment, id=f"{load}-{comment.id}", product_id=f"{load}-{n % PRODUCTS}")
        for n, comment in enumerate(made)
    ]


def _put(comments: Sequence[NewComment]) -> None:
    items = [items_of(comment)[0].serialize() for comment in comments]
    Batches(client(), pool()).put(Comment.Meta.table_name, items)


def _import(comments: Sequence[NewComment]) -> None:
    writer = BulkWriter(Batches(client(), pool()))
    for chunk in in_chunks(comments):
        writer.write(chunk)
