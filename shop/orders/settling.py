"""Purchases of orders that have more of them than one transaction changes.

Such an order is marked as *unsettled* in the transaction that puts it or changes its status, until
`settle` made its purchases what the order asks for. A process that ends meanwhile leaves the mark,
by which an import, the same move or an integrity check finds what is to be done.
"""

from collections.abc import Iterator, Sequence
from secrets import token_urlsafe
from typing import Any

from dynapages.calls import in_chunks
from dynapages.items import Item, table_key
from dynapages.process import write_actions
from dynapages.pynamodb import unchanged, update
from dynapages.writes import MOST_ACTIONS, Action, ConditionFailed, Contended, check
from shop import keys
from shop.accounts.queries import find_user
from shop.catalogue.also_bought import PURCHASE_KEYS, also_bought_ids, nearest_to, purchase_keys
from shop.models import Order, Purchase
from shop.order_status import Status
from shop.orders.asking import MOST_REQUESTS
from shop.orders.ids import moment_in
from shop.orders.owing import MOST_EVENTS
from shop.orders.queries import every_line
from shop.table import key_of, put_of, read_items, set_or_remove

COUNTERS = 2
"""Actions of the counts of a customer and of the queue."""
MOST_PURCHASES = MOST_ACTIONS - COUNTERS - MOST_REQUESTS - MOST_EVENTS - 1
"""Purchases that the transaction of a move can change, whatever else it stores."""
MOST_IN_PART = MOST_ACTIONS - 1
"""Items in a transaction that checks another one."""
_NEW = "new-"
"""How the mark begins of an order whose purchases are not all put yet."""
_ATTEMPTS = 5


def new_mark(*, is_new_order: bool = False) -> str:
    """Return a mark for an order that is to be settled, unlike all before."""
    token = token_urlsafe(9)
    if is_new_order:
        return f"{_NEW}{token}"
    return token


def is_of_new_order(mark: str | None) -> bool:
    """Return whether a mark says that an order was put, and not all of its purchases."""
    return mark is not None and mark.startswith(_NEW)


def mark_of_move(order: Order, source: Status, target: Status) -> str | None:
    """Return a new mark for an order of more purchases than a move can change, else None."""
    is_large = int(order.line_count) > MOST_PURCHASES
    if not is_large or Status.DELIVERED not in {source, target}:
        return None
    # Purchases that are still to be put stay so.
    return new_mark(is_new_order=is_of_new_order(order.unsettled))


def settle(username: str, order_id: str) -> bool:
    """Make the purchases of an unsettled order what its status asks for, and remove the mark.

    A purchase stays with a later order of the product. Return False, and leave the mark, where
    lines are missing: the import of the order puts them. Costs up to 6 capacity units for each
    product: one is for reading it. Raises what `dynapages.writes.transactions` raises.
    """
    for _attempt in range(_ATTEMPTS):
        try:
            return _settle_once(username, order_id)
        except ConditionFailed:  # it was moved, or one of the products was bought again
            continue
    raise Contended


def _settle_once(username: str, order_id: str) -> bool:
    """Do what `settle` does. Raises ConditionFailed if something changed meanwhile."""
    order = Order.find(keys.user(username), keys.order(order_id))
    if order is None or order.unsettled is None:
        return True  # somebody else has settled it
    lines = every_line(order)
    products = list(dict.fromkeys(line["product_id"]["S"] for line in lines))
    nearest = nearest_to(products, ())
    may_put = is_of_new_order(order.unsettled) and not _is_shut(username)
    order_key = table_key(*order.key)
    # Nobody may move the order, or settle it, while its purchases are changed in parts.
    is_same = (Order.unsettled == order.unsettled) & (Order.status == order.status)
    for some in in_chunks(products, MOST_IN_PART):
        purchases = [purchase_of(order, product_id, nearest) for product_id in some]
        actions = list(_actions(purchases, may_put=may_put))
        if actions:
            write_actions([check(Order, order_key, is_same), *actions])
    if len(lines) < int(order.line_count):
        return False
    write_actions([update(Order, order_key, [Order.unsettled.remove()], is_same)])
    return True


def _is_shut(username: str) -> bool:
    """Return whether an account was shut: purchases that its owner had erased do not come back."""
    user = find_user(username)
    return user is not None and not user.is_active


def purchase_of(order: Order, product_id: str, nearest: Sequence[str]) -> Purchase:
    """Build the purchase of a product as the status of its order asks for it.

    ``nearest`` are the products of the order and those bought before, as of `nearest_to`.
    """
    username = keys.username_in(order.pk)
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    index_keys: dict[str, Any] = {}
    if order.status == Status.DELIVERED:
        index_keys = purchase_keys(username, product_id, moment_in(order_id))
    return Purchase(
        pk=order.pk,
        sk=keys.bought(username, product_id),
        username=username,
        order_id=order_id,
        also=also_bought_ids(product_id, nearest),
        **index_keys,
    )


def _actions(purchases: Sequence[Purchase], *, may_put: bool) -> Iterator[Action]:
    """Yield what makes stored purchases like these; missing ones are put only if they ``may``."""
    stored = read_items(purchase.key for purchase in purchases)
    for purchase in purchases:
        if purchase.key not in stored:
            if may_put:
                yield put_of(purchase, Purchase.pk.does_not_exist())
        elif not _is_settled(stored[purchase.key], purchase):
            yield _update(stored[purchase.key], purchase)


def _is_settled(stored: Item, purchase: Purchase) -> bool:
    """Return whether a stored purchase is as its order asks for, or belongs to a later order."""
    order_id: str = stored["order_id"]["S"]
    if order_id != purchase.order_id:
        return order_id > purchase.order_id
    # Only the purchases of delivered orders are in the indexes.
    is_listed = all(name in stored for name in PURCHASE_KEYS)
    return is_listed is (purchase.data is not None)


def _update(stored: Item, purchase: Purchase) -> Action:
    """Build the update that gives a stored purchase the order and the keys of another one."""
    names = ("also", *PURCHASE_KEYS)
    values: dict[str, object] = {}
    for name in names:
        value = getattr(purchase, name)
        if value is not None:
            values[name] = value
    changes = [
        Purchase.order_id.set(purchase.order_id),
        *set_or_remove(Purchase, names, values),
    ]
    return update(
        Purchase, table_key(*key_of(stored)), changes, unchanged(stored, Purchase.order_id)
    )
