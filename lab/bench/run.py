"""One run of the benchmarks, from making the data to the figures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from dynamo.progress import Progress
from lab.bench.comment_data import CommentAnswers, CommentData, SeasonData
from lab.bench.context import BenchContext, open_context, require_binary
from lab.bench.grid import grid, measure_grid
from lab.bench.importing import measure_imports
from lab.bench.lists import comment_lists, create_catalogue, order_lists
from lab.bench.order_data import OrderAnswers, OrderData
from lab.bench.pages import measure_pages
from lab.bench.seasons import ONE_IN, measure_seasons
from lab.bench.stores import Stores, version_of
from lab.bench.throughput import measure_throughput
from lab.peers.postgres import PostgresMissing, require_programs
from lab.reports.bench_figures import BenchFigures, Figures, Part
from lab.reports.figures import Machine

PARTS = ("comments", "grid", "throughput", "peers", "seasons", "orders", "imports")
COMMENTS, GRID, THROUGHPUT, PEERS, SEASONS, ORDERS, IMPORTS = PARTS
ON_COMMENTS = frozenset({COMMENTS, GRID, THROUGHPUT, PEERS})
"""The parts that the comments are loaded for."""
TURNS_OF_ONE = 12
"""Turns of pages for each turn of what takes long: the grid, throughput, imports."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to measure: ``pages`` are page numbers, ``turns`` how often each is timed.

    ``seasonal`` are the comments whose languages have seasons. ``orders`` are those of one
    customer, ``queued`` the open ones of all others. ``seconds`` is how long a turn of throughput
    lasts, ``imported`` how many comments one of imports loads.
    """

    parts: Sequence[str]
    comments: int
    seasonal: int
    orders: int
    queued: int
    pages: Sequence[int]
    turns: int
    seconds: float
    imported: int
    fresh: bool = False

    @property
    def long_turns(self) -> int:
        """The turns of what takes long."""
        return ceil(self.turns / TURNS_OF_ONE)


def run_benchmarks(options: Options, *, progress: Progress) -> BenchFigures:
    """Measure what ``options`` name and can run. Raises EngineError, WrongAnswer and PageFailed."""
    skipped = _skipped(options.parts)
    options = replace(options, parts=[part for part in options.parts if part not in skipped])
    folder, binary = settings.VAR_DIR / "bench", require_binary()
    stores = Stores(folder, binary, progress)
    machine = Machine.here(engine=version_of(binary))
    comments = CommentData(options.comments)
    orders = OrderData(options.orders, options.queued)
    parts: dict[str, Part] = {}
    if ON_COMMENTS.intersection(options.parts):
        stored = stores.hold(comments, fresh=options.fresh)
        with open_context(db_path=stored.path, progress=progress) as context:
            for name, found in _measure_comments(context, comments, options):
                parts[name] = Part(found, stored.figures)
    if SEASONS in options.parts:
        seasons = SeasonData(options.seasonal)
        stored = stores.hold(seasons, fresh=options.fresh)
        with open_context(db_path=stored.path, progress=progress) as context:
            parts[SEASONS] = Part(_measure_seasons(context, seasons), stored.figures)
    if ORDERS in options.parts:
        stored = stores.hold(orders, fresh=options.fresh)
        with open_context(db_path=stored.path, progress=progress) as context:
            parts[ORDERS] = Part(_measure_orders(context, orders, options), stored.figures)
    if IMPORTS in options.parts:
        parts[IMPORTS] = Part(_measure_imports(folder, options, progress=progress), None)
    return BenchFigures(machine=machine, parts=parts, skipped=skipped)


def _skipped(parts: Sequence[str]) -> dict[str, str]:
    """Return why parts cannot run here, by their names."""
    try:
        if PEERS in parts:
            require_programs()
    except PostgresMissing as error:
        return {PEERS: str(error)}
    return {}


def _measure_comments(
    context: BenchContext, data: CommentData, options: Options
) -> Iterator[tuple[str, Figures]]:
    answers = CommentAnswers(data.comments())
    create_catalogue()
    if COMMENTS in options.parts:
        lists = list(comment_lists(answers, context.site))
        yield COMMENTS, measure_pages(context, lists, pages=options.pages, turns=options.turns)
    turns = options.long_turns
    if GRID in options.parts:
        yield GRID, measure_grid(context, answers, list(grid()), turns=turns)
    if THROUGHPUT in options.parts:
        seconds = options.seconds
        yield THROUGHPUT, measure_throughput(context, answers, turns=turns, seconds=seconds)
    if PEERS in options.parts:
        yield PEERS, _measure_peers(context, data, answers, options)


def _measure_peers(
    context: BenchContext, data: CommentData, answers: CommentAnswers, options: Options
) -> Figures:
    from lab.bench.peers import measure_peers  # noqa: PLC0415 - its models are for this part alone

    return measure_peers(context, data, answers, pages=options.pages, turns=options.turns)


def _measure_seasons(context: BenchContext, data: CommentData) -> Figures:
    create_catalogue()
    filters = list(grid())[::ONE_IN]
    return measure_seasons(context, CommentAnswers(data.comments()), filters)


def _measure_orders(context: BenchContext, data: OrderData, options: Options) -> Figures:
    lists = list(order_lists(OrderAnswers(data.orders()), context.site))
    return measure_pages(context, lists, pages=options.pages, turns=options.turns)


def _measure_imports(folder: Path, options: Options, *, progress: Progress) -> Figures:
    folder.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory(dir=folder, prefix="imports-") as temporary,
        open_context(db_path=Path(temporary) / "new.db", progress=progress) as context,
    ):
        return measure_imports(context, comments=options.imported, turns=options.long_turns)
