"""One run of the benchmarks, from making the data to the report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

from config.benchmark.comment_data import CommentAnswers, CommentData
from config.benchmark.comment_pages import comment_cases, furnish
from config.benchmark.grounds import Stage, set_stage
from config.benchmark.pages import measure_pages
from config.benchmark.report import DataFigures, Figures, Machine, Part, Report
from config.benchmark.stores import Stores
from dynamo.engine import BinaryMissing, find
from dynamo.progress import Progress

COMMENTS = "comments"
PARTS = (COMMENTS,)


@dataclass(frozen=True, slots=True)
class Asked:
    """What to measure: ``pages`` are page numbers, ``turns`` how often each is timed."""

    parts: Sequence[str]
    comments: int
    pages: Sequence[int]
    turns: int
    fresh: bool = False


def run_benchmarks(asked: Asked, *, progress: Progress) -> Report:
    """Measure what was asked for. Raises EngineError, WrongAnswer and PageFailed."""
    binary = find(settings.BASE_DIR)
    if binary is None:
        raise BinaryMissing
    stores = Stores(settings.VAR_DIR / "bench", binary, progress)
    machine = Machine.here(engine=stores.engine_version())
    data = CommentData(asked.comments)
    stored = stores.hold(data, fresh=asked.fresh)
    with set_stage(binary=binary, db_path=stored.path, progress=progress) as stage:
        parts = {
            name: Part(figures, DataFigures(data.name, stored.load))
            for name, figures in _measure_comments(stage, data, asked)
        }
    return Report(machine=machine, parts=parts)


def _measure_comments(
    stage: Stage, data: CommentData, asked: Asked
) -> Iterator[tuple[str, Figures]]:
    answers = CommentAnswers(data.comments())
    furnish(answers)
    if COMMENTS in asked.parts:
        cases = list(comment_cases(answers, pages=asked.pages, size=stage.page_size))
        yield COMMENTS, measure_pages(stage, cases, turns=asked.turns)
