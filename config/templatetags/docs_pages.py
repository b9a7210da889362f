"""Links to the documentation."""

from django import template
from django.urls import reverse

from comments.indexes.access_patterns import PATTERNS
from comments.indexes.planner import MIXED
from comments.moderation.listing import PLAN as MODERATION
from comments.rankings.queries import PLAN as RANKING
from comments.sets.copies import SETS
from shop.activity.listing import PLAN as ACTIVITY
from shop.pickup.queries import PLAN as PICKUP

register = template.Library()

DESIGNS = {
    **dict.fromkeys([MIXED, *(pattern.name for pattern in PATTERNS)], "designs/planner"),
    SETS: "designs/sets",
    ACTIVITY: "designs/activity",
    PICKUP: "designs/pickup-points",
    MODERATION: "designs/sparse-and-sharded",
    RANKING: "designs/adjacency",
    "open_orders": "designs/sparse-and-sharded",
    "open_by_date": "designs/composite-keys",
    "orders_by_status": "designs/composite-keys",
    "categories": "designs/adjacency",
    "by_data": "designs/adjacency",
}
"""The document about each plan, by its name."""


@register.filter
def design_url(plan: str) -> str:
    """Return the address of the document about a plan; of all of them where it has none."""
    return reverse("document", args=[DESIGNS.get(plan, "designs")])


@register.simple_tag
def word_url(word: str) -> str:
    """Return the address of the explanation of a word, such as ``unit``."""
    return f"{reverse('document', args=['how-it-works'])}#{word}"
