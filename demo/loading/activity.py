"""The sample shop's activity log: entries of its newest orders and comments."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from comments.items import NewComment
from demo.loading.reactions import LATER
from demo.sample.orders import STAFF, SampleSales
from demo.sample.reactions import SampleReactions
from dynamo.calls.client import client, patient_client
from dynamo.lists.reader import PageRequest
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.months import Month
from shop.activity.queries import list_activity
from shop.activity.recording import write_entry
from shop.activity.tables import make_table
from shop.order_status import Status
from shop.orders.items import NewOrder

BY_CUSTOMERS = frozenset({Status.PLACED, Status.CANCELED, Status.RETURNED})


def load_activity(
    sales: SampleSales,
    comments: Iterable[NewComment],
    reactions: SampleReactions,
    *,
    now: datetime,
) -> None:
    """Write entries of this month and the one before, unless there are any in the log."""
    if list_activity((), PageRequest(1), now=now).items:
        return
    months = [Month.of(now).plus(-1), Month.of(now)]
    for month in months:
        make_table(month, client=patient_client())
    begin = datetime(months[0].year, months[0].month, 1, tzinfo=UTC)
    entries = [entry for order in sales.orders for entry in _of_order(order)]
    entries += [_posted(comment) for comment in comments if comment.created_at >= begin]
    by_staff = [(LogVerb.PICKED, comment) for comment in reactions.picks]
    by_staff += [(LogVerb.REPLIED, comment) for comment, _ in reactions.replies]
    entries += [
        replace(
            _posted(comment),
            kind=Kind.MODERATION,
            action=action,
            moment=min(comment.created_at + LATER, now),
            who=STAFF,
            became="",
        )
        for action, comment in by_staff
    ]
    for entry in entries:
        if entry.moment >= begin:
            write_entry(entry, client=client())


def _of_order(order: NewOrder) -> Iterator[LogEntry]:
    before = ""
    for change in order.history:
        yield LogEntry(
            kind=Kind.ORDER,
            action=LogVerb.MOVED if before else LogVerb.PLACED,
            moment=change.moment,
            who=order.username if change.status in BY_CUSTOMERS else STAFF,
            subject=order.id,
            about=order.username,
            was=before,
            became=change.status,
        )
        before = change.status


def _posted(comment: NewComment) -> LogEntry:
    return LogEntry(
        kind=Kind.COMMENT,
        action=LogVerb.POSTED,
        moment=comment.created_at,
        who=comment.author,
        subject=comment.id,
        about=comment.product_id,
        became=str(comment.rating),
    )
