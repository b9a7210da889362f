"""E-mails that ask customers for reviews of what was delivered: sent, or not needed any more.

The shop owes one with each delivery (`shop.orders.asking`), to be sent some days later; the app of
comments knows who was asked when, and writes the e-mail (`comments.requests`). What is known on the
day decides: the order, its customer's account and their comments as they are then. So the rest of
this module only saves work: it deletes requests that have become useless, behind the answer to whom
made them so. What a process that is killed has not deleted comes to nothing on its day.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.dispatch import receiver

from comments.items import NewComment
from comments.profiles.queries import latest_by_product
from comments.requests.purchases import DuePurchase
from comments.requests.services import request_review
from comments.signals import comment_held, comment_posted, requests_muted
from dynapages.calls import clock
from dynapages.lists import parse_timestamp
from dynapages.work import worker
from shop import keys
from shop.accounts import mailer
from shop.accounts.queries import find_user
from shop.models import Order, Purchase
from shop.order_status import Status
from shop.orders.asking import REVIEW_REQUEST, forget_request, is_asking
from shop.orders.queries import find_stored_order, first_lines, orders_asked_about
from shop.orders.refs import OrderRef
from shop.work import QUEUE


def send_review_request(payload: Mapping[str, Any]) -> None:
    """Ask an order's customer for reviews of what it has brought. Raises Postponed.

    Nobody is asked about an order that is not delivered any more, or was reviewed or forgotten
    since; nor a customer who is gone, or has no confirmed address.
    """
    site = settings.SITE_URL
    order = find_stored_order(OrderRef(payload["order"], payload["user"]))
    if not site or order is None or order.status != Status.DELIVERED or order.asks_at is None:
        return
    user = find_user(payload["user"])
    if user is None or not user.is_active:
        return
    address = mailer.confirmed_address(user)
    if not address:
        return
    purchase = DuePurchase(
        id=payload["order"],
        user_id=user.username,
        address=address,
        bought_at=parse_timestamp(order.placed_at),
        product_ids=_products_of(order),
        name=user.username,
        language=order.language or "",
    )
    request_review(purchase, site=site, now=clock.now())


def _products_of(order: Order) -> list[str]:
    """Return the products of an order, each once; of a large one those of the first lines."""
    product_ids = [line["product_id"]["S"] for line in first_lines(order)]
    return list(dict.fromkeys(product_ids))


# Requests that nobody needs any more


@receiver([comment_posted, comment_held])
def forget_what_is_reviewed(comment: NewComment, **_: object) -> None:
    """Have the request deleted of an order whose products have all been reviewed by now."""
    if comment.verified and comment.user_id and is_asking():
        worker().later(0, partial(_forget_if_reviewed, comment))


def _forget_if_reviewed(comment: NewComment) -> None:
    username = comment.user_id
    bought = Purchase.find(keys.user(username), keys.bought(username, comment.product_id))
    if bought is None:
        return
    order = find_stored_order(OrderRef(bought.order_id, username))
    if order is None or not _is_still_to_come(order):
        return
    product_ids = _products_of(order)
    # The index may not have what was just written.
    reviewed = latest_by_product(username, [comment.id])
    if reviewed.keys() >= set(product_ids):
        forget_request(order)


@receiver(requests_muted)
def forget_what_is_not_wanted(user_id: str, **_: object) -> None:
    """Have the requests deleted to a user who does not want any."""
    if is_asking():
        worker().later(0, partial(_forget_all_of, user_id))


def _forget_all_of(username: str) -> None:
    for order in orders_asked_about(username):
        if _is_still_to_come(order):
            forget_request(order)


def _is_still_to_come(order: Order) -> bool:
    """Return whether the day to ask about an order is still to come."""
    return bool(order.asks_at) and parse_timestamp(order.asks_at) > clock.now()


QUEUE.register(REVIEW_REQUEST, send_review_request, lease=mailer.LEASE)
