"""All orders of a status, moved a page at a time: work for one request, and a place to go on."""

from dataclasses import dataclass
from datetime import datetime

from dynamo.lists.reader import Page, PageRequest
from shop.order_status import Move
from shop.orders.filters import OrderFilter
from shop.orders.moving import Moved, move_orders
from shop.orders.queries import list_open_orders


@dataclass(frozen=True, slots=True)
class StepDone:
    """The outcome for each order of a page of the queue, and the page, behind which to go on."""

    results: tuple[Moved, ...]
    page: Page


def move_page(
    chosen: OrderFilter, request: PageRequest, *, move: Move, who: str, now: datetime
) -> StepDone:
    """Move the orders of a page of the queue, each on its own.

    The next page begins behind the last of them, whether it was moved or not. The same page again
    moves nothing twice.
    """
    found = list_open_orders(chosen, request)
    order_ids = [order.id for order in found.items]
    results = move_orders(
        order_ids=order_ids, source=move.source, target=move.target, who=who, now=now
    )
    return StepDone(tuple(results), found.page)
