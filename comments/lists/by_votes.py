"""The list by helpful votes: comments with votes, the most helpful first, and then all the others.

Those with votes are in the index ``ranked``, in one partition of their product, of which a filter
drops what the list does not have. The others follow, newest first, from the indexes of lists: these
have the votes too, so that a filter drops what was listed before. Each is a segment of the list.

A page reads both at once, unless comments with votes have filled a page of this list before. It
then reads those alone, and the others in a second round where they turn out to be needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

from django.core.cache import cache

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.planner import ListPlan, filter_conditions, plan_list
from comments.indexes.prices import SIZES, CountedRun, price_runs
from comments.lists.by_rating import (
    PlannedPage,
    first_reads_of,
    in_section,
    narrower_in_section,
    plan_of_page,
)
from comments.lists.orders import OTHERS, VOTED
from comments.models import Comment, Ranked
from comments.store.counts import ProductCounts, remembered_as
from comments.store.table import index_of
from dynapages.items import blocks_of
from dynapages.lists import (
    HIGHEST,
    Fallback,
    Lacks,
    Page,
    PageRequest,
    Run,
    Segment,
    SegmentsPlan,
)
from dynapages.process import read_in_segments

BY_VOTES = index_of(Ranked)
FILLED = "filled-by-votes"
"""The kind under which it is remembered that comments with votes fill a page of a list."""
REMEMBERED_SECONDS = 24 * 60 * 60
LACKS_VOTES = Lacks(Comment.helpful_votes.attr_name)


def read_by_votes(
    product_id: str,
    chosen: CommentFilter,
    request: PageRequest,
    *,
    counts: ProductCounts,
    forced: str | None = None,
) -> PlannedPage:
    """Read a page of a list by votes; the plan is of those segments that were read.

    ``forced`` is the plan of the comments without votes. Raises NoSuchPlan.
    """
    plans = _Plans(product_id, chosen, request, counts, forced)
    if forced:
        # What does not exist is refused, whether or not a page comes that far.
        plans.plan(OTHERS)
    filled = _Filled(product_id, chosen)
    voted_ahead = inf if filled.is_remembered else 0
    segments = [
        Segment(VOTED, VOTED, VOTED + HIGHEST, expected=voted_ahead),
        Segment(OTHERS, OTHERS, OTHERS + HIGHEST),
    ]
    page = read_in_segments(segments, plans.plan_segments, request)
    filled.note(request, page)
    empty_partitions: tuple[Run, ...] = ()
    if not page.has_next:
        empty_partitions = plans.plan(OTHERS).empty_partitions
    return PlannedPage(
        replace(plan_of_page(plans.by_section, page), empty_partitions=empty_partitions), page
    )


@dataclass(frozen=True, slots=True)
class _Plans:
    """The plans of both segments; each is made when it is needed, and then kept."""

    product_id: str
    chosen: CommentFilter
    request: PageRequest
    counts: ProductCounts
    forced: str | None
    by_section: dict[str, ListPlan] = field(default_factory=dict)

    def plan_segments(self, segments: Sequence[Segment], _needed: int) -> SegmentsPlan:
        """Plan one segment or both, each as if it was the whole page.

        Fewer may be needed behind comments with votes, but as many of these may have to be dropped.
        """
        plans: list[ListPlan] = []
        runs: list[Run] = []
        fallback: Fallback | None = None
        for segment in segments:
            plan = self.plan(segment.name)
            plans.append(plan)
            runs.extend(plan.runs)
            fallback = fallback or plan.fallback
        return SegmentsPlan(runs, first_reads_of(plans), fallback)

    def plan(self, section: str) -> ListPlan:
        """Plan a segment of the list."""
        if section not in self.by_section:
            plan_section = self._plan_voted if section == VOTED else self._plan_others
            self.by_section[section] = plan_section(self.request.size + 1)
        return self.by_section[section]

    def _plan_voted(self, needed: int) -> ListPlan:
        """Plan to read comments with votes: there may be as many as there are comments."""
        run = Run(
            BY_VOTES,
            partition=keys.helpful(self.product_id),
            keep=tuple(filter_conditions((), self.chosen)),
            section=VOTED,
        )
        name = Ranked.Meta.index_name
        if not self.counts.cells:
            return ListPlan(name, (run,))
        counted = CountedRun(
            run,
            total=self.counts.total,
            matching=self.counts.of(self.chosen),
            item_bytes=SIZES.mean(name),
        )
        priced = price_runs(name, [counted], needed=needed)
        return ListPlan(
            name, priced.runs, priced.first_reads, estimated_capacity_units=priced.estimate
        )

    def _plan_others(self, needed: int) -> ListPlan:
        """Plan to read the comments without votes."""
        request = self.request
        plan = plan_list(
            self.product_id,
            self.chosen,
            self.counts,
            needed=needed,
            forced=self.forced,
            # A query is charged for its largest item at least.
            most_units=request.most_units / blocks_of(request.largest_item),
        )
        fallback = None
        if plan.fallback:
            fallback = partial(_narrower_without_votes, plan.fallback)
        return replace(
            plan,
            runs=_without_votes(in_section(plan.runs, OTHERS)),
            fallback=fallback,
            # What has votes is in the other segment, whatever is counted of its partition.
            empty_partitions=_without_votes(in_section(plan.empty_partitions, OTHERS)),
        )


def _without_votes(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return runs that keep only comments without votes."""
    return tuple(replace(run, keep=(*run.keep, LACKS_VOTES)) for run in runs)


def _narrower_without_votes(fallback: Fallback, run: Run, most: float) -> Sequence[Run]:
    """Return the runs that take the place of one that filters by more than votes, or none."""
    by_filter = tuple(condition for condition in run.keep if condition != LACKS_VOTES)
    if run.section == VOTED or not by_filter:
        return ()
    narrower = narrower_in_section(fallback, replace(run, keep=by_filter), most)
    return _without_votes(narrower)


class _Filled:
    """Whether comments with votes fill a page of a list, as far as that is remembered."""

    def __init__(self, product_id: str, chosen: CommentFilter) -> None:
        name = f"{product_id}/{chosen.languages_in_url}/{chosen.ratings_in_url}"
        self._key = remembered_as(FILLED, name)
        self.is_remembered = bool(cache.get(self._key))

    def note(self, request: PageRequest, page: Page) -> None:
        """Remember what the first page of the list shows."""
        if not request.is_first:
            return
        voted = [entry for entry in page.entries if entry.run.section == VOTED]
        is_filled = len(voted) == request.size
        if is_filled and not self.is_remembered:
            cache.set(self._key, value=True, timeout=REMEMBERED_SECONDS)
        elif self.is_remembered and not is_filled:
            cache.delete(self._key)
