"""Lists by rating: the lists of the ratings, one after another.

Each rating is a segment, planned and read like a list of its own. By the counts and the number of
its position a page knows how many comments of each are ahead, and reads several in one round.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, pairwise
from math import inf

from comments.filters import RATINGS, CommentFilter
from comments.indexes.planner import MIXED, ListPlan
from comments.lists.orders import CommentOrder
from comments.store.counts import ProductCounts
from dynapages.lists import (
    HIGHEST,
    LIST_EDGE,
    Fallback,
    Ordinal,
    Page,
    PageRequest,
    Run,
    Segment,
    SegmentsPlan,
    Toward,
)
from dynapages.process import read_in_segments

LEAST_NEEDED = 2
"""Items that a rating is planned for at least: a comment, and one behind it."""

PlanPart = Callable[[CommentFilter, int, float], ListPlan]
"""Plans a part of the list for so many needed items, and so many units at most."""


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page of a list, and the plan it was read by."""

    plan: ListPlan
    page: Page


def read_by_rating(
    chosen: CommentFilter,
    request: PageRequest,
    *,
    counts: ProductCounts,
    order: CommentOrder,
    plan_part: PlanPart,
) -> PlannedPage:
    """Read a page of a list by rating; the plan is of those ratings that were read."""
    ratings_at_once = 1
    if not counts.cells:
        # Where nothing is counted, all ratings are read together.
        ratings_at_once = len(chosen.ratings or RATINGS)
    plans = _RatingPlans(chosen, order, plan_part, request.most_units / ratings_at_once)
    segments = _segments(chosen, request, counts, order)
    page = read_in_segments(segments, plans.plan_segments, request)
    empty_partitions: tuple[Run, ...] = ()
    if not page.has_next:
        empty_partitions = plans.empty_partitions()
    return PlannedPage(replace(plans.plan_of(page), empty_partitions=empty_partitions), page)


@dataclass(frozen=True, slots=True)
class _RatingPlans:
    """The plans of a list's ratings; each is made when it is needed, and then kept."""

    chosen: CommentFilter
    order: CommentOrder
    plan_part: PlanPart
    most_units: float
    by_rating: dict[int, ListPlan] = field(default_factory=dict)

    def plan_segments(self, segments: Sequence[Segment], needed: int) -> SegmentsPlan:
        """Plan some ratings, each for what those before it are expected to leave."""
        plans: list[ListPlan] = []
        runs: list[Run] = []
        fallback = None
        for segment in segments:
            # Counts may be wrong: even a rating that should not be reached reads a comment or two.
            plan = self._plan(int(segment.name), max(needed, LEAST_NEEDED))
            plans.append(plan)
            runs.extend(plan.runs)
            # Those of all ratings do the same: each has the section from the run it is given.
            fallback = fallback or plan.fallback
            needed -= int(min(segment.expected, needed))
        return SegmentsPlan(runs, first_reads_of(plans), fallback)

    def plan_of(self, page: Page) -> ListPlan:
        """Return one plan for the ratings of which a page has read something."""
        by_section = {self.order.section(rating): plan for rating, plan in self.by_rating.items()}
        return plan_of_page(by_section, page)

    def empty_partitions(self) -> tuple[Run, ...]:
        """Return the runs of all ratings of the list that are empty by the counts."""
        for rating in self.chosen.ratings or RATINGS:
            if rating not in self.by_rating:
                self._plan(rating, LEAST_NEEDED)
        runs: list[Run] = []
        for plan in self.by_rating.values():
            runs.extend(plan.empty_partitions)
        return tuple(runs)

    def _plan(self, rating: int, needed: int) -> ListPlan:
        """Plan a rating in its section of the list."""
        section = self.order.section(rating)
        plan = self.plan_part(replace(self.chosen, ratings=(rating,)), needed, self.most_units)
        plan = replace(
            plan,
            runs=in_section(plan.runs, section),
            empty_partitions=in_section(plan.empty_partitions, section),
        )
        if plan.fallback:
            plan = replace(plan, fallback=partial(narrower_in_section, plan.fallback))
        self.by_rating[rating] = plan
        return plan


def plan_of_page(by_section: Mapping[str, ListPlan], page: Page) -> ListPlan:
    """Return one plan for those sections of a list of which a page has read something."""
    sections = {read.run.section for read in page.reads}
    plans: list[ListPlan] = []
    runs: list[Run] = []
    for section, plan in by_section.items():
        if section in sections:
            plans.append(plan)
            runs.extend(plan.runs)
    # A page that read nothing is named by what was planned for it.
    names = {plan.name for plan in plans or by_section.values()}
    name = MIXED
    if len(names) == 1:
        name = names.pop()
    return ListPlan(name, tuple(runs), estimated_capacity_units=_estimate_of(plans))


def first_reads_of(plans: Sequence[ListPlan]) -> list[int] | None:
    """Return the limits of the first reads of all runs; None where a plan has none."""
    limits: list[int] = []
    for plan in plans:
        if plan.first_reads is None:
            return None
        limits.extend(plan.first_reads)
    return limits


def _estimate_of(plans: Sequence[ListPlan]) -> float | None:
    """Return the expected capacity units of all plans; None where those of one are not known."""
    total: float = 0
    for plan in plans:
        if plan.estimated_capacity_units is None:
            return None
        total += plan.estimated_capacity_units
    return total


def narrower_in_section(fallback: Fallback, run: Run, most: float) -> Sequence[Run]:
    """Return the runs that take the place of one with a filter, in its section."""
    return in_section(fallback(run, most), run.section)


def in_section(runs: Sequence[Run], section: str) -> tuple[Run, ...]:
    """Return runs in a section of their list."""
    return tuple(replace(run, section=section) for run in runs)


# How many comments of each rating are ahead.


def _segments(
    chosen: CommentFilter, request: PageRequest, counts: ProductCounts, order: CommentOrder
) -> list[Segment]:
    """Return the ratings that are not empty by the counts; without any counts all of them."""
    ratings = sorted(chosen.ratings or RATINGS, key=order.section, reverse=True)
    numbers = []
    for rating in ratings:
        numbers.append(counts.of(replace(chosen, ratings=(rating,))))
    ahead = _ahead(numbers, request)
    segments = []
    for rating, number, expected in zip(ratings, numbers, ahead, strict=True):
        if number or not counts.cells:
            section = order.section(rating)
            segments.append(Segment(str(rating), section, section + HIGHEST, expected))
    return segments


def _ahead(numbers: Sequence[int], request: PageRequest) -> list[float]:
    """Return how many items of each of several lists in a row are ahead of a page's position."""
    is_onward = request.toward is Toward.NEXT
    total = sum(numbers)
    ordinal: Ordinal | None = LIST_EDGE
    if request.position:
        ordinal = request.position.ordinal
    if ordinal is None:
        # At a position without a number, each of the lists may have any number ahead.
        return [inf] * len(numbers)
    if not ordinal.is_edge:
        start = ordinal.in_list_of(total)
    elif is_onward:
        start = 0
    else:
        start = total + 1
    ahead: list[float] = []
    for begin, end in pairwise(accumulate(numbers, initial=0)):
        if is_onward:
            ahead.append(max(end - max(begin, start), 0))
        else:
            ahead.append(max(min(end, start - 1) - begin, 0))
    return ahead
