"""The plan for a list of comments: the cheapest way to read it from the four indexes.

Every access pattern can answer every filter: what its partition keys do not distinguish is dropped
by a FilterExpression; where they distinguish more, a partition is read for each value. A filter by
languages and ratings can also be read by a mix of the indexes. All are priced by the counts (see
`comments.indexes.pricing`). A partition that is empty by the counts is in ``empty_partitions``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf

from comments.filters import RATINGS, CommentFilter
from comments.indexes.access_patterns import (
    LANGUAGE,
    LANGUAGE_ATTRIBUTE,
    PATTERNS,
    RATING,
    RATING_ATTRIBUTE,
    AccessPattern,
    ListPlan,
    exact_runs,
    plan,
)
from comments.indexes.pricing import (
    CountedRun,
    MeanSizes,
    PricedPlan,
    best_first_read,
    cheapest,
    cheapest_cover,
    price,
)
from comments.store.counts import ProductCounts
from dynapages.items import UNITS_PER_BLOCK
from dynapages.lists import Alternative, OneOf, Run

SIZES = MeanSizes()
"""Sizes of list entries, as this process has seen them."""
ALL, BY_LANGUAGE, BY_RATING, BY_BOTH = PATTERNS
MOST_UNCOUNTED = 8
"""Queries that are made at the most where the counts say that there is nothing."""
MOST_OF_UNITS = 0.75
"""The part of a page's units that the least cost of its queries may take: the rest reads on."""
MIXED = "mixed"
"""The plan that reads from more than one index."""
Part = tuple[AccessPattern, CommentFilter]
"""An index, and the part of a list that is read from one partition of it."""


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
    most_units: float = inf,
) -> ListPlan:
    """Choose how to read a page of ``needed`` items, look-ahead included.

    Plans are omitted whose queries alone would use up most of ``most_units``; one that is
    ``forced`` is not. Raises NoSuchPlan.
    """
    if not counts.cells and forced is None:
        return _uncounted(product_id, chosen, most_units)
    priced = price_indexes(product_id, chosen, counts, needed=needed)
    if forced is not None and forced not in priced:
        raise NoSuchPlan(forced, priced)
    best = priced[forced] if forced else cheapest(_eligible(priced, chosen, most_units))
    return ListPlan(
        name=best.name,
        runs=best.runs,
        first_reads=best.first_reads,
        fallback=partial(_narrower_runs, product_id) if best.filters and forced is None else None,
        empty_partitions=best.skipped,
        estimated_capacity_units=best.estimate,
        alternatives=tuple(
            Alternative(plan.name, plan.estimate)
            for plan in priced.values()
            if plan.name != best.name
        ),
    )


def _uncounted(product_id: str, chosen: CommentFilter, most_units: float) -> ListPlan:
    """Plan for a product without any counts by the exact plan, or one query for too many."""
    exact = plan(product_id, chosen)
    if len(exact.runs) <= min(most_queries(most_units), MOST_UNCOUNTED):
        return ListPlan(exact.name, exact.runs)
    runs = ALL.runs(product_id, chosen, tuple(_filters(ALL, chosen)))
    return ListPlan(ALL.name, tuple(runs), fallback=partial(_narrower_runs, product_id))


def price_indexes(
    product_id: str, chosen: CommentFilter, counts: ProductCounts, *, needed: int
) -> dict[str, PricedPlan]:
    """Price each way to read a page of ``needed`` items, by name: the four indexes and the mix."""
    ways = {pattern.name: _split(pattern, chosen, counts) for pattern in PATTERNS}
    counted = {
        name: [_counted(product_id, part, counts) for part in parts] for name, parts in ways.items()
    }
    if chosen.languages and chosen.ratings:
        mix = _mix(chosen, counted, needed=needed)
        if len({pattern.name for pattern, _ in mix}) > 1:
            counted[MIXED] = [_counted(product_id, part, counts) for part in mix]
    return {name: price(name, runs, needed=needed) for name, runs in counted.items()}


