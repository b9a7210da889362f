"""What the files of an import hold."""

from dataclasses import dataclass, field
from datetime import datetime

from dynamo.files.records import RowRefused
from shop.catalogue.items import NewCategory
from shop.imports.olist import OlistCustomer, OlistItem, OlistOrder, new_order
from shop.imports.olist_products import OlistProduct
from shop.orders.items import NewOrder


@dataclass(frozen=True, slots=True)
class FileCounts:
    """The numbers of a file's rows: ``read + rejected == rows``."""

    rows: int = 0
    rejected: int = 0

    @property
    def read(self) -> int:
        return self.rows - self.rejected


@dataclass(slots=True)
class Found:
    """What the files hold; ``orders`` have their customers and items."""

    customers: dict[str, OlistCustomer] = field(default_factory=dict)
    categories: dict[str, NewCategory] = field(default_factory=dict)
    products: dict[str, OlistProduct] = field(default_factory=dict)
    items: dict[str, list[OlistItem]] = field(default_factory=dict)
    orders: dict[str, OlistOrder] = field(default_factory=dict)
    product_categories: dict[str, NewCategory] = field(default_factory=dict)
    product_names: dict[str, str] = field(default_factory=dict)
    counts: dict[str, FileCounts] = field(default_factory=dict)

    def in_order_of_placing(self) -> list[OlistOrder]:
        """Return the orders, the oldest first."""
        return sorted(self.orders.values(), key=lambda order: (order.dates.purchased, order.id))

    def order(self, order: OlistOrder) -> NewOrder:
        """Build an order with its items. Raises RowRefused when something is missing."""
        customer = self.customers.get(order.customer_id)
        if customer is None:
            raise RowRefused(f"customer_id: “{order.customer_id}” is none of the customers")
        return new_order(
            order,
            customer=customer,
            items=self.items.get(order.id, []),
            names=self.product_names,
        )

    def first_purchases(self) -> dict[str, datetime]:
        """Return the users who have orders, with the moment of the first one."""
        joined: dict[str, datetime] = {}
        for order in self.in_order_of_placing():
            joined.setdefault(self.customers[order.customer_id].username, order.dates.purchased)
        return joined

    def prices(self) -> dict[str, int]:
        """Return each product's price in cents in its latest order."""
        return {
            item.product_id: item.price_cents
            for order in self.in_order_of_placing()
            for item in sorted(self.items.get(order.id, []), key=lambda item: item.number)
        }
