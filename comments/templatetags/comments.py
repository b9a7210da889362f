"""Template tags for pages of the project: a product's average and its newest comments."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django import template

from comments.filters import CommentFilter
from comments.lists.listing import list_url
from comments.lists.page import find_newest
from comments.store.counts import ProductCounts, counts_of
from dynapages.calls import fault_in, labelled_calls
from dynapages.pynamodb import FAILURES

logger = logging.getLogger(__name__)
register = template.Library()
T = TypeVar("T")


@register.inclusion_tag("comments/average_of.html")
def average_of(product_id: object) -> dict[str, Any]:
    """Show a product's average rating, with a link to its comments; nothing without any.

    One call for half a capacity unit, more where many write at once. While the database is away,
    nothing is shown either.
    """
    name = str(product_id)

    def read() -> ProductCounts:
        with labelled_calls("counts"):
            return counts_of(name)

    counts = _unless_away(read, ProductCounts({}))
    return {
        "average": counts.average_rating,
        "total": counts.total,
        "all_url": list_url(name, CommentFilter()),
    }


@register.inclusion_tag("comments/comments_of.html")
def comments_of(product_id: object, *, size: int = 5) -> dict[str, Any]:
    """Show a product's newest comments, with links to all of them and to write one.

    One call, for half a capacity unit as a rule: for each 4 KB of what is shown. While the database
    is away, the links alone are shown.
    """
    name = str(product_id)
    return {
        "comments": _unless_away(lambda: find_newest(name, size=size), ()),
        "product": {"id": name},
        "all_url": list_url(name, CommentFilter()),
    }


def _unless_away(read: Callable[[], T], nothing: T) -> T:
    """Return what is read; ``nothing`` while the database is away, as the page is the project's."""
    try:
        return read()
    except FAILURES as error:
        fault = fault_in(error)
        if fault is None:
            raise
        logger.warning("Comments are not shown: %s", fault)
        return nothing
