"""What all import and export commands share: options, walks, one-line errors, exit codes, reports.

They exit with 1 when rows were rejected or DynamoDB failed, with 2 when they cannot begin, with 130
when interrupted. Except after 2, running the same command again goes on, an export with
``--output``.
"""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b, file_digest
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.dates import MONTHS, MONTHS_3, MONTHS_ALT, MONTHS_AP
from django.utils.translation import check_for_language, override

from dynapages.calls import FAILURES, sentence_about
from dynapages.django.options import GO_ON, at_least_one, interruptible, sentence_to_go_on
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
from dynapages.files.lines import EncodingUnknown, FileUnreadable, require_encoding
from dynapages.files.records import (
    BadMapping,
    DateFormats,
    FormatUnknown,
    RejectsFile,
    RejectsUnwritable,
)
from dynapages.files.row_files import RowFile
from dynapages.files.values import ValueRules, parse_rules
from dynapages.items import Item
from dynapages.lists import Page, PageRequest, Position
from dynapages.process import client

REJECTED = 1
BAD_USAGE = 2
STANDARD_INPUT = Path("-")
STANDARD_INPUT_NAME = "standard-input"
_UNUSABLE = (BadMapping, EncodingUnknown, FileUnreadable, FormatUnknown, RejectsUnwritable)
"""What means that an import cannot begin."""
_DIGEST_BYTES = 4
_DELIMITERS = {"tab": "\t", "\\t": "\t"}


def add_columns_option(parser: CommandParser, fields: Iterable[str]) -> None:
    """Add ``--columns``, for columns that are not named like their field."""
    parser.add_argument(
        "--columns",
        default="",
        metavar="FIELD=COLUMN,…",
        help="columns that are not named like their field, such as author=name|email, of which "
        f"the first counts that has a value; fields: {', '.join(fields)}",
    )


