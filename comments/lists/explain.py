"""How a page of a list of comments was read, and what other ways would have cost."""

from collections.abc import Mapping

from comments.filters import CommentFilter
from comments.indexes.prices import SIZES
from comments.lists.listing import pager_of
from comments.lists.orders import CommentOrder
from comments.lists.queries import CommentPage, list_comments
from comments.lists.search_queries import SearchRequest, search_comments
from comments.store.counts import read_counts
from dynapages.calls import Meter, labelled_calls, metered
from dynapages.lists import LEAST_UNITS, Counted, Explanation, Toward, explain

OTHER_UNITS = 2 * LEAST_UNITS
"""What the page of a list reads besides it as a rule: the product, and its counts."""


def explain_page(results: CommentPage, meter: Meter | None) -> Explanation:
    """Explain a page of comments by its plan, the other calls of its meter, and its counts."""
    page = results.page
    comparison = results.plan.compare()
    by_rule = comparison.by_rule
    # The rule is of whole pages, and the last of several is mostly less than one.
    if page.has_previous and not page.has_next and page.toward is Toward.NEXT:
        by_rule = ()
    return explain(
        results.shown,
        plan=results.plan.name,
        meter=meter,
        estimated_capacity_units=results.plan.estimated_capacity_units,
        alternatives=comparison.alternatives,
        counted=Counted(results.counts.total, by_rule, SIZES.of_all),
    )


def explain_comments(
    product_id: str,
    chosen: CommentFilter,
    *,
    size: int,
    order: CommentOrder = CommentOrder.NEWEST,
    position: Mapping[str, str] | None = None,
    forced_plan: str | None = None,
    search: SearchRequest | None = None,
) -> Explanation:
    """Read a page of a list as its page does, and explain it; ``position`` is as in its URL.

    Raises Refusal for one of another list, and NoSuchPlan.
    """
    request = pager_of(product_id, chosen, order, search).requested(position or {}, size=size)
    with metered() as meter:
        with labelled_calls("counts"):
            counts = read_counts(product_id)
        if search:
            results = search_comments(
                product_id,
                search,
                chosen,
                request,
                counts=counts,
                order=order,
                other_units=OTHER_UNITS,
            )
        else:
            results = list_comments(
                product_id,
                chosen,
                request,
                counts=counts,
                order=order,
                other_units=OTHER_UNITS,
                forced_plan=forced_plan,
            )
    return explain_page(results, meter)
