"""The activity log as its page shows it, and what it is narrowed to, as a value and in URLs."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Self
from urllib.parse import urlencode

from botocore.exceptions import ClientError
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from dynapages.calls import NotSetUp, fault_in, labelled_calls
from dynapages.django.paging import Pager, Toggle
from dynapages.lists import OneOf, PageRequest, PageResult, Run, Segment, SegmentsPlan, timestamp
from dynapages.process import client, pool, read_in_segments
from shop.activity.entries import Kind, LogEntry, LogVerb, entry_in, partition
from shop.activity.tables import Layout, Month, layout_of, months_kept
from shop.days import ALL_DAYS, BadListFilter, Days
from shop.order_status import Status
from shop.table import BY_KEY, share_of


@dataclass(frozen=True, slots=True)
class ActivityFilter:
    """Kinds of entries, () for all of them, of some UTC days."""

    kinds: tuple[Kind, ...] = ()
    days: Days = ALL_DAYS

    @classmethod
    def parse(cls, *, kinds: Iterable[str], since: str, until: str) -> Self:
        """Parse a URL's values. Raises BadListFilter."""
        chosen = {value for value in kinds if value}
        if unknown := sorted(chosen - set(Kind)):
            allowed = ", ".join(kind.value for kind in Kind)
            sentence = _("There is no kind “%(kind)s”: choose from %(allowed)s.")
            raise BadListFilter(sentence % {"kind": unknown[0], "allowed": allowed})
        return cls(_in_order(chosen), Days.parse(since, until))

    @property
    def kind_pairs(self) -> list[tuple[str, str]]:
        """The names and values of the query without its days."""
        return [("kind", kind.value) for kind in self.kinds]

    @property
    def query(self) -> str:
        """The canonical query of the filter's URL."""
        return urlencode(self.kind_pairs + self.days.pairs)

    def toggle(self, kind: Kind) -> Self:
        """Add or remove a kind."""
        return replace(self, kinds=_in_order({*self.kinds} ^ {kind}))


def _in_order(chosen: Collection[str]) -> tuple[Kind, ...]:
    kinds = tuple(kind for kind in Kind if kind in chosen)
    return () if kinds == tuple(Kind) else kinds


KINDS: dict[Kind, Promise] = {
    Kind.ORDER: gettext_lazy("Orders"),
    Kind.COMMENT: gettext_lazy("Comments"),
    Kind.MODERATION: gettext_lazy("Moderation"),
}
SENTENCES: dict[LogVerb, Promise] = {
    LogVerb.PLACED: gettext_lazy("%(who)s placed order %(id)s"),
    LogVerb.MOVED: gettext_lazy("%(who)s moved order %(id)s"),
    LogVerb.POSTED: gettext_lazy("%(who)s posted a comment"),
    LogVerb.HELD: gettext_lazy("%(who)s wrote a comment that waits"),
    LogVerb.PUBLISHED: gettext_lazy("%(who)s published a comment"),
    LogVerb.REJECTED: gettext_lazy("%(who)s rejected a comment"),
    LogVerb.EDITED: gettext_lazy("%(who)s edited a comment"),
    LogVerb.DELETED: gettext_lazy("%(who)s deleted a comment"),
    LogVerb.KEPT: gettext_lazy("%(who)s kept a comment"),
    LogVerb.HIDDEN: gettext_lazy("%(who)s hid a comment"),
    LogVerb.RESTORED: gettext_lazy("%(who)s restored a comment"),
    LogVerb.PICKED: gettext_lazy("%(who)s picked a comment"),
    LogVerb.UNPICKED: gettext_lazy("%(who)s unpicked a comment"),
    LogVerb.REPLIED: gettext_lazy("%(who)s replied to a comment"),
    LogVerb.REPLY_DELETED: gettext_lazy("%(who)s deleted the reply to a comment"),
}
STATES: dict[str, Promise] = {
    "HELD": pgettext_lazy("the comment is", "waiting"),
    "REPORTED": pgettext_lazy("the comment is", "reported"),
    "HIDDEN": pgettext_lazy("the comment is", "hidden"),
    "LISTED": pgettext_lazy("the comment is", "listed"),
}


def sentence_of(entry: LogEntry) -> SafeString:
    """Return HTML that says who did what, with the user's name set off."""
    who = entry.who or _("A command")
    values = {
        "who": format_html("<strong><bdi>{}</bdi></strong>", who),
        "id": format_html("{}", entry.subject),
    }
    return SafeString(str(SENTENCES[entry.action]) % values)


def value_in_words(kind: Kind, value: str) -> str:
    """Return a status, rating or state of an entry; empty for none."""
    if kind is Kind.ORDER:
        return Status(value).label if value in set(Status) else value
    if kind is Kind.COMMENT and value.isdecimal():
        return ngettext("%(count)s star", "%(count)s stars", int(value)) % {"count": value}
    return str(STATES.get(value, value))


def activity_url(chosen: ActivityFilter, *, name: str = "activity") -> str:
    """Return the canonical URL of the filtered log, or of its CSV."""
    return f"{reverse(name)}?{chosen.query}".rstrip("?")


def activity_pager(chosen: ActivityFilter) -> Pager:
    """Return the pager of the log; its tokens are bound to the filter."""
    return Pager(
        first_url=activity_url(chosen),
        list_name=f"activity/{chosen.query}",
        shape={"kinds": len(chosen.kinds), "days": len(chosen.days.pairs)},
    )


