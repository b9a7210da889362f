"""``manage.py import_comments``: comments from a file of CSV, JSON or XML."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from comments.data.ratings import rating_map, scale_of
from comments.data.reports import report_of, unfinished
from comments.data.run import CommentFile, import_file
from comments.data.shapes import FIELDS, ID_FROM, PICTURES, Shape, column_key, preset, presets
from comments.data.values import comment_id_from
from comments.data.writer import BulkWriter
from comments.filters import is_language, unknown_language
from comments.host import products
from comments.items import NewState
from dynapages.calls import Batches, clock
from dynapages.django.options import Progress
from dynapages.django.tables import TableCommand
from dynapages.files.columns import BadMapping, parse_columns, parse_constants, parse_pairs
from dynapages.files.identifiers import identifier_of
from dynapages.files.import_command import import_run
from dynapages.files.import_options import (
    add_columns_option,
    add_file_options,
    add_html_option,
    add_part_option,
    add_value_options,
    date_formats,
    row_file,
)
from dynapages.files.records import RowRefused
from dynapages.process import client, pool


class Command(TableCommand):
    """Imports a file; exits with 1 when rows were rejected or left, with 2 when it cannot begin."""

    help = (
        "Import comments from CSV, JSON lines, an array of JSON or a Google feed, packed "
        "or not; - is standard input. Comments keep their ids; of two versions of one, the newer "
        "created_at wins. Running it again changes nothing, and goes on after an interruption. "
        "Exits with 1 when rows were rejected, or what they owe is not finished. Known exports: "
        + "; ".join(f"--preset {name} ({known['about']})" for name, known in presets().items())
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--preset", choices=presets(), help="the file is a known export")
        add_columns_option(parser, (*FIELDS, PICTURES))
        add_value_options(parser)
        parser.add_argument(
            "--language-map",
            default="",
            metavar="FOUND=CODE,…",
            help="what the file's spellings of languages mean in ISO 639-1, such as us=en,jp=ja",
        )
        parser.add_argument(
            "--state-map",
            default="",
            metavar="FOUND=STATE,…",
            help="what the file's words for states mean, published, hidden or held, such as "
            "approved=published,spam=hidden",
        )
        parser.add_argument(
            "--detect-language",
            action="store_true",
            help="guess the language of a row without one from its text",
        )
        parser.add_argument(
            "--rating-scale", metavar="LOW..HIGH", help="the scale of ratings, such as 10..50"
        )
        parser.add_argument(
            "--rating-map",
            default="",
            metavar="FOUND=RATING,…",
            help="what the file's words for ratings mean, from 1 to 5, such as true=5,false=1",
        )
        add_html_option(parser)
        parser.add_argument(
            "--id-from",
            metavar="NAME,…",
            help=f"make the id of a row without one from these, such as {','.join(ID_FROM)}",
        )
        parser.add_argument(
            "--id-prefix",
            default="",
            metavar="TEXT",
            help="what is put before all ids of the file, such as yotpo-: small numbers are ids of "
            "other files too",
        )
        parser.add_argument(
            "--product-id", metavar="ID", help="put all comments under this product"
        )
        parser.add_argument(
            "--signals",
            action="store_true",
            help="send the signals of what is written, as the pages do (docs/installing.md)",
        )
        add_part_option(parser)
        parser.add_argument(
            "--from-start",
            action="store_true",
            help="compare all rows, also those that an interrupted run has written",
        )
        add_file_options(parser)

    def handle(self, **options: Any) -> None:
        progress = Progress(shown=not options["json"])
        part = options["part"]
        # Each part has its own list of rejected rows.
        of = "comments" if part.is_whole else f"comments.{part.number}-of-{part.of}"
        with import_run(self, options["file"], options, of=of) as (path, rejects):
            result = import_file(
                self.source(path, options, progress),
                writer=BulkWriter(Batches(client(), pool()), announces=options["signals"]),
                ensure_products=products().add_missing,
                rejects=rejects,
                progress=progress,
                is_trial=options["dry_run"],
                part=part,
                from_start=options["from_start"],
            )
        report_of(result, rejects).print(self, rejects, as_json=options["json"])
        if result.unfinished:
            raise CommandError(unfinished(result))

    def source(self, path: Path, options: dict[str, Any], progress: Progress) -> CommentFile:
        """Return what to read. A project's own command of this name may know other sources."""
        del progress
        shape = _shape(options)
        file = row_file(path, options, {name: shape.of(name) for name in (*FIELDS, PICTURES)})
        file = replace(file, element=shape.element, rows=file.rows or shape.rows)
        return CommentFile(file, shape, clock.now())


