"""EXPLAIN for the queue of open orders."""

from dynamo.calls.meter import labelled_calls, metered
from dynamo.lists.explain import Explanation, explain
from shop.orders.counts import queue_lengths
from shop.orders.explain import requested
from shop.orders.filters import OrderFilter
from shop.orders.queries import list_open_orders
from shop.orders.queue.listing import queue_pager


def explain_queue(chosen: OrderFilter, *, size: int, after: str | None = None) -> Explanation:
    """Explain a page of the shop's open orders; no statuses mean all. Raises Refusal."""
    request = requested(queue_pager(chosen), size=size, after=after)
    with metered() as meter:
        found = list_open_orders(chosen, request)
        with labelled_calls("counts"):
            queue_lengths()
    return explain(found.page, plan=found.plan.name, meter=meter)
