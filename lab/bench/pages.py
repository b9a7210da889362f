"""``bench comments`` and ``bench orders``: what pages of lists cost, and how long they take.

Timed are a bare Query for as many items, the list as the site reads it, the fragment that htmx asks
for, and the whole page. Each page is first compared with the right answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from math import ceil
from statistics import median
from typing import TYPE_CHECKING, Any
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

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

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


def comment_lists(answers: CommentAnswers, site: Site) -> list[MeasuredList]:
    """Create the catalogue, and return the lists of comments."""
    create_catalogue()
    lists = []
    for name, chosen in COMMENT_FILTERS.items():
        lists.append(_comment_list(name, chosen, answers, site))
    return lists


def _comment_list(
    name: str, chosen: CommentFilter, answers: CommentAnswers, site: Site
) -> MeasuredList:
    def read(request: PageRequest) -> ListRead:
        return PLANNER.read(PRODUCT_ID, chosen, request)

    run = plan(PRODUCT_ID, chosen).runs[0]
    pager = pager_of(PRODUCT_ID, chosen)
    # Where the plan merges several runs, the bare Query reads the first of them.
    return MeasuredList(name, answers.positions(chosen), read, pager, site, run)


def order_lists(answers: OrderAnswers, site: Site) -> list[MeasuredList]:
    """Create the accounts, and return the lists of a customer and those of the staff."""
    create_missing([ShopItem], client=client())
    customer = _signed_in(site, CUSTOMER, is_staff=False)
    staff = _signed_in(site, STAFF, is_staff=True)
    lists = []
    for name, chosen in CUSTOMER_FILTERS.items():
        lists.append(_customer_list(name, chosen, answers, customer))
    for name, statuses in QUEUE_STATUSES.items():
        lists.append(_queue_list(name, statuses, answers, staff))
    return lists


def _customer_list(
    name: str, chosen: OrderFilter, answers: OrderAnswers, site: Site
) -> MeasuredList:
    def read(request: PageRequest) -> ListRead:
        orders = list_orders(CUSTOMER, chosen, request)
        return ListRead(orders.plan.name, orders.page)

    run = plan_for_user(CUSTOMER, chosen).runs[0]
    pager = OrderList(CUSTOMER, reverse("orders")).pager(chosen)
    return MeasuredList(name, answers.of_customer(chosen), read, pager, site, run)


def _queue_list(
    name: str, statuses: Sequence[Status], answers: OrderAnswers, site: Site
) -> MeasuredList:
    chosen = OrderFilter(tuple(statuses))

    def read(request: PageRequest) -> ListRead:
        orders = list_open_orders(chosen, request)
        return ListRead(orders.plan.name, orders.page)

    run = plan_for_queue(chosen, shards=OPEN_ORDERS.count()).runs[0]
    pager = queue_pager(chosen)
    positions = answers.queue(statuses)
    return MeasuredList(name, positions, read, pager, site, run, ascending=True)


def _signed_in(site: Site, username: str, *, is_staff: bool) -> Site:
    with suppress(UsernameTaken):
        create_profile(username=username, password=None, now=START, is_staff=is_staff)
    return site.signed_in(users_called(username)[0])


# The measuring.


@dataclass(frozen=True, slots=True)
class PageCost:
    """A page, the plan that it was read by, and the capacity units of the whole page."""

    page: MeasuredPage
    plan: str
    units: float


def measure_pages(
    title: str, lists: Sequence[MeasuredList], *, turns: int, progress: Progress
) -> Section:
    """Measure pages of each list. Raises WrongAnswer and PageFailed."""
    pages: list[MeasuredPage] = []
    for measured_list in lists:
        pages += measured_pages(measured_list)
    # All are read before anything is metered: the planner learns sizes from what it reads.
    plans = [page.read().plan for page in pages]
    costs = []
    for page, plan_name in zip(pages, plans, strict=True):
        with metered() as meter:  # of all that the page reads: product, counts, session
            page.show()
        costs.append(PageCost(page, plan_name, meter.amazon_units))
    milliseconds = _time_pages(pages, turns=turns, progress=progress)
    ratios = []
    for page in pages:
        ratios.append(milliseconds[page.name, FRAGMENT] / milliseconds[page.name, BARE_QUERY])
    return Section(
        title,
        (),
        [_cost_table(costs), _time_table(pages, milliseconds, turns=turns)],
        [Limit("fragment ÷ bare query, median of the pages", MOST_BARE_QUERIES, median(ratios))],
    )


def _time_pages(
    pages: Sequence[MeasuredPage], *, turns: int, progress: Progress
) -> dict[tuple[str, str], float]:
    """Return the median milliseconds by the names of the pages and of what is timed."""
    bare = bare_client()
    actions: dict[tuple[str, str], Callable[[], object]] = {}
    for page in pages:
        actions |= _actions_of(page, bare)
    return time_in_turns(actions, turns=turns, progress=progress)


def _actions_of(
    page: MeasuredPage, bare: "DynamoDBClient"
) -> dict[tuple[str, str], Callable[[], object]]:
    request = page.bare_query()

    def send_bare_query() -> None:
        bare.query(**request)

    def show_fragment() -> None:
        page.show(fragment=True)

    return {
        (page.name, BARE_QUERY): send_bare_query,
        (page.name, LIST): page.read,
        (page.name, FRAGMENT): show_fragment,
        (page.name, PAGE): page.show,
    }


def _cost_table(costs: Sequence[PageCost]) -> Table:
    rows = []
    for cost in costs:
        rows.append((cost.page.list.name, cost.page.number, cost.plan, cost.units))
    caption = f"Capacity units of a whole page of {settings.PAGE_SIZE}"
    return Table(caption, ("list", "page", "plan", "units"), rows)


def _time_table(
    pages: Sequence[MeasuredPage], milliseconds: Mapping[tuple[str, str], float], *, turns: int
) -> Table:
    timed = (BARE_QUERY, LIST, FRAGMENT, PAGE)
    rows = []
    for page in pages:
        times = [round(milliseconds[page.name, what], 1) for what in timed]
        rows.append((page.list.name, page.number, *times))
    return Table(f"Milliseconds, as medians of {turns} turns", ("list", "page", *timed), rows)
