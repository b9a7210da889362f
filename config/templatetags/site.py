"""How pages were read, with links to the documents about it; and forms to be sent again."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from comments.indexes.planner import MIXED, PATTERNS
from comments.lists.search_plans import WORDS
from comments.moderation.listing import PLAN as MODERATION
from comments.rankings.queries import PLAN as RANKING
from comments.sets.copies import SETS
from config.programs import program_of
from config.web.answers import fields_to_send_again
from dynapages.django.paging import grouped
from dynapages.lists import CENT, HALF_UP, RULES, SCAN, Explanation, Total, decimal_places
from shop.activity.listing import PLAN as ACTIVITY
from shop.pickup.queries import PLAN as PICKUP

register = template.Library()
register.simple_tag(program_of)


@register.filter("repr")
def as_python(value: object) -> str:
    """Return a value as Python spells it."""
    return repr(value)


@register.filter
def in_dollars(amount: float) -> str:
    """Return what `dynapages.lists.explain.dollars` does, as the visitor's language writes it."""
    if 0 < amount < CENT:
        return _("under $%(amount)s") % {"amount": grouped(CENT, places=2)}
    shown = grouped(amount + HALF_UP, places=decimal_places(amount))
    return _("$%(amount)s") % {"amount": shown}


@register.filter
def plural_of(number: float) -> int:
    """Return the whole number whose plural form a number takes: gettext refuses others."""
    return int(number) if number == int(number) else 2


@register.simple_tag(takes_context=True)
def form_sent(context: Context) -> dict[str, Any]:
    """Return the form of ours that was sent, or is in ``sent``; see `fields_to_send_again`."""
    if "sent" in context:
        return dict(context["sent"])
    return fields_to_send_again(context["request"]) if "request" in context else {}


@register.filter
def in_short(total: Total) -> str:
    """Format what a page cost, such as ``3 calls · 2 units · $0.25 per million views · 6 ms``."""
    calls, units = total.calls, total.capacity_units
    parts = [
        ngettext("%(number)s call", "%(number)s calls", calls) % {"number": grouped(calls)},
        ngettext("%(number)s unit", "%(number)s units", plural_of(units))
        % {"number": grouped(units)},
        _("%(price)s per million views") % {"price": in_dollars(total.dollars)},
    ]
    if total.milliseconds:
        parts.append(f"{grouped(max(total.milliseconds, 1), places=0)} ms")
    return " · ".join(parts)


@register.filter
def verdict(explanation: Explanation) -> str:
    """Return what the choice of the plan saved, in a sentence or two."""
    read, shown = explanation.items_read, explanation.items_returned
    sentence = ngettext(
        "%(read)s item was read to show %(shown)s.",
        "%(read)s items were read to show %(shown)s.",
        read,
    )
    told = sentence % {"read": grouped(read), "shown": grouped(shown)}
    return f"{_chosen(explanation)} {told}".strip()


def _chosen(explanation: Explanation) -> str:
    """Compare the plan with the others; empty where their costs are not known."""
    least = explanation.expected_of_others
    if least is None:
        return ""
    units = explanation.capacity_units
    figures = {
        "ways": grouped(len(explanation.alternatives) + 1),
        "units": grouped(units),
        "least": grouped(round(least, 2)),
    }
    if explanation.passes_over_cheaper:
        sentence = ngettext(
            "Of %(ways)s ways, this is the cheapest that misses nothing: %(units)s unit.",
            "Of %(ways)s ways, this is the cheapest that misses nothing: %(units)s units.",
            plural_of(units),
        )
    else:
        sentence = ngettext(
            "The cheapest of %(ways)s ways: %(units)s unit. "
            "The next was expected to take %(least)s.",
            "The cheapest of %(ways)s ways: %(units)s units. "
            "The next was expected to take %(least)s.",
            plural_of(units),
        )
    return sentence % figures


