"""A customer's page for staff: the newest orders and comments, and how many of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404
from django.utils.translation import gettext as _

from comments.host import Product
from comments.lists.entries import CommentEntry
from comments.profiles.queries import list_written_by, with_products
from dynapages.django.paging import Toggle, address_of_item, grouped
from dynapages.lists import PageRequest, PageResult
from dynapages.process import pool
from shop.accounts.names import LONGEST_USERNAME
from shop.order_status import Status
from shop.orders.entries import OrderEntry
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList
from shop.orders.queries import OrdersResult, read_orders
from shop.orders.views import NO_SUCH_CUSTOMER, require_customer

NEWEST_ORDERS = NEWEST_COMMENTS = 5
MOST_COUNTED = 20
"""Comments: nothing counts those of a user, so they are counted by reading them."""


@dataclass(frozen=True, slots=True)
class Customer:
    """What was read of a customer in one round."""

    username: str
    orders: OrdersResult
    comments: PageResult[CommentEntry]

    @property
    def newest_orders(self) -> list[tuple[OrderEntry, str]]:
        """The newest orders with their addresses."""
        return [(order, order.url) for order in self.orders.items[:NEWEST_ORDERS]]

    @property
    def newest_comments(self) -> list[tuple[CommentEntry, Product]]:
        """The newest comments with their products, whose names are read."""
        return with_products(self.comments.items[:NEWEST_COMMENTS])

    @property
    def order_count(self) -> int:
        return sum(self.orders.counts.values())

    @property
    def comment_count(self) -> str:
        """How many comments there are, such as ``20+``."""
        count = grouped(min(len(self.comments.items), MOST_COUNTED))
        if self.comments.page.has_next:
            return f"{count}+"
        return count


def read_customer(username: str) -> Customer:
    """Read a customer's newest orders, the counts of all, and the newest comments, in one round.

    Half a unit for each 4 KB of them, and one for the counts. Raises Http404.
    """
    if len(username) > LONGEST_USERNAME:
        raise Http404(_(NO_SUCH_CUSTOMER))
    with pool().together() as together:
        # In the shop's own accounts the name is the id by which comments are stored.
        comments = together.start(list_written_by, username, PageRequest(MOST_COUNTED))
        orders = read_orders(username, OrderFilter(), PageRequest(NEWEST_ORDERS))
        return Customer(username, orders, comments.result())


def require_known(customer: Customer) -> None:
    """Raise Http404 where somebody has no orders, no comments and no account."""
    if not customer.order_count and not customer.comments.items:
        require_customer(customer.username)


def statuses_of(customer: Customer) -> Sequence[Toggle]:
    """Return the statuses that the customer's orders are in, with their lists and counts."""
    orders_of = OrderList(
        customer.username, address_of_item("staff_customer_orders", customer.username)
    )
    links: list[Toggle] = []
    for status in Status:
        count = customer.orders.counts[status]
        if count:
            url = orders_of.url(OrderFilter(statuses=(status,)))
            links.append(Toggle(status.value, status.label, url, pressed=False, count=count))
    return links
