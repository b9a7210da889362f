"""References to orders in forms: an order's id, with the customer whom a page shows with it.

By both an order is read at once. The customer is only what the form says: it is right where an
order is stored under it.
"""

from dataclasses import dataclass
from typing import Self

from shop import keys
from shop.orders.ids import LONGEST_ID
from shop.table import Key

OWNER_MARK = "/"
"""Between the two in a form; no id has one."""

ANOTHERS_ORDER = "shop.anothers_order"
"""In the META of a request whose page is about an order of somebody else."""


@dataclass(frozen=True, slots=True)
class OrderRef:
    """An order's id, and the customer whose it should be; empty where that is not known."""

    id: str
    owner: str = ""

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Read what `text` has written, or an id alone, as of a page from before."""
        order_id, _, owner = text.partition(OWNER_MARK)
        return cls(order_id, owner)

    @property
    def text(self) -> str:
        """What a form has in one field."""
        return f"{self.id}{OWNER_MARK}{self.owner}"

    @property
    def key(self) -> Key | None:
        """The table key of the order; None without a customer, or where a part is too long."""
        if not (0 < len(self.id) <= LONGEST_ID and 0 < len(self.owner) <= LONGEST_ID):
            return None
        return keys.user(self.owner), keys.order(self.id)