PRICED, SHARDED = "designs/filters#four-indexes-by-cost", "designs/keys#sparse-indexes-and-shards"
DESIGNS = {
    **dict.fromkeys([MIXED, *(pattern.name for pattern in PATTERNS)], PRICED),
    SETS: "designs/sets",
    WORDS: "search",
    ACTIVITY: "designs/activity",
    PICKUP: "designs/pickup-points",
    MODERATION: SHARDED,
    RANKING: "designs/adjacency",
    "open_orders": SHARDED,
    "open_by_date": "designs/keys#composite-sort-keys",
    "orders_by_status": "designs/keys#composite-sort-keys",
    SCAN: "designs/filters#scan-and-a-filter",
    RULES: "designs/filters#four-indexes-by-rule",
    "categories": "designs/adjacency",
    "by_data": "designs/adjacency",
}
"""The document about each plan, and its heading, by the plan's name."""


@register.filter
def design_url(plan: str) -> str:
    """Return the address of the document about a plan; of all of them where it has none."""
    return document_url(DESIGNS.get(plan, "designs"))


@register.filter
def document_url(page: str) -> str:
    """Return the address of a document, or of a heading in it: ``lab``, ``designs/keys#shards``."""
    name, mark, heading = page.partition("#")
    return reverse("document", args=[name]) + mark + heading


@register.simple_tag
def word_url(word: str) -> str:
    """Return the address of the explanation of a word, such as ``unit``."""
    return f"{reverse('document', args=['how-it-works'])}#{word}"


@register.filter
def times(units: float, less: float) -> str:
    """Return how many times as much so many units are, in two digits, as ``33`` or ``1.3``."""
    return grouped(float(f"{units / less:.2g}"))


STEP = 18
LANE = 34
FIRST_LANE = 24
LABEL = 30
LETTER = 8
"""A little more than one takes in a key."""
MOST_BESIDE = 6
"""Dots for items that were read and are not on the page; beyond it their number is written."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A query, with its dots and their lines to the page as SVG paths.

    ``more`` is the number of items that were read and have no dot.
    """

    key: str
    y: int
    shown: str
    joins: str
    beside: str
    more: int


@dataclass(frozen=True, slots=True)
class Picture:
    """The lanes from top to bottom, the dots of the page below them, and a place for each.

    Sizes are in pixels. Below the page is room for the place of the item under the pointer.
    """

    lanes: tuple[Lane, ...]
    places: tuple[str, ...]

    @property
    def items(self) -> list[tuple[int, str]]:
        """The column and the place of each item of the page."""
        return [(_x(column), place) for column, place in enumerate(self.places)]

    @property
    def page_y(self) -> int:
        return _lane_y(len(self.lanes))

    @property
    def page(self) -> str:
        return _dots(range(len(self.places)), self.page_y)

    @property
    def edge(self) -> int:
        return _x(len(self.places))

    @property
    def width(self) -> int:
        texts = (*self.places, *(lane.key for lane in self.lanes))
        return max(_x(len(self.places) + MOST_BESIDE + 2), LETTER * max(map(len, texts), default=0))

    @property
    def height(self) -> int:
        return self.page_y + LABEL


def picture_of(explanation: Explanation) -> Picture:
    """Draw the queries that were made for a page."""
    made = [(n, query) for n, query in enumerate(explanation.queries) if query.rounds]
    items = len(explanation.merged_from)
    page_y = _lane_y(len(made))
    lanes = []
    for at, (number, query) in enumerate(made):
        y = _lane_y(at)
        shown = [c for c, query_of in enumerate(explanation.merged_from) if query_of == number]
        beside = query.items_read - query.items_returned
        lanes.append(
            Lane(
                key=query.key,
                y=y,
                shown=_dots(shown, y),
                joins="".join(f"M{_x(column)} {y}V{page_y}" for column in shown),
                beside=_dots(range(items + 1, items + 1 + min(beside, MOST_BESIDE)), y),
                more=max(0, beside - MOST_BESIDE),
            )
        )
    return Picture(tuple(lanes), explanation.places)


def _lane_y(number: int) -> int:
    return LANE * number + FIRST_LANE


def _x(column: int) -> int:
    return STEP * (column + 1)


def _dots(columns: Iterable[int], y: int) -> str:
    """Build a path that is a dot in each column, if its line has round ends."""
    return "".join(f"M{_x(column)} {y}h0" for column in columns)


@register.inclusion_tag("_explanation_picture.html")
def merge_picture(explanation: Explanation) -> dict[str, Picture]:
    """Draw how the page of a list was merged from its queries."""
    return {"picture": picture_of(explanation)}
