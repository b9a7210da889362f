"""EXPLAIN for lists of orders."""

from django.http import QueryDict

from dynamo.calls.meter import labelled_calls, metered
from dynamo.lists.explain import Explanation, explain
from dynamo.lists.reader import PageRequest
from dynamo.web.paging import Pager
from shop.orders.counts import counts_of
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList
from shop.orders.queries import list_orders


def explain_orders(
    username: str, chosen: OrderFilter, *, size: int, after: str | None = None
) -> Explanation:
    """Explain a page of a user's orders; ``after`` is a position token. Raises Refusal."""
    request = requested(OrderList(username, "").pager(chosen), size=size, after=after)
    with metered() as meter:
        found = list_orders(username, chosen, request)
        with labelled_calls("counts"):
            counts_of(username)
    return explain(found.page, plan=found.plan.name, meter=meter)


def requested(pager: Pager, *, size: int, after: str | None) -> PageRequest:
    """Return the page of a list behind a position token, or its first. Raises Refusal."""
    query = QueryDict(mutable=True)
    if after:
        query["after"] = after
    return pager.requested(query, size=size)
