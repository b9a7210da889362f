"""The run of a command that exports rows: its options, the walk through what it reads, failures.

It exits with 1 when DynamoDB failed, with 2 when it cannot begin, with 130 when interrupted.
Running the same command again with ``--output`` goes on.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dynapages.calls import FAILURES, sentence_about
from dynapages.calls.answers import last_key
from dynapages.django.options import GO_ON, interruptible, sentence_to_go_on
from dynapages.files.exports import (
    FORMATS,
    Batch,
    ExportUnwritable,
    Layout,
    Row,
    Walk,
    export_to_file,
    export_to_stream,
)
from dynapages.files.import_command import BAD_USAGE
from dynapages.items import Item
from dynapages.lists import Page, PageRequest, Position
from dynapages.process import client

SCANNED_AT_A_TIME = 2_000
"""Items of a table, of any kind."""
RowsOf = Callable[[Sequence[Item]], Sequence[Row]]
"""Builds the rows of some items."""


def add_export_options(parser: CommandParser, *, formats: Sequence[str] = FORMATS) -> None:
    """Add ``--output`` and ``--format``."""
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where to write, instead of to standard output; an interrupted export goes on there",
    )
    parser.add_argument("--format", choices=formats, default="csv", help="the format (csv)")


def run_export(
    command: BaseCommand,
    options: Mapping[str, Any],
    layout: Layout,
    walk: Walk,
    *,
    about: Mapping[str, Any],
) -> None:
    """Write what ``walk`` yields as the options say; see `export_to_file` for ``about``."""
    output = options["output"]
    with _export_failures(command, may_go_on=output is not None):
        # What went to standard output cannot be cut off again, so that it cannot be continued.
        if output is None:
            _export_to_output(command, layout, walk)
        else:
            count = export_to_file(output, layout, walk, about=about)
            noun = "row" if count == 1 else "rows"
            command.stdout.write(f"{count:,} {noun} in {output}.")


def _export_to_output(command: BaseCommand, layout: Layout, walk: Walk) -> None:
    """Write all rows to the command's standard output."""

    def write(text: str) -> None:
        command.stdout.write(text, ending="")

    export_to_stream(write, layout, walk)
    command.stdout.flush()


@contextmanager
def _export_failures(command: BaseCommand, *, may_go_on: bool) -> Iterator[None]:
    """End a command with one line and an exit code for whatever fails within the block."""
    try:
        with interruptible(command, GO_ON if may_go_on else ""):
            yield
    except ExportUnwritable as error:
        raise CommandError(str(error), returncode=BAD_USAGE) from error
    except FAILURES as error:
        sentence = sentence_to_go_on(error) if may_go_on else sentence_about(error)
        raise CommandError(sentence) from error
    except BrokenPipeError:
        _discard_output()  # the reader has seen enough, such as "head"
    except OSError as error:
        _discard_output()
        sentence = f"Standard output cannot be written: {error.strerror}."
        raise CommandError(sentence, returncode=BAD_USAGE) from error


def _discard_output() -> None:
    """Have what is still buffered for standard output go nowhere, without another error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def list_walk(page_of: Callable[[PageRequest], Page], rows_of: RowsOf, *, at_a_time: int) -> Walk:
    """Return the walk through a list, from its newest item on, in pages of ``at_a_time``."""

    def walk(position: Sequence[str] | None) -> Iterator[Batch]:
        behind = Position(position[0], position[1]) if position else None
        while True:
            page = page_of(PageRequest(at_a_time, behind))
            # Not the last entry's: a page may be empty, and yet not the last one.
            behind = page.next_position
            rows = rows_of([dict(entry.item) for entry in page.entries])
            if behind is None:
                yield Batch(rows, None)
                return
            yield Batch(rows, [behind.place, behind.rest])

    return walk


def table_walk(
    table: str, rows_of: RowsOf, condition: Mapping[str, Any] = MappingProxyType({})
) -> Walk:
    """Return the walk through a table by Scan, whose ``condition`` are arguments of the call.

    The order means nothing. It costs half a capacity unit for each 4 KB of the table.
    """

    def walk(begin: Any) -> Iterator[Batch]:  # noqa: ANN401 - botocore's
        stop = begin
        while True:
            start = {"ExclusiveStartKey": stop} if stop else {}
            answer = client().scan(TableName=table, Limit=SCANNED_AT_A_TIME, **condition, **start)
            stop = last_key(answer)
            yield Batch(rows_of(answer["Items"]), stop)
            if stop is None:
                return

    return walk
