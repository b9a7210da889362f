"""A shop that asks for reviews: who bought what, and what is owed and sent some days later."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.core import mail
from django.core.mail import EmailMessage

from comments.testing.work import later
from dynapages.calls import clock
from dynapages.work import Owed, worker
from shop.accounts.confirmation import confirm
from shop.accounts.queries import find_user
from shop.models import Order
from shop.order_status import Status
from shop.orders.asking import REVIEW_REQUEST
from shop.orders.items import NewLine, NewOrder
from shop.work import QUEUE
from tests.support.comments.browsing import Visitor
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.orders.making import made_order, move, put
from tests.support.orders.making import stored_order as stored_item
from tests.support.work import finish_what_waits

SITE = "https://shop.example.com"
DAYS = 7
THAT_DAY = timedelta(days=DAYS, minutes=1)
"""Behind a delivery: its customer is asked for reviews by then."""


def customer(kind: str = "ann") -> Writer:
    """A customer whose e-mail address is confirmed."""
    writer = someone(kind)
    user = find_user(writer.username)
    user.email = address_of(writer)
    user.save()
    confirm(writer.username, address_of(writer))
    return writer


def address_of(visitor: Visitor) -> str:
    return f"{visitor.username}@example.com"


def shipped(
    to: Visitor, products: Sequence[str] = (), *, placed_at: datetime | None = None
) -> NewOrder:
    """An order of these products, or of a new one, that is on its way."""
    bought = [NewLine(product, f"Lamp {product}", 1, 1_999) for product in products or _one_new()]
    at = placed_at or clock.now() - timedelta(days=1)
    put(order := made_order(to.username, Status.SHIPPED, lines=bought, placed_at=at))
    return order


def _one_new() -> list[str]:
    return [made_product()]


def deliver(order: NewOrder) -> NewOrder:
    move(order, Status.SHIPPED, Status.DELIVERED, now=clock.now())
    return order


def send_back(order: NewOrder) -> None:
    move(order, Status.DELIVERED, Status.RETURNED, is_staff=False, now=clock.now())


def stored(order: NewOrder) -> Order:
    return Order.from_raw_data(dict(stored_item(order.username, order.id)))


def requests_to(visitor: Visitor) -> list[Owed]:
    """The requests that wait for their day, or are put off."""
    waiting = [owed for owed in QUEUE.waiting() if owed.kind == REVIEW_REQUEST]
    return [owed for owed in waiting if owed.payload["user"] == visitor.username]


def work_on_that_day(after: timedelta = THAT_DAY) -> None:
    """Do what is owed when the day to ask has come."""
    finish_what_waits()
    with later(after):
        worker().look([QUEUE])


def asked(visitor: Visitor) -> list[EmailMessage]:
    """The e-mails that this customer got."""
    return [message for message in mail.outbox if message.to == [address_of(visitor)]]
