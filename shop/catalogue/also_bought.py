"""“Customers who bought this also bought”, from the edges between users and products.

Reads the newest buyers of the product, then the newest purchases of each, and ranks their products.
Only orders count that were delivered, and not sent back.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from dynapages.calls import labelled_calls
from dynapages.items import table_key
from dynapages.lists import Page, PageRequest, id_at
from dynapages.process import pool, read
from dynapages.pynamodb import update
from dynapages.writes import Action
from shop import keys
from shop.catalogue.items import EDGES, purchase_data
from shop.catalogue.queries import (
    Product,
    ProductTile,
    buyers_of,
    find_product,
    find_tiles,
    purchases_of,
)
from shop.models import Purchase
from shop.table import set_or_remove


@dataclass(frozen=True, slots=True)
class Bounds:
    """Reads the newest ``buyers``, and of each the newest ``purchases``.

    Shows at most ``shown`` products, each bought by at least ``least_buyers`` of them.
    """

    buyers: int = 8
    purchases: int = 20
    shown: int = 6
    least_buyers: int = 5

    def capacity_units(self, shards: int) -> float:
        """Return the most that it costs, if the purchases read of a user fit 4 KB.

        One unit for the number of shards; half a unit for each shard, buyer and product shown.
        """
        return 1 + (shards + self.buyers + self.shown) / 2


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class AlsoBought:
    """A product, and how many of the newest buyers bought it."""

    product: ProductTile
    buyers: int


def read_also_bought(product_id: str) -> tuple[Product, tuple[AlsoBought, ...]]:
    """Read a product, and meanwhile what else its buyers bought. Raises NoSuchProduct."""
    with pool().together() as together:
        product = together.start(partial(find_product, product_id, is_whole=False))
        others = find_also_bought(product_id)
        return product.result(), others


def find_also_bought(product_id: str, *, bounds: Bounds = BOUNDS) -> tuple[AlsoBought, ...]:
    """Find what else the newest buyers of a product bought, by number of buyers, newest first."""
    places: dict[str, list[str]] = {}  # of purchases by product: a user has one edge to each
    for place in _purchases(_newest_buyers(product_id, bounds.buyers), bounds.purchases):
        places.setdefault(id_at(place), []).append(place)
    ranked = sorted(((len(some), max(some), one) for one, some in places.items()), reverse=True)
    chosen = [
        (one, buyers)
        for buyers, _newest, one in ranked
        if buyers >= bounds.least_buyers and one != product_id
    ][: bounds.shown]
    with labelled_calls("product names"):
        tiles = find_tiles(one for one, _ in chosen)
    return tuple(AlsoBought(tiles[one], buyers) for one, buyers in chosen if one in tiles)


def _newest_buyers(product_id: str, most: int) -> list[str]:
    def read_from(shards: int) -> Page:
        runs = buyers_of(product_id, shards=shards)
        return read(runs, PageRequest(most), look_ahead=False)

    with labelled_calls("newest buyers"):
        page = EDGES.read_all(read_from, pool=pool())
    return [id_at(entry.position.place) for entry in page.entries]


def _purchases(usernames: Sequence[str], most: int) -> list[str]:
    request = PageRequest(most)
    with labelled_calls("what they bought"):
        pages = pool().gather(
            [
                partial(read, [purchases_of(username)], request, look_ahead=False)
                for username in usernames
            ]
        )
    return [entry.position.place for page in pages for entry in page.entries]


DERIVED = ("order_status_date", "data_partition", "data")
"""The keys of a purchase in two indexes; one that is not counted has none."""


def purchase_updates(
    product_ids: Iterable[str], *, username: str, order_id: str, moment: datetime, delivered: bool
) -> list[Action]:
    """Build the updates that list the purchases of an order, or unless ``delivered`` unlist them.

    They belong into the transaction that moves the order, placed at ``moment``. Each is on
    condition that the purchase has no later order, and may be left out where it has one.
    """
    shards = EDGES.writable()
    return [
        update(
            Purchase,
            table_key(keys.user(username), keys.bought(username, product_id)),
            set_or_remove(
                Purchase,
                DERIVED,
                purchase_data(username, product_id, moment, shards=shards) if delivered else {},
            ),
            Purchase.order_id == order_id,
        )
        for product_id in dict.fromkeys(product_ids)
    ]
