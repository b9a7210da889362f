"""The table ``shop`` as all rooms read and write it: items by key, actions, shards, counters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from pynamodb.attributes import Attribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action as Change

from dynapages.calls import Batches
from dynapages.items import Item, table_key, wire_key
from dynapages.lists import Index, Position
from dynapages.process import client, page_batches, pool
from dynapages.pynamodb import unchanged
from dynapages.writes import (
    Action,
    Counters,
    Deltas,
    Limiter,
    Shards,
    Transactions,
    check,
    put,
    shards_in,
    write_with_counters,
)
from shop import keys
from shop.models import ShopItem

TABLE = ShopItem.Meta.table_name
QUEUE = "OPEN"
"""The counter of all open orders, and the name of their shards."""
Key = tuple[str, str]
"""A partition key and a sort key."""


def _no_further_keys(_position: Position) -> dict[str, str]:
    """Return {}: a position and its run have the whole table key."""
    return {}


BY_KEY = Index(TABLE, partition="pk", sort="sk", table_key=_no_further_keys)
"""The table itself: a position's sort key and the run's partition key are the whole table key."""
INVERTED = Index(
    TABLE,
    ShopItem.inverted.Meta.index_name,
    partition="sk",
    sort="pk",
    table_key=_no_further_keys,
)


def key_of(item: Item) -> Key:
    """Return the table key of a stored item."""
    return item["pk"]["S"], item["sk"]["S"]


def read_items(table_keys: Iterable[Key]) -> dict[Key, Item]:
    """Read items by their keys, strongly; those that do not exist are left out."""
    each_once = [table_key(*key) for key in dict.fromkeys(table_keys)]
    items = Batches(client(), pool()).get(TABLE, each_once)
    return {key_of(item): item for item in items}


def read_for_page(table_keys: Iterable[Key], *, consistent: bool = False) -> list[Item]:
    """Read items by their keys in no order; a throttled read is given up soon."""
    each_once = [table_key(*key) for key in dict.fromkeys(table_keys)]
    return page_batches().get(TABLE, each_once, consistent=consistent)


def put_of(
    item: ShopItem, condition: Condition | None = None, *, return_item: bool = False
) -> Action:
    """Build the put of an item; see `dynapages.writes.transactions.put`."""
    return put(ShopItem, item.serialize(), condition, return_item=return_item)


def set_or_remove(
    model: type[ShopItem], names: Iterable[str], values: Mapping[str, object]
) -> list[Change]:
    """Set each named attribute as it is in ``values``, or remove it where it is missing there."""
    changes = []
    for name in names:
        attribute = getattr(model, name)
        if name in values:
            changes.append(attribute.set(values[name]))
        else:
            changes.append(attribute.remove())
    return changes


def unless_changed(key: Key, seen: Item | None, *attributes: Attribute[Any]) -> Action:
    """Require that an item has these attributes as when it was seen, or is missing as it was."""
    return check(ShopItem, table_key(*key), unchanged(seen or {}, ShopItem.pk, *attributes))


def limiter() -> Limiter:
    """Return the rate limits of the site, which are stored in this table."""
    return Limiter(client(), TABLE, keys.limit)


def counters_of(_name: str) -> Counters:
    """Return the counters that a counter of this name is one of."""
    return _counters_of(page_batches(), settings.COUNTER_SHARDS)


def write_with_counts(
    actions: Sequence[Action], deltas: Deltas, *, may_spread: bool = False, orders: int = 1
) -> None:
    """Write actions and the changes of counters they bring along, all or nothing.

    With ``may_spread`` the first actions are those of so many ``orders``: the queue gets more
    shards when one that enters or leaves it is throttled. Raises like
    `dynapages.writes.transactions.Transactions.write`, with the indexes of ``actions``.
    """
    # More shards help only where the queue's index is what was throttled.
    most_shards = 1
    if may_spread and deltas[QUEUE]:
        most_shards = settings.COUNTER_SHARDS
    write_with_counters(
        actions,
        deltas,
        transactions=Transactions(client()),
        counters=counters_of,
        on_throttled=OPEN_ORDERS.spreading(most=most_shards, items=orders),
    )


def queue_cells() -> tuple[dict[str, int], int]:
    """Read the counter of open orders, and in how many shards these are, in one call.

    Eventually consistent like the index, at half a unit for each item.
    """
    counters = counters_of(QUEUE)
    # Both at once, for what the page shows and how many runs it reads.
    shards_key = wire_key(keys.shards(QUEUE))
    known = counters.known([QUEUE])
    items = page_batches().get(TABLE, [shards_key, *counters.keys(known)], consistent=False)
    shards_item: Item = {}
    for item in items:
        if item["pk"] == shards_key["pk"]:
            shards_item = item
    return counters.sums(known, items)[QUEUE], shards_in(shards_item)


def stored_shards(name: str, least: Callable[[], int]) -> Shards:
    """Return the shards of a list, whose number is an item of this table."""
    return Shards(client, TABLE, keys.shards(name), least)


def _least_order_shards() -> int:
    return int(settings.ORDER_SHARDS)


OPEN_ORDERS = stored_shards(QUEUE, _least_order_shards)
"""The shards of the queue; an order keeps its own. "Write Sharding (GSI)" of the pattern list."""


@lru_cache(maxsize=8)
def _counters_of(batches: Batches, most_shards: int) -> Counters:
    # Once for each client: they remember how far they are spread.
    return Counters(batches, TABLE, keys.counter, most_shards=most_shards)
