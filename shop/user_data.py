"""The data of a user in the shop and its activity log besides orders, for erasure.

Orders are records that laws require to be kept (Article 17(3)(b) of the GDPR), with the user name,
which nobody can sign in by or take again; the addresses that they went to are erased. Of a user
without orders the name is deleted as well.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

from dynapages.calls import clock
from dynapages.items import Item, table_key
from dynapages.lists import Page, PageRequest, every_entry
from dynapages.process import client
from dynapages.pynamodb import update
from dynapages.upkeep import StoredItem, Trace
from dynapages.work import Owed
from dynapages.writes import ConditionFailed, delete, write_item
from shop import keys
from shop.accounts.emails import EMAIL, Email
from shop.accounts.queries import find_user
from shop.accounts.services import delete_profile, shut_profile
from shop.activity.entries import Kind, entry_in
from shop.activity.queries import list_activity
from shop.activity.recording import LOG, delete_entry
from shop.activity.tables import Activity
from shop.api_keys.services import list_keys, revoke_key
from shop.models import ApiKeyItem, Order, Profile, Purchase, ShopItem
from shop.orders.asking import REVIEW_REQUEST, request_of
from shop.orders.queries import orders_asked_about, products_bought_by
from shop.table import TABLE, Key, key_of, read_items
from shop.work import QUEUE, everything_owed

_JOINT = "|"
"""A character that is in no table's name and no partition key of the log, or of what is owed."""
ENTRIES_AT_ONCE = 300
"""Of the activity log, in a page of the walk through all."""
EMAILS_ARE_DUE_IN = timedelta(hours=2)
"""They are due at once, and are put off for an hour at the most."""
FLUSH_SECONDS = 5.0
"""For what this process has still to write into the log."""


def has_orders(username: str) -> bool:
    """Return whether a user has orders; strongly read."""
    orders = Order.query(
        keys.user(username), Order.sk.startswith(keys.ORDER_PREFIX), limit=1, consistent_read=True
    )
    return next(iter(orders), None) is not None


# Addresses of orders


def _orders_with_address(username: str) -> Iterator[str]:
    """Yield the ids of a user's orders that have an address; strongly read."""
    orders = Order.query(
        keys.user(username),
        Order.sk.startswith(keys.ORDER_PREFIX),
        filter_condition=Order.address.exists(),
        consistent_read=True,
    )
    for order in orders:
        yield order.sk.removeprefix(keys.ORDER_PREFIX)


def _order_key(username: str, order_id: str) -> Item:
    return table_key(keys.user(username), keys.order(order_id))


def _erase_address(username: str, order_id: str) -> None:
    """Remove the address of an order, which stays."""
    key = _order_key(username, order_id)
    with suppress(ConditionFailed):  # there is no such order any more
        write_item(client(), update(Order, key, [Order.address.remove()], Order.pk.exists()))


def _order_items(username: str, order_id: str) -> list[StoredItem]:
    return [(Order, TABLE, _order_key(username, order_id))]


# Purchases, profile and keys of the API


def _delete_purchase(username: str, product_id: str) -> None:
    key = table_key(keys.user(username), keys.bought(username, product_id))
    write_item(client(), delete(TABLE, key))


def _open_profile(username: str) -> Iterator[str]:
    """Yield the name of a user whose profile is not shut yet, or can be deleted."""
    user = find_user(username)
    if user is None:
        return
    is_open = user.is_active or user.email or user.has_usable_password()
    if is_open or not has_orders(username):
        yield username


def _close_profile(username: str, _name: str) -> None:
    """Delete a profile; of a user with orders, erase all but the name."""
    # The name stays in orders, so nobody else may get it.
    if has_orders(username):
        shut_profile(username)
    else:
        delete_profile(username)


def _purchase_items(username: str, product_id: str) -> list[StoredItem]:
    """Return the key of a purchase; its name is the product's id."""
    return [(Purchase, TABLE, table_key(keys.user(username), keys.bought(username, product_id)))]


def _profile_items(username: str, _name: str) -> list[StoredItem]:
    """Return the key of a user's profile."""
    return [(Profile, TABLE, table_key(keys.user(username), keys.profile(username)))]


