"""Reads of who is asked for reviews, of what they were asked, and of what is left to ask about."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from comments import keys
from comments.host import Product, find_existing
from comments.models import TABLE, AskedUser, CommentItem
from comments.profiles.queries import products_written_about
from comments.requests.emails import MOST_PRODUCTS
from comments.requests.purchases import DuePurchase
from comments.store.table import query_pages, read_item
from dynapages.calls import labelled_calls
from dynapages.items import Item
from dynapages.lists import parse_timestamp
from dynapages.process import page_batches

METERED_AS = "review requests"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of a user who may be asked for reviews.

    ``last_asked_at`` is when a mail server took the last request, None for never.
    ``is_asked_before`` is about one purchase.
    """

    is_muted: bool = False
    last_asked_at: datetime | None = None
    is_asked_before: bool = False


def find_asked(user_id: str, purchase_id: str) -> Asked:
    """Read whether and when a user was asked for reviews, strongly: one call of two units."""
    user_key = keys.asked_user(user_id)
    request_key = keys.request(user_id, purchase_id)
    with labelled_calls(METERED_AS):
        items = page_batches().get(TABLE, [user_key, request_key])
    user: Item = {}
    is_asked_before = False
    for item in items:
        if item["sk"] == user_key["sk"]:
            user = item
        else:
            is_asked_before = True
    return asked_in(user, is_asked_before=is_asked_before)


def asked_in(user: Item, *, is_asked_before: bool = False) -> Asked:
    """Return what the item of a user says who may be asked; an empty one is of somebody new."""
    last_asked_at = None
    if AskedUser.last_asked_at.attr_name in user:
        last_asked_at = parse_timestamp(user[AskedUser.last_asked_at.attr_name]["S"])
    is_muted = AskedUser.is_muted.attr_name in user
    return Asked(is_muted, last_asked_at, is_asked_before)


def is_muted(user_id: str) -> bool:
    """Return whether a user does not want to be asked for reviews; strongly consistent."""
    with labelled_calls(METERED_AS):
        return asked_in(read_item(keys.asked_user(user_id))).is_muted


def products_to_review(purchase: DuePurchase) -> list[Product]:
    """Return the products of a purchase that there still are, and that its buyer has not reviewed.

    These are `MOST_PRODUCTS` at the most, in the order of the purchase. The buyer's comments are
    read back to the day of the purchase: hidden and held ones count too.
    """
    reviewed = products_written_about(purchase.user_id, since=purchase.bought_at)
    wanted = [one for one in dict.fromkeys(purchase.product_ids) if one not in reviewed]
    if not wanted:
        return []
    existing = find_existing(wanted)
    left = [existing[product_id] for product_id in wanted if product_id in existing]
    return left[:MOST_PRODUCTS]


def requests_of(user_id: str) -> Iterator[str]:
    """Yield the sort keys of all that is stored about the requests a user got."""
    for page in query_pages(CommentItem.pk == keys.asked(user_id), ConsistentRead=True):
        for item in page["Items"]:
            yield item["sk"]["S"]
