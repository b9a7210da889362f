"""The activity log as its page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dynamo.lists.places import timestamp
from dynamo.web.paging import Pager
from dynamo.web.toggles import Toggle
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.filters import toggled
from shop.activity.sentences import KINDS, sentence_of, value_in_words
from shop.catalogue.queries import ProductTile


@dataclass(frozen=True, slots=True)
class ActivityRow:
    """A log entry in words. ``order_id`` and ``comment_id`` are empty where there is no link.

    ``product_name`` is the id where the product does not exist any more.
    """

    entry: LogEntry
    sentence: SafeString
    order_id: str
    comment_id: str
    product_id: str
    product_name: str
    customer: str
    was: str
    became: str
    moment_iso: str


def activity_url(kinds: Sequence[Kind], *, name: str = "activity") -> str:
    """Return the canonical URL of the log of some kinds, or (none) of all, or of its CSV."""
    query = urlencode([("kind", kind.value) for kind in kinds])
    return f"{reverse(name)}?{query}".rstrip("?")


def activity_pager(kinds: Sequence[Kind]) -> Pager:
    """Return the pager of the log; its tokens are bound to the kinds."""
    name = f"activity/{'.'.join(kinds)}"
    return Pager(first_url=activity_url(kinds), list_name=name, shape={"kinds": len(kinds)})


def kind_toggles(chosen: Sequence[Kind]) -> list[Toggle]:
    """Build the links that add a kind to those chosen, or remove it."""
    return [
        Toggle(
            value=kind.value,
            label=str(KINDS[kind]),
            url=activity_url(toggled(chosen, kind)),
            pressed=kind in chosen,
        )
        for kind in Kind
    ]


def all_kinds(chosen: Sequence[Kind]) -> Toggle:
    """Build the link to the whole log."""
    return Toggle(value="~", label=_("Everything"), url=activity_url(()), pressed=not chosen)


def activity_row(entry: LogEntry, products: Mapping[str, ProductTile]) -> ActivityRow:
    """Build the row of a log entry; ``products`` are those that exist, by id."""
    is_order = entry.kind is Kind.ORDER
    product_id = "" if is_order else entry.about
    product = products.get(product_id)
    return ActivityRow(
        entry=entry,
        sentence=sentence_of(entry),
        order_id=entry.subject if is_order else "",
        comment_id="" if is_order or entry.action is LogVerb.DELETED else entry.subject,
        product_id=product_id,
        product_name=product.name if product else product_id,
        customer=entry.about if is_order and entry.about != entry.who else "",
        was=value_in_words(entry.kind, entry.was),
        became=value_in_words(entry.kind, entry.became),
        moment_iso=timestamp(entry.moment),
    )
