"""EXPLAIN for lists of comments."""

from django.http import QueryDict

from comments.filters import CommentFilter
from comments.lists.listing import pager_of
from comments.lists.orders import CommentOrder
from comments.lists.queries import CommentPage, list_comments
from comments.store.counts import counts_of
from dynamo.calls.meter import Meter, labelled_calls, metered
from dynamo.lists.explain import Explanation, explain
from dynamo.lists.merging import LEAST_UNITS

UNITS_BESIDE = 2 * LEAST_UNITS
"""What the page of a list reads beside it as a rule: the product, and its counts."""


def explain_page(found: CommentPage, meter: Meter | None) -> Explanation:
    """Explain a page of comments by its plan and the other calls of its meter."""
    return explain(
        found.shown,
        plan=found.plan.name,
        meter=meter,
        estimated_capacity_units=found.plan.estimated_capacity_units,
        alternatives=found.plan.alternatives,
    )


def explain_comments(
    product_id: str,
    chosen: CommentFilter,
    *,
    size: int,
    order: CommentOrder = CommentOrder.NEWEST,
    after: str | None = None,
    forced_plan: str | None = None,
) -> Explanation:
    """Read a page of a list as its page does, and explain it.

    ``after`` is the position token of a page's link. Raises Refusal for one of another list,
    and NoSuchPlan.
    """
    query = QueryDict(mutable=True)
    if after:
        query["after"] = after
    request = pager_of(product_id, chosen, order).requested(query, size=size)
    with metered() as meter:
        with labelled_calls("counts"):
            counts = counts_of(product_id)
        found = list_comments(
            product_id,
            chosen,
            request,
            counts=counts,
            order=order,
            beside=UNITS_BESIDE,
            forced_plan=forced_plan,
        )
    return explain_page(found, meter)
