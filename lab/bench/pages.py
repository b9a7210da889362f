"""Pages of lists, of comments and of orders, measured the same way.

Timed are ``query``, a bare query of one of its runs with the Limit of a page; ``list``, reading the
list; ``fragment`` and ``page``, the requests of htmx and of a browser, answered in this process;
and ``page_calls``, the calls of the whole page, bare and one after another.

Before anything is timed, each page is compared with the right answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any, TypeVar
from urllib.parse import urlencode

from dynamo.calls.meter import UNLABELLED, metered
from dynamo.errors import DynamoError
from dynamo.lists.explain import explain
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position, Run
from dynamo.lists.sources import query_request
from dynamo.web.paging import Pager
from dynamo.web.signing import tokens
from lab.bench.context import BenchContext, Site, calls_of, repeat_calls
from lab.bench.readers import ListRead
from lab.bench.timing import WARM_UP, time_in_turns
from lab.reports.bench_figures import (
    FRAGMENT,
    LIST,
    PAGE,
    PAGE_CALLS,
    QUERY,
    TIMED,
    DepthFigures,
    PageFigures,
)
from lab.reports.figures import Cost

T = TypeVar("T")


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
    behind = replace(positions[first - 1], ordinal=first) if first else None
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
        sentence = f"What was read as {name} is not what it holds."
        raise WrongAnswer(sentence)


def measure_pages(
    context: BenchContext, lists: Sequence[MeasuredList], *, pages: Sequence[int], turns: int
) -> DepthFigures:
    """Measure those of the pages that each list has, and its last.

    Raises WrongAnswer and PageFailed.
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
    return DepthFigures(
        page_size=context.page_size,
        turns=turns,
        pages=tuple(
            PageFigures(**found, times={name: times[number, name] for name in TIMED})
            for number, found in enumerate(costs)
        ),
    )


def cases_of(one: MeasuredList, *, pages: Sequence[int], size: int) -> Iterator[PageCase]:
    """Yield those of the pages that a list has, and its last."""
    for page in depths(len(one.positions), pages=pages, size=size):
        behind, expected = cut(one.positions, page=page, size=size)
        yield PageCase(one, page, PageRequest(size, behind), expected)


def _measure_costs(case: PageCase) -> dict[str, Any]:
    read, costs = cost_of(case.read)
    require_answer(read, case.expected, name=f"page {case.page} of “{case.list.name}”")
    _, page_costs = cost_of(partial(case.list.site.get, case.path))
    return {
        "list_name": case.list.name,
        "page": case.page,
        "plan": read.plan,
        "runs": len(read.page.reads),
        "items": len(read.page.entries),
        "entry_bytes": explain(read.page, plan=read.plan).mean_item_bytes or 0,
        "list_cost": costs.pop(UNLABELLED, Cost()),
        "other_cost": sum(costs.values(), Cost()),
        "page_cost": sum(page_costs.values(), Cost()),
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
