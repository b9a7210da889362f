"""The keys of the index ``by_data``, for every write and the integrity check.

A list is ordered by the data, which ends in the id of the edge's target: places are unique.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from unicodedata import category, combining, normalize

from dynamo.lists.runs import SEPARATOR, sort_key_of
from dynamo.writes.counters import NamedShards, shard_of
from shop import keys
from shop.table import shards

LONGEST = 400
"""Bytes of a folded name: it fits a sort key of 1,024 bytes with the longest id."""
JOINT = "-"
"""Between words; sorts behind ``#`` and ``$``, so that a name sorts before longer ones."""
_WITHOUT_MARKS = str.maketrans(
    dict(zip("øđłħð\N{LATIN SMALL LETTER DOTLESS I}", "odlhdi", strict=True))
    | {"æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters without a decomposition in Unicode."""


def folded(name: str) -> str:
    """Return a name as it sorts, such as ``cafe-creme`` for “Café  Crème!”; may be empty."""
    taken_apart = normalize("NFKD", normalize("NFKD", name).casefold())
    letters = "".join(letter for letter in taken_apart if not combining(letter))
    runs = groupby(
        letters.translate(_WITHOUT_MARKS),
        key=lambda letter: letter.isalnum() or category(letter).startswith("M"),
    )
    words = JOINT.join("".join(run) for is_word, run in runs if is_word)
    return words.encode()[:LONGEST].decode(errors="ignore")


DIGITS = 12
"""Of a price in cents, zeros first, so that strings sort as numbers."""
MOST_SHARDS = 64
"""The most that EDGE_SHARDS may be."""
EDGE_SHARDS = 2
"""That a category's products and a product's buyers are spread over; fewer later lose nothing."""
EDGES = NamedShards("DATA", shards, lambda: EDGE_SHARDS)
"""The shards of the index: an edge's follows from its id and their number."""
BELOW = "$"
"""Between the names of a category and its child; sorts behind ``#`` and before names."""
BOUGHT = keys.BOUGHT_PREFIX
"""The prefix of purchases in the index ``by_status``, where orders have a status."""


class Data(StrEnum):
    """What a category's products can be ordered by; the value is in keys."""

    PRICE = "PRICE"
    NAME = "NAME"


def price_data(slug: str, product_id: str, cents: int | None, *, shards: int) -> dict[str, str]:
    """Derive the keys of a product's edge by price; {} without one."""
    if cents is None:
        return {}
    place = f"{cents:0{DIGITS}}{SEPARATOR}{product_id}"
    return _data(keys.category_shard(slug, Data.PRICE, shard_of(product_id, shards)), place)


def name_data(slug: str, product_id: str, name: str, *, shards: int) -> dict[str, str]:
    """Derive the keys of a product's edge by name."""
    place = f"{folded(name)}{SEPARATOR}{product_id}"
    return _data(keys.category_shard(slug, Data.NAME, shard_of(product_id, shards)), place)


def tree_data(slug: str, path: Sequence[str], *, shards: int) -> dict[str, str]:
    """Derive the keys of a category; ``path`` is the names from the root to its own."""
    names = BELOW.join(map(folded, path)).encode()[:LONGEST].decode(errors="ignore")
    return _data(keys.tree_shard(shard_of(slug, shards)), f"{names}{SEPARATOR}{slug}")


def purchase_data(
    username: str, product_id: str, moment: datetime, *, shards: int
) -> dict[str, str]:
    """Derive the keys of a purchase, among the product's and among the user's."""
    partition = keys.buyers_shard(product_id, shard_of(username, shards))
    among_users = {"order_status_date": BOUGHT + sort_key_of(moment, product_id)}
    return _data(partition, sort_key_of(moment, username)) | among_users


def shard_in(partition: str) -> int:
    """Return the shard in a partition key of ``by_data``, 0 for other text."""
    number = partition.rpartition(SEPARATOR)[2]
    return int(number) if number.isascii() and number.isdecimal() else 0


def _data(partition: str, place: str) -> dict[str, str]:
    return {"data_partition": partition, "data": place}