def list_context(chosen: ActivityFilter) -> dict[str, Any]:
    """Build what the template shows around the entries; ``address`` is for toggles.js.

    ``dates`` is what ``shop/orders/_dates.html`` shows.
    """
    url = reverse("activity")
    tabs = [
        Toggle(
            value=kind.value,
            label=str(KINDS[kind]),
            url=activity_url(chosen.toggle(kind)),
            pressed=kind in chosen.kinds,
        )
        for kind in Kind
    ]
    everything = Toggle(
        value="~",
        label=_("Everything"),
        url=activity_url(replace(chosen, kinds=())),
        pressed=not chosen.kinds,
    )
    any_day = activity_url(replace(chosen, days=ALL_DAYS))
    dates = {
        **chosen.days.form,
        "clear_dates_url": any_day if chosen.days else None,
        "form_hidden": chosen.kind_pairs,
        "form_action": url,
    }
    return {
        "csv_url": activity_url(chosen, name="activity_csv"),
        "tabs": tabs,
        "all_kinds": everything,
        "dates": dates,
        "address": f"{url}?{{kind=}}&{urlencode(chosen.days.pairs)}".rstrip("&"),
    }


def activity_row(entry: LogEntry) -> dict[str, Any]:
    """Build the row of a log entry in words."""
    is_order = entry.kind is Kind.ORDER
    product_id = "" if is_order else entry.about
    return {
        "entry": entry,
        "sentence": sentence_of(entry),
        "order_id": entry.subject if is_order else "",
        "comment_id": "" if is_order or entry.action is LogVerb.DELETED else entry.subject,
        "product_id": product_id,
        "product_name": entry.name or product_id,
        "customer": entry.about if is_order and entry.about != entry.who else "",
        "was": value_in_words(entry.kind, entry.was),
        "became": value_in_words(entry.kind, entry.became),
        "moment_iso": timestamp(entry.moment),
    }


PLAN = "activity"
MOST_UNITS = 4.0
"""Of a page of some kinds, which may have to drop many others: it is short then, and goes on."""
LARGEST_ENTRY = 256
"""Bytes of an entry, for that limit."""
READ_FOR = {Kind.ORDER: 2, Kind.COMMENT: 6}
"""Entries of the main series read for one of a kind: an order makes several, a comment one."""


def list_activity(
    kinds: Sequence[Kind], request: PageRequest, *, now: datetime, days: Days = ALL_DAYS
) -> PageResult[LogEntry]:
    """Read a page of the log, newest first: one query for each series and shard of a month.

    Entries of the series that are of other ``kinds`` are dropped. Of months without any of the
    ``days`` nothing is read.
    """
    # Places begin with the date: a day sorts in front of all that happened on it.
    since, until = (day.isoformat() if day else None for day in (days.since, days.until))
    months = {str(month): month for month in months_kept(now)}

    def plan_of(segments: Sequence[Segment], needed: int) -> SegmentsPlan:
        runs = [
            replace(run, since=since, until=until)
            for run in _runs([months[segment.name] for segment in segments], kinds)
        ]
        return SegmentsPlan(runs, _shares(runs, needed))

    segments = [
        month.segment
        for month in months.values()
        if (until is None or f"{month}-01" < until)
        and (since is None or month.segment.until > since)
    ]
    page = read_in_segments(segments, plan_of, request, may_miss_tables=True)
    return PageResult(tuple(entry_in(entry.item) for entry in page.entries), page)


def within_limit(request: PageRequest, kinds: Sequence[Kind]) -> PageRequest:
    """Return the request of a page of some kinds that drops no more than `MOST_UNITS` pay for."""
    if not kinds:
        return request
    return replace(request, most_units=MOST_UNITS, largest_item=LARGEST_ENTRY)


def _runs(months: Sequence[Month], kinds: Sequence[Kind]) -> list[Run]:
    with labelled_calls("shards"):
        layouts = pool().gather([partial(_layout, month) for month in months])
    return [
        Run(index=replace(BY_KEY, table=month.table), partition=partition(series, n), keep=keep)
        for month, layout in zip(months, layouts, strict=True)
        for series, keep in _series(layout, kinds)
        for n in range(layout.shards)
    ]


def _series(layout: Layout, kinds: Sequence[Kind]) -> Iterator[tuple[str, tuple[OneOf, ...]]]:
    """Yield the series that hold some kinds, each with the filter of those it holds besides."""
    wanted = kinds or tuple(Kind)
    for series in dict.fromkeys(kind.series(layout) for kind in wanted):
        held = [kind for kind in Kind if kind.series(layout) == series]
        kept = [kind for kind in held if kind in wanted]
        keep = OneOf("kind", tuple({"S": kind.value} for kind in kept))
        yield series, () if kept == held else (keep,)


def _layout(month: Month) -> Layout:
    try:
        return layout_of(month, client=client())
    except ClientError as error:
        if isinstance(fault_in(error), NotSetUp):
            return Layout(0)
        raise


def _shares(runs: Sequence[Run], needed: int) -> list[int]:
    # Of a page that may be of one kind alone.
    shards = Counter(map(_stretch, runs))
    return [
        share_of(needed, shards[_stretch(run)]) * (READ_FOR[_kept(run)] if run.keep else 1)
        for run in runs
    ]


def _kept(run: Run) -> Kind:
    return Kind(run.keep[0].values[0]["S"])


def _stretch(run: Run) -> tuple[str, str]:
    return run.index.table, str(run.partition).partition("#")[0]
