"""The orders of a product's list of comments, their form in URLs, and jumps to a month."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from functools import lru_cache
from typing import Self

from django.db.models import TextChoices
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from comments import keys
from comments.filters import RATINGS, BadFilter
from comments.store.counts import ProductCounts
from dynapages.django.paging import grouped
from dynapages.lists import HIGHEST, Order, PageRequest, Position, sort_key_of

VOTED, OTHERS = "1/", "0/"
"""The sections of a list by votes: comments with votes, and behind them those without."""
MONTH = r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])"
"""The form of a month, such as ``2026-03``."""
LANGUAGES_OF_SITE = 100
"""Languages whose words are kept in memory: as many as Django has translations for."""
MONTHS_NAMED = 1_000
"""Names of months that are kept in memory: of forty years in two languages."""
_MONTH = re.compile(MONTH, re.ASCII)


class CommentOrder(TextChoices):
    """An order of comments; the value is that of ``?order=``, which is omitted for the newest."""

    NEWEST = "newest", gettext_lazy("Newest first")
    OLDEST = "oldest", gettext_lazy("Oldest first")
    HIGHEST = "highest", gettext_lazy("Highest rated")
    LOWEST = "lowest", gettext_lazy("Lowest rated")
    HELPFUL = "helpful", gettext_lazy("Most helpful")

    @classmethod
    def parse(cls, value: str) -> Self:
        """Read the value of ``?order=``. Raises BadFilter."""
        try:
            return cls(value)
        except ValueError:
            known = ", ".join(cls)
            sentence = _("There is no order “%(order)s”: choose from %(known)s.")
            raise BadFilter(sentence % {"order": value, "known": known}) from None

    @property
    def spoken(self) -> str:
        """What a heading calls it, such as ``oldest first``."""
        return str(_SPOKEN[self])

    @property
    def is_by_rating(self) -> bool:
        """Whether its comments are sorted by rating first, and by time, newest first, then."""
        return self in {CommentOrder.HIGHEST, CommentOrder.LOWEST}

    @property
    def is_by_time(self) -> bool:
        """Whether its comments are sorted by time alone: they can begin at a month."""
        return self in {CommentOrder.NEWEST, CommentOrder.OLDEST}

    @property
    def query(self) -> str:
        """The query of a list's URL, empty for the newest first."""
        if self is CommentOrder.NEWEST:
            return ""
        return f"?order={self}"

    @property
    def direction(self) -> Order:
        # By rating and by votes, too, the list falls: see `section`.
        if self is CommentOrder.OLDEST:
            return Order.OLDEST_FIRST
        return Order.NEWEST_FIRST

    @property
    def page_labels(self) -> tuple[str, str]:
        """The texts of the links to the previous and to the next page."""
        # Neighbours may be alike: of the same rating, or of as many votes, or all of none.
        if not self.is_by_time:
            return _("Previous"), _("Next")
        if self is CommentOrder.OLDEST:
            return _("Older"), _("Newer")
        return _("Newer"), _("Older")

    def section(self, rating: int) -> str:
        """Return the section of a rating's comments (`dynapages.lists.runs.Run`), empty by time."""
        if not self.is_by_rating:
            return ""
        # The list falls, from the highest section to the lowest.
        rank = rating
        if self is CommentOrder.LOWEST:
            rank = RATINGS[-1] + 1 - rating
        return f"{rank}/"

    def place(self, created: datetime, comment_id: str, *, rating: int, votes: int | None) -> str:
        """Return the place of a comment in a list of this order."""
        by_time = sort_key_of(created, comment_id)
        if self is not CommentOrder.HELPFUL:
            return self.section(rating) + by_time
        if votes:
            return VOTED + keys.scored(votes, comment_id)
        return OTHERS + by_time


_SPOKEN = {
    CommentOrder.NEWEST: gettext_lazy("newest first"),
    CommentOrder.OLDEST: gettext_lazy("oldest first"),
    CommentOrder.HIGHEST: gettext_lazy("highest rated first"),
    CommentOrder.LOWEST: gettext_lazy("lowest rated first"),
    CommentOrder.HELPFUL: gettext_lazy("most helpful first"),
}


def order_options(*, by_time: bool = False) -> tuple[tuple[str, str], ...]:
    """Return the values of ``?order=`` to offer, with what they are called."""
    return _order_options(get_language(), by_time=by_time)


@lru_cache(maxsize=LANGUAGES_OF_SITE)
def _order_options(_language: str | None, *, by_time: bool) -> tuple[tuple[str, str], ...]:
    # The words depend on the language alone, and to look them up takes longer than all the rest.
    options = []
    for order in CommentOrder:
        if order.is_by_time or not by_time:
            options.append((order.value, str(order.label)))
    return tuple(options)


# Months.


def at_month(request: PageRequest, month: str, order: CommentOrder) -> PageRequest:
    """Return the first page of a list as one that begins at a month (UTC). Raises BadFilter."""
    if not _MONTH.fullmatch(month):
        raise BadFilter(_("Unknown month “%(month)s”: write it as 2026-03.") % {"month": month})
    if not order.is_by_time or not request.is_first:
        raise BadFilter(_("A month begins the first page of a list that is sorted by time."))
    place = month
    if order.direction is Order.NEWEST_FIRST:
        place += HIGHEST  # behind all that is newer
    return replace(request, position=Position(place, ordinal=None))


def comments_in_front(
    position: Position | None, counts: ProductCounts, order: CommentOrder
) -> int | None:
    """Return how many of all comments are in front of a month that a list begins at.

    None for any other position.
    """
    if position is None:
        return None
    # The other positions are behind a comment, whose place begins with a whole timestamp.
    month = position.place.removesuffix(HIGHEST)
    if not _MONTH.fullmatch(month):
        return None
    in_front = 0
    for other, number in counts.months.items():
        if order.direction is Order.NEWEST_FIRST:
            is_in_front = other > month
        else:
            is_in_front = other < month
        if is_in_front and number > 0:
            in_front += number
    return in_front


def month_options(
    months: Mapping[str, int], order: CommentOrder, *, with_counts: bool
) -> tuple[tuple[str, str], ...]:
    """Return the months to offer, such as 2026-03, with what choosing one does.

    There are none in an order that is not by time. ``months`` has the number of comments of each.
    """
    if not order.is_by_time:
        return ()
    language = get_language()
    begin = _("From %(month)s")
    if order.direction is Order.NEWEST_FIRST:
        begin = _("Up to %(month)s")
    options = []
    for month in sorted(months, reverse=order.direction is Order.NEWEST_FIRST):
        number = months[month]
        if number <= 0:
            continue
        name = begin % {"month": _month_name(month, language)}
        if with_counts:
            name += " · " + _("%(number)s that month") % {"number": grouped(number)}
        options.append((month, name))
    return tuple(options)


def month_name(month: str) -> str:
    """Format a month of `month_options`, such as ``March 2026``."""
    return _month_name(month, get_language())


@lru_cache(maxsize=MONTHS_NAMED)
def _month_name(month: str, _language: str | None) -> str:
    # Each page offers all months of its list, and to format a date takes long.
    return date_format(date.fromisoformat(f"{month}-01"), "YEAR_MONTH_FORMAT")
