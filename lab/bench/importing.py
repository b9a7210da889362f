"""How fast comments are imported with exact counts, beside the same items put without any.

The raw rate is what `BatchWriteItem` gives for the comments' items alone, long bodies left out: no
reading of what is stored, no transaction, no counter. Both load comments of their own, in turns,
into one growing table.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

from comments.imports.writer import BulkWriter, in_chunks
from comments.items import NewComment, items_of
from comments.models import Comment
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.tables.create import create_missing
from lab.bench.comment_data import CommentData
from lab.bench.grounds import Stage

RAW, COUNTED = "raw batches", "with counts"
PRODUCTS = 10
"""Products that a load's comments are spread over."""


@dataclass(frozen=True, slots=True)
class ImportFigures:
    """Comments a second of each turn, loaded each way, some ``comments`` at a time."""

    comments: int
    turns: int
    per_second: dict[str, list[float]]

    @property
    def ratios(self) -> list[float]:
        """How the rate with counts compares with the raw one, turn by turn."""
        pairs = zip(self.per_second[COUNTED], self.per_second[RAW], strict=True)
        return [round(counted / raw, 2) for counted, raw in pairs]

    @property
    def ratio(self) -> float:
        """The median of the ratios."""
        return median(self.ratios)

    def as_dict(self) -> dict[str, Any]:
        """Give the figures, and how they compare."""
        return {**asdict(self), "ratios": self.ratios, "ratio": self.ratio}


def measure_imports(stage: Stage, *, comments: int, turns: int) -> ImportFigures:
    """Load so many comments each way in each turn. Raises what the writers do."""
    create_missing([Comment], client=client())
    ways: dict[str, Callable[[Sequence[NewComment]], None]] = {RAW: _put, COUNTED: _import}
    found: dict[str, list[float]] = {name: [] for name in ways}
    with stage.progress.step("Importing", total=turns * len(ways), unit="") as advance:
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
