"""Pages of lists, measured one way whatever they list.

Of each page are timed:

==============  ==============================================================================
``query``       one bare query of one of its runs, with the Limit of a page: the yardstick
``list``        reading the list: plan, queries, merge
``fragment``    the request that htmx makes for it, answered in this process
``page``        the request for the whole page
``page_calls``  the calls of the whole page, bare and one after another
==============  ==============================================================================

Before anything is timed, each page is compared with the right answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import ceil
from typing import Any
from urllib.parse import urlencode

from dynamo.calls.meter import UNLABELLED
from dynamo.errors import DynamoError
from dynamo.lists.explain import explain
from dynamo.lists.runs import Position, Run
from dynamo.lists.sources import query_request
from dynamo.web.paging import Pager
from dynamo.web.signing import tokens
from lab.bench.costs import Cost, cost_of
from lab.bench.grounds import Site, Stage, calls_of, repeat_calls
from lab.bench.readers import ListRead
from lab.bench.timing import WARM_UP, Timing, time_in_turns

TIMED = ("query", "list", "fragment", "page", "page_calls")
QUERY, LIST, FRAGMENT, PAGE, PAGE_CALLS = TIMED
RATIOS = ((LIST, QUERY), (FRAGMENT, QUERY), (PAGE, QUERY), (PAGE, PAGE_CALLS))


class WrongAnswer(DynamoError):
    """A page holds something else than it should: its speed is of no interest."""


@dataclass(frozen=True, slots=True)
class PageCase:
    """A page to measure: how it is read, what it must hold, its URL, and one of its runs.

    ``expected`` are the places of its items; ``site`` is signed in as who may see it.
    ``ascending`` is how its runs are read.
    """

    list_name: str
    page: int
    read: Callable[[], ListRead]
    expected: Sequence[str]
    site: Site
    path: str
    run: Run
    behind: Position | None
    ascending: bool = False

    def bare_query(self, *, size: int) -> dict[str, Any]:
        """Spell the query of one run for one page and one item more."""
        request = query_request(
            self.run, behind=self.behind, limit=size + 1, ascending=self.ascending
        )
        return {k: v for k, v in (request or {}).items() if k != "ReturnConsumedCapacity"}


def depths(items: int, *, pages: Sequence[int], size: int) -> list[int]:
    """Give the numbers of those pages that a list has, and of its last."""
    last = ceil(items / size)
    return [*(page for page in pages if page < last), last] if last else []


def cut(
    positions: Sequence[Position], *, page: int, size: int
) -> tuple[Position | None, tuple[str, ...]]:
    """Give where a list's page (counted from 1) resumes, and the places it holds."""
    first = (page - 1) * size
    behind = replace(positions[first - 1], ordinal=first) if first else None
    return behind, tuple(position.place for position in positions[first : first + size])


def path_of(pager: Pager, behind: Position | None) -> str:
    """Give the path of the page behind a position, as the page before it links to it."""
    if behind is None:
        return pager.first_url
    token = tokens().write(behind, list_name=pager.list_name)
    joint = "&" if "?" in pager.first_url else "?"
    return f"{pager.first_url}{joint}{urlencode({'after': token})}"


@dataclass(frozen=True, slots=True)
class PageFigures:
    """One page of one list.

    ``list_cost`` is of the list's own reads, ``other_cost`` of what planning it read (counts),
    ``page_cost`` of the whole page. ``times`` are by what was timed.
    """

    list_name: str
    page: int
    plan: str
    runs: int
    items: int
    entry_bytes: int
    list_cost: Cost
    other_cost: Cost
    page_cost: Cost
    times: Mapping[str, Timing]

    def ratio(self, one: str, to: str) -> float:
        """Compare two medians."""
        return round(self.times[one].median_ms / self.times[to].median_ms, 2)

    def as_dict(self) -> dict[str, Any]:
        """Give the figures and the ratios of the times."""
        ratios = {f"{one} / {to}": self.ratio(one, to) for one, to in RATIOS}
        return {**asdict(self), "ratios": ratios}


@dataclass(frozen=True, slots=True)
class DepthFigures:
    """Pages of some lists at several depths."""

    page_size: int
    turns: int
    pages: tuple[PageFigures, ...]

    def as_dict(self) -> dict[str, Any]:
        """Give the figures of all pages."""
        return {
            "page_size": self.page_size,
            "turns": self.turns,
            "pages": [page.as_dict() for page in self.pages],
        }


def measure_pages(stage: Stage, cases: Sequence[PageCase], *, turns: int) -> DepthFigures:
    """Give the figures of each page. Raises WrongAnswer and PageFailed."""
    for case in cases:  # the planner learns sizes from what it reads
        case.read()
    costs = [_measure_costs(case) for case in cases]
    actions = {
        (number, name): action
        for number, case in enumerate(cases)
        for name, action in _actions(stage, case).items()
    }
    warm_up = min(WARM_UP, turns)
    with stage.progress.step("Timing pages", total=warm_up + turns, unit="") as advance:
        times = time_in_turns(actions, turns=turns, warm_up=warm_up, after_turn=advance)
    return DepthFigures(
        page_size=stage.page_size,
        turns=turns,
        pages=tuple(
            PageFigures(**found, times={name: times[number, name] for name in TIMED})
            for number, found in enumerate(costs)
        ),
    )


def _measure_costs(case: PageCase) -> dict[str, Any]:
    read, costs = cost_of(case.read)
    require_answer(read, case.expected, name=f"page {case.page} of “{case.list_name}”")
    _, page_costs = cost_of(partial(case.site.get, case.path))
    return {
        "list_name": case.list_name,
        "page": case.page,
        "plan": read.plan,
        "runs": len(read.page.reads),
        "items": len(read.page.entries),
        "entry_bytes": explain(read.page, plan=read.plan).mean_item_bytes or 0,
        "list_cost": costs.pop(UNLABELLED, Cost()),
        "other_cost": sum(costs.values(), Cost()),
        "page_cost": sum(page_costs.values(), Cost()),
    }


def require_answer(read: ListRead, expected: Sequence[str], *, name: str) -> None:
    """Raise WrongAnswer unless the items read are at the expected places."""
    if read.places != tuple(expected):
        sentence = f"What was read as {name} is not what it holds."
        raise WrongAnswer(sentence)


def _actions(stage: Stage, case: PageCase) -> dict[str, Callable[[], object]]:
    calls = calls_of(partial(case.site.get, case.path))
    query = case.bare_query(size=stage.page_size)
    return {
        QUERY: partial(stage.bare.query, **query),
        LIST: case.read,
        FRAGMENT: partial(case.site.get, case.path, fragment=True),
        PAGE: partial(case.site.get, case.path),
        PAGE_CALLS: partial(repeat_calls, stage.bare, calls),
    }
