"""The activity log as its page shows it: sentences, toggles, URLs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from dynamo.lists.places import timestamp
from dynamo.lists.reader import PageRequest
from dynamo.web.paging import Pager
from dynamo.web.toggles import Toggle
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.filters import toggled
from shop.activity.queries import ActivityPage
from shop.catalogue.queries import ProductTile
from shop.order_status import Status

THERE_NO_MORE = frozenset({LogVerb.DELETED})


@dataclass(frozen=True, slots=True)
class ActivityRow:
    """An entry in words. ``order_id``, ``comment_id`` are empty where nothing is to be linked.

    ``product_name`` is the id where the product is not there any more.
    """

    kind: str
    kind_label: str
    action: str
    verb: str
    who: str
    subject: str
    order_id: str
    comment_id: str
    product_id: str
    product_name: str
    customer: str
    was: str
    became: str
    moment: datetime
    moment_iso: str
    place: str


@dataclass(frozen=True, slots=True)
class ActivityListing:
    """A page of the log: ``older_url`` leads on, back in time."""

    rows: Sequence[ActivityRow]
    tabs: Sequence[Toggle]
    all_kinds: Toggle
    older_url: str | None
    newer_url: str | None
    first_url: str
    is_first: bool


def activity_url(kinds: Sequence[Kind]) -> str:
    """Give the canonical URL of the log, narrowed to some kinds or (none) not."""
    query = urlencode([("kind", kind.value) for kind in kinds])
    return f"{reverse('activity')}?{query}".rstrip("?")


def activity_pager(kinds: Sequence[Kind]) -> Pager:
    """Give the pages of the log; its tokens are bound to the kinds."""
    return Pager(first_url=activity_url(kinds), list_name=f"activity/{'.'.join(kinds)}")


def activity_listing(
    kinds: Sequence[Kind],
    found: ActivityPage,
    *,
    products: Mapping[str, ProductTile],
    request: PageRequest,
) -> ActivityListing:
    """Arrange a page of the log for its template."""
    pager = activity_pager(kinds)
    return ActivityListing(
        rows=[_row(entry, products) for entry in found.entries],
        tabs=[_tab(kind, kinds) for kind in Kind],
        all_kinds=Toggle(
            value="~", label="Everything", url=activity_url(()), pressed=not kinds, count=None
        ),
        older_url=pager.next_url(found.page),
        newer_url=pager.previous_url(found.page),
        first_url=pager.first_url,
        is_first=request.position is None,
    )


def _tab(kind: Kind, kinds: Sequence[Kind]) -> Toggle:
    return Toggle(
        value=kind.value,
        label=kind.label,
        url=activity_url(toggled(kinds, kind)),
        pressed=kind in kinds,
        count=None,
    )


def _row(entry: LogEntry, products: Mapping[str, ProductTile]) -> ActivityRow:
    is_order = entry.kind is Kind.ORDER
    product_id = "" if is_order else entry.about
    product = products.get(product_id)
    is_there = entry.action not in THERE_NO_MORE
    return ActivityRow(
        kind=entry.kind.value,
        kind_label=entry.kind.label,
        action=entry.action.name,
        verb=entry.action.value,
        who=entry.who,
        subject=entry.subject,
        order_id=entry.subject if is_order else "",
        comment_id=entry.subject if is_there and not is_order else "",
        product_id=product_id,
        product_name=product.name if product else product_id,
        customer=entry.about if is_order and entry.about != entry.who else "",
        was=_spelled(entry.kind, entry.was),
        became=_spelled(entry.kind, entry.became),
        moment=entry.moment,
        moment_iso=timestamp(entry.moment),
        place=entry.place,
    )


def _spelled(kind: Kind, value: str) -> str:
    """Say a status, a rating, or a state that a comment is in to staff."""
    if kind is Kind.ORDER:
        return Status(value).label if value in set(Status) else value
    if kind is Kind.COMMENT and value:
        return f"{value} star{'' if value == '1' else 's'}"
    return value.lower()
