"""EXPLAIN for lists of orders."""

from collections.abc import Sequence

from django.http import QueryDict

from dynamo.calls.meter import labelled_calls, metered
from dynamo.lists.explain import Explanation, explain
from dynamo.lists.reader import PageRequest
from dynamo.web.paging import Pager
from shop.order_status import Status
from shop.orders.counts import counts_of, queue_lengths
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList
from shop.orders.queries import list_open_orders, list_orders
from shop.orders.queue_listing import queue_pager


def explain_orders(
    username: str, chosen: OrderFilter, *, size: int, after: str | None = None
) -> Explanation:
    """Explain a page of a user's orders; ``after`` is a position token. Raises Refusal."""
    request = _requested(OrderList(username, "").pager(chosen), size=size, after=after)
    with metered() as meter:
        found = list_orders(username, chosen, request)
        with labelled_calls("counts"):
            counts_of(username)
    return explain(found.page, plan=found.plan.name, meter=meter)


def explain_queue(
    statuses: Sequence[Status], *, size: int, after: str | None = None
) -> Explanation:
    """Explain a page of the shop's open orders; no statuses mean all. Raises Refusal."""
    request = _requested(queue_pager(statuses), size=size, after=after)
    with metered() as meter:
        found = list_open_orders(statuses, request)
        with labelled_calls("counts"):
            queue_lengths()
    return explain(found.page, plan=found.plan.name, meter=meter)


def _requested(pager: Pager, *, size: int, after: str | None) -> PageRequest:
    query = QueryDict(mutable=True)
    if after:
        query["after"] = after
    return pager.requested(query, size=size)
