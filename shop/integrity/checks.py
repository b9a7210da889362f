"""The checks of the table ``shop`` by their names: orders, purchases, pickup points, catalogue.

A pickup point's own item is what counts: its item in an area is made to agree with it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b

from dynapages.items import Item, table_key
from dynapages.lists import parse_timestamp
from dynapages.process import client, write
from dynapages.pynamodb import unchanged, update
from dynapages.upkeep import (
    Candidate,
    Derived,
    Difference,
    Handlers,
    Kind,
    Sums,
    find_differences,
    repair_once,
    texts_in,
)
from dynapages.writes import Action, check
from shop import keys
from shop.catalogue.also_bought import PURCHASE_KEYS, purchase_keys
from shop.catalogue.changes import ALL_PRODUCTS_KEYS, keys_among_all, update_among_all
from shop.catalogue.items import EDGE_SHARDS, EDGES, MOST_SHARDS, shard_in
from shop.integrity.catalogue import (
    PARTITION,
    CatalogueItems,
    ShardNumber,
    in_stored_shard,
    put_or_delete,
)
from shop.integrity.large_orders import StrayLines, UnsettledOrders
from shop.models import Order, OrderItem, PickupPoint, Purchase, ShopItem
from shop.order_status import OPEN, Status
from shop.orders.counts import CUSTOMER_PREFIX, customer_counter
from shop.orders.ids import moment_in
from shop.orders.items import INDEX_KEYS, TAIL, StatusChange, derived_keys, summary_of, tail_keys_of
from shop.pickup.directory import COUNTER_PREFIX, cell_of_attribute, counter_cells
from shop.pickup.items import area_key, point_items, point_of
from shop.table import (
    OPEN_ORDERS,
    QUEUE,
    TABLE,
    Key,
    counters_of,
    key_of,
    read_items,
    set_or_remove,
    unless_changed,
)

_ORDERS = keys.USER_PREFIX, keys.ORDER_PREFIX
_WHOLE = "", keys.ORDER_PREFIX  # with lines
_PURCHASES = keys.USER_PREFIX, keys.BOUGHT_PREFIX
_SUMMARY = Order.summary.attr_name


def order_kinds() -> Sequence[Kind]:
    """Return large orders, what is derived of orders, the queue's shards, and counts."""
    of_orders = partial(
        Derived,
        starts=_ORDERS,
        subject=lambda item: f"order {_id_of(item)}",
        read=_read,
        write=write,
    )
    counts = partial(Sums, name_in=_counter_in, items=_ORDERS, counters=counters_of, write=write)
    return (
        StrayLines(),
        UnsettledOrders(),
        of_orders("keys", names=INDEX_KEYS, derive=_order_keys, actions=_order_actions),
        of_orders("number", starts=_WHOLE, names=TAIL, derive=tail_keys_of, actions=_tail_actions),
        of_orders("summary", names=[_SUMMARY], derive=_summary, actions=_summary_actions),
        ShardNumber(
            "the queue",
            _ORDERS,
            lambda order: int(order["shard"]["N"]) if _is_open(order) else None,
            OPEN_ORDERS.count,
            OPEN_ORDERS.raise_to,
        ),
        counts(
            shards=(keys.COUNTER_PREFIX + CUSTOMER_PREFIX, ""),
            cells=lambda item: [(customer_counter(_username_in(item)), item["status"]["S"])],
            subject=lambda name: f"customer {name.removeprefix(CUSTOMER_PREFIX)}",
            spread_subject=lambda n: f"counts of customer {n.removeprefix(CUSTOMER_PREFIX)}",
            count=lambda name: _count_orders(name.removeprefix(CUSTOMER_PREFIX)),
        ),
        counts(
            shards=(keys.counter(QUEUE, 0)["pk"], ""),
            cells=lambda item: [(QUEUE, item["status"]["S"])] if _is_open(item) else [],
            subject=lambda _name: "the queue",
            spread_subject=lambda _name: "counts of the queue",
            count=lambda _name: _count_queue(),  # by an index, which may be a moment behind
        ),
    )


def catalogue_kinds() -> Sequence[Kind]:
    """Return the shards of ``by_data``, categories and products, and purchases."""
    shards = ShardNumber(
        subject="edges",
        starts=("", ""),
        shard_in=_edge_shard,
        count=EDGES.count,
        raise_to=EDGES.raise_to,
        least=EDGE_SHARDS,
    )
    listed = Derived(
        kind="listed",
        starts=(keys.PRODUCT_PREFIX,) * 2,
        subject=lambda item: f"product {key_of(item)[0].removeprefix(keys.PRODUCT_PREFIX)}",
        names=ALL_PRODUCTS_KEYS,
        derive=lambda item: in_stored_shard(
            texts_in(item, ALL_PRODUCTS_KEYS), keys_among_all(item)
        ),
        actions=update_among_all,
        read=_read,
        write=write,
    )
    return shards, CatalogueItems(shards), listed, PurchaseItems()


