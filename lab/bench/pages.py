"""Pages of lists, of comments and of orders, measured the same way.

Timed are ``query``, a bare query of one of its runs with the Limit of a page; ``list``, reading the
list; ``fragment`` and ``page``, the requests of htmx and of a browser, answered in this process;
and ``page_calls``, the calls of the whole page, bare and one after another.

Before anything is timed, each page is compared with the right answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from math import ceil
from statistics import median
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.urls import reverse

from comments.filters import CommentFilter
from comments.indexes.planner import plan
from comments.lists.listing import pager_of
from comments.lists.queries import list_comments
from comments.models import Comment
from comments.store.counts import ProductCounts, read_counts, remember_counts, remembered_counts
from dynapages.calls import UNLABELLED, labelled_calls, metered
from dynapages.django.paging import Pager, tokens
from dynapages.errors import DynamoError
from dynapages.lists import OneOf, Ordinal, Page, PageRequest, Position, Run, explain, query_request
from dynapages.process import client, pool, read
from dynapages.tables import create_missing
from lab.bench.context import WARM_UP, BenchContext, Site, calls_of, repeat_calls, time_in_turns
from lab.bench.data import CUSTOMER, PRODUCT_ID, START, CommentAnswers, OrderAnswers
from lab.reports.plots import Panel, Plot
from lab.reports.results import Cost, Results, Row, Value, rows
from lab.reports.tables import Section, promise, section
from shop.accounts.queries import users_called
from shop.accounts.services import UsernameTaken, create_profile
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.days import Days
from shop.models import ShopItem
from shop.order_status import Status
from shop.orders.filters import OrderFilter, plan_for_queue, plan_for_user
from shop.orders.listing import OrderList, queue_pager
from shop.orders.queries import OrdersResult, list_open_orders, list_orders
from shop.table import OPEN_ORDERS

COUNTS = "counts"
"""Label of the calls that read counts, which are reported apart from those of the list."""


@dataclass(frozen=True, slots=True)
class ListRead:
    """A page of a list, the name of the plan it was read by, and the expected capacity units."""

    plan: str
    page: Page
    estimate: float | None = None

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(entry.position.place for entry in self.page.entries)


@dataclass(frozen=True, slots=True)
class Reader:
    """A way to read a page of a product's comments; ``about`` describes it in a few words."""

    name: str
    about: str
    read: Callable[[str, CommentFilter, PageRequest], ListRead]


