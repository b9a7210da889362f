"""What the files of an import hold."""

from dataclasses import dataclass, field

from dynamo.files.records import RowRefused
from shop.catalogue.items import NewCategory
from shop.catalogue.services import EVERYTHING_ELSE
from shop.imports.names import Names
from shop.imports.olist import OlistCustomer, OlistItem, OlistOrder, new_order
from shop.imports.olist_products import OlistProduct, product_name
from shop.imports.products import ImportedProduct
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
    counts: dict[str, FileCounts] = field(default_factory=dict)
    names: Names = field(default_factory=Names)

    def in_order_of_placing(self) -> list[OlistOrder]:
        """Return the orders, the oldest first."""
        return sorted(self.orders.values(), key=lambda order: (order.placed_at, order.id))

    def order(self, order: OlistOrder) -> NewOrder:
        """Build an order with its items. Raises RowRefused when something is missing."""
        customer = self.customers.get(order.customer_id)
        if customer is None:
            raise RowRefused(f"customer_id: “{order.customer_id}” is none of the customers")
        items = self.items.get(order.id, [])
        names = {item.product_id: self._name_of(item.product_id) for item in items}
        return new_order(order, customer=customer, items=items, names=names)

    def describe(self, product_id: str) -> ImportedProduct:
        """Return what the files tell about a product, without its price."""
        category = self._category_of(product_id)
        return ImportedProduct(
            id=product_id,
            name=self._name_of(product_id),
            is_named=category is not None,
            category=category,
        )

    def _name_of(self, product_id: str) -> str:
        return product_name(product_id, self._category_of(product_id) or EVERYTHING_ELSE)

    def _category_of(self, product_id: str) -> NewCategory | None:
        product = self.products.get(product_id)
        return None if product is None else self.categories.get(product.category)
