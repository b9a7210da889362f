"""The lists to measure.

Three lists of comments are read from one partition, two are merged from four. Lists of orders are
a busy customer's, and the queue that staff see.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date
from functools import partial

from django.urls import reverse

from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.lists.listing import pager_of
from dynamo.calls.client import client
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from dynamo.tables.create import create_missing
from lab.bench.comment_data import PRODUCT_ID, START, CommentAnswers
from lab.bench.context import Site
from lab.bench.order_data import CUSTOMER, OrderAnswers
from lab.bench.pages import MeasuredList
from lab.bench.readers import SITE, ListRead
from shop.accounts.queries import find_user
from shop.accounts.services import UsernameTaken, create_profile
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.models import ShopItem
from shop.order_status import Status
from shop.orders.access_patterns import plan_for_queue, plan_for_user
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList
from shop.orders.queries import list_open_orders, list_orders
from shop.orders.queue.listing import queue_pager
from shop.table import OPEN_ORDERS

CATEGORY = NewCategory(slug="bench", name="Benchmarks")
PRODUCT = NewProduct(id=PRODUCT_ID, name="A much discussed lamp", category_slugs=("bench",))
COMMENTS = {
    "no filter": CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "one language": CommentFilter.of(languages=("en",)),
    "four ratings": CommentFilter.of(ratings=(1, 2, 4, 5)),
    "two languages, two ratings": CommentFilter.of(languages=("de", "en"), ratings=(1, 5)),
}
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


def create_catalogue() -> None:
    """Create the table, category and product that a product's page needs besides its comments."""
    create_missing([ShopItem], client=client())
    put_catalogue(categories=[CATEGORY], products=[PRODUCT])


def comment_lists(
    answers: CommentAnswers, site: Site, filters: Mapping[str, CommentFilter] = COMMENTS
) -> Iterator[MeasuredList]:
    """Yield the lists of comments to measure."""
    for name, chosen in filters.items():
        yield MeasuredList(
            name=name,
            positions=[Position(place) for place in answers.places(chosen)],
            read=partial(SITE.read, PRODUCT_ID, chosen),
            pager=pager_of(PRODUCT_ID, chosen),
            site=site,
            run=plan(PRODUCT_ID, chosen).runs[0],
        )


def order_lists(answers: OrderAnswers, site: Site) -> Iterator[MeasuredList]:
    """Create the table and accounts, and yield the lists to measure."""
    create_missing([ShopItem], client=client())
    customer = _signed_in(site, CUSTOMER, is_staff=False)
    staff = _signed_in(site, STAFF, is_staff=True)
    for name, chosen in OWN.items():
        yield MeasuredList(
            name=name,
            positions=answers.of_customer(chosen),
            read=partial(_read_own, chosen),
            pager=OrderList(CUSTOMER, reverse("orders")).pager(chosen),
            site=customer,
            run=plan_for_user(CUSTOMER, chosen).runs[0],
        )
    for name, statuses in QUEUES.items():
        yield MeasuredList(
            name=name,
            positions=answers.queue(statuses),
            read=partial(_read_queue, statuses),
            pager=queue_pager(OrderFilter(statuses)),
            site=staff,
            run=plan_for_queue(OrderFilter(statuses), shards=OPEN_ORDERS.count()).runs[0],
            ascending=True,
        )


def _read_own(chosen: OrderFilter, request: PageRequest) -> ListRead:
    found = list_orders(CUSTOMER, chosen, request)
    return ListRead(found.plan.name, found.page)


def _read_queue(statuses: tuple[Status, ...], request: PageRequest) -> ListRead:
    found = list_open_orders(OrderFilter(statuses), request)
    return ListRead(found.plan.name, found.page)


def _signed_in(site: Site, username: str, *, is_staff: bool) -> Site:
    with suppress(UsernameTaken):
        create_profile(username=username, password=None, now=START, is_staff=is_staff)
    return site.signed_in(find_user(username))
