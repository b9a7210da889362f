"""What a month of a shop costs, from capacity units that were metered.

Pages are read, and metered, on the site's own data. What a comment takes is what ``compare`` found.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean

from django.conf import settings

from comments.filters import RATINGS, CommentFilter
from comments.lists.page import CommentsRequest, read_comments_page
from dynamo.calls.meter import metered
from dynamo.errors import DynamoError
from dynamo.lists.reader import PageRequest
from dynamo.prices import prices
from lab.reports.descriptions import DESCRIPTIONS
from lab.reports.storage import find_published, find_stored

DAYS = 30
"""Of a month."""
SUBJECT = "comments"


class NothingMetered(DynamoError):
    """There are no figures of what a write takes."""


@dataclass(frozen=True, slots=True)
class Line:
    """What happens so often a day, its mean units, and the dollars for a month of it."""

    what: str
    a_day: int
    units: float
    dollars: float

    @property
    def units_a_month(self) -> float:
        return self.a_day * self.units * DAYS


def estimate(product_id: str, *, pages_a_day: int, comments_a_day: int) -> list[Line]:
    """Estimate the costs of a month.

    Of pages these are the product's page and its lists by each rating. Raises NoSuchProduct and
    NothingMetered.
    """
    return [
        _line("product pages", pages_a_day, units_of_pages(product_id), prices().reads),
        _line("comments written", comments_a_day, units_of_comment(), prices().writes),
    ]


def units_of_pages(product_id: str) -> float:
    """Read a product's page and its lists by each rating; return their mean units."""
    request = PageRequest(settings.PAGE_SIZE)
    filters = [None, *(CommentFilter.of((), [rating]) for rating in RATINGS)]
    return mean(map(_metered_units, (CommentsRequest(product_id, request, one) for one in filters)))


def units_of_comment() -> float:
    """Return what writing a comment took in the design of this shop. Raises NothingMetered."""
    figures = find_stored() or find_published()
    described = DESCRIPTIONS[SUBJECT].designs
    for subject in figures.subjects if figures else ():
        for design in subject.designs if subject.name == SUBJECT else ():
            if described[design.name].is_used_here and design.writings:
                return design.writings[0].cost.capacity_units
    raise NothingMetered("No writes were metered here: run 'manage.py compare' first.")


def _metered_units(wanted: CommentsRequest) -> float:
    with metered() as meter:
        read_comments_page(wanted)
    return meter.capacity_units()


def _line(what: str, a_day: int, units: float, price: Callable[..., float]) -> Line:
    return Line(what, a_day, round(units, 2), price(units, times=a_day * DAYS))
