"""Jumps to a month: lists by time, opened at the first comment of a month on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from comments.filters import BadFilter
from comments.lists.orders import CommentOrder
from comments.store.counts import ProductCounts
from dynamo.lists.reader import Order, PageRequest
from dynamo.lists.runs import Position
from dynamo.lists.sources import HIGHEST

_MONTH = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])", re.ASCII)


@dataclass(frozen=True, slots=True)
class MonthOption:
    """A month to jump to; ``value`` is as in ``?month=2026-03``, ``count`` that of the product."""

    value: str
    label: str
    count: int


def at_month(request: PageRequest, month: str, order: CommentOrder) -> PageRequest:
    """Return the first page of a list as one that begins at a month (UTC).

    Raises BadFilter for what is no month, for another page, and for a list by rating.
    """
    if not _MONTH.fullmatch(month):
        sentence = _("“%(month)s” is no month: write it as 2026-03.") % {"month": month}
        raise BadFilter(sentence)
    if order.is_by_rating or not request.is_first:
        sentence = _("A month begins the first page of a list that is sorted by time.")
        raise BadFilter(sentence)
    place = month + HIGHEST if order.direction is Order.NEWEST_FIRST else month
    return replace(request, position=Position(place, ordinal=None))


def month_options(counts: ProductCounts, order: CommentOrder) -> Sequence[MonthOption]:
    """Return the months to offer, in the list's order; none for a list by rating."""
    months = {month: n for month, n in counts.months.items() if n > 0}
    if order.is_by_rating:
        return ()
    return [
        MonthOption(
            month,
            date_format(date.fromisoformat(f"{month}-01"), "YEAR_MONTH_FORMAT"),
            months[month],
        )
        for month in sorted(months, reverse=order.direction is Order.NEWEST_FIRST)
    ]
