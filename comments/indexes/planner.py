"""The plan for a list of comments: the cheapest of the four ways to read it.

Every access pattern can answer every filter. What its partition keys do not distinguish is dropped
by a FilterExpression; where they distinguish more than the filter, a partition is read for each
value there is. The four are priced by the counts (see `dynamo.lists.planner`).

A partition that is empty by the counts is not read. Counts can be wrong, so those partitions are
in ``empty_partitions``, and are read when the list's end is reached.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from comments.filters import RATINGS, CommentFilter
from comments.indexes.access_patterns import (
    LANGUAGE,
    PATTERNS,
    RATING,
    AccessPattern,
    ListPlan,
    exact_pattern,
    plan,
)
from comments.models import Comment
from comments.store.counts import ProductCounts
from dynamo.lists.explain import Alternative
from dynamo.lists.merging import LEAST_UNITS, Fallback
from dynamo.lists.planner import Candidate, CountedRun, PricedPlan, cheapest, price
from dynamo.lists.runs import OneOf
from dynamo.lists.sizes import MeanSizes

Values = dict[str, Sequence[str | int]]

SIZES = MeanSizes()
"""Sizes of list entries, as this process has seen them."""
PATIENCE = 2.5
"""How far beyond its estimate a plan that drops may go before the exact plan takes over."""


class NoSuchPlan(ValueError):
    """There is no plan of this name, but those in ``known``."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(f"There is no plan “{name}”: there are {', '.join(self.known)}.")


def plan_list(
    product_id: str,
    chosen: CommentFilter,
    counts: ProductCounts,
    *,
    needed: int,
    forced: str | None = None,
) -> ListPlan:
    """Choose how to read a page of ``needed`` items, look-ahead included.

    ``forced`` is the name of the plan to use whatever it costs. A product without any counts is
    read by the exact plan, because nothing can be priced. Raises NoSuchPlan.
    """
    if not counts.cells and forced is None:
        by_rule = plan(product_id, chosen)
        return ListPlan(by_rule.name, by_rule.runs)
    priced = price_indexes(product_id, chosen, counts, needed=needed)
    if forced is not None and forced not in priced:
        raise NoSuchPlan(forced, priced)
    exact = priced[exact_pattern(chosen).name]
    best = priced[forced] if forced else cheapest(_eligible(priced, chosen))
    return ListPlan(
        name=best.name,
        runs=best.runs,
        first_reads=best.first_reads,
        fallback=_fallback(best, exact) if forced is None else None,
        empty_partitions=best.skipped,
        estimated_capacity_units=best.estimate,
        alternatives=tuple(
            Alternative(plan.name, plan.estimate)
            for plan in priced.values()
            if plan.name != best.name
        ),
    )


def price_indexes(
    product_id: str, chosen: CommentFilter, counts: ProductCounts, *, needed: int
) -> dict[str, PricedPlan]:
    """Price each of the four ways to read a page of ``needed`` items, by name."""
    return {
        pattern.name: price(_candidate(pattern, product_id, chosen, counts), needed=needed)
        for pattern in PATTERNS
    }


def _eligible(priced: Mapping[str, PricedPlan], chosen: CommentFilter) -> list[PricedPlan]:
    """Omit plans by language where any will do.

    They would miss a comment in a language that is not counted, and can hardly be cheaper: they
    read what the index ``all`` holds, in more queries.
    """
    return [
        priced[pattern.name]
        for pattern in PATTERNS
        if LANGUAGE not in pattern.answers or chosen.languages
    ]


def _fallback(best: PricedPlan, exact: PricedPlan) -> Fallback | None:
    if not best.filters:
        return None
    return Fallback(
        runs=exact.runs,
        capacity_units=exact.capacity_units,
        budget=best.capacity_units * PATIENCE + LEAST_UNITS,
        first_reads=exact.first_reads,
    )


def _candidate(
    pattern: AccessPattern, product_id: str, chosen: CommentFilter, counts: ProductCounts
) -> Candidate:
    everything: Values = {LANGUAGE: counts.languages, RATING: RATINGS}
    wanted: Values = {
        LANGUAGE: chosen.languages or counts.languages,
        RATING: chosen.ratings or RATINGS,
    }
    keep = tuple(_filters(pattern, chosen))
    counted = []
    for values in product(*(wanted[part] for part in pattern.answers)):
        known: Values = {
            part: (value,) for part, value in zip(pattern.answers, values, strict=True)
        }
        run = pattern.run(product_id, values, keep)
        total, matching = _count(counts, everything | known), _count(counts, wanted | known)
        counted.append(CountedRun(run, total=total, matching=matching))
    return Candidate(pattern.name, tuple(counted), SIZES.mean(pattern.name))


def _count(counts: ProductCounts, values: Values) -> int:
    ratings = [int(rating) for rating in values[RATING]]
    return counts.within(map(str, values[LANGUAGE]), ratings)


def _filters(pattern: AccessPattern, chosen: CommentFilter) -> Iterator[OneOf]:
    if LANGUAGE not in pattern.answers and chosen.languages:
        values = tuple({"S": language} for language in chosen.languages)
        yield OneOf(Comment.language.attr_name, values)
    if RATING not in pattern.answers and chosen.ratings:
        yield OneOf(Comment.rating.attr_name, tuple({"N": str(r)} for r in chosen.ratings))