def pickup_kinds() -> Sequence[Kind]:
    """Return pickup points' items in areas, and the directory that counts them."""
    return (
        AreaItems(),
        Sums(
            shards=(keys.COUNTER_PREFIX + COUNTER_PREFIX, ""),
            name_in=_counter_in,
            items=(keys.PICKUP_PREFIX, ""),
            cells=lambda item: counter_cells(point_of(item)),
            counters=counters_of,
            subject=_directory,
            spread_subject=_directory,
            write=write,
            show=lambda cell, number: f"{cell_of_attribute(cell)} {number}",
        ),
    )


CHECKS: Mapping[str, Callable[[], Sequence[Kind]]] = {
    "orders": order_kinds,
    "catalogue": catalogue_kinds,
    "pickup": pickup_kinds,
}


def shop_differences(names: Iterable[str]) -> Iterator[tuple[str, Difference]]:
    """Run checks by one Scan of the table; yield each difference with the name of its check."""
    return find_differences(client(), TABLE, {name: CHECKS[name]() for name in names})


class PurchaseItems:
    """Purchases: in the indexes are those whose order was delivered, and no others."""

    def __init__(self) -> None:
        self._derived = Derived(
            kind="purchase",
            starts=_PURCHASES,
            subject=lambda item: f"order {_order_in(item)}",
            names=PURCHASE_KEYS,
            derive=_purchase_keys,
            actions=_purchase_actions,
            write=write,
            read=_read,
        )
        self._by_order: defaultdict[str, list[tuple[Key, bool]]] = defaultdict(list)
        self._delivered: set[str] = set()

    def handlers(self) -> Handlers:
        return {self._derived.starts: self._add, _ORDERS: self._add_order}

    def candidates(self) -> Iterator[Candidate]:
        for order_id, purchases in self._by_order.items():
            is_delivered = order_id in self._delivered
            self._derived.keys_of_wrong_items += [
                key for key, is_in in purchases if is_in != is_delivered
            ]
        yield from self._derived.candidates()

    def _add(self, item: Item) -> None:
        stored = texts_in(item, PURCHASE_KEYS)
        if stored and stored != _keys_if_delivered(item):
            self._derived.keys_of_wrong_items.append(key_of(item))
        else:
            self._by_order[_order_in(item)].append((key_of(item), bool(stored)))

    def _add_order(self, item: Item) -> None:
        if item["status"]["S"] == Status.DELIVERED.value:
            self._delivered.add(_id_of(item))


class AreaItems:
    """Items of pickup points in areas, compared with the points' own as digests."""

    def __init__(self) -> None:
        self._expected: dict[Key, bytes] = {}
        self._stored: dict[Key, bytes] = {}

    def handlers(self) -> Handlers:
        return {(keys.PICKUP_PREFIX, ""): self._add_point, (keys.AREA_PREFIX, ""): self._add}

    def candidates(self) -> Iterator[Candidate]:
        for key in sorted(self._expected.keys() | self._stored.keys()):
            if self._expected.get(key) != self._stored.get(key):
                yield Candidate(partial(_reread_area_item, key))

    def _add_point(self, item: Item) -> None:
        self._expected[area_key(point_of(item))] = _digest(item)

    def _add(self, item: Item) -> None:
        self._stored[key_of(item)] = _digest(item)


def _reread_area_item(key: Key) -> Iterator[Difference]:
    point_id = key[1].partition("#")[2]
    own_key = (keys.pickup_point(point_id),) * 2
    found = read_items([key, own_key])
    stored, own = found.get(key), found.get(own_key)
    derived = point_items(point_of(own))[1] if own else None
    if derived and (derived.pk, derived.sk) != key:
        derived = None
    expected = None if derived is None else derived.serialize()
    if stored != expected:
        unmoved = unless_changed(own_key, own, PickupPoint.latitude, PickupPoint.longitude)
        actions = [put_or_delete(key, derived), unmoved]
        yield Difference(
            kind="cells",
            subject=f"pickup point {point_id}",
            stored=_shown_point(key, stored),
            expected=_shown_point(key, expected),
            repair=partial(repair_once, write, actions),
        )


def _digest(item: Item) -> bytes:
    """Return a digest of an item without its keys."""
    content = sorted((name, str(value)) for name, value in item.items() if name not in {"pk", "sk"})
    return blake2b(repr(content).encode(), digest_size=12).digest()


