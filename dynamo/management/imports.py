"""What all import commands share: one-line errors, exit codes, a file of rejected rows.

They exit with 1 when rows were rejected or DynamoDB failed, with 2 when they cannot begin, with
130 when interrupted. Except after 2, running the same command again resumes.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dynamo.calls.faults import FAILURES
from dynamo.files.content import FileUnreadable
from dynamo.files.rejects import RejectsFile, RejectsUnwritable
from dynamo.management.failures import sentence_to_go_on
from dynamo.management.file_options import STANDARD_INPUT

REJECTED, BAD_USAGE, INTERRUPTED = 1, 2, 130


def add_columns_option(parser: CommandParser, fields: Iterable[str]) -> None:
    """Add ``--columns``, for columns that are not named like their field."""
    parser.add_argument(
        "--columns",
        default="",
        metavar="FIELD=COLUMN,…",
        help=f"columns that are not named like their field; fields: {', '.join(fields)}",
    )


def add_report_options(
    parser: CommandParser, *, rejects: str = "<FILE's name>.rejected.csv in var/imports/"
) -> None:
    """Add ``--rejects`` and ``--json``; ``rejects`` describes the default in the help."""
    parser.add_argument(
        "--rejects",
        type=Path,
        metavar="FILE",
        help=f"where rejected rows are listed (default: {rejects})",
    )
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


@contextmanager
def import_failures(
    command: BaseCommand, *, bad_usage: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """End an import that fails with one line and an exit code.

    ``bad_usage`` are exceptions that mean, like an unreadable file, that it cannot begin.
    """
    unusable: tuple[type[Exception], ...] = (FileUnreadable, RejectsUnwritable, *bad_usage)
    try:
        yield
    except unusable as error:
        raise CommandError(str(error), returncode=BAD_USAGE) from error
    except FAILURES as error:
        raise CommandError(sentence_to_go_on(error)) from error
    except KeyboardInterrupt:
        command.stderr.write("Interrupted. Run the same command again to go on.")
        sys.exit(INTERRUPTED)


def rejects_path(given: Path | None, *, source: Path, var: Path) -> Path:
    """Return the file for rejected rows: by default below ``var``, never beside the source.

    Raises CommandError when the given file is the source itself.
    """
    name = "standard-input" if source == STANDARD_INPUT else source.name
    path = given or var / "imports" / f"{name}.rejected.csv"
    if path.exists() and source.exists() and path.samefile(source):
        raise CommandError(f"--rejects is the input itself: {source}", returncode=BAD_USAGE)
    return path


def require_none_rejected(rejects: RejectsFile) -> None:
    """Raise a CommandError that names the file of rejected rows, if there are any."""
    if rejects.count:
        raise CommandError(rejects.sentence, returncode=REJECTED)
