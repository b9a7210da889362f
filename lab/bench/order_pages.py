"""Pages of orders at several depths: a busy customer's, and the staff's queue."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import partial

from django.urls import reverse

from dynamo.calls.client import client
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from dynamo.tables.create import create_missing
from lab.bench.grounds import Site, Stage
from lab.bench.order_data import CUSTOMER, START, OrderAnswers
from lab.bench.pages import PageCase, cut, depths, path_of
from lab.bench.readers import ListRead
from shop.accounts.queries import find_user
from shop.accounts.services import UsernameTaken, create_profile
from shop.models import ShopItem
from shop.order_status import Status
from shop.orders.access_patterns import plan_for_queue, plan_for_user
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList
from shop.orders.queries import list_open_orders, list_orders
from shop.orders.queue_listing import queue_pager
from shop.orders.shards import count_shards

STAFF = "bench-staff"
OWN = {
    "all orders": OrderFilter(),
    "one status": OrderFilter(statuses=(Status.DELIVERED,)),
    "three statuses": OrderFilter(statuses=(Status.SHIPPED, Status.DELIVERED, Status.CANCELED)),
    "two statuses, one year": OrderFilter(
        statuses=(Status.SHIPPED, Status.DELIVERED),
        since=date(2022, 1, 1),
        until=date(2023, 1, 1),
    ),
}
"""The customer's lists."""
QUEUES: dict[str, tuple[Status, ...]] = {
    "queue": (),
    "queue, one status": (Status.PROCESSING,),
}
"""The staff's lists."""


@dataclass(frozen=True, slots=True)
class People:
    """The site as the customer and as a member of staff see it."""

    customer: Site
    staff: Site


def sign_in(stage: Stage) -> People:
    """Make accounts for the customer and the staff, and sign them in."""
    create_missing([ShopItem], client=client())
    return People(
        customer=_signed_in(stage, CUSTOMER, is_staff=False),
        staff=_signed_in(stage, STAFF, is_staff=True),
    )


def order_cases(
    answers: OrderAnswers, people: People, *, pages: Sequence[int], size: int
) -> Iterator[PageCase]:
    """Give the pages to measure: of each list those that it has, and its last."""
    for name, chosen in OWN.items():
        positions = answers.of_customer(chosen)
        for page in depths(len(positions), pages=pages, size=size):
            yield _own_case(name, chosen, positions, people.customer, page=page, size=size)
    for name, statuses in QUEUES.items():
        positions = answers.queue(statuses)
        for page in depths(len(positions), pages=pages, size=size):
            yield _queue_case(name, statuses, positions, people.staff, page=page, size=size)


def _own_case(
    name: str,
    chosen: OrderFilter,
    positions: Sequence[Position],
    site: Site,
    *,
    page: int,
    size: int,
) -> PageCase:
    behind, expected = cut(positions, page=page, size=size)
    pager = OrderList(CUSTOMER, reverse("orders")).pager(chosen)
    return PageCase(
        list_name=name,
        page=page,
        read=partial(_read_own, chosen, PageRequest(size, behind)),
        expected=expected,
        site=site,
        path=path_of(pager, behind),
        run=plan_for_user(CUSTOMER, chosen).runs[0],
        behind=behind,
    )


def _queue_case(
    name: str,
    statuses: tuple[Status, ...],
    positions: Sequence[Position],
    site: Site,
    *,
    page: int,
    size: int,
) -> PageCase:
    behind, expected = cut(positions, page=page, size=size)
    return PageCase(
        list_name=name,
        page=page,
        read=partial(_read_queue, statuses, PageRequest(size, behind)),
        expected=expected,
        site=site,
        path=path_of(queue_pager(statuses), behind),
        run=plan_for_queue(statuses, shards=count_shards()).runs[0],
        behind=behind,
        ascending=True,
    )


def _read_own(chosen: OrderFilter, request: PageRequest) -> ListRead:
    found = list_orders(CUSTOMER, chosen, request)
    return ListRead(found.plan.name, found.page)


def _read_queue(statuses: tuple[Status, ...], request: PageRequest) -> ListRead:
    found = list_open_orders(statuses, request)
    return ListRead(found.plan.name, found.page)


def _signed_in(stage: Stage, username: str, *, is_staff: bool) -> Site:
    with suppress(UsernameTaken):
        create_profile(username=username, password=None, now=START, is_staff=is_staff)
    return stage.site.signed_in(find_user(username))
