"""Tags and filters of the site: what pages cost, links to documents, forms to be sent again."""

from typing import Any

from django import template
from django.conf import settings
from django.template import Context
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from comments.host import SETS
from comments.indexes.planner import MIXED, PATTERNS
from comments.lists.search_plans import WORDS
from comments.moderation.queries import PLAN as MODERATION
from comments.rankings.queries import PLAN as RANKING
from config.api_addresses import api_address_of
from config.merge_picture import Picture, picture_of
from config.programs import program_of
from config.web.answers import fields_to_send_again
from dynapages.django.paging import grouped
from dynapages.lists import CENT, HALF_UP, RULES, SCAN, Explanation, Total, decimal_places
from shop.activity.queries import PLAN as ACTIVITY
from shop.pickup.queries import PLAN as PICKUP

PRICED_INDEXES = "designs/filters#four-indexes-by-cost"
SPARSE_INDEXES = "designs/keys#sparse-indexes-and-shards"
DESIGNS = {
    MIXED: PRICED_INDEXES,
    SETS: "designs/sets",
    WORDS: "search",
    ACTIVITY: "designs/activity",
    PICKUP: "designs/pickup-points",
    MODERATION: SPARSE_INDEXES,
    RANKING: "designs/adjacency",
    "open_orders": SPARSE_INDEXES,
    "open_by_date": "designs/keys#composite-sort-keys",
    "orders_by_status": "designs/keys#composite-sort-keys",
    SCAN: "designs/filters#scan-and-a-filter",
    RULES: "designs/filters#four-indexes-by-rule",
    "categories": "designs/adjacency",
    "by_data": "designs/adjacency",
}
"""The document about each plan, and its heading, by the plan's name."""
DESIGNS.update({pattern.name: PRICED_INDEXES for pattern in PATTERNS})

register = template.Library()
register.simple_tag(program_of)
register.simple_tag(api_address_of)


# What a page cost


@register.simple_tag
def shows_costs() -> bool:
    """Return whether pages say what they cost, which the setting ``SHOW_COSTS`` turns off."""
    shown: bool = settings.SHOW_COSTS
    return shown


@register.filter("repr")
def as_python(value: object) -> str:
    """Return a value as it is written in Python."""
    return repr(value)


@register.filter
def in_dollars(amount: float) -> str:
    """Return what `dynapages.calls.meter.dollars` does, as the visitor's language writes it."""
    if 0 < amount < CENT:
        return _("under $%(amount)s") % {"amount": grouped(CENT, places=2)}
    shown = grouped(amount + HALF_UP, places=decimal_places(amount))
    return _("$%(amount)s") % {"amount": shown}


@register.filter
def plural_of(number: float) -> int:
    """Return the whole number whose plural form a number takes: gettext refuses others."""
    if number == int(number):
        return int(number)
    return 2


@register.filter
def in_short(total: Total) -> str:
    """Format what a page cost, such as ``3 calls · 2 units · $0.25 per million views · 6 ms``."""
    calls = ngettext("%(number)s call", "%(number)s calls", total.calls)
    units = ngettext("%(number)s unit", "%(number)s units", plural_of(total.capacity_units))
    price = _("%(price)s per million views")
    parts = [
        calls % {"number": grouped(total.calls)},
        units % {"number": grouped(total.capacity_units)},
        price % {"price": in_dollars(total.dollars)},
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
    items = sentence % {"read": grouped(read), "shown": grouped(shown)}
    return f"{_comparison(explanation)} {items}".strip()


def _comparison(explanation: Explanation) -> str:
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


@register.filter
def times(units: float, less: float) -> str:
    """Return how many times as much so many units are, in two digits, as ``33`` or ``1.3``."""
    return grouped(float(f"{units / less:.2g}"))


# Links to documents


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


@register.inclusion_tag("_explanation_picture.html")
def merge_picture(explanation: Explanation) -> dict[str, Picture]:
    """Draw how the page of a list was merged from its queries."""
    return {"picture": picture_of(explanation)}


# Forms


@register.simple_tag(takes_context=True)
def form_sent(context: Context) -> dict[str, Any]:
    """Return the form of ours that was sent, or is in ``sent``; see `fields_to_send_again`."""
    if "sent" in context:
        return dict(context["sent"])
    if "request" not in context:
        return {}
    return fields_to_send_again(context["request"])
