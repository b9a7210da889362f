"""Reads of what staff moderate: the queue of reported comments, and the hidden ones.

Each state is one partition of the sparse index ``moderation``, oldest report first. What was
reported lies beside each comment: one Query for each comment shown. What their products are
called is one more call for the page.
"""

from dataclasses import dataclass, fields, replace
from datetime import datetime

from comments import keys
from comments.lists.queries import CommentEntry, entry_of
from comments.models import Comment
from comments.reports.services import Report, reports_of
from comments.store.revision import Seen, State
from dynamo.calls.meter import labelled_calls
from dynamo.lists.merging import Entry
from dynamo.lists.places import id_at, moment_at
from dynamo.lists.reader import Order, Page, PageRequest
from dynamo.lists.runs import Index, Position, Run
from dynamo.lists.site_reader import read
from shop.catalogue.queries import find_tiles

PLAN = Comment.moderation.Meta.index_name


def _table_key(position: Position) -> dict[str, str]:
    return dict.fromkeys(("pk", "sk"), keys.comment(id_at(position.place)))


_INDEX = Index(
    table=Comment.Meta.table_name,
    name=PLAN,
    partition_key=Comment.moderation_partition.attr_name,
    sort_key=Comment.moderation_place.attr_name,
    table_key=_table_key,
)


@dataclass(frozen=True, slots=True)
class ModeratedComment(CommentEntry):
    """A comment in the queue, with the first of its reports; ``report_count`` is of all.

    ``waiting_since`` is when it was first reported since staff last kept it, or was hidden;
    ``product_name`` is the product's id where that is not there any more.
    """

    product_name: str = ""
    seen: str = ""
    waiting_since: datetime | None = None
    report_count: int = 0
    reports: tuple[Report, ...] = ()

    @property
    def reports_not_shown(self) -> int:
        return max(self.report_count - len(self.reports), 0)


@dataclass(frozen=True, slots=True)
class ModerationPage:
    """A page of the comments in a state, oldest report first."""

    comments: tuple[ModeratedComment, ...]
    page: Page


def run_of(state: State) -> Run:
    """Give the run of the comments in a state, by how long they wait."""
    return Run(index=_INDEX, partition=keys.moderation(state))


def list_moderated(state: State, request: PageRequest) -> ModerationPage:
    """Read a page of the comments in a state (P5, sparse index), their reports and products."""
    page = read([run_of(state)], request, order=Order.OLDEST_FIRST)
    comments = [_moderated(entry) for entry in page.entries]
    reports = reports_of([comment.id for comment in comments])
    with labelled_calls("product names"):
        products = find_tiles(comment.product_id for comment in comments)
    names = {product.id: product.name for product in products.values()}
    return ModerationPage(
        tuple(
            replace(
                one,
                reports=reports[one.id],
                product_name=names.get(one.product_id, one.product_id),
            )
            for one in comments
        ),
        page,
    )


def _moderated(entry: Entry) -> ModeratedComment:
    shown, seen = entry_of(entry.item), Seen.of(entry.item)
    return ModeratedComment(
        **{field.name: getattr(shown, field.name) for field in fields(CommentEntry)},
        seen=str(seen),
        report_count=seen.reports,
        waiting_since=moment_at(entry.position.place),
    )
