"""What edges carry as their data: the one place where keys of the index ``by_data`` are derived.

"Use Sharded GSI to query on data" of the pattern list. The data is what a list is ordered by,
and ends in the id of what the edge leads to: a list of one category or product holds each id
once, so that no two entries of it share a place. Every write and the integrity check derive the
keys here.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from dynamo.lists.places import SEPARATOR, place_of
from dynamo.writes.shards import shard_of
from shop import keys
from shop.catalogue.collation import LONGEST, folded

DIGITS = 12
"""Of a price in cents: what makes the order of the strings the order of the numbers."""
MOST_SHARDS = 64
"""What the setting EDGE_SHARDS allows; whatever is stored in a further one is misplaced."""
BELOW = "$"
"""Between the names of a category and of one in it: sorts behind ``#``, before all of a name."""
BOUGHT = keys.BOUGHT_PREFIX
"""What a purchase begins with in the index ``orders_by_status``, where statuses stand."""


class Data(StrEnum):
    """What the products of a category can be ordered by; the value is in the keys."""

    PRICE = "PRICE"
    NAME = "NAME"


def price_data(slug: str, product_id: str, cents: int | None, *, shards: int) -> dict[str, str]:
    """Derive the keys of a product's edge by its price; without one, it has none."""
    if cents is None:
        return {}
    place = f"{cents:0{DIGITS}}{SEPARATOR}{product_id}"
    return _data(keys.category_shard(slug, Data.PRICE, shard_of(product_id, shards)), place)


def name_data(slug: str, product_id: str, name: str, *, shards: int) -> dict[str, str]:
    """Derive the keys of a product's edge by its name."""
    place = f"{folded(name)}{SEPARATOR}{product_id}"
    return _data(keys.category_shard(slug, Data.NAME, shard_of(product_id, shards)), place)


def tree_data(slug: str, path: Sequence[str], *, shards: int) -> dict[str, str]:
    """Derive the keys of a category; ``path`` holds the names from the root down to its own."""
    names = BELOW.join(map(folded, path)).encode()[:LONGEST].decode(errors="ignore")
    return _data(keys.tree_shard(shard_of(slug, shards)), f"{names}{SEPARATOR}{slug}")


def purchase_data(
    username: str, product_id: str, moment: datetime, *, shards: int
) -> dict[str, str]:
    """Derive the keys of a user's purchase: among the product's, and among the user's."""
    partition = keys.buyers_shard(product_id, shard_of(username, shards))
    among_users = {"order_status_date": BOUGHT + place_of(moment, product_id)}
    return _data(partition, place_of(moment, username)) | among_users


def shard_in(partition: str) -> int:
    """Read the shard of a partition key of ``by_data``; 0 of what is none."""
    number = partition.rpartition(SEPARATOR)[2]
    return int(number) if number.isascii() and number.isdecimal() else 0


def _data(partition: str, place: str) -> dict[str, str]:
    return {"data_partition": partition, "data": place}
