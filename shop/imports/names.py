"""Names of users, and ids of products and orders, mapped where the shop does not allow them.

The rule is that of `dynamo.files.identifiers`.
"""

from dataclasses import dataclass, field

from dynamo.files.identifiers import product_id_of, user_name_of
from shop.accounts.names import LONGEST_USERNAME, USERNAME


@dataclass(slots=True)
class Names:
    """Maps names and ids, and keeps the originals of those that could not be kept."""

    users: dict[str, str] = field(default_factory=dict)
    products: dict[str, str] = field(default_factory=dict)
    orders: dict[str, str] = field(default_factory=dict)

    def user(self, original: str) -> str:
        """Return the user name of a customer, whose ``original`` name is not empty."""
        name = user_name_of(original, allowed=USERNAME, longest=LONGEST_USERNAME)
        if name != original.lower():
            self.users[name] = original
        return name

    def order(self, original: str) -> str:
        """Return the foreign id of an order, whose ``original`` id is not empty."""
        order_id = product_id_of(original)
        if order_id != original:
            self.orders[order_id] = original
        return order_id

    def product(self, original: str) -> str:
        """Return the id of a product, whose ``original`` id is not empty."""
        product_id = product_id_of(original)
        if product_id != original:
            self.products[product_id] = original
        return product_id
