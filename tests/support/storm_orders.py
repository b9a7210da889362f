"""The orders of a storm: clients place them by API, and staff move many at once, side by side."""

import html
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dynapages.items import Item
from dynapages.process import client
from dynapages.upkeep import every_item
from shop import keys
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from shop.integrity.checks import shop_differences
from shop.models import Order
from shop.order_status import FORWARD, Status
from shop.table import TABLE

GOODS = ("storm-mug", "storm-plate")
"""What is ordered."""
CHECKBOX = re.compile(r'name="order"\s+value="([^"]+)"')
OUTCOME = re.compile(r'class="outcome" data-outcome="([^"]+)"')
"""Of an order that was moved; those that were not have a class more."""


@dataclass
class OrderLedger:
    """What one client was told of orders: the ids of those placed, and how many it may have.

    ``moved`` are the orders that its staff user was told of as moved, each with the status.
    """

    username: str
    staff: str
    placed: list[str] = field(default_factory=list)
    unsure: int = 0
    moved: set[tuple[str, Status]] = field(default_factory=set)

    def note_placed(self, page: str) -> None:
        self.placed.append(json.loads(page)["id"])

    def note_moved(self, page: str, target: Status) -> None:
        for order_id in OUTCOME.findall(page):
            self.moved.add((order_id, target))


def put_goods() -> None:
    products = [NewProduct(name, name.title(), (), "", 1_999, "EUR") for name in GOODS]
    put_catalogue(categories=[], products=products)


def order_body() -> dict[str, object]:
    return {"lines": [{"product_id": name, "quantity": 2} for name in GOODS]}


def selected_on(page: str) -> list[str]:
    """The values of all checkboxes of a page of the queue."""
    return [html.unescape(value) for value in CHECKBOX.findall(page)]


def way_on(status: Status) -> Status:
    """The status that staff move many orders to."""
    (target,) = (move.target for move in FORWARD if move.source == status)
    return target


# What must be true afterwards


def order_faults(ledgers: Sequence[OrderLedger]) -> Iterator[str]:
    """Yield what is stored otherwise than the clients were told."""
    stored = _stored_orders()
    of_customers: dict[str, set[str]] = defaultdict(set)
    for order_id, order in stored.items():
        of_customers[order["pk"]["S"].removeprefix(keys.USER_PREFIX)].add(order_id)
        yield from _faults_of_history(order_id, order)
    for ledger in ledgers:
        yield from _faults_of_placing(ledger, of_customers[ledger.username])
    yield from _faults_of_moves(ledgers, stored)


def order_differences() -> list[str]:
    """What the check of orders finds wrong: counts, shards and keys."""
    found = [one for _, one in shop_differences(["orders"]) if not one.is_hint]
    return [f"{one.kind} {one.subject}: {one.stored}, not {one.expected}" for one in found]


def _stored_orders() -> dict[str, Item]:
    return {
        item["sk"]["S"].removeprefix(keys.ORDER_PREFIX): item
        for item in every_item(client(), TABLE)
        if item["pk"]["S"].startswith(keys.USER_PREFIX)
        and item["sk"]["S"].startswith(keys.ORDER_PREFIX)
    }


def _statuses_of(order: Item) -> list[str]:
    steps = order[Order.history.attr_name]["L"]
    return [step["M"]["status"]["S"] for step in steps]


def _faults_of_history(order_id: str, order: Item) -> Iterator[str]:
    statuses = _statuses_of(order)
    if statuses != [status.value for status in Status][: len(statuses)]:
        yield f"order {order_id} was {statuses}"


def _faults_of_placing(ledger: OrderLedger, stored: Collection[str]) -> Iterator[str]:
    for order_id in ledger.placed:
        if order_id not in stored:
            yield f"order {order_id} is lost"
    surplus = len(stored) - len(set(ledger.placed))
    if surplus > ledger.unsure:
        yield f"{ledger.username} has {surplus} orders more than were placed, not {ledger.unsure}"


def _faults_of_moves(ledgers: Sequence[OrderLedger], stored: Mapping[str, Item]) -> Iterator[str]:
    movers: dict[tuple[str, Status], set[str]] = defaultdict(set)
    for ledger in ledgers:
        for move in ledger.moved:
            movers[move].add(ledger.staff)
    for (order_id, status), staff in movers.items():
        if status not in _statuses_of(stored[order_id]):
            yield f"order {order_id} was told as {status}, and is not"
        if len(staff) > 1:
            yield f"order {order_id} was told as {status} to {staff}"
