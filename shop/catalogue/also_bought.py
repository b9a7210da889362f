"""“Customers who bought this also bought”: from the edges between users and products, both ways.

The newest buyers of the product, from the shards of ``by_data``; then the newest purchases of
each, all at once; counted, and ranked. What is read is bounded whatever was ever sold: see
`Bounds.capacity_units`. An order that was canceled or sent back counts like any other: it is
about what goes together, not about what was kept.

Only products leave this module, never who bought them; and only those that at least two of the
buyers have, because what goes with a product that one person bought is that person's own list.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from dynamo.calls.client import pool
from dynamo.calls.meter import labelled_calls
from dynamo.lists.places import id_at
from dynamo.lists.reader import PageRequest
from dynamo.lists.site_reader import read
from shop.catalogue.access_patterns import buyers_of, purchases_of
from shop.catalogue.edge_shards import count_edge_shards
from shop.catalogue.queries import ProductTile, find_tiles


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far is looked: the newest ``buyers``, of each the newest ``purchases``.

    ``shown`` products at the most, each bought by ``least_buyers`` of them.
    """

    buyers: int = 12
    purchases: int = 20
    shown: int = 6
    least_buyers: int = 2

    def capacity_units(self, shards: int) -> float:
        """Say what it costs at the most, as long as a user's purchases that are read fit 4 KB.

        One unit for the number of shards, half a unit for each of them, for each buyer and for
        the name of each product that is shown.
        """
        return 1 + (shards + self.buyers + self.shown) / 2


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class AlsoBought:
    """A product, and how many of the newest buyers have it."""

    product: ProductTile
    buyers: int


@dataclass(frozen=True, slots=True)
class _Tally:
    """A product among the purchases of some buyers; ``newest`` is the place of the latest."""

    product_id: str
    buyers: int
    newest: str


def find_also_bought(product_id: str, *, bounds: Bounds = BOUNDS) -> tuple[AlsoBought, ...]:
    """Find what the newest buyers of a product bought besides, what most of them have first.

    Of two that as many have, the one that was bought last comes first. Products that do not
    exist any more are left out.
    """
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
    runs = buyers_of(product_id, shards=count_edge_shards())
    with labelled_calls("newest buyers"):
        page = read(runs, PageRequest(most), look_ahead=False)
    return [id_at(entry.position.place) for entry in page.entries]


def _purchases(usernames: Sequence[str], most: int) -> list[str]:
    """Give the places of the users' newest purchases, those of all users together."""
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
    """Count for each product by how many users it was bought: a user has one edge to each."""
    by_product: dict[str, list[str]] = {}
    for place in places:
        by_product.setdefault(id_at(place), []).append(place)
    return [_Tally(name, len(found), max(found)) for name, found in by_product.items()]


def _rank(tally: _Tally) -> tuple[int, str]:
    return tally.buyers, tally.newest
