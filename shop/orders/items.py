"""The items of an order, and their keys, for every write and the integrity check."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import ngettext

from dynapages.items import Item
from dynapages.lists import sort_key_of, timestamp
from dynapages.writes import Action
from shop import keys
from shop.addresses.address import NewAddress
from shop.catalogue.also_bought import also_bought_ids, nearest_to, purchase_keys
from shop.models import (
    DeliveryAddress,
    Order,
    OrderItem,
    OrderPointer,
    PickupChoice,
    Purchase,
    ShopItem,
    StatusMoment,
)
from shop.order_status import Status
from shop.orders.ids import foreign_key, moment_in
from shop.table import Key, put_of

MOST_LINES = 40
"""Different products in an order that is placed here; imported ones may have any number."""
MOST_OF_A_PRODUCT = 99
LONGEST_NAME = 60
"""Characters of a product's name in a summary: lists pay for every byte of it."""
INDEX_KEYS = ("order_status_date", "order_open_date", "open_shard", "open_place")
"""The keys that follow from an order's status; a closed order has the first one alone."""
TAIL = ("data_partition", "data")
"""The keys by which an order is found by the end of its id."""
_SUMMARY = re.compile(r"(.+) \+ ([0-9]+) more", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NewLine:
    """Pieces of a product, with its name and price now."""

    product_id: str
    name: str
    quantity: int
    unit_price_cents: int


@dataclass(frozen=True, slots=True)
class StatusChange:
    """When (aware) an order entered a status; ``original`` is its name before an import.

    ``reason`` is why it was called off or sent back; ``mover`` as `shop.orders.moving.mover_of`.
    """

    status: Status
    moment: datetime
    original: str | None = None
    reason: str = ""
    mover: str = ""


@dataclass(frozen=True, slots=True)
class NewPickup:
    """The pickup point of an order, as it was when it was chosen."""

    id: str
    name: str
    address: str
    hours: str


@dataclass(frozen=True, slots=True)
class NewOrder:
    """An order before it has keys, with any number of lines.

    ``history`` is not empty, oldest first; ``foreign_id`` is its id in another system, of up to 128
    characters, which may begin with an ``id_prefix``; ``zip_prefix`` the first digits of its
    postcode. ``language`` is that of its customer's page, empty where it is not known. ``asks_at``
    is as `shop.orders.asking` has it.
    """

    id: str
    username: str
    placed_at: datetime
    lines: tuple[NewLine, ...]
    history: tuple[StatusChange, ...]
    currency: str
    foreign_id: str | None = None
    id_prefix: str = ""
    zip_prefix: str | None = None
    pickup: NewPickup | None = None
    address: NewAddress | None = None
    language: str = ""
    asks_at: str | None = None

    @property
    def now_in(self) -> StatusChange:
        """The status of the order, and since when."""
        return self.history[-1]

    @property
    def key(self) -> Key:
        """The table key of the order's own item."""
        return keys.user(self.username), keys.order(self.id)

    @property
    def item_count(self) -> int:
        """The pieces of all products."""
        return sum(line.quantity for line in self.lines)

    @property
    def total_cents(self) -> int:
        """What all pieces cost."""
        return sum(line.quantity * line.unit_price_cents for line in self.lines)

    @property
    def product_ids(self) -> tuple[str, ...]:
        """The products of its lines, each once."""
        return tuple(dict.fromkeys(line.product_id for line in self.lines))


def line_keys(order_id: str, numbers: Iterable[int]) -> list[Key]:
    """Return the table keys of the lines of an order that have these numbers, from 1."""
    return [(keys.item(order_id, number), keys.order(order_id)) for number in numbers]


def status_date(order_id: str, now_in: StatusChange) -> str:
    """Derive an order's key in ``by_status``."""
    return keys.status_prefix(now_in.status) + sort_key_of(now_in.moment, order_id)


def derived_keys(
    *, order_id: str, now_in: StatusChange, placed_at: datetime, shard: int
) -> dict[str, str]:
    """Derive an order's keys in the indexes; a closed order has none in the sparse ones."""
    derived = {"order_status_date": status_date(order_id, now_in)}
    if now_in.status.is_open:
        place = sort_key_of(placed_at, order_id)
        # Without these keys an order is in neither of the sparse indexes.
        derived["order_open_date"] = place
        derived["open_shard"] = keys.open_shard(now_in.status, shard)
        derived["open_place"] = place
    return derived


def tail_keys(order_id: str, *, is_first: bool) -> dict[str, Any]:
    """Derive the `TAIL` of the first item of an order, and {} of its others.

    It is the first line, because lists read no lines; of an order without lines, its own item.
    """
    if not is_first:
        return {}
    return {"data_partition": keys.tail(order_id), "data": "-"}


def tail_keys_of(item: Item) -> dict[str, str]:
    """Derive the `TAIL` of a stored order or line, as `tail_keys` does."""
    order_id = item["sk"]["S"].removeprefix(keys.ORDER_PREFIX)
    is_empty_order = item.get(Order.line_count.attr_name) == {"N": "0"}
    is_first_line = item["pk"]["S"] == keys.item(order_id, 1)
    return tail_keys(order_id, is_first=is_empty_order or is_first_line)


@dataclass(frozen=True, slots=True)
class OrderItems:
    """All items of a new order: its own, and those that lead to it or are found by it."""

    order: Order
    lines: list[OrderItem]
    purchases: list[Purchase]
    pointers: list[OrderPointer]

    @property
    def all(self) -> list[ShopItem]:
        """Each of them, the order's own first."""
        return [self.order, *self.lines, *self.purchases, *self.pointers]


def order_items(order: NewOrder, *, shard: int, before: Iterable[str] = ()) -> OrderItems:
    """Build an order's item, and the items of its lines, purchases and foreign id.

    ``shard`` is the order's in the queue; ``before`` are products that its customer had bought.
    """
    return OrderItems(
        order=_order(order, shard=shard),
        lines=list(_lines(order)),
        purchases=list(_purchases(order, before)),
        pointers=list(
            pointers_of(
                username=order.username,
                order_id=order.id,
                foreign_id=order.foreign_id,
                id_prefix=order.id_prefix,
            )
        ),
    )


def order_puts(items: Iterable[ShopItem]) -> dict[Key, Action]:
    """Build the puts of items, by their table keys; orders and pointers only where absent.

    Of those that are there, `dynapages.writes.transactions.ConditionFailed` carries the item.
    """
    return {(item.pk, item.sk): _put(item) for item in items}


def _put(item: ShopItem) -> Action:
    """Build the put of one item; see `order_puts`."""
    # A purchase, a pointer with a key of its own, is put again by each order of the product.
    is_pointer = isinstance(item, OrderPointer) and item.pk == item.sk
    if is_pointer or isinstance(item, Order):
        return put_of(item, ShopItem.pk.does_not_exist(), return_item=True)
    return put_of(item)


def summary_of(name: str, *, products: int) -> str:
    """Format what is stored of what was bought, by its first product: “Desk lamp + 3 more”."""
    # What it formats, `summary_in_words` reads again: it is no sentence of one language.
    if len(name) > LONGEST_NAME:
        name = f"{name[: LONGEST_NAME - 1].rstrip()}…"
    if products == 1:
        return name
    return f"{name} + {products - 1} more"


def first_product_in(summary: str) -> str:
    """Return the name, maybe cut, of the first product in what `summary_of` formatted."""
    match = _SUMMARY.fullmatch(summary)
    if match is None:
        return summary
    return match[1]


def summary_in_words(summary: str) -> str:
    """Return what `summary_of` formatted, in the visitor's language."""
    match = _SUMMARY.fullmatch(summary)
    if match is None:
        return summary
    product, count = match.groups()
    sentence = ngettext("%(product)s + %(count)s more", "%(product)s + %(count)s more", int(count))
    return sentence % {"product": product, "count": count}


def history_entry(change: StatusChange) -> StatusMoment:
    """Build the entry of a status in an order's history."""
    return StatusMoment(  # type: ignore[no-untyped-call] # PynamoDB leaves it untyped
        status=change.status.value,
        at=timestamp(change.moment),
        original=change.original,
        reason=change.reason or None,
        mover=change.mover or None,
    )


def _order(order: NewOrder, *, shard: int) -> Order:
    """Build the order's own item."""
    now_in = order.now_in
    summary = None
    if order.lines:
        summary = summary_of(order.lines[0].name, products=len(order.lines))
    pickup = None
    if order.pickup:
        pickup = PickupChoice(**asdict(order.pickup))  # type: ignore[no-untyped-call] # PynamoDB's
    address = None
    if order.address:
        address = DeliveryAddress(**asdict(order.address))  # type: ignore[no-untyped-call] # too
    index_keys: dict[str, Any] = derived_keys(
        order_id=order.id, now_in=now_in, placed_at=order.placed_at, shard=shard
    )
    return Order(
        pk=keys.user(order.username),
        sk=keys.order(order.id),
        status=now_in.status.value,
        placed_at=timestamp(order.placed_at),
        history=[history_entry(change) for change in order.history],
        total_cents=order.total_cents,
        currency=order.currency,
        item_count=order.item_count,
        line_count=len(order.lines),
        foreign_id=order.foreign_id,
        id_prefix=order.id_prefix or None,
        zip_prefix=order.zip_prefix,
        pickup=pickup,
        address=address,
        language=order.language or None,
        asks_at=order.asks_at,
        shard=shard,
        summary=summary,
        **index_keys,
        **tail_keys(order.id, is_first=not order.lines),
    )


def _lines(order: NewOrder) -> Iterator[OrderItem]:
    """Yield the items of the lines, numbered from 1."""
    for number, line in enumerate(order.lines, 1):
        yield OrderItem(
            pk=keys.item(order.id, number),
            sk=keys.order(order.id),
            product_id=line.product_id,
            name=line.name,
            quantity=line.quantity,
            unit_price_cents=line.unit_price_cents,
            **tail_keys(order.id, is_first=number == 1),
        )


def _purchases(order: NewOrder, before: Iterable[str]) -> Iterator[Purchase]:
    """Yield the edges from the customer to the products of the order."""
    is_delivered = order.now_in.status is Status.DELIVERED
    nearest = nearest_to(order.product_ids, before)
    for product_id in order.product_ids:
        # Only delivered orders count among those who bought a product.
        index_keys: dict[str, Any] = {}
        if is_delivered:
            index_keys = purchase_keys(order.username, product_id, moment_in(order.id))
        yield Purchase(
            pk=keys.user(order.username),
            sk=keys.bought(order.username, product_id),
            username=order.username,
            order_id=order.id,
            also=also_bought_ids(product_id, nearest),
            **index_keys,
        )


def pointers_of(
    *, username: str, order_id: str, foreign_id: str | None, id_prefix: str
) -> Iterator[OrderPointer]:
    """Yield a pointer from an order's foreign id, and one from that id without its prefix.

    Other shops may have orders with the bare id: it is only a partition, in which each order has
    the whole foreign id as its sort key.
    """
    if foreign_id is None:
        return
    key = foreign_key(foreign_id)
    partitions = [key]
    bare_id = foreign_id.removeprefix(id_prefix)
    if id_prefix and bare_id:
        partitions.append(foreign_key(bare_id))
    for partition in partitions:
        yield OrderPointer(pk=partition, sk=key, username=username, order_id=order_id)
