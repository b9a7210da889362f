"""EXPLAIN for lists of comments."""

from django.http import QueryDict

from comments.filters import CommentFilter
from comments.listing import pager_of
from comments.queries import list_comments
from dynamo.explain import Explanation, explain
from dynamo.meter import metered


def explain_comments(
    product_id: str, chosen: CommentFilter, *, size: int, after: str | None = None
) -> Explanation:
    """Read a page of a list as its page does, and explain it.

    ``after`` is the position token of a page's link. Raises Refusal for one of another list.
    """
    query = QueryDict(mutable=True)
    if after:
        query["after"] = after
    request = pager_of(product_id, chosen).requested(query, size=size)
    with metered() as meter:
        found = list_comments(product_id, chosen, request)
    return explain(found.page, plan=found.plan.name, meter=meter)
