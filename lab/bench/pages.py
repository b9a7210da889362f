"""``bench comments`` and ``bench orders``: what pages of lists cost, and how long they take.

Timed are a bare Query for as many items, the list as the site reads it, the fragment that htmx asks
for, and the whole page. Each page is first compared with the right answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from math import ceil
from statistics import median
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from comments.filters import CommentFilter
from comments.indexes.planner import plan
from comments.lists.listing import pager_of
from dynapages.calls import metered
from dynapages.django.options import Progress
from dynapages.django.paging import Pager, tokens
from dynapages.lists import PageRequest, Position, Run, query_request
from dynapages.process import client
from dynapages.tables import create_missing
from lab.bench.data import CUSTOMER, PRODUCT_ID, START, CommentAnswers, OrderAnswers
from lab.bench.readers import PLANNER, ListRead, cut_page
from lab.bench.site import Site, bare_client
from lab.bench.timing import time_in_turns
from lab.report import Limit, Section, Table
from shop.accounts.queries import users_called
from shop.accounts.services import UsernameTaken, create_profile
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.days import Days
from shop.models import ShopItem
from shop.order_status import Status
from shop.orders.filters import OrderFilter, plan_for_queue, plan_for_user
from shop.orders.listing import OrderList, queue_pager
from shop.orders.queries import list_open_orders, list_orders
from shop.table import OPEN_ORDERS

PAGE_NUMBERS = (1, 10, 100, 1_000)
"""The pages that are measured where a list has them; its last one always is."""
MOST_BARE_QUERIES = 4.0
"""How many times the time of one bare Query the median fragment of comments may take."""
CATEGORY = NewCategory(slug="bench", name="Benchmarks")
PRODUCT = NewProduct(id=PRODUCT_ID, name="A much discussed lamp", category_slugs=("bench",))
COMMENT_FILTERS = {
    "no filter": CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "one language": CommentFilter.of(languages=("en",)),
    "four ratings": CommentFilter.of(ratings=(1, 2, 4, 5)),
    "two languages, two ratings": CommentFilter.of(languages=("de", "en"), ratings=(1, 5)),
}
STAFF = "bench-staff"
CUSTOMER_FILTERS = {
    "all orders": OrderFilter(),
    "one status": OrderFilter(statuses=(Status.DELIVERED,)),
    "three statuses": OrderFilter(statuses=(Status.SHIPPED, Status.DELIVERED, Status.CANCELED)),
    "two statuses, one year": OrderFilter(
        (Status.SHIPPED, Status.DELIVERED), Days(date(2022, 1, 1), date(2023, 1, 1))
    ),
}
QUEUE_STATUSES: Mapping[str, tuple[Status, ...]] = {
    "queue": (),
    "queue, one status": (Status.PROCESSING,),
}

BARE_QUERY, LIST, FRAGMENT, PAGE = "bare query", "list", "fragment", "whole page"


@dataclass(frozen=True, slots=True)
class MeasuredList:
    """A list whose pages are measured: where its items are, how it is read, and its page.

    ``site`` is signed in as a user who may see it. ``run`` is one of those it is read from, in the
    order of its sort keys where it is ``ascending``.
    """

    name: str
    positions: Sequence[Position]
    read: Callable[[PageRequest], ListRead]
    pager: Pager
    site: Site
    run: Run
    ascending: bool = False


@dataclass(frozen=True, slots=True)
class MeasuredPage:
    """A page of a list: its number, counted from 1, and the sort keys of the items it must hold."""

    list: MeasuredList
    number: int
    request: PageRequest
    sort_keys: Sequence[str]

    @property
    def name(self) -> str:
        return f"page {self.number} of “{self.list.name}”"

    @property
    def path(self) -> str:
        """The path of the page, as the page before it links to it."""
        pager = self.list.pager
        if self.request.position is None:
            return pager.first_url
        token = tokens().write(self.request.position, list_name=pager.list_name)
        joint = "&" if "?" in pager.first_url else "?"
        return f"{pager.first_url}{joint}{urlencode({'after': token})}"

    def read(self) -> ListRead:
        """Read the list's page as the site does. Raises WrongAnswer where it holds other items."""
        read = self.list.read(self.request)
        read.require(self.sort_keys, name=self.name)
        return read

    def show(self, *, fragment: bool = False) -> bytes:
        """Return the page as the site answers it."""
        return self.list.site.get(self.path, fragment=fragment)

    def bare_query(self) -> Mapping[str, Any]:
        """Build the Query of one run for one page and one item more."""
        request = query_request(
            self.list.run,
            behind=self.request.position,
            limit=self.request.size + 1,
            ascending=self.list.ascending,
        )
        parameters = dict(request or {})
        parameters.pop("ReturnConsumedCapacity", None)
        return parameters


