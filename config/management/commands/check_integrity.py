"""``manage.py check_integrity``: recounts every counter and derives every key again."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from botocore.exceptions import ClientError
from django.core.management.base import CommandError, CommandParser

from comments.host import SETS, is_searchable, uses_sets
from comments.integrity.comments import comment_differences
from comments.integrity.references import reference_differences
from comments.lists.queries import INDEXES
from comments.search.integrity import has_words, word_differences
from comments.sets.integrity import has_stream, set_differences
from comments.sets.recent import MOST_HOURS, recent_differences
from dynapages.calls import NotSetUp, fault_in
from dynapages.django.options import (
    Progress,
    add_at_a_time_option,
    failures_in_one_line,
    interruptible,
)
from dynapages.django.tables import TableCommand
from dynapages.upkeep import Difference
from dynapages.writes import Contended
from shop.integrity.checks import CHECKS as SHOP_CHECKS
from shop.integrity.checks import shop_differences

COMMENTS = "comments"
WORDS = "words"
REFERENCES = "references"
CHECKS = (COMMENTS, *SHOP_CHECKS, SETS, WORDS)
"""What is checked where no check is named."""


@dataclass(frozen=True, slots=True)
class ReadModel:
    """A read model of comments besides the indexes: whether the site uses it, and its check.

    ``why_unused`` is a clause on the setting that switches it on.
    """

    is_used: Callable[[], bool]
    differences: Callable[[Progress], Iterable[Difference]]
    why_unused: str


READ_MODELS = {
    SETS: ReadModel(uses_sets, set_differences, f"COMMENTS_READ_MODEL is not {SETS}"),
    WORDS: ReadModel(is_searchable, word_differences, "COMMENT_SEARCH is not on"),
}


class Command(TableCommand):
    """Reads whole tables; for operators, not for pages."""

    help = (
        "Recount every counter and re-derive every key from the items themselves, and show what "
        "differs. Exits with 1 when something differs, or with --repair when something could not "
        "be mended. What kept changing while it was looked at is shown as busy, and may be in "
        "order: it does not count. Nor do hints: a counter spread over several shards is right, "
        "only dear to read, and --repair folds it. Reads the whole tables. With --model sets it "
        "checks the copies of comments in comment_sets, and with --repair makes whatever is "
        "missing, all of them if need be, as for a shop that changes over to that model: then "
        "before the table's stream is switched on. With --model words it does the same with the "
        "words of comments in comment_words. What the site uses of these is checked anyway."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repair", action="store_true", help="mend what differs")
        which = parser.add_mutually_exclusive_group()
        which.add_argument(
            "--only",
            choices=sorted([*CHECKS, REFERENCES]),
            help=f"check only this; '{REFERENCES}': list the users without an open account and "
            "the products that do not exist, of which there are comments, as after a restore",
        )
        which.add_argument(
            "--model",
            choices=[INDEXES, SETS, WORDS],
            help=f"'{SETS}': only the copies of comments; '{WORDS}': only the postings that they "
            f"are searched by; '{INDEXES}': everything but these",
        )
        parser.add_argument(
            "--last-hours",
            type=int,
            choices=range(1, MOST_HOURS + 1),
            metavar="N",
            help=f"with --model {SETS}: only of the comments of which an item in comment_sets was "
            f"written within the last N hours, 1 to {MOST_HOURS}, as the table's stream tells",
        )
        parser.add_argument(
            "--unless-streaming",
            action="store_true",
            help="do nothing when the stream of comment_sets is on: the table was filled then",
        )
        parser.add_argument(
            "--unless-filled",
            action="store_true",
            help="do nothing when comment_words has anything in it",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        add_at_a_time_option(parser)

    def handle(self, **options: Any) -> None:
        rows: list[dict[str, Any]] = []
        hints: list[dict[str, Any]] = []
        stays = "What was mended stays so; run it again for the rest."
        with interruptible(self, stays), failures_in_one_line():
            if options["unless_streaming"] and has_stream():
                return
            if options["unless_filled"] and has_words():
                return
            names = _names(only=options["only"], model=options["model"])
            if options["last_hours"] and names != [SETS]:
                raise CommandError(
                    f"--last-hours is for --model {SETS}: no other table has a stream that tells "
                    "what was written."
                )
            for name, difference in _differences(names, last_hours=options["last_hours"]):
                outcome = _outcome(difference, repair=options["repair"])
                row = {"check": name, **difference.as_dict(), **outcome}
                if difference.is_hint:
                    hints.append(row)
                else:
                    rows.append(row)
                # A quiet command says what is still wrong.
                is_shown = bool(options["verbosity"]) or not row["mended"]
                if is_shown and not options["json"]:
                    self.stdout.write(_line(difference, **outcome))
        summary = _summary(rows)
        if options["json"]:
            self.stdout.write(json.dumps(summary | {"found": rows, "hints": hints}))
        elif options["verbosity"] or summary["left"]:
            self.stdout.write(_sentence(summary))
        if summary["left"]:
            sys.exit(1)


def _summary(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Count what was found; what is busy counts as no difference."""
    busy = sum(row["busy"] for row in rows)
    mended = sum(row["mended"] for row in rows)
    differences = len(rows) - busy
    return {
        "differences": differences,
        "mended": mended,
        "left": differences - mended,
        "busy": busy,
    }