def _by_planner(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    with pool().together() as together:
        exact = together.start(partial(_counts, product_id))
        counts = remembered_counts(product_id) or exact.result()
        found = list_comments(product_id, chosen, request, counts=counts, count_now=exact.result)
    return ListRead(found.plan.name, found.page, found.plan.estimated_capacity_units)


def _counts(product_id: str) -> ProductCounts:
    with labelled_calls(COUNTS):
        counts = read_counts(product_id)
    remember_counts(product_id, counts)
    return counts


def _by_rules(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    ruled = plan(product_id, chosen)
    return ListRead(ruled.name, read(ruled.runs, request))


def _by_filter(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    (whole,) = plan(product_id, CommentFilter()).runs
    wanted = (
        (Comment.language.attr_name, tuple({"S": code} for code in chosen.languages)),
        (Comment.rating.attr_name, tuple({"N": str(rating)} for rating in chosen.ratings)),
    )
    keep = tuple(OneOf(name, values) for name, values in wanted if values)
    return ListRead("filter", read([replace(whole, keep=keep)], request))


SITE = Reader("planner", "the cheapest plan by the counts, as the site's pages read", _by_planner)
RULES = Reader("rules", "the index that answers the filter, a whole page of each run", _by_rules)
FILTER = Reader("filter", "the index `all` and a FilterExpression", _by_filter)
READERS = (SITE, RULES, FILTER)


T = TypeVar("T")
TIMED = ("query", "list", "fragment", "page", "page_calls")
QUERY, LIST, FRAGMENT, PAGE, PAGE_CALLS = TIMED
UNFILTERED = "no filter"
MOST_OF_A_QUERY = {"comments": 4.0}
"""The most that the median fragment of a part may take, by the time of one bare query."""


class WrongAnswer(DynamoError):
    """A page that was read does not hold what it should."""


@dataclass(frozen=True, slots=True)
class MeasuredList:
    """A list whose pages are measured: where its items are, how it is read, and its page.

    ``site`` is signed in as a user who may see it. ``run`` is one of those it is read from,
    ``ascending`` their direction.
    """

    name: str
    positions: Sequence[Position]
    read: Callable[[PageRequest], ListRead]
    pager: Pager
    site: Site
    run: Run
    ascending: bool = False


@dataclass(frozen=True, slots=True)
class PageCase:
    """A page to measure; ``expected`` are the places of its items."""

    list: MeasuredList
    page: int
    request: PageRequest
    expected: Sequence[str]

    @property
    def path(self) -> str:
        return path_of(self.list.pager, self.request.position)

    def read(self) -> ListRead:
        return self.list.read(self.request)

    def bare_query(self) -> Mapping[str, Any]:
        """Build the Query of one run for one page and one item more."""
        request = query_request(
            self.list.run,
            behind=self.request.position,
            limit=self.request.size + 1,
            ascending=self.list.ascending,
        )
        return {k: v for k, v in (request or {}).items() if k != "ReturnConsumedCapacity"}


def depths(items: int, *, pages: Sequence[int], size: int) -> list[int]:
    """Return those of the page numbers that a list has, and its last."""
    last = ceil(items / size)
    return [*(page for page in pages if page < last), last] if last else []


def cut(
    positions: Sequence[Position], *, page: int, size: int
) -> tuple[Position | None, tuple[str, ...]]:
    """Return the position a list's page (counted from 1) follows, and the places it holds."""
    first = (page - 1) * size
    behind = replace(positions[first - 1], ordinal=Ordinal(first)) if first else None
    return behind, tuple(position.place for position in positions[first : first + size])


def path_of(pager: Pager, behind: Position | None) -> str:
    """Build the path of the page behind a position, as the page before it links to it."""
    if behind is None:
        return pager.first_url
    token = tokens().write(behind, list_name=pager.list_name)
    joint = "&" if "?" in pager.first_url else "?"
    return f"{pager.first_url}{joint}{urlencode({'after': token})}"


def cost_of(action: Callable[[], T]) -> tuple[T, dict[str, Cost]]:
    """Return an action's result and its cost, by the labels of its calls."""
    with metered() as meter:
        result = action()
    return result, {label: Cost.of(meter.labelled(label)) for label in meter.labels()}


def require_answer(read: ListRead, expected: Sequence[str], *, name: str) -> None:
    """Raise WrongAnswer unless the items read are at the expected places."""
    if read.places != tuple(expected):
        raise WrongAnswer(f"What was read as {name} is not what it holds.")


def measure_pages(
    context: BenchContext,
    part: str,
    lists: Sequence[MeasuredList],
    *,
    pages: Sequence[int],
    turns: int,
) -> Iterator[Row]:
    """Measure those of the pages that each list has, and its last.

    Costs are of the list's own reads, of what planning it read, and of the whole page. Raises
    WrongAnswer and PageFailed.
    """
    cases = [case for one in lists for case in cases_of(one, pages=pages, size=context.page_size)]
    for case in cases:  # the planner learns sizes from what it reads
        case.read()
    costs = [_measure_costs(case) for case in cases]
    actions = {
        (number, name): action
        for number, case in enumerate(cases)
        for name, action in _actions(context, case).items()
    }
    warm_up = min(WARM_UP, turns)
    with context.progress.step("Timing pages", total=warm_up + turns, unit="") as advance:
        times = time_in_turns(actions, turns=turns, warm_up=warm_up, after_turn=advance)
    yield from rows(part, {"page_size": context.page_size, "turns": turns})
    for number, (case, cost) in enumerate(zip(cases, costs, strict=True)):
        took = {k: v for name in TIMED for k, v in times[number, name].metrics(name).items()}
        yield from rows(part, cost | took, list=case.list.name, page=case.page, reader=SITE.name)


def cases_of(one: MeasuredList, *, pages: Sequence[int], size: int) -> Iterator[PageCase]:
    """Yield those of the pages that a list has, and its last."""
    for page in depths(len(one.positions), pages=pages, size=size):
        behind, expected = cut(one.positions, page=page, size=size)
        yield PageCase(one, page, PageRequest(size, behind), expected)


def _measure_costs(case: PageCase) -> dict[str, Value]:
    read, costs = cost_of(case.read)
    require_answer(read, case.expected, name=f"page {case.page} of “{case.list.name}”")
    _, page_costs = cost_of(partial(case.list.site.get, case.path))
    return {
        "plan": read.plan,
        "runs": len(read.page.reads),
        "items": len(read.page.entries),
        "entry_bytes": explain(read.page, plan=read.plan).mean_item_bytes or 0,
        **costs.pop(UNLABELLED, Cost()).metrics("list."),
        **sum(costs.values(), Cost()).metrics("plan."),
        **sum(page_costs.values(), Cost()).metrics("page."),
    }


def _actions(context: BenchContext, case: PageCase) -> dict[str, Callable[[], object]]:
    site, path = case.list.site, case.path
    calls = calls_of(partial(site.get, path))
    return {
        QUERY: partial(context.bare.query, **case.bare_query()),
        LIST: case.read,
        FRAGMENT: partial(site.get, path, fragment=True),
        PAGE: partial(site.get, path),
        PAGE_CALLS: partial(repeat_calls, context.bare, calls),
    }


CATEGORY = NewCategory(slug="bench", name="Benchmarks")
PRODUCT = NewProduct(id=PRODUCT_ID, name="A much discussed lamp", category_slugs=("bench",))
COMMENTS = {
    UNFILTERED: CommentFilter(),
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
        (Status.SHIPPED, Status.DELIVERED), Days(date(2022, 1, 1), date(2023, 1, 1))
    ),
}
"""The customer's lists."""
QUEUES: dict[str, tuple[Status, ...]] = {"queue": (), "queue, one status": (Status.PROCESSING,)}
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
            read=partial(_read, partial(list_orders, CUSTOMER, chosen)),
            pager=OrderList(CUSTOMER, reverse("orders")).pager(chosen),
            site=customer,
            run=plan_for_user(CUSTOMER, chosen).runs[0],
        )
    for name, statuses in QUEUES.items():
        yield MeasuredList(
            name=name,
            positions=answers.queue(statuses),
            read=partial(_read, partial(list_open_orders, OrderFilter(statuses))),
            pager=queue_pager(OrderFilter(statuses)),
            site=staff,
            run=plan_for_queue(OrderFilter(statuses), shards=OPEN_ORDERS.count()).runs[0],
            ascending=True,
        )


def _read(read_orders: Callable[[PageRequest], OrdersResult], request: PageRequest) -> ListRead:
    found = read_orders(request)
    return ListRead(found.plan.name, found.page)


def _signed_in(site: Site, username: str, *, is_staff: bool) -> Site:
    with suppress(UsernameTaken):
        create_profile(username=username, password=None, now=START, is_staff=is_staff)
    return site.signed_in(users_called(username)[0])


def pages_section(found: Results, notes: tuple[str, ...]) -> Section:
    """Write the section of a part that measured pages."""
    pages = found.where(reader=SITE.name)
    groups = {"pages": pages}
    written = section("pages", found, notes=notes, plots=[_plot(pages)], groups=groups)
    if most := MOST_OF_A_QUERY.get(written.name):
        medians = (pages.numbers(f"{what}.median_ms") for what in (FRAGMENT, QUERY))
        ratio = median(round(one / query, 2) for one, query in zip(*medians, strict=True))
        held = ("fragment ÷ bare query, median of the pages", most, ratio)
        tables = (*written.tables, promise("What the fragments are held to", held))
        return replace(written, tables=tables)
    return written


def _plot(pages: Results) -> Plot:
    """Show time above and capacity units below, by the number of the page, a column a list."""
    lines = {PAGE: "whole page", FRAGMENT: "what htmx swaps", LIST: "the list alone"}
    lines[QUERY] = "one bare query"
    times, units = [], []
    for one in pages.names("list"):
        of_list = pages.where(list=one)
        numbers = [float(row.page or 0) for row in of_list if row.metric == "plan"]
        series = {
            words: (numbers, of_list.numbers(f"{what}.median_ms")) for what, words in lines.items()
        }
        times.append(Panel("lines", one, series))
        costs = (numbers, of_list.numbers("list.capacity_units"))
        units.append(Panel("lines", "", {"the list": costs}))
    return Plot(
        pages[0].part,
        f"Pages of {pages[0].part}: time and capacity units by depth",
        (times, units),
        below="number of the page",
        left=("milliseconds", "capacity units"),
        size=(2.2 * len(times) + 0.8, 5.2),
        heights=(5, 2),
    )