def add_value_options(parser: CommandParser, *, has_dates: bool = True) -> None:
    """Add what says how any file spells its values, from ``--set`` to ``--skip``."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="the value of a field where a row has none; may be given several times",
    )
    if has_dates:
        parser.add_argument(
            "--date-format",
            action="append",
            default=[],
            metavar="FORMAT",
            help="the format of dates, such as %%d/%%m/%%Y, or of months, which are dated to their "
            "first day, such as %%B %%Y; may be given several times",
        )
        parser.add_argument(
            "--date-locale",
            default="",
            metavar="LANGUAGE",
            help="the language of names of months, such as es",
        )
    parser.add_argument(
        "--decimal",
        choices=(".", ","),
        help="what is before the decimals of numbers; the other one separates thousands",
    )
    parser.add_argument(
        "--null",
        action="append",
        default=[],
        metavar="VALUE,…",
        help="values that mean nothing, such as NULL,-,shipped_at=0: NULL and - in every column, "
        "0 in that of one field alone; may be given several times",
    )
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="leave out rows in which a field, or another column, has this value, such as "
        "rating=0; may be given several times",
    )


def add_file_options(parser: CommandParser, *, of: str = "FILE") -> None:
    """Add options about a file, the list of rejected rows, and the report.

    They are ``--encoding``, ``--delimiter``, ``--rows``, ``--limit``, ``--dry-run``, ``--rejects``,
    ``--json``.
    """
    parser.add_argument(
        "--encoding", metavar="NAME", help="such as latin-1; found out if it is not given"
    )
    parser.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        help="what separates columns: a character, or tab; found out if it is not given",
    )
    parser.add_argument(
        "--rows",
        metavar="NAME",
        help=f"where {of} has its rows: the list in an object of JSON, such as data.reviews, or "
        "the elements of XML",
    )
    parser.add_argument(
        "--limit",
        type=at_least_one,
        metavar="N",
        help="read only the first N rows, or orders with all their rows",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="read all, write nothing, and print what was found"
    )
    parser.add_argument(
        "--rejects",
        type=Path,
        metavar="FILE",
        help=f"where rejected rows are listed (var/imports/<{of}'s name>-….rejected.csv)",
    )
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


def row_file(
    path: Path,
    options: Mapping[str, Any],
    columns: Mapping[str, Sequence[str]] = MappingProxyType({}),
    *,
    concerns: Callable[[str], bool] = bool,
) -> RowFile:
    """Return the file at a path, spelled as the options say; ``columns`` are those of its fields.

    What options name and does not ``concern`` the file is of another one. Raises BadMapping and
    EncodingUnknown.
    """
    encoding, delimiter = options["encoding"], options["delimiter"]
    if delimiter is not None:
        delimiter = _DELIMITERS.get(delimiter, delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            message = f"“{delimiter}” is no delimiter: use a character such as ; or the word tab."
            raise BadMapping(message)
    return RowFile(
        path,
        encoding=None if encoding is None else require_encoding(encoding),
        delimiter=delimiter,
        limit=options["limit"],
        rows=options["rows"],
        rules=value_rules(options, columns, concerns=concerns),
    )


def value_rules(
    options: Mapping[str, Any],
    columns: Mapping[str, Sequence[str]],
    *,
    concerns: Callable[[str], bool] = bool,
) -> ValueRules | None:
    """Return what ``--null``, ``--skip`` and columns such as ``a|b`` say, None if nothing."""
    nulls, skip = options.get("null", ()), options.get("skip", ())
    rules = parse_rules(nulls=nulls, skip=skip, columns=columns, concerns=concerns)
    return rules if rules.nulls or rules.fallbacks or rules.skip else None


def month_names(locale: str) -> Mapping[str, int]:
    """Return the numbers of months by their names in a language, in lower case, without dots.

    Raises FormatUnknown for a language that Django has no translation to.
    """
    language = locale.replace("_", "-")
    if not any(map(check_for_language, (language, language.partition("-")[0]))):
        raise FormatUnknown(f"“{locale}” is no language of dates: use one such as es.")
    forms = (MONTHS, MONTHS_3, MONTHS_AP, MONTHS_ALT)
    with override(language):
        named = ((str(name), number) for form in forms for number, name in form.items())
        return {name.lower().rstrip("."): number for name, number in named}


def date_formats(options: Mapping[str, Any]) -> DateFormats:
    """Return the formats of dates. Raises FormatUnknown."""
    locale = options["date_locale"]
    return DateFormats(tuple(options["date_format"]), month_names(locale) if locale else {})


@contextmanager
def import_run(
    command: BaseCommand,
    source: Path,
    options: Mapping[str, Any],
    *,
    of: str,
    several: bool = False,
) -> Iterator[tuple[Path, RejectsFile]]:
    """Yield a path that can be read twice, and the file of its rejected rows.

    What they are rows ``of`` is in its name. Of standard input the path is that of a copy, which is
    there for a while. Whatever fails within the block ends the command with one line and an exit
    code.
    """
    try:
        with interruptible(command), _readable(source) as path:
            listed = options["rejects"] or _rejects_path(source, path, of)
            if listed.exists() and source.exists() and listed.samefile(source):
                raise CommandError(f"--rejects is the input itself: {source}", returncode=BAD_USAGE)
            yield path, RejectsFile(listed, of_several_files=several)
    except _UNUSABLE as error:
        raise CommandError(str(error), returncode=BAD_USAGE) from error
    except FAILURES as error:
        raise CommandError(sentence_to_go_on(error)) from error


def print_report(
    command: BaseCommand,
    options: Mapping[str, Any],
    rejects: RejectsFile,
    *,
    counts: Mapping[str, Any],
    prose: str,
) -> None:
    """Print what an import did, as JSON if that is asked for.

    Raises a CommandError that names the file of rejected rows, if there are any.
    """
    if options["json"]:
        listed = str(rejects.path) if rejects.count else None
        command.stdout.write(json.dumps({**counts, "rejects": listed}))
    else:
        command.stdout.write(prose)
    if rejects.count:
        raise CommandError(rejects.sentence, returncode=REJECTED)


def _rejects_path(source: Path, path: Path, of: str) -> Path:
    """Return the default of ``--rejects``: below ``var``, and another one for each source.

    Of standard input each content is a source.
    """
    is_input = source == STANDARD_INPUT
    name = STANDARD_INPUT_NAME if is_input else source.resolve().name
    digest = blake2b(b"" if is_input else str(source.resolve()).encode(), digest_size=_DIGEST_BYTES)
    if is_input:
        with path.open("rb") as file:
            file_digest(file, lambda: digest)
    listed = f"{name}-{digest.hexdigest()}.{of}.rejected.csv"
    return Path(settings.VAR_DIR) / "imports" / listed


@contextmanager
def _readable(source: Path) -> Iterator[Path]:
    if source != STANDARD_INPUT:
        yield source
        return
    folder = Path(settings.VAR_DIR) / "imports"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        copy = Path(name) / STANDARD_INPUT_NAME
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield copy


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
            behind = page.next_position
            rows = rows_of([dict(entry.item) for entry in page.entries])
            yield Batch(rows, [behind.place, behind.rest] if behind else None)
            if behind is None:
                return

    return walk


def table_walk(
    table: str, rows_of: RowsOf, condition: Mapping[str, Any] = MappingProxyType({})
) -> Walk:
    """Return the walk through a table by Scan, whose ``condition`` are arguments of the call.

    The order means nothing. It costs half a capacity unit for each 4 KB of the table.
    """

    def walk(last: Any) -> Iterator[Batch]:  # noqa: ANN401 - botocore's
        while True:
            start = {"ExclusiveStartKey": last} if last else {}
            answer = client().scan(TableName=table, Limit=SCANNED_AT_A_TIME, **condition, **start)
            last = answer.get("LastEvaluatedKey")
            yield Batch(rows_of(answer["Items"]), last)
            if last is None:
                return

    return walk
