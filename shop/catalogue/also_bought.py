"""“Customers who bought this also bought”: purchases, and what is read of them.

It is one query of the edges from users to a product: those of its newest buyers, each with what
else its buyer had bought, which is ranked. Only orders count that were delivered, and not sent
back: those have the keys of two indexes, the purchases of other orders have none.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from dynapages.calls import labelled_calls
from dynapages.items import table_key
from dynapages.lists import Index, PageRequest, Position, Run, id_at, sort_key_of
from dynapages.process import pool, read
from dynapages.pynamodb import update
from dynapages.writes import Action
from shop import keys
from shop.catalogue.items import index_keys
from shop.catalogue.queries import find_product, find_tiles, runs_of_data
from shop.catalogue.tiles import Product, ProductTile
from shop.models import Purchase, ShopItem
from shop.table import TABLE, set_or_remove

MOST_ALSO = 30
"""Products that a purchase says were bought as well: the others of its order, then those before."""
ALSO_BYTES = 600
"""Of these: with ids of 32 characters a purchase is below 1 KB, which is one write unit."""
ALSO = Purchase.also.attr_name
PURCHASE_KEYS = ("order_status_date", "data_partition", "data")
"""The keys of a purchase in two indexes; one that is not counted has none."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Reads the newest ``buyers``; shows at most ``shown`` products that ``least_buyers`` have."""

    buyers: int = 8
    shown: int = 5
    least_buyers: int = 5

    @property
    def capacity_units(self) -> float:
        """The most that it costs: an edge in the index has up to 1 KB, a product up to 4."""
        return ceil(self.buyers / 4) / 2 + self.shown / 2


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class AlsoBought:
    """A product, and how many of the newest buyers bought it."""

    product: ProductTile
    buyers: int


# What a purchase says


def purchase_keys(username: str, product_id: str, moment: datetime) -> dict[str, str]:
    """Return the keys of a purchase in two indexes: among the product's and among the user's."""
    among_product = index_keys(keys.buyers(product_id), sort_key_of(moment, username))
    among_user = {"order_status_date": keys.BOUGHT_PREFIX + sort_key_of(moment, product_id)}
    return among_product | among_user


def also_bought_ids(product_id: str, nearest: Iterable[str]) -> list[str] | None:
    """Return what the edge to a product says that its buyer bought as well, None for nothing.

    ``nearest`` are the products of the order and those bought before, as of `nearest_to`. As many
    are returned as fit `MOST_ALSO` and `ALSO_BYTES`.
    """
    others = [each for each in nearest if each != product_id][:MOST_ALSO]
    # A byte more for each, as DynamoDB counts elements of a list.
    fitting = []
    size = 0
    for each in others:
        size += len(each.encode()) + 1
        if size > ALSO_BYTES:
            break
        fitting.append(each)
    return fitting or None


def nearest_to(ordered: Iterable[str], before: Iterable[str]) -> list[str]:
    """Return the products of an order and those bought before, each once.

    They are one more than `MOST_ALSO`, as an edge leaves out its own product.
    """
    each_once = dict.fromkeys([*ordered, *before])
    return list(each_once)[: MOST_ALSO + 1]


def purchase_updates(
    product_ids: Iterable[str], *, username: str, order_id: str, moment: datetime, delivered: bool
) -> list[Action]:
    """Build the updates that list the purchases of an order, or unless ``delivered`` unlist them.

    They belong into the transaction that moves the order, placed at ``moment``. Each is on
    condition that the purchase has no later order, and may be left out where it has one: the stored
    purchase comes with the refusal.
    """
    updates = []
    # A product may be on several lines of the order.
    for product_id in dict.fromkeys(product_ids):
        key = table_key(keys.user(username), keys.bought(username, product_id))
        values = purchase_keys(username, product_id, moment) if delivered else {}
        changes = set_or_remove(Purchase, PURCHASE_KEYS, values)
        is_of_order = Purchase.order_id == order_id
        updates.append(update(Purchase, key, changes, is_of_order, return_item=True))
    return updates


# What is read of purchases


def buyers_of(product_id: str) -> list[Run]:
    """Return the run of a product's purchases by time; a place ends in the user name."""

    def purchase_key(username: str) -> tuple[str, str]:
        return keys.user(username), keys.bought(username, product_id)

    return runs_of_data([keys.buyers(product_id)], purchase_key)


def purchases_of(username: str) -> Run:
    """Return the run of a user's purchases by time; a place ends in the product's id.

    They are in ``by_status`` with the user's orders, under their own prefix.
    """

    def rest_of_key(position: Position) -> dict[str, str]:
        return {"sk": keys.bought(username, id_at(position.place))}

    name = ShopItem.by_status.Meta.index_name
    index = Index(TABLE, name, partition="pk", sort="order_status_date", table_key=rest_of_key)
    return Run(index=index, partition=keys.user(username), prefix=keys.BOUGHT_PREFIX)


def bought_before(username: str) -> dict[str, str]:
    """Return the places of a user's newest purchases by product, for a unit or two."""
    request = PageRequest(MOST_ALSO)
    with labelled_calls("bought before"):
        entries = read([purchases_of(username)], request, look_ahead=False).entries
    places = [entry.position.place for entry in entries]
    return {id_at(place): place for place in places}


def read_also_bought(product_id: str) -> tuple[Product, tuple[AlsoBought, ...]]:
    """Return a product, and what else its buyers bought, read meanwhile. Raises NoSuchProduct."""

    def find() -> Product:
        return find_product(product_id, is_whole=False)

    with pool().together() as together:
        product = together.start(find)
        others = find_also_bought(product_id)
        return product.result(), others


def find_also_bought(product_id: str, *, bounds: Bounds = BOUNDS) -> tuple[AlsoBought, ...]:
    """Find what else the newest buyers of a product bought, by number of buyers, newest first."""
    request = PageRequest(bounds.buyers)
    with labelled_calls("newest buyers"):
        entries = read(buyers_of(product_id), request, look_ahead=False).entries
    buyers: Counter[str] = Counter()
    for entry in entries:
        if ALSO in entry.item:
            buyers.update(other["S"] for other in entry.item[ALSO]["L"])
    # Of equal ones, those of newer buyers are first.
    ranked = buyers.most_common(bounds.shown)
    chosen = {other: number for other, number in ranked if number >= bounds.least_buyers}
    with labelled_calls("product names"):
        tiles = find_tiles(chosen)
    also_bought_ids = []
    # In the order of the ranking: reads by key return none.
    for other, number in chosen.items():
        tile = tiles.get(other)
        if tile is not None and not tile.is_off:
            also_bought_ids.append(AlsoBought(tile, number))
    return tuple(also_bought_ids)
