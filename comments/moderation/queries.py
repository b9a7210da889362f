"""Reads of what staff moderate: the queue of reported comments, and the hidden ones."""

from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial

from comments import keys
from comments.lists.queries import CommentEntry, entry_of
from comments.models import Moderation
from comments.reports.services import CommentReport, reports_of
from comments.store.comments import Revision, State
from comments.store.table import index_of
from dynamo.calls.client import pool
from dynamo.calls.meter import labelled_calls
from dynamo.lists.reader import Order, PageRequest, PageResult, read
from dynamo.lists.runs import Run, moment_at
from shop.catalogue.queries import find_tiles

PLAN = Moderation.Meta.index_name

_INDEX = index_of(Moderation)


@dataclass(frozen=True, slots=True)
class ModeratedComment(CommentEntry):
    """A comment in the queue, with the first of its reports; ``report_count`` is of all.

    ``waiting_since`` is when it was first reported since staff last kept it, or was hidden.
    """

    product_name: str = ""
    seen: str = ""
    waiting_since: datetime | None = None
    report_count: int = 0
    reports: tuple[CommentReport, ...] = ()

    @property
    def reports_not_shown(self) -> int:
        return max(self.report_count - len(self.reports), 0)


def run_of(state: State) -> Run:
    """Return the run of the comments in a state, by how long they wait."""
    return Run(index=_INDEX, partition=keys.moderation(state))


def list_moderated(state: State, request: PageRequest) -> PageResult[ModeratedComment]:
    """Read a page of the comments in a state (P5, sparse index), their reports and products."""
    page = read([run_of(state)], request, order=Order.OLDEST_FIRST)
    shown = [entry_of(entry.item) for entry in page.entries]
    with pool().together() as together:
        reports_read = together.start(partial(reports_of, [one.id for one in shown]))
        with labelled_calls("product names"):
            products = find_tiles(one.product_id for one in shown)
        reports = reports_read.result()
    names = {product.id: product.name for product in products.values()}
    items = []
    for entry, one in zip(page.entries, shown, strict=True):
        revision = Revision.of(entry.item)
        moderated = ModeratedComment(
            **{field.name: getattr(one, field.name) for field in fields(CommentEntry)},
            product_name=names.get(one.product_id, one.product_id),
            seen=str(revision),
            waiting_since=moment_at(entry.position.place),
            report_count=revision.reports,
            reports=reports[one.id],
        )
        items.append(moderated)
    return PageResult(tuple(items), page)