def _shown_point(key: Key, item: Item | None) -> str:
    if item is None:
        return f"nothing at {key[1]}"
    place = f"{item['latitude']['N']}, {item['longitude']['N']}"
    return f"{key[1]} at {place}, {item['name']['S']}"


def _directory(name: str) -> str:
    return f"directory {name.removeprefix(COUNTER_PREFIX)}"


def _order_keys(item: Item) -> dict[str, str]:
    order = Order.from_raw_data(dict(item))
    return derived_keys(
        order_id=_id_of(item),
        now_in=StatusChange(Status(order.status), parse_timestamp(order.history[-1].at)),
        placed_at=parse_timestamp(order.placed_at),
        shard=int(order.shard),
    )


def _order_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    changes = set_or_remove(Order, INDEX_KEYS, expected)
    same = unchanged(item, Order.status, Order.history)
    return [update(Order, table_key(*key_of(item)), changes, same)]


def _tail_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the update of an order's item or line that lacks the ``expected`` `TAIL`."""
    same = unchanged(item, ShopItem.pk, OrderItem.data_partition)
    changes = set_or_remove(OrderItem, TAIL, expected)
    return [update(OrderItem, table_key(*key_of(item)), changes, same)]


def _summary(item: Item) -> Mapping[str, str]:
    # Of an order that has none, from the first line, which never changes.
    stored = texts_in(item, [_SUMMARY])
    count = int(item[Order.line_count.attr_name]["N"])
    if stored or count == 0:
        return stored
    line = _read((keys.item(_id_of(item), 1), keys.order(_id_of(item))))
    name = line and line[OrderItem.name.attr_name]["S"]
    return {_SUMMARY: summary_of(name, products=count)} if name else {}


def _summary_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    lacking = Order.line_count.exists() & Order.summary.does_not_exist()
    changes = [Order.summary.set(expected[_SUMMARY])]
    return [update(Order, table_key(*key_of(item)), changes, lacking)]


def _count_orders(username: str) -> Mapping[str, int]:
    orders = Order.query(
        keys.user(username),
        Order.sk.startswith(keys.ORDER_PREFIX),
        consistent_read=True,
        attributes_to_get=[Order.status.attr_name],
    )
    return Counter(order.status for order in orders)


def _count_queue() -> Mapping[str, int]:
    shards = range(OPEN_ORDERS.count())
    return {
        status.value: sum(Order.queue.count(keys.open_shard(status, n)) for n in shards)
        for status in OPEN
    }


def _is_open(order: Item) -> bool:
    return Status(order["status"]["S"]).is_open


def _edge_shard(item: Item) -> int | None:
    shard = shard_in(item.get(PARTITION, {"S": ""})["S"])
    return shard if shard < MOST_SHARDS else None


def _purchase_keys(item: Item) -> Mapping[str, str]:
    order = Order.find(keys.user(_username_in(item)), keys.order(_order_in(item)))
    is_delivered = order is not None and order.status == Status.DELIVERED.value
    return _keys_if_delivered(item) if is_delivered else {}


def _keys_if_delivered(item: Item) -> dict[str, str]:
    # The id of an order holds its moment; without one there are no keys.
    username = _username_in(item)
    product_id = item["sk"]["S"].removeprefix(keys.bought(username, ""))
    try:
        moment = moment_in(_order_in(item))
    except ValueError:
        return {}
    return purchase_keys(username, product_id, moment)


def _purchase_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    key: Item = table_key(keys.user(_username_in(item)), keys.order(_order_in(item)))
    is_delivered = Order.status == Status.DELIVERED.value
    is_other = (Order.status != Status.DELIVERED.value) | Order.status.does_not_exist()
    changes = set_or_remove(Purchase, PURCHASE_KEYS, expected)
    same = unchanged(item, Purchase.order_id)
    return [
        update(Purchase, table_key(*key_of(item)), changes, same),
        check(Order, key, is_delivered if expected else is_other),
    ]


def _read(key: Key) -> Item | None:
    return read_items([key]).get(key)


def _counter_in(item: Item) -> str:
    return str(item["pk"]["S"].removeprefix(keys.COUNTER_PREFIX).rpartition("#")[0])


def _id_of(order: Item) -> str:
    return key_of(order)[1].removeprefix(keys.ORDER_PREFIX)


def _username_in(item: Item) -> str:
    return keys.username_in(item["pk"]["S"])


def _order_in(purchase: Item) -> str:
    return str(purchase.get("order_id", {"S": ""})["S"])
