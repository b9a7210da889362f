"""One run of the benchmarks, from making the data to the report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from dynamo.engine import BinaryMissing, find
from dynamo.progress import Progress
from lab.bench.comment_data import CommentAnswers, CommentData
from lab.bench.comment_pages import comment_cases, furnish
from lab.bench.grid import grid, measure_grid
from lab.bench.grounds import Stage, set_stage
from lab.bench.importing import measure_imports
from lab.bench.order_data import OrderAnswers, OrderData
from lab.bench.order_pages import order_cases, sign_in
from lab.bench.pages import measure_pages
from lab.bench.report import DataFigures, Figures, Machine, Part, Report
from lab.bench.stores import DataSet, Stores
from lab.bench.throughput import measure_throughput

PARTS = ("comments", "grid", "throughput", "orders", "imports")
COMMENTS, GRID, THROUGHPUT, ORDERS, IMPORTS = PARTS
ON_COMMENTS, ON_ORDERS = frozenset({COMMENTS, GRID, THROUGHPUT}), frozenset({ORDERS})
"""The parts that a data set is loaded for."""
TURNS_OF_ONE = 12
"""Turns of pages that are made for each turn of what takes long: the grid, throughput."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What to measure: ``pages`` are page numbers, ``turns`` how often each is timed.

    ``orders`` are those of one customer, ``queued`` the open ones of all others. ``seconds`` is
    how long a turn of throughput lasts, ``imported`` how many comments one of imports loads.
    """

    parts: Sequence[str]
    comments: int
    orders: int
    queued: int
    pages: Sequence[int]
    turns: int
    seconds: float
    imported: int
    fresh: bool = False


def run_benchmarks(asked: Asked, *, progress: Progress) -> Report:
    """Measure what was asked for. Raises EngineError, WrongAnswer and PageFailed."""
    binary = find(settings.BASE_DIR)
    if binary is None:
        raise BinaryMissing
    stores = Stores(settings.VAR_DIR / "bench", binary, progress)
    machine = Machine.here(engine=stores.engine_version())
    parts: dict[str, Part] = {}
    for data, wanted in _data_sets(asked):
        if not wanted:
            continue
        stored = stores.hold(data, fresh=asked.fresh)
        with set_stage(binary=binary, db_path=stored.path, progress=progress) as stage:
            for name, figures in _measure(stage, data, asked):
                parts[name] = Part(figures, DataFigures(data.name, stored.load))
    if IMPORTS in asked.parts:
        parts[IMPORTS] = Part(_measure_imports(asked, binary=binary, progress=progress), None)
    return Report(machine=machine, parts=parts)


def _measure_imports(asked: Asked, *, binary: Path, progress: Progress) -> Figures:
    folder = settings.VAR_DIR / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory(dir=folder, prefix="imports-") as temporary,
        set_stage(binary=binary, db_path=Path(temporary) / "new.db", progress=progress) as stage,
    ):
        turns = ceil(asked.turns / TURNS_OF_ONE)
        return measure_imports(stage, comments=asked.imported, turns=turns)


def _data_sets(asked: Asked) -> Iterator[tuple[CommentData | OrderData, bool]]:
    yield CommentData(asked.comments), bool(ON_COMMENTS.intersection(asked.parts))
    yield OrderData(asked.orders, asked.queued), bool(ON_ORDERS.intersection(asked.parts))


def _measure(stage: Stage, data: DataSet, asked: Asked) -> Iterator[tuple[str, Figures]]:
    match data:
        case CommentData():
            return _measure_comments(stage, data, asked)
        case OrderData():
            return _measure_orders(stage, data, asked)
    raise TypeError(data)


def _measure_comments(
    stage: Stage, data: CommentData, asked: Asked
) -> Iterator[tuple[str, Figures]]:
    answers = CommentAnswers(data.comments())
    furnish()
    if COMMENTS in asked.parts:
        cases = list(comment_cases(answers, stage.site, pages=asked.pages, size=stage.page_size))
        yield COMMENTS, measure_pages(stage, cases, turns=asked.turns)
    turns = ceil(asked.turns / TURNS_OF_ONE)
    if GRID in asked.parts:
        yield GRID, measure_grid(stage, answers, list(grid()), turns=turns)
    if THROUGHPUT in asked.parts:
        seconds = asked.seconds
        yield THROUGHPUT, measure_throughput(stage, answers, turns=turns, seconds=seconds)


def _measure_orders(stage: Stage, data: OrderData, asked: Asked) -> Iterator[tuple[str, Figures]]:
    answers = OrderAnswers(data.orders())
    people = sign_in(stage)
    cases = list(order_cases(answers, people, pages=asked.pages, size=stage.page_size))
    yield ORDERS, measure_pages(stage, cases, turns=asked.turns)