def _api_key_ids(username: str) -> list[str]:
    """Return the ids of a user's API keys."""
    return [key.id for key in list_keys() if key.user_id == username]


def _revoke_key(_username: str, key_id: str) -> None:
    revoke_key(key_id, now=clock.now())


def _api_key_items(_username: str, key_id: str) -> list[StoredItem]:
    return [(ApiKeyItem, TABLE, table_key(keys.API_KEYS, keys.api_key(key_id)))]


# E-mails that are owed


def _emails_naming(username: str) -> Iterator[str]:
    """Yield the names of the e-mails that are owed to a user, or were given up.

    Requests for reviews are among them where their orders do not lead to them any more: those that
    were put off, given up or tried again. So are those that are due soon.
    """
    user = find_user(username)
    address = user.email if user else ""
    # What waits for days, for many customers, is not read.
    for owed in everything_owed(until=clock.now() + EMAILS_ARE_DUE_IN):
        is_theirs = owed.kind == EMAIL and Email.of(owed.payload).names(username, address)
        if owed.kind == REVIEW_REQUEST:
            is_theirs = owed.payload["user"] == username
        if is_theirs:
            yield _name_of_owed(owed)


def _requests_to(username: str) -> Iterator[str]:
    """Yield the names of the requests for reviews that a user's orders owe."""
    requests: dict[Key, Owed] = {}
    for order in orders_asked_about(username):
        request = request_of(order)
        if request is not None:
            requests[key_of(QUEUE.key_of(request))] = request
    # Of those that were done, the orders still say when.
    for key in read_items(requests):
        yield _name_of_owed(requests[key])


def _name_of_owed(owed: Owed) -> str:
    """Return a name of what is owed, from which `_key_of_owed` returns its key."""
    partition, sort_key = key_of(QUEUE.key_of(owed))
    return f"{partition}{_JOINT}{sort_key}"


def _key_of_owed(name: str) -> Item:
    return table_key(*name.split(_JOINT, 1))


def _delete_owed(_username: str, name: str) -> None:
    write_item(client(), delete(TABLE, _key_of_owed(name)))


def _owed_items(_username: str, name: str) -> list[StoredItem]:
    return [(ShopItem, TABLE, _key_of_owed(name))]


EMAILS = Trace("e-mails that are owed", _emails_naming, _delete_owed, _owed_items)
"""Some are found by the user's address: these go before the profile is shut."""
REQUESTS = Trace("requests for reviews that are owed", _requests_to, _delete_owed, _owed_items)
ADDRESSES = Trace("addresses of orders", _orders_with_address, _erase_address, _order_items)
"""Of these the orders stay; an export of a user's data has them with the orders."""
PURCHASES = Trace("purchases", products_bought_by, _delete_purchase, _purchase_items)
PROFILE = Trace("profile", _open_profile, _close_profile, _profile_items)
API_KEYS = Trace("API keys", _api_key_ids, _revoke_key, _api_key_items)


# The activity log


def entries_about(username: str) -> Iterator[str]:
    """Yield the names of the entries by or about a user, also those queued or kept here."""
    # Entries that are not in a table yet could not be found there.
    LOG.resume()
    LOG.flush(seconds=FLUSH_SECONDS)
    now = clock.now()

    def read_page(request: PageRequest) -> Page:
        return list_activity((), request, now=now).page

    for stored in every_entry(read_page, at_once=ENTRIES_AT_ONCE):
        entry = entry_in(stored.item)
        # Of a comment, ``about`` is the product.
        is_of_their_order = entry.kind is Kind.ORDER and username == entry.about
        if username == entry.who or is_of_their_order:
            run = stored.run
            yield _JOINT.join((run.index.table, str(run.partition), stored.position.place))


def _delete_entry(_username: str, name: str) -> None:
    """Delete an entry of the log by its name (table, partition key, sort key), and its count."""
    table, partition, place = name.split(_JOINT, 2)
    delete_entry(table, (partition, place), client=client())


def _entry_items(_username: str, name: str) -> list[StoredItem]:
    table, partition, place = name.split(_JOINT, 2)
    return [(Activity, table, table_key(partition, place))]


ACTIVITY = Trace("activity", entries_about, _delete_entry, _entry_items)