def measured_pages(measured_list: MeasuredList) -> Iterator[MeasuredPage]:
    """Yield those of `PAGE_NUMBERS` that a list has, and its last page."""
    size = settings.PAGE_SIZE
    last = ceil(len(measured_list.positions) / size)
    numbers = [number for number in PAGE_NUMBERS if number < last]
    if last:
        numbers.append(last)
    for number in numbers:
        request, sort_keys = cut_page(measured_list.positions, page=number, size=size)
        yield MeasuredPage(measured_list, number, request, sort_keys)


# The lists.


def create_catalogue() -> None:
    """Create the table, category and product that a product's page needs besides its comments."""
    create_missing([ShopItem], client=client())
    put_catalogue(categories=[CATEGORY], products=[PRODUCT])


def comment_lists(answers: CommentAnswers, site: Site) -> Iterator[MeasuredList]:
    """Create the catalogue, and yield the lists of comments."""
    create_catalogue()
    for name, chosen in COMMENT_FILTERS.items():
        yield MeasuredList(
            name=name,
            positions=answers.positions(chosen),
            read=partial(PLANNER.read, PRODUCT_ID, chosen),
            pager=pager_of(PRODUCT_ID, chosen),
            site=site,
            run=plan(PRODUCT_ID, chosen).runs[0],
        )


def order_lists(answers: OrderAnswers, site: Site) -> Iterator[MeasuredList]:
    """Create the accounts, and yield the lists of a customer and those of the staff."""
    create_missing([ShopItem], client=client())
    customer = _signed_in(site, CUSTOMER, is_staff=False)
    for name, chosen in CUSTOMER_FILTERS.items():
        yield MeasuredList(
            name=name,
            positions=answers.of_customer(chosen),
            read=partial(_read_customer_orders, chosen),
            pager=OrderList(CUSTOMER, reverse("orders")).pager(chosen),
            site=customer,
            run=plan_for_user(CUSTOMER, chosen).runs[0],
        )
    staff = _signed_in(site, STAFF, is_staff=True)
    for name, statuses in QUEUE_STATUSES.items():
        chosen = OrderFilter(statuses)
        yield MeasuredList(
            name=name,
            positions=answers.queue(statuses),
            read=partial(_read_queue, chosen),
            pager=queue_pager(chosen),
            site=staff,
            run=plan_for_queue(chosen, shards=OPEN_ORDERS.count()).runs[0],
            ascending=True,
        )


def _read_customer_orders(chosen: OrderFilter, request: PageRequest) -> ListRead:
    orders = list_orders(CUSTOMER, chosen, request)
    return ListRead(orders.plan.name, orders.page)


def _read_queue(chosen: OrderFilter, request: PageRequest) -> ListRead:
    orders = list_open_orders(chosen, request)
    return ListRead(orders.plan.name, orders.page)


def _signed_in(site: Site, username: str, *, is_staff: bool) -> Site:
    with suppress(UsernameTaken):
        create_profile(username=username, password=None, now=START, is_staff=is_staff)
    return site.signed_in(users_called(username)[0])


# The measuring.


def measure_pages(
    title: str, lists: Sequence[MeasuredList], *, turns: int, progress: Progress
) -> Section:
    """Measure pages of each list. Raises WrongAnswer and PageFailed."""
    pages = [page for measured_list in lists for page in measured_pages(measured_list)]
    # All are read before anything is metered: the planner learns sizes from what it reads.
    plans = [page.read().plan for page in pages]
    units = []
    for page in pages:
        with metered() as meter:
            page.show()
        units.append(meter.amazon_units)
    bare = bare_client()
    actions: dict[tuple[int, str], Callable[[], object]] = {}
    for number, page in enumerate(pages):
        actions[number, BARE_QUERY] = partial(bare.query, **page.bare_query())
        actions[number, LIST] = page.read
        actions[number, FRAGMENT] = partial(page.show, fragment=True)
        actions[number, PAGE] = page.show
    milliseconds = time_in_turns(actions, turns=turns, progress=progress)
    cost_rows, time_rows = [], []
    for number, page in enumerate(pages):
        name = page.list.name
        cost_rows.append((name, page.number, plans[number], units[number]))
        times = [
            round(milliseconds[number, what], 1) for what in (BARE_QUERY, LIST, FRAGMENT, PAGE)
        ]
        time_rows.append((name, page.number, *times))
    ratios = [
        milliseconds[number, FRAGMENT] / milliseconds[number, BARE_QUERY]
        for number in range(len(pages))
    ]
    size = settings.PAGE_SIZE
    return Section(
        title,
        (),
        [
            Table(
                f"Capacity units of a whole page of {size}",
                ("list", "page", "plan", "units"),
                cost_rows,
            ),
            Table(
                f"Milliseconds, as medians of {turns} turns",
                ("list", "page", BARE_QUERY, LIST, FRAGMENT, PAGE),
                time_rows,
            ),
        ],
        [Limit("fragment ÷ bare query, median of the pages", MOST_BARE_QUERIES, median(ratios))],
    )
