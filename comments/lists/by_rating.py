"""Lists of comments by rating: the lists of the ratings, one after another.

Each rating is a segment, planned and read like a list of its own. By the counts and the number of
its position a page knows how many comments of each are ahead, and reads several in one round.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, pairwise
from math import inf
from random import sample

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.indexes.access_patterns import ListPlan
from comments.indexes.planner import MIXED
from comments.lists.orders import CommentOrder
from comments.models import ByLanguageAndRating, Comment
from comments.store.counts import Cell, ProductCounts, cell, counters
from comments.store.table import query_pages
from dynapages.lists import (
    HIGHEST,
    LEAST_UNITS,
    Fallback,
    Order,
    Page,
    PageRequest,
    Run,
    Segment,
    SegmentsPlan,
    Toward,
)
from dynapages.process import client, read, read_in_segments
from dynapages.writes import ConditionFailed, write_together

PlanPart = Callable[[CommentFilter, int, float], ListPlan]
"""Plans a part of the list for so many needed items, and so many units at most."""

LEAST_NEEDED = 2
"""A comment, and one behind it."""


def read_by_rating(
    chosen: CommentFilter,
    request: PageRequest,
    *,
    counts: ProductCounts,
    order: CommentOrder,
    plan_part: PlanPart,
) -> tuple[ListPlan, Page]:
    """Read a page of a list by rating; the plan is of those ratings that were read."""
    # Where nothing is counted, all ratings are read together.
    at_once = 1 if counts.cells else len(chosen.ratings or RATINGS)
    ratings = _Ratings(chosen, order, plan_part, request.most_units / at_once)
    page = read_in_segments(_segments(chosen, request, counts, order), ratings.plan, request)
    empty = () if page.has_next else ratings.empty_partitions()
    sections = {read.run.section for read in page.reads}
    read = [plan for rating, plan in ratings.planned.items() if order.section(rating) in sections]
    names = {plan.name for plan in read or ratings.planned.values()}
    estimates = [plan.estimated_capacity_units for plan in read]
    return ListPlan(
        name=names.pop() if len(names) == 1 else MIXED,
        runs=tuple(run for plan in read for run in plan.runs),
        empty_partitions=empty,
        estimated_capacity_units=None if None in estimates else sum(filter(None, estimates)),
    ), page


@dataclass(frozen=True, slots=True)
class _Ratings:
    """The plans of the ratings of a list, as they are needed."""

    chosen: CommentFilter
    order: CommentOrder
    plan_part: PlanPart
    most_units: float
    planned: dict[int, ListPlan] = field(default_factory=dict)

    def plan(self, segments: Sequence[Segment], needed: int) -> SegmentsPlan:
        """Plan some ratings, each for what those before it are expected to leave."""
        plans = []
        for segment in segments:
            plans.append(self._plan(int(segment.name), max(needed, LEAST_NEEDED)))
            needed -= int(min(segment.expected, needed))
        limits = [plan.first_reads for plan in plans]
        return SegmentsPlan(
            runs=[run for plan in plans for run in plan.runs],
            first_reads=None if None in limits else [n for some in limits for n in some or ()],
            fallback=next((plan.fallback for plan in plans if plan.fallback), None),
        )

    def empty_partitions(self) -> tuple[Run, ...]:
        """Return the runs of all ratings of the list that are empty by the counts."""
        for rating in self.chosen.ratings or RATINGS:
            if rating not in self.planned:
                self._plan(rating, LEAST_NEEDED)
        return tuple(run for plan in self.planned.values() for run in plan.empty_partitions)

    def _plan(self, rating: int, needed: int) -> ListPlan:
        part = replace(self.chosen, ratings=(rating,))
        plan, section = self.plan_part(part, needed, self.most_units), self.order.section(rating)
        self.planned[rating] = replace(
            plan,
            runs=_in_section(plan.runs, section),
            empty_partitions=_in_section(plan.empty_partitions, section),
            fallback=partial(_fall_back, plan.fallback) if plan.fallback else None,
        )
        return self.planned[rating]


def _fall_back(fallback: Fallback, run: Run, most: float) -> Sequence[Run]:
    return _in_section(fallback(run, most), run.section)


def _in_section(runs: Sequence[Run], section: str) -> tuple[Run, ...]:
    return tuple(replace(run, section=section) for run in runs)


def _segments(
    chosen: CommentFilter, request: PageRequest, counts: ProductCounts, order: CommentOrder
) -> list[Segment]:
    """Return the ratings that are not empty by the counts; without any counts all of them."""
    numbers = {r: counts.of(replace(chosen, ratings=(r,))) for r in chosen.ratings or RATINGS}
    in_order = sorted(numbers, key=order.section, reverse=True)
    ahead = _ahead([numbers[rating] for rating in in_order], request)
    return [
        Segment(str(rating), order.section(rating), order.section(rating) + HIGHEST, expected)
        for rating, expected in zip(in_order, ahead, strict=True)
        if numbers[rating] or not counts.cells
    ]


def _ahead(numbers: Sequence[int], request: PageRequest) -> list[float]:
    """Return how many items of each of several lists in a row are ahead of a page's position."""
    onward, total = request.toward is Toward.NEXT, sum(numbers)
    ordinal = request.position.ordinal if request.position else 0
    if ordinal is None:
        return [inf] * len(numbers)
    if ordinal < 0 or (ordinal == 0 and not onward):
        ordinal += total + 1
    edges = list(accumulate(numbers, initial=0))
    if onward:
        return [max(end - max(begin, ordinal), 0) for begin, end in pairwise(edges)]
    return [max(min(end, ordinal - 1) - begin, 0) for begin, end in pairwise(edges)]


