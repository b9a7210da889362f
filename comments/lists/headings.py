"""What a list of comments is called: its filter and its order in words."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from comments.filters import CommentFilter
from comments.languages import language_name
from comments.lists.orders import CommentOrder


def heading_of(chosen: CommentFilter, order: CommentOrder = CommentOrder.NEWEST) -> str:
    """Format a list's heading, such as ``1- and 2-star comments in German, oldest first``."""
    words = {
        "languages": _listed([language_name(code) for code in chosen.languages]),
        "ratings": _listed([f"{one}-" for one in chosen.ratings]).removesuffix("-"),
    }
    heading = _sentence(chosen) % words
    if order is CommentOrder.NEWEST:
        return heading
    return _("%(heading)s, %(order)s") % {"heading": heading, "order": order.spoken}


def _sentence(chosen: CommentFilter) -> str:
    if chosen.languages and chosen.ratings:
        return _("%(ratings)s-star comments in %(languages)s")
    if chosen.ratings:
        return _("%(ratings)s-star comments")
    return _("Comments in %(languages)s") if chosen.languages else _("Comments")


def _listed(words: Sequence[str]) -> str:
    *others, last = words or [""]
    if not others:
        return last
    return _("%(others)s and %(last)s") % {"others": ", ".join(others), "last": last}
