"""Small charts of the last days, drawn on the server: whole numbers for an SVG of a fixed size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from comments.filters import RATINGS
from dynapages.django.paging import grouped
from shop.activity.day_counts import DayCount

SLOT = 20
"""The width of a day; the width of a chart is that of all its days."""
GAP = 3
"""Left and right of a day's bar."""
HEIGHT = 120
LEAST_BAR = 2
"""Of a day that has any: it can be told from one that has none."""
DOT = 4
"""Between a dot and the edge of its chart."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle with what it stands for in words."""

    x: int
    y: int
    width: int
    height: int
    words: str


@dataclass(frozen=True, slots=True)
class Dot:
    """The middle of a dot, with what it stands for in words."""

    x: int
    y: int
    words: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its figure, and a sentence that says what it shows; it has bars or dots.

    ``top`` and ``bottom`` are the numbers at the ends of its axis.
    """

    name: str
    figure: str
    sentence: str
    width: int
    top: str
    bottom: str
    bars: Sequence[Bar] = ()
    dots: Sequence[Dot] = ()
    height: int = HEIGHT

    @property
    def line(self) -> str:
        """The points of the line through all dots."""
        return " ".join(f"{dot.x},{dot.y}" for dot in self.dots)


def charts_of(days: Sequence[DayCount]) -> list[Chart]:
    """Draw the orders, the comments and the mean rating of these days."""
    orders = [(day.day, day.orders) for day in days]
    comments = [(day.day, day.comments) for day in days]
    return [
        _bars(_("Orders placed"), orders, none=_("No orders were placed.")),
        _bars(_("Comments written"), comments, none=_("No comments were written.")),
        _ratings(days),
    ]


def average_text(average: float | None) -> str:
    """Format a mean rating, such as ``3.8``; a dash for none."""
    if average is None:
        return "–"
    # It cuts off what it does not show.
    return number_format(round(average, 1), 1)


def _bars(name: str, counts: Sequence[tuple[date, int]], *, none: str) -> Chart:
    most = max(number for _day, number in counts)
    total = sum(number for _day, number in counts)
    sentence = none
    if total:
        # The later one of two that have as many.
        best_day = max(day for day, number in counts if number == most)
        sentence = _("Most on %(day)s: %(count)s.") % {
            "day": _day_text(best_day),
            "count": grouped(most),
        }
    return Chart(
        name=name,
        figure=grouped(total),
        sentence=sentence,
        width=SLOT * len(counts),
        top=grouped(most),
        bottom="0",
        bars=list(_each_bar(counts, most)),
    )


def _each_bar(counts: Sequence[tuple[date, int]], most: int) -> Iterator[Bar]:
    for number, (day, count) in enumerate(counts):
        if count:
            height = max(round(count / most * HEIGHT), LEAST_BAR)
            words = f"{_day_text(day)}: {grouped(count)}"
            yield Bar(number * SLOT + GAP, HEIGHT - height, SLOT - 2 * GAP, height, words)


def _ratings(days: Sequence[DayCount]) -> Chart:
    total = sum(day.comments for day in days)
    average = None
    sentence = _("No comments were written.")
    if total:
        average = sum(day.stars for day in days) / total
        sentence = ngettext(
            "Of %(count)s comment, by the day it was written.",
            "Of %(count)s comments, by the day they were written.",
            total,
        ) % {"count": grouped(total)}
    return Chart(
        name=_("Mean rating"),
        figure=average_text(average),
        sentence=sentence,
        width=SLOT * len(days),
        top=str(RATINGS[-1]),
        bottom=str(RATINGS[0]),
        dots=list(_each_dot(days)),
    )


def _each_dot(days: Sequence[DayCount]) -> Iterator[Dot]:
    lowest, highest = RATINGS[0], RATINGS[-1]
    for number, day in enumerate(days):
        if day.average is not None:
            share = (day.average - lowest) / (highest - lowest)
            y = HEIGHT - DOT - round(share * (HEIGHT - 2 * DOT))
            words = f"{_day_text(day.day)}: {average_text(day.average)}"
            yield Dot(number * SLOT + SLOT // 2, y, words)


def _day_text(day: date) -> str:
    return date_format(day, "MONTH_DAY_FORMAT")
