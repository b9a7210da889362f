"""The overview of staff: what waits, and what the last days brought, read in one round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from comments.moderation.queries import WaitingComments, count_waiting
from comments.requests.counts import RequestCounts, read_request_counts
from comments.store.states import State
from dynapages.calls import labelled_calls
from dynapages.django.paging import grouped
from dynapages.django.work import queues
from dynapages.process import pool
from dynapages.work import Queue
from shop.activity.day_counts import DayCount, read_days
from shop.orders.filters import OrderFilter
from shop.orders.listing import age_in_words, queue_url
from shop.orders.queue.waiting import WaitingOrders, read_waiting

MOST_GIVEN_UP = 20
"""That are counted of each queue of the worker."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What waits as it was read; ``given_up`` is of all queues of the worker.

    ``requests`` are those for reviews of the last 30 days, None where the shop sends none.
    """

    orders: Sequence[WaitingOrders]
    comments: Mapping[State, WaitingComments]
    given_up: int
    has_more_given_up: bool
    days: Sequence[DayCount]
    requests: RequestCounts | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits of a kind: its list, how many, and how long the oldest has waited, or empty."""

    name: str
    url: str
    count: str
    age: str
    is_any: bool


def read_overview(now: datetime) -> Overview:
    """Read all that the overview shows, in one round.

    Half a unit each for the counter of open orders and its number of shards, for the oldest order
    of each status and shard, for the work that each queue gave up, and for each month of the last
    30 days, twice where the shop asks for reviews; and for each 4 KB of up to 20 comments that are
    reported, and that are held.
    """
    with pool().together() as together:
        orders = together.start(read_waiting)
        comments = together.start(_count_comments)
        given_up = together.start(_count_given_up)
        requests = None
        if settings.REVIEW_REQUEST_DAYS:
            requests = together.start(read_request_counts, now)
        days = read_days(now)
        numbers = given_up.result()
        return Overview(
            orders=orders.result(),
            comments=comments.result(),
            given_up=sum(min(number, MOST_GIVEN_UP) for number in numbers),
            has_more_given_up=max(numbers, default=0) > MOST_GIVEN_UP,
            days=days,
            requests=requests.result() if requests else None,
        )


def waiting_in(overview: Overview, now: datetime) -> list[Waiting]:
    """Return what waits as the page shows it, orders first."""
    rows: list[Waiting] = []
    for orders in overview.orders:
        rows.append(
            Waiting(
                name=_("Orders: %(status)s") % {"status": orders.status.label},
                url=queue_url(OrderFilter(statuses=(orders.status,))),
                count=grouped(orders.count),
                age=_age(orders.since, now),
                is_any=orders.count > 0,
            )
        )
    names = {
        State.REPORTED: (_("Reported comments"), reverse("comments:moderation")),
        State.HELD: (_("Waiting comments"), reverse("comments:held_comments")),
    }
    for state, (name, url) in names.items():
        comments = overview.comments[state]
        count = _at_least(comments.count, has_more=comments.has_more)
        age = _age(comments.since, now)
        rows.append(Waiting(name, url, count, age, is_any=comments.count > 0))
    given_up = _at_least(overview.given_up, has_more=overview.has_more_given_up)
    rows.append(
        Waiting(_("Work given up"), reverse("work"), given_up, "", is_any=overview.given_up > 0)
    )
    return rows


def _count_comments() -> Mapping[State, WaitingComments]:
    with labelled_calls("comments"):
        return count_waiting()


def _count_given_up() -> list[int]:
    with labelled_calls("given up"):
        return list(pool().map(_given_up_of, queues()))


def _given_up_of(queue: Queue) -> int:
    return queue.count_dead(MOST_GIVEN_UP + 1)  # one more tells that there are more


def _at_least(count: int, *, has_more: bool) -> str:
    mark = "+" if has_more else ""
    return f"{grouped(count)}{mark}"


def _age(since: datetime | None, now: datetime) -> str:
    if since is None:
        return ""
    return age_in_words(now - since)
