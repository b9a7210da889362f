"""How often comments were held, rejected, hidden and restored, by month and by reason.

An item for each calendar year (UTC) has a number for each month, what was done, and why, such as
``03.held.link``. It names nobody and no comment. The receivers of the app's own signals count
behind the answer, so that no form costs more: what a process has not counted when it is killed, or
while the database was away, is missing. What is imported without signals is not counted.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from comments import gates, keys, signals
from comments.models import TABLE, ModerationCounts
from comments.reports.services import Reason, read_reports
from comments.store.states import State
from dynapages.calls import labelled_calls
from dynapages.items import Item, table_key
from dynapages.lists import parse_timestamp, timestamp
from dynapages.process import background_client
from dynapages.work import worker
from dynapages.writes import Expression, update, write_transaction

MONTHS_BEFORE = 12
"""Full months that are shown besides the current one: they and it lie in two years."""
OWN_RULE = "own"
"""Stored for all reasons of a project's own gates."""
IMPORTED = "import"
"""Stored for comments that waited in another system already."""
NOT_REPORTED = "none"
"""Stored for a comment that staff have hidden though nobody had reported it."""
CODES_OF_GATES: Mapping[str, str] = {
    gates.EVERY: "every",
    gates.FIRST: "first",
    gates.LINK: "link",
    gates.WORD: "word",
    gates.BLOCKED: "blocked",
    gates.FAILED: "failed",
}
"""What is stored for the reasons of the app's gates."""
_SINCE = ModerationCounts.counted_since.attr_name
_CELL = re.compile(r"(?P<month>\d\d)\.(?P<step>\w+)\.(?P<reason>[\w-]*)", re.ASCII)


class Step(StrEnum):
    """What was done with a comment; the value is stored."""

    HELD = "held"
    REJECTED = "rejected"
    HIDDEN = "hidden"
    RESTORED = "restored"


_STEPS = frozenset(step.value for step in Step)
Sums = Mapping[tuple[Step, str], int]
"""How often something was done for a reason; "" where there are no reasons."""


@dataclass(frozen=True, slots=True)
class YearOfModeration:
    """What was done in the current month and the twelve before it, of all products.

    ``since`` is the moment of the first thing that was counted in the years of these months, None
    where nothing was.
    """

    first_month: date
    sums: Sums
    since: datetime | None


# Counting


def connect() -> None:
    """Have the signals of the app counted from now on; more than once is as good as once."""
    signals.comment_held.connect(count_held)
    signals.comment_hidden.connect(count_hidden)
    signals.comment_restored.connect(count_restored)


def count_held(
    reason: str,
    moment: datetime,
    was: State | None = None,
    *,
    is_edit: bool | None = None,
    **_: object,
) -> None:
    """Count a comment that waits; one that staff had rejected, and take that back, as restored."""
    if was is State.HIDDEN:
        _count_later(Step.RESTORED, "", moment)
    elif was is None:
        # Only gates say whether it was an edit.
        code = IMPORTED if is_edit is None else CODES_OF_GATES.get(reason, OWN_RULE)
        _count_later(Step.HELD, code, moment)


def count_hidden(comment_id: str, was: State, moment: datetime, **_: object) -> None:
    """Count a comment that staff have rejected, or hidden for what it was mostly reported for."""
    if was is State.HELD:
        _count_later(Step.REJECTED, "", moment)
        return

    def read_and_count() -> None:
        count(Step.HIDDEN, _main_reason(comment_id), moment)

    worker().later(0, read_and_count)


def count_restored(moment: datetime, **_: object) -> None:
    """Count a hidden comment that is in its lists again."""
    _count_later(Step.RESTORED, "", moment)


def _count_later(step: Step, reason: str, moment: datetime) -> None:
    """Count something by the thread of this process, when the visitor has the answer."""

    def count_now() -> None:
        count(step, reason, moment)

    worker().later(0, count_now)


def count(step: Step, reason: str, moment: datetime) -> None:
    """Add one to what was done in a month: 2 write units. Raises Contended and botocore's errors.

    A transaction, as an answer that was lost must not be counted twice.
    """
    month = moment.astimezone(UTC)
    changes = Expression(
        "SET #since = if_not_exists(#since, :moment) ADD #cell :one",
        {"#since": _SINCE, "#cell": f"{month:%m}.{step}.{reason}"},
        {":moment": {"S": timestamp(moment)}, ":one": {"N": "1"}},
    )
    with labelled_calls("moderation counts"):
        write_transaction(background_client(), [update(TABLE, _key_of(month.year), changes)])


def _main_reason(comment_id: str) -> str:
    """Return what most of a comment's first reports say, of as many the first of `Reason`."""
    given = Counter(report.reason for report in read_reports([comment_id])[comment_id])
    most = max(given.values(), default=0)
    for reason in Reason:
        if most and given[reason] == most:
            return reason.value
    return NOT_REPORTED


# Reading


def keys_of_last_year(now: datetime) -> list[Item]:
    """Return the keys of the two items of the current month and the twelve before it."""
    year = now.astimezone(UTC).year
    return [_key_of(year - 1), _key_of(year)]


def last_year_in(items: Iterable[Item], now: datetime) -> YearOfModeration:
    """Build the counts of the last year from items; those that are no counts are passed over."""
    month = now.astimezone(UTC).date().replace(day=1)
    first_month = month.replace(year=month.year - 1)
    sums: Counter[tuple[Step, str]] = Counter()
    since: list[datetime] = []
    for item in items:
        year = keys.year_of_moderation(item["pk"]["S"])
        if year is None:
            continue
        since.append(parse_timestamp(item[_SINCE]["S"]))
        for name, value in item.items():
            cell = _CELL.fullmatch(name)
            # What a newer version of the app has begun to count is not known here.
            if cell is None or cell["step"] not in _STEPS:
                continue
            if first_month <= date(year, int(cell["month"]), 1) <= month:
                sums[Step(cell["step"]), cell["reason"]] += int(value["N"])
    return YearOfModeration(first_month, sums, min(since, default=None))


def _key_of(year: int) -> Item:
    key = keys.moderated(year)
    return table_key(key, key)
