"""What Olist's files say, by brute force: lists, filters and sorting, and no index.

Moments stay the strings of the files, whose order is that of time. Nothing of the import is used;
only an order's id, which breaks ties of one second, comes from where the shop makes it.
"""

import csv
import gzip
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from pathlib import Path

from shop.orders.ids import imported_order_id

STATUS = {
    "created": "PLACED",
    "approved": "APPROVED",
    "invoiced": "APPROVED",
    "processing": "PROCESSING",
    "shipped": "SHIPPED",
    "delivered": "DELIVERED",
    "canceled": "CANCELED",
    "unavailable": "CANCELED",
}
DATE_OF = {
    "created": "order_purchase_timestamp",
    "approved": "order_approved_at",
    "invoiced": "order_approved_at",
    "processing": "order_approved_at",
    "shipped": "order_delivered_carrier_date",
    "delivered": "order_delivered_customer_date",
}
DATES = ("order_purchase_timestamp", *dict.fromkeys([*DATE_OF.values()][1:]))
OPEN = ("PLACED", "APPROVED", "PROCESSING")

Row = dict[str, str]


@dataclass(frozen=True)
class TruthOrder:
    foreign_id: str
    username: str
    original: str
    placed: str
    entered: str
    pieces: Counter[str] = field(compare=False)
    cents: int

    @property
    def status(self) -> str:
        return STATUS[self.original]

    @cached_property
    def id(self) -> str:
        placed = datetime.fromisoformat(self.placed).replace(tzinfo=UTC)
        return imported_order_id(placed, self.foreign_id)


@dataclass(frozen=True)
class Truth:
    orders: list[TruthOrder]

    @cached_property
    def by_user(self) -> dict[str, list[TruthOrder]]:
        found = defaultdict(list)
        for order in self.orders:
            found[order.username].append(order)
        return dict(found)

    def busiest(self, count: int) -> list[str]:
        """The users with the most orders, busiest first."""
        return sorted(self.by_user, key=lambda u: (-len(self.by_user[u]), u))[:count]

    def listed(
        self, username: str, statuses: Collection[str] = (), *, since: str = "", until: str = ""
    ) -> list[str]:
        """A user's order ids, newest first: by the moment of the status, else by placing."""
        found = [
            (moment, order.id)
            for order in self.by_user[username]
            for moment in [order.entered if statuses else order.placed]
            if (not statuses or order.status in statuses)
            and since <= moment
            and (not until or moment < until)
        ]
        return [order_id for _, order_id in sorted(found, reverse=True)]

    def open_of(self, username: str) -> list[str]:
        return queue(self.by_user[username])[::-1]

    def queue(self, statuses: Collection[str] = OPEN) -> list[str]:
        return queue(self.orders, statuses)


def queue(orders: Iterable[TruthOrder], statuses: Collection[str] = OPEN) -> list[str]:
    """The ids of open orders, oldest first."""
    found = sorted((order.placed, order.id) for order in orders if order.status in statuses)
    return [order_id for _, order_id in found]


def truth_of(folder: Path) -> Truth:
    users = {
        row["customer_id"]: row["customer_unique_id"]
        for row in rows_of(folder, "olist_customers_dataset")
    }
    items = defaultdict(list)
    for row in rows_of(folder, "olist_order_items_dataset"):
        items[row["order_id"]].append(row)
    return Truth(
        [
            TruthOrder(
                foreign_id=row["order_id"],
                username=users[row["customer_id"]],
                original=row["order_status"],
                placed=row["order_purchase_timestamp"],
                entered=entered(row),
                pieces=Counter(item["product_id"] for item in items[row["order_id"]]),
                cents=sum(int(Decimal(item["price"]) * 100) for item in items[row["order_id"]]),
            )
            for row in rows_of(folder, "olist_orders_dataset")
        ]
    )


def entered(row: Row) -> str:
    """The moment an order entered the status it is in."""
    own = row.get(DATE_OF.get(row["order_status"], ""), "")
    return own or max(row[name] for name in DATES)


def rows_of(folder: Path, stem: str) -> Iterator[Row]:
    """The rows of a file, plain or compressed, as the csv module alone reads them."""
    plain = folder / f"{stem}.csv"
    if plain.exists():
        with plain.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)
    else:
        with gzip.open(folder / f"{stem}.csv.gz", "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)
