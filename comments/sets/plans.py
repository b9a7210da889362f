"""Lists of comments read from ``comment_sets``: one partition answers any set of ratings.

Several languages are a run for each. Where their queries would take most of a page's capacity
units, one of any language is made, if cheaper or all there is enough for: a filter drops the rest.

Follows "Query patterns" of part 1 of "Efficient filtering with DynamoDB".
"""

from collections.abc import Mapping
from functools import partial
from math import inf

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.host import SETS
from comments.indexes import planner as planning
from comments.indexes.planner import (
    LANGUAGE_ATTRIBUTE,
    Comparison,
    IndexPrices,
    ListPlan,
    NoSuchPlan,
    most_queries,
)
from comments.indexes.prices import SIZES, CountedRun, cheapest, price_runs
from comments.sets.copies import partition
from comments.sets.models import BySet, CommentSetItem
from comments.store.counts import ProductCounts
from dynapages.lists import Index, OneOf, Position, Run, id_at


def _table_key(position: Position) -> Mapping[str, str]:
    return {"pk": keys.comment(id_at(position.place))}


BY_SET = Index(
    table=CommentSetItem.Meta.table_name,
    name=BySet.Meta.index_name,
    partition=BySet.partition.attr_name,
    sort=BySet.place.attr_name,
    table_key=_table_key,
)


def runs(product_id: str, chosen: CommentFilter) -> tuple[Run, ...]:
    """Return one run for each chosen language, or one for any."""
    return tuple(
        Run(BY_SET, partition(product_id, language, chosen.ratings))
        for language in chosen.languages or (None,)
    )


def plan(product_id: str, chosen: CommentFilter) -> ListPlan:
    """Plan without counts."""
    return ListPlan(SETS, runs(product_id, chosen))


def plan_list(
    product_id: str,
    chosen: CommentFilter,
    counts: ProductCounts,
    *,
    needed: int,
    forced: str | None = None,
    most_units: float = inf,
) -> ListPlan:
    """Plan how many items to read of each set for a page of ``needed``, look-ahead included.

    The indexes of ``comments`` are alternatives, and can be ``forced`` by their names. Raises
    NoSuchPlan.
    """
    if forced is not None and forced != SETS:
        try:
            return planning.plan_list(product_id, chosen, counts, needed=needed, forced=forced)
        except NoSuchPlan as error:
            raise NoSuchPlan(forced, [*error.known, SETS]) from error
    most = most_queries(most_units)
    if not counts.cells:
        if len(chosen.languages) <= most:
            return plan(product_id, chosen)
        return ListPlan(SETS, (_of_any_language(product_id, chosen, counts).run,))
    priced = price_runs(SETS, _counted(product_id, chosen, counts), needed=needed)
    if len(priced.runs) > most / 2:
        one = price_runs(SETS, [_of_any_language(product_id, chosen, counts)], needed=needed)
        is_too_many = len(priced.runs) > most
        priced = one if is_too_many else cheapest([priced, one])
    return ListPlan(
        name=SETS,
        runs=priced.runs,
        first_reads=priced.first_reads,
        empty_partitions=priced.skipped,
        estimated_capacity_units=priced.estimate,
        compare=partial(_compare, IndexPrices(chosen, counts, needed=needed)),
    )


def _compare(prices: IndexPrices) -> Comparison:
    """Compare a plan with those by the indexes of ``comments``."""
    return Comparison(prices.alternatives_to(SETS))


def _counted(
    product_id: str, chosen: CommentFilter, counts: ProductCounts
) -> list[CountedRun[Run]]:
    """Return the runs of a filter, each with the number of comments in it."""
    ratings = chosen.ratings or RATINGS
    if chosen.languages:
        numbers = [counts.within([language], ratings) for language in chosen.languages]
    else:
        numbers = [counts.within(counts.languages, ratings)]
    size = SIZES.mean(BySet.Meta.index_name)
    return [
        CountedRun(run, number, number, size)
        for run, number in zip(runs(product_id, chosen), numbers, strict=True)
    ]


def _of_any_language(
    product_id: str, chosen: CommentFilter, counts: ProductCounts
) -> CountedRun[Run]:
    """Return the run of any language, of which a filter keeps those that were chosen."""
    languages = OneOf(LANGUAGE_ATTRIBUTE, tuple({"S": code} for code in chosen.languages))
    return CountedRun(
        Run(BY_SET, partition(product_id, None, chosen.ratings), keep=(languages,)),
        total=counts.within(counts.languages, chosen.ratings or RATINGS),
        matching=counts.of(chosen),
        item_bytes=SIZES.mean(BySet.Meta.index_name),
        has_seasons=True,
    )
