"""What all export commands share: options, walks through what is exported, one-line errors.

They exit with 1 when DynamoDB failed, with 2 when they cannot begin, with 130 when interrupted.
Except after 2, running the same command with ``--output`` again goes on.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dynamo.calls.client import client
from dynamo.calls.faults import FAILURES, sentence_about
from dynamo.files.exports import (
    FORMATS,
    Batch,
    ExportUnwritable,
    Layout,
    Row,
    Walk,
    export_to_file,
    export_to_stream,
)
from dynamo.items import Item
from dynamo.lists.reader import Page, PageRequest
from dynamo.lists.runs import Position
from dynamo.management.imports import BAD_USAGE, INTERRUPTED

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
        if output is None:
            export_to_stream(lambda text: command.stdout.write(text, ending=""), layout, walk)
            command.stdout.flush()
        else:
            count = export_to_file(output, layout, walk, about=about)
            command.stdout.write(f"{count:,} {'row' if count == 1 else 'rows'} in {output}.")


@contextmanager
def _export_failures(command: BaseCommand, *, may_go_on: bool) -> Iterator[None]:
    again = " Run the same command again to go on." if may_go_on else ""
    try:
        yield
    except ExportUnwritable as error:
        raise CommandError(str(error), returncode=BAD_USAGE) from error
    except FAILURES as error:
        raise CommandError(f"{sentence_about(error)}{again}") from error
    except BrokenPipeError:
        _discard_output()  # the reader has seen enough, such as "head"
    except OSError as error:
        _discard_output()
        sentence = f"Standard output cannot be written: {error.strerror}."
        raise CommandError(sentence, returncode=BAD_USAGE) from error
    except KeyboardInterrupt:
        command.stderr.write(f"Interrupted.{again}")
        sys.exit(INTERRUPTED)


def _discard_output() -> None:
    """Have what is still buffered for standard output go nowhere, without another error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def list_walk(page_of: Callable[[PageRequest], Page], rows_of: RowsOf, *, at_a_time: int) -> Walk:
    """Return the walk through a list, from its newest item on, in pages of ``at_a_time``."""
    return partial(_list, page_of, rows_of, at_a_time)


def table_walk(
    table: str, rows_of: RowsOf, condition: Mapping[str, Any] = MappingProxyType({})
) -> Walk:
    """Return the walk through a table by Scan, whose ``condition`` are arguments of the call.

    The order means nothing. It costs half a capacity unit for each 4 KB of the table.
    """
    return partial(_table, table, rows_of, condition)


def _list(
    page_of: Callable[[PageRequest], Page],
    rows_of: RowsOf,
    at_a_time: int,
    position: Sequence[str] | None,
) -> Iterator[Batch]:
    behind = Position(position[0], position[1]) if position else None
    while True:
        page = page_of(PageRequest(at_a_time, behind))
        behind = page.next_position
        rows = rows_of([dict(entry.item) for entry in page.entries])
        yield Batch(rows, [behind.place, behind.rest] if behind else None)
        if behind is None:
            return


def _table(
    table: str, rows_of: RowsOf, condition: Mapping[str, Any], position: Item | None
) -> Iterator[Batch]:
    last: Any = position
    while True:
        start = {"ExclusiveStartKey": last} if last else {}
        answer = client().scan(TableName=table, Limit=SCANNED_AT_A_TIME, **condition, **start)
        last = answer.get("LastEvaluatedKey")
        yield Batch(rows_of(answer["Items"]), last)
        if last is None:
            return