def _shape(options: dict[str, Any]) -> Shape:
    """Return what the preset says, changed as the options say."""
    known = preset(options["preset"]) if options["preset"] else Shape()
    columns, named = _columns(known, options["columns"])
    # A column that says the state says more than whether a row is published.
    only = dict(known.only)
    if "state" in named:
        for column in columns["state"]:
            only.pop(column_key(column), None)
    shape = replace(
        known,
        only=only,
        columns=columns,
        named=named,
        constants={**known.constants, **parse_constants(options["set"], fields=FIELDS)},
        languages=_language_map(options["language_map"]),
        states=_state_map(options["state_map"]),
        ratings=rating_map(options["rating_map"]),
        keep_html=options["keep_html"],
        dates=date_formats(options),
        decimal=options["decimal"],
        id_prefix=_id_prefix(options["id_prefix"]),
        detect_language=options["detect_language"] or known.detect_language,
    )
    if options["rating_scale"] is not None:
        # The fields of the lowest and the highest rating would win over a scale.
        scale = scale_of(options["rating_scale"])
        shape = replace(shape, scale=scale, low=None, high=None)
    if options["id_from"] is not None:
        shape = replace(shape, id_from=_id_parts(options["id_from"]))
    if options["product_id"] is not None:
        shape = shape.under(_product_id(options["product_id"]))
    return shape


def _columns(known: Shape, text: str) -> tuple[dict[str, Sequence[str]], list[str]]:
    """Return the columns of each field, and the fields that an option names columns of."""
    columns = dict(known.columns)
    named: list[str] = []
    for field, column in parse_columns(text, fields=(*FIELDS, PICTURES)).items():
        columns[field] = [column] if column else []
        if column:
            named.append(field)
    return columns, named


def _id_parts(text: str) -> list[str]:
    """Return the names of columns or fields that ids are made from. Raises BadMapping."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise BadMapping("--id-from needs names, such as product_id,author,created_at,body.")
    return names


def _id_prefix(prefix: str) -> str:
    """Return the prefix of ids, if one that it begins is allowed. Raises BadMapping."""
    # Any id stands for those of the file: the prefix alone is checked.
    try:
        comment_id_from("1", prefix=prefix)
    except RowRefused as refused:
        raise BadMapping(f"--id-prefix cannot begin an id: {refused}.") from refused
    return prefix


def _product_id(product_id: str) -> str:
    """Return what ``--product-id`` was given unchanged, if it can be an id. Raises BadMapping."""
    # Ids in a file are mapped to what is allowed; an option has no need of that, but may be typed.
    if not product_id or identifier_of(product_id) != product_id:
        raise BadMapping(
            f"“{product_id}” is no id of a product: up to 128 of A-Z, a-z, 0-9, “.”, “_” and “-”, "
            f"a letter or digit first."
        )
    return product_id


def _language_map(text: str) -> dict[str, str]:
    """Return codes of languages by the file's own, in lower case. Raises BadMapping."""
    languages: dict[str, str] = {}
    for file_code, code in parse_pairs(text, example="us=en").items():
        if not is_language(code.lower()):
            raise BadMapping(unknown_language(code.lower()))
        languages[file_code.lower()] = code.lower()
    return languages


def _state_map(text: str) -> dict[str, NewState]:
    """Return states by the file's words for them, in lower case. Raises BadMapping."""
    states: dict[str, NewState] = {}
    for word, state in parse_pairs(text, example="approved=published").items():
        if state.lower() not in set(NewState):
            raise BadMapping(f"“{state}” is no state: use one of {', '.join(NewState)}.")
        states[word.lower()] = NewState(state.lower())
    return states
