"""One run of the benchmarks, from making the data to the figures, and the report of them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from dynapages.django.options import Progress
from lab.bench.context import (
    BenchContext,
    DataSet,
    Stores,
    open_context,
    require_binary,
    version_of,
)
from lab.bench.data import CommentAnswers, CommentData, OrderAnswers, OrderData, SeasonData
from lab.bench.grid import ONE_IN, drift_section, grid, grid_section, measure_drift, measure_grid
from lab.bench.pages import (
    comment_lists,
    create_catalogue,
    measure_pages,
    order_lists,
    pages_section,
)
from lab.bench.throughput import (
    imports_section,
    measure_imports,
    measure_throughput,
    throughput_section,
)
from lab.load.running import LocustMissing, require_locust
from lab.reports.results import RUN, Results, Row, machine_rows, machine_sentence, machine_warning
from lab.reports.tables import Section
from lab.sql_comparison.postgres import PostgresMissing, require_programs

PARTS = ("comments", "grid", "throughput", "peers", "seasons", "orders", "imports")
COMMENTS, GRID, THROUGHPUT, SQL, DRIFT, ORDERS, IMPORTS = PARTS
ON_COMMENTS = frozenset({COMMENTS, GRID, THROUGHPUT, SQL})
"""The parts that the comments are loaded for."""
NEEDED: Mapping[str, Callable[[], object]] = {SQL: require_programs, THROUGHPUT: require_locust}
"""What a part cannot run without: raises where it is missing."""
TURNS_OF_ONE = 12
"""Turns of pages for each turn of what takes long: the grid, throughput, imports."""
DATA, SKIPPED = "data", "skipped"
Measure = Callable[[BenchContext], Iterator[Row]]


@dataclass(frozen=True)  # the command reads its defaults
class Options:
    """What to measure: ``pages`` are page numbers, ``turns`` how often each is timed.

    ``seasonal`` are the comments whose languages have seasons. ``orders`` are those of one
    customer, ``queued`` the open ones of all others. ``seconds`` is how long a turn of throughput
    lasts, ``imported`` how many comments one of imports loads.
    """

    parts: Sequence[str]
    comments: int = 300_000
    seasonal: int = 21_000
    orders: int = 10_000
    queued: int = 100_000
    pages: Sequence[int] = (1, 10, 100, 1_000)
    turns: int = 60
    seconds: float = 4.0
    imported: int = 3_000
    fresh: bool = False

    @property
    def long_turns(self) -> int:
        """The turns of what takes long."""
        return ceil(self.turns / TURNS_OF_ONE)


def run_benchmarks(options: Options, *, progress: Progress) -> Results:
    """Measure what ``options`` name and can run.

    A part that cannot has one row, ``skipped``, with a sentence on what is missing. Raises
    EngineError, WrongAnswer, PageFailed and RequestsFailed.
    """
    folder, binary = settings.VAR_DIR / "bench", require_binary()
    found = [*machine_rows(engine=version_of(binary)), *_skipped(options.parts)]
    without = {row.part for row in found if row.metric == SKIPPED}
    options = replace(options, parts=[part for part in options.parts if part not in without])
    stores = Stores(folder, binary, progress)
    comments, seasons = CommentData(options.comments), SeasonData(options.seasonal)
    orders = OrderData(options.orders, options.queued)
    data_sets: Sequence[tuple[DataSet, Collection[str], Measure]] = (
        (comments, ON_COMMENTS, lambda context: _measure_comments(context, comments, options)),
        (seasons, {DRIFT}, lambda context: _measure_drift(context, seasons)),
        (orders, {ORDERS}, lambda context: _measure_orders(context, orders, options)),
    )
    for data, parts, measure in data_sets:
        if wanted := [part for part in options.parts if part in parts]:
            stored = stores.hold(data, fresh=options.fresh)
            found += [Row(part, None, None, None, DATA, stored.sentence) for part in wanted]
            with open_context(db_path=stored.path, progress=progress) as context:
                found += measure(context)
    if IMPORTS in options.parts:
        found += _measure_imports(folder, options, progress=progress)
    return Results(found)


def _skipped(parts: Sequence[str]) -> Iterator[Row]:
    for part in parts:
        try:
            NEEDED.get(part, lambda: None)()
        except (PostgresMissing, LocustMissing) as error:
            yield Row(part, None, None, None, SKIPPED, str(error))


def _measure_comments(context: BenchContext, data: CommentData, options: Options) -> Iterator[Row]:
    answers = CommentAnswers(data.comments())
    create_catalogue()
    pages, turns = options.pages, options.turns
    if COMMENTS in options.parts:
        lists = list(comment_lists(answers, context.site))
        yield from measure_pages(context, COMMENTS, lists, pages=pages, turns=turns)
    long_turns, seconds = options.long_turns, options.seconds
    if GRID in options.parts:
        yield from measure_grid(context, GRID, answers, list(grid()), turns=long_turns)
    if THROUGHPUT in options.parts:
        yield from measure_throughput(
            context, THROUGHPUT, answers, turns=long_turns, seconds=seconds
        )
    if SQL in options.parts:
        from lab.bench.sql import measure_sql  # noqa: PLC0415 - its models are for this part alone

        yield from measure_sql(context, SQL, data, answers, pages=pages, turns=turns)


def _measure_drift(context: BenchContext, data: CommentData) -> Iterator[Row]:
    create_catalogue()
    answers = CommentAnswers(data.comments())
    return measure_drift(context, DRIFT, answers, list(grid())[::ONE_IN])


def _measure_orders(context: BenchContext, data: OrderData, options: Options) -> Iterator[Row]:
    lists = list(order_lists(OrderAnswers(data.orders()), context.site))
    return measure_pages(context, ORDERS, lists, pages=options.pages, turns=options.turns)


def _measure_imports(folder: Path, options: Options, *, progress: Progress) -> Iterator[Row]:
    folder.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory(dir=folder, prefix="imports-") as temporary,
        open_context(db_path=Path(temporary) / "new.db", progress=progress) as context,
    ):
        turns, comments = options.long_turns, options.imported
        yield from measure_imports(context, IMPORTS, comments=comments, turns=turns)


def sections_of(results: Results) -> list[Section]:
    """Write a section about every part that was measured."""
    sections: dict[str, Callable[[Results, tuple[str, ...]], Section]] = {
        COMMENTS: pages_section,
        ORDERS: pages_section,
        GRID: grid_section,
        DRIFT: drift_section,
        THROUGHPUT: throughput_section,
        IMPORTS: imports_section,
    }
    measured = {
        str(part): found
        for (part,), found in results.by("part").items()
        if part != RUN and not found.values(SKIPPED)
    }
    if SQL in measured:
        from lab.bench.sql import sql_section  # noqa: PLC0415 - its models are for this part alone

        sections[SQL] = sql_section
    machine = (machine_sentence(results), machine_warning(results))
    return [
        sections[part](found, tuple(filter(None, (*machine, *map(str, found.values(DATA))))))
        for part, found in measured.items()
    ]