logger = logging.getLogger(__name__)

MOST_CHECKED = 8
"""Partitions: half a capacity unit each."""
MOST_FOUND_LATE = 200
MOST_RECOUNTED = 10_000
"""Comments of a language and rating up to which a page recounts; `check_integrity` does all."""


def with_empty_partitions(
    product_id: str, page: Page, runs: Sequence[Run], order: Order, *, most_units: float = inf
) -> Page:
    """Add to a last page the comments in runs that were counted as empty; correct the counts.

    At least one of the runs is read, and no more than ``most_units`` allow.
    """
    most = int(max(1, min(MOST_CHECKED, most_units / LEAST_UNITS)))
    if len(runs) > most:
        runs = sample(runs, most)
    late = read(runs, PageRequest(MOST_FOUND_LATE), look_ahead=False)
    if found := [Comment.from_raw_data(dict(entry.item)) for entry in late.entries]:
        _recount(product_id, {(each.language, int(each.rating)) for each in found})
    entries = sorted(
        (*page.entries, *late.entries),
        key=lambda entry: entry.position.place,
        reverse=order is Order.NEWEST_FIRST,
    )
    return replace(
        page,
        entries=tuple(entries),
        rounds=page.rounds + late.rounds,
        reads=(*page.reads, *late.reads),
    )


def _recount(product_id: str, cells: Collection[Cell]) -> None:
    counted = {cell(*one): _count(product_id, one) for one in cells}
    if any(number != 0 for number in counted.values()):
        logger.warning("%s has comments where its counts say none: %s", product_id, sorted(cells))
    known = {name: number for name, number in counted.items() if number is not None}
    try:
        if actions := counters().set_sums(product_id, known):
            write_together(client(), actions)
    except ConditionFailed:
        logger.info("%s is being written to: the next reader will recount", product_id)


def _count(product_id: str, one: Cell) -> int | None:
    """Count comments from their own index; None when there are more than a page should count."""
    partition = ByLanguageAndRating.partition == keys.product_partition(product_id, *one)
    index = ByLanguageAndRating.Meta.index_name
    counted = 0
    for page in query_pages(partition, IndexName=index, Select="COUNT"):
        counted += page["Count"]
        if counted > MOST_RECOUNTED:
            return None
    return counted
