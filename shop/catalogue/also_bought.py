"""“Customers who bought this also bought”, from the edges between users and products.

Reads the newest buyers of the product from the shards of ``by_data``, then the newest purchases
of each at once, and ranks their products. The cost is bounded: see `Bounds.capacity_units`.
Only orders count that were delivered, and not sent back (see `shop.catalogue.also_bought`).

For privacy, only products are returned that at least five of the buyers have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from dynamo.calls.client import pool
from dynamo.calls.meter import labelled_calls
from dynamo.items import table_key
from dynamo.lists.reader import Page, PageRequest, read
from dynamo.lists.runs import id_at
from dynamo.writes.transactions import Action, update
from shop import keys
from shop.catalogue.access_patterns import buyers_of, purchases_of
from shop.catalogue.edge_keys import EDGES, purchase_data
from shop.catalogue.queries import Product, ProductTile, find_product, find_tiles
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


@dataclass(frozen=True, slots=True)
class _Tally:
    """A product that some buyers bought; ``newest`` is the place of the latest purchase."""

    product_id: str
    buyers: int
    newest: str


def read_also_bought(product_id: str) -> tuple[Product, tuple[AlsoBought, ...]]:
    """Read a product, and meanwhile what else its buyers bought. Raises NoSuchProduct."""
    with pool().together() as together:
        product = together.start(partial(find_product, product_id, is_whole=False))
        others = find_also_bought(product_id)
        return product.result(), others


def find_also_bought(product_id: str, *, bounds: Bounds = BOUNDS) -> tuple[AlsoBought, ...]:
    """Find what else the newest buyers of a product bought, by number of buyers, newest first."""
    usernames = _newest_buyers(product_id, bounds.buyers)
    tallies = _tallied(_purchases(usernames, bounds.purchases))
    chosen = [
        tally
        for tally in sorted(tallies, key=_rank, reverse=True)
        if tally.buyers >= bounds.least_buyers and tally.product_id != product_id
    ][: bounds.shown]
    with labelled_calls("product names"):
        tiles = find_tiles(tally.product_id for tally in chosen)
    return tuple(
        AlsoBought(tiles[tally.product_id], tally.buyers)
        for tally in chosen
        if tally.product_id in tiles
    )


def _newest_buyers(product_id: str, most: int) -> list[str]:
    def read_from(shards: int) -> Page:
        runs = buyers_of(product_id, shards=shards)
        return read(runs, PageRequest(most), look_ahead=False)

    with labelled_calls("newest buyers"):
        page = EDGES.read_all(read_from)
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


def _tallied(places: Iterable[str]) -> list[_Tally]:
    # A user has one edge to each product.
    by_product: dict[str, list[str]] = {}
    for place in places:
        by_product.setdefault(id_at(place), []).append(place)
    return [_Tally(name, len(found), max(found)) for name, found in by_product.items()]


def _rank(tally: _Tally) -> tuple[int, str]:
    return tally.buyers, tally.newest


DERIVED = ("order_status_date", "data_partition", "data")
"""The keys of a purchase in two indexes; one that is not counted has none."""


def purchase_updates(
    product_ids: Iterable[str], *, username: str, order_id: str, moment: datetime, delivered: bool
) -> list[Action]:
    """Build the updates that list the purchases of an order, or unless ``delivered`` unlist them.

    They belong into the transaction that moves the order. ``moment`` is that of placing. Each is
    on condition that the purchase has no later order: one that has is never this order's again, so
    that its update may be left out.
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
