"""What all export commands share: options, one-line errors, exit codes.

They exit with 1 when DynamoDB failed, with 2 when they cannot begin, with 130 when interrupted.
Except after 2, running the same command with ``--output`` again goes on.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dynamo.calls.faults import FAILURES, sentence_about
from dynamo.files.exports import (
    FORMATS,
    ExportUnwritable,
    Layout,
    Walk,
    export_to_file,
    export_to_stream,
)
from dynamo.management.imports import BAD_USAGE, INTERRUPTED


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