def _split(pattern: AccessPattern, chosen: CommentFilter, counts: ProductCounts) -> list[Part]:
    """Split a list into the parts that are each in one partition of an index."""
    languages = [(one,) for one in chosen.languages or counts.languages]
    ratings = [(one,) for one in chosen.ratings or RATINGS]
    parts = product(
        languages if LANGUAGE in pattern.answers else [chosen.languages],
        ratings if RATING in pattern.answers else [chosen.ratings],
    )
    return [(pattern, CommentFilter(*part)) for part in parts]


def _mix(
    chosen: CommentFilter, counted: Mapping[str, Sequence[CountedRun]], *, needed: int
) -> list[Part]:
    """Return the cheapest parts: of some languages, of some ratings, and of both for the rest."""
    matching = sum(run.matching for run in counted[BY_BOTH.name])

    def units(pattern: AccessPattern) -> Iterator[float]:
        for run in counted[pattern.name]:
            yield best_first_read(run, matching, needed=needed)[1] if run.matching else 0.0

    languages, ratings = cheapest_cover(
        rows=dict(zip(chosen.languages, units(BY_LANGUAGE), strict=True)),
        columns=dict(zip(chosen.ratings, units(BY_RATING), strict=True)),
        cells=dict(zip(product(chosen.languages, chosen.ratings), units(BY_BOTH), strict=True)),
    )
    others = CommentFilter(tuple(one for one in chosen.languages if one not in languages))
    return [
        *((BY_LANGUAGE, CommentFilter((one,), chosen.ratings)) for one in languages),
        *((BY_RATING, replace(others, ratings=(one,))) for one in ratings if others.languages),
        *(
            (BY_BOTH, CommentFilter((language,), (rating,)))
            for language, rating in product(others.languages, chosen.ratings)
            if rating not in ratings
        ),
    ]


def _counted(product_id: str, part: Part, counts: ProductCounts) -> CountedRun:
    pattern, chosen = part
    (run,) = pattern.runs(product_id, chosen, tuple(_filters(pattern, chosen)))
    matching = total = counts.of(chosen)
    if run.keep:
        languages = chosen.languages if LANGUAGE in pattern.answers else counts.languages
        total = counts.within(languages, chosen.ratings if RATING in pattern.answers else RATINGS)
    return CountedRun(
        run,
        total=total,
        matching=matching,
        item_bytes=SIZES.mean(pattern.name),
        has_seasons=bool(chosen.languages) and LANGUAGE not in pattern.answers,
    )


def _eligible(
    priced: Mapping[str, PricedPlan], chosen: CommentFilter, most_units: float
) -> list[PricedPlan]:
    """Omit plans of too many queries, and plans by language where any will do.

    The latter would miss a comment in a language that is not counted, and are hardly cheaper.
    """
    by_language = (BY_LANGUAGE.name, BY_BOTH.name)
    most = most_queries(most_units)
    return [
        plan
        for name, plan in priced.items()
        if len(plan.runs) <= most and (chosen.languages or name not in by_language)
    ]


def most_queries(most_units: float) -> float:
    """Return how many queries a plan may have where so many capacity units may be spent."""
    return max(most_units * MOST_OF_UNITS / UNITS_PER_BLOCK, 1)


def _narrower_runs(product_id: str, run: Run, most: float) -> Sequence[Run]:
    """Return at most ``most`` runs that hold what a run with a filter keeps, or none.

    These are the exact ones, or those by language, whose comments come more evenly over time.
    """
    exact = exact_runs(product_id, run)
    kept = {one_of.attribute: one_of for one_of in run.keep}
    if len(exact) <= most or len(kept) < len(BY_BOTH.answers):
        return exact if len(exact) <= most else ()
    languages = tuple(value["S"] for value in kept[LANGUAGE_ATTRIBUTE].values)
    chosen = CommentFilter(languages)
    by_language = BY_LANGUAGE.runs(product_id, chosen, (kept[RATING_ATTRIBUTE],))
    return by_language if len(by_language) <= most else ()


def _filters(pattern: AccessPattern, chosen: CommentFilter) -> Iterator[OneOf]:
    if LANGUAGE not in pattern.answers and chosen.languages:
        values = tuple({"S": language} for language in chosen.languages)
        yield OneOf(LANGUAGE_ATTRIBUTE, values)
    if RATING not in pattern.answers and chosen.ratings:
        yield OneOf(RATING_ATTRIBUTE, tuple({"N": str(r)} for r in chosen.ratings))