def _sentence(summary: dict[str, int]) -> str:
    sentence = f"{summary['differences']} differences, {summary['mended']} mended"
    if summary["busy"]:
        sentence += f", {summary['busy']} busy"
    return sentence


def _names(*, only: str | None, model: str | None) -> list[str]:
    """Return the checks to run: those of the options, else those of what the site uses."""
    if only:
        return [only]
    if model is not None and model in READ_MODELS:
        return [model]
    names = []
    for name in CHECKS:
        read_model = READ_MODELS.get(name)
        # A model that was named, and is none of these, is the indexes: only they are checked.
        if read_model is None or (model is None and read_model.is_used()):
            names.append(name)
    return names


def _differences(names: list[str], *, last_hours: int | None) -> Iterator[tuple[str, Difference]]:
    """Yield what the checks find, each under its name, in the order of `CHECKS`.

    With ``last_hours`` copies are checked that were written within these alone.
    """
    if COMMENTS in names:
        for difference in comment_differences():
            yield COMMENTS, difference
    if REFERENCES in names:
        for difference in reference_differences():
            yield REFERENCES, difference
    yield from shop_differences(name for name in SHOP_CHECKS if name in names)
    for name, read_model in READ_MODELS.items():
        checked = read_model
        if last_hours is not None:
            checked = replace(read_model, differences=partial(recent_differences, last_hours))
        if name in names:
            yield from _differences_of(name, checked)


def _differences_of(name: str, read_model: ReadModel) -> Iterator[tuple[str, Difference]]:
    """Yield what the check of a read model finds. Raises CommandError where it has no table."""
    try:
        for difference in read_model.differences(Progress()):
            yield name, difference
    except ClientError as error:
        if read_model.is_used() or not isinstance(fault_in(error), NotSetUp):
            raise
        raise CommandError(f"There are no {name} here: {read_model.why_unused}.") from error


def _outcome(difference: Difference, *, repair: bool) -> dict[str, bool]:
    """Repair a difference with ``repair``, unless it is busy or becomes so."""
    if difference.repair is None or not repair:
        return {"mended": False, "busy": difference.is_busy}
    is_mended = False
    with suppress(Contended):
        is_mended = difference.repair()
    return {"mended": is_mended, "busy": not is_mended}


def _line(difference: Difference, *, mended: bool, busy: bool) -> str:
    prefix = "hint: " if difference.is_hint else ""
    what = f"{prefix}{difference.kind} of {difference.subject}"
    if busy:
        return f"{what}: busy, changed while it was looked at"
    suffix = " (mended)" if mended else ""
    return f"{what}: {difference.stored}, not {difference.expected}{suffix}"
