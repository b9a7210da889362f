"""One run of ``manage.py compare_keys``: from the data to the figures, and the report of them.

The engine is moto's server: dynoxide has no Query of keys of several attributes yet.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from django.conf import settings

from dynapages.django.options import Progress
from dynapages.engine.child import EngineError
from dynapages.engine.server import MotoEngine, NoEngine
from dynapages.lists import timestamp
from dynapages.process import client, connected
from lab.bench.engines import local_connection
from lab.designs.comments import Comments, comment_item, load_sample
from lab.designs.measuring import put_items
from lab.designs.run import CALL_SECONDS
from lab.native_keys.byte_prices import stored
from lab.native_keys.designs import DESIGNS, KeyDesign
from lab.native_keys.figures import PUBLISHED_KEYS, KeyDesignFigures, KeyFigures
from lab.native_keys.lists import (
    KeyQuestion,
    describe_questions,
    lists_of,
    price_readings,
    questions_about,
)
from lab.native_keys.overloaded import count_indexes, price_lists
from lab.native_keys.tables import heading_of, list_rows, reading_rows, storage_rows, writing_rows
from lab.native_keys.writes import price_writings
from lab.report import Section, Table


def compare_keys(*, comments: int, now: datetime, progress: Progress) -> KeyFigures:
    """Compare designs of keys on so many comments of the sample shop, on a moto of its own.

    Raises EngineError, also where moto's server is not installed, and WrongAnswer.
    """
    compared = load_sample(comments, now=now)
    size = settings.PAGE_SIZE
    questions = list(questions_about(compared.of_product, size=size))
    measured = []
    with own_moto(), progress.step("Comparing keys", total=len(DESIGNS), unit=" designs") as done:
        for design in DESIGNS:
            measured.append(_compare_one(design, compared, questions, size=size))
            done(1)
    indexes, indexes_with_own = count_indexes()
    return KeyFigures(
        taken_at=timestamp(now),
        engine=f"moto {version('moto')}",
        page_size=size,
        data=(
            f"{len(compared.all):,} comments of the sample shop; the lists are those of one "
            f"product, with {len(compared.of_product):,} of them."
        ),
        questions=tuple(describe_questions(questions, size=size)),
        designs=tuple(measured),
        lists=tuple(price_lists()),
        indexes=indexes,
        indexes_with_own=indexes_with_own,
    )


@contextmanager
def own_moto() -> Iterator[None]:
    """Connect this process to a new moto, so that a slow answer is waited for.

    Raises EngineError, also where moto's server is not installed.
    """
    try:
        moto = MotoEngine()
    except NoEngine as missing:
        sentence = (
            "Keys are compared on moto's server, which is not here: 'make install' brings it."
        )
        raise EngineError(sentence) from missing
    with (
        moto as engine,
        connected(replace(local_connection(engine.endpoint_url), read_seconds=CALL_SECONDS)),
    ):
        yield


def _compare_one(
    design: KeyDesign, compared: Comments, questions: Sequence[KeyQuestion], *, size: int
) -> KeyDesignFigures:
    items = [design.item_of(comment_item(comment)) for comment in compared.all]
    request = design.create_request()
    table = request["TableName"]
    client().create_table(**request)
    # The next design's table has the same name.
    try:
        put_items(table, items)
        lists = lists_of(design, compared.of_product)
        readings = tuple(price_readings(lists, questions, size=size))
    finally:
        client().delete_table(TableName=table)
    writings = tuple(price_writings(design, compared.all))
    return KeyDesignFigures(design.name, stored(items, design.indexes), readings, writings)


# The report


def report_of(figures: KeyFigures) -> str:
    """Return all figures as Markdown."""
    paragraphs = [heading_of(figures), figures.data]
    paragraphs += [f"*{question.name}*: {question.about}." for question in figures.questions]
    tables = [
        Table("Bytes of a comment, on average", *storage_rows(figures)),
        Table(f"A page of {figures.page_size}", *reading_rows(figures)),
        Table("Writing a comment, on average", *writing_rows(figures)),
        Table("Lists of overloaded indexes, and of an index of their own", *list_rows(figures)),
    ]
    return Section("Keys of comments", paragraphs, tables).text()


def write_figures(figures: KeyFigures, folder: Path) -> Path:
    """Bring the figures in a folder of documents up to date; return the file.

    From them ``make readme`` writes the tables in ``designs/``.
    """
    published = folder / PUBLISHED_KEYS
    published.write_text(f"{figures.as_json()}\n", encoding="utf-8")
    return published
