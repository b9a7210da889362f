"""Every key of the table ``shop``.

========================  =========================  ===========================
item                      partition key ``pk``       sort key ``sk``
========================  =========================  ===========================
user profile              ``USER#<name>``            ``PROFILE#<name>``
e-mail address of a user  ``EMAIL#<address>``        ``PROFILE#<name>``
confirmed e-mail address  ``EMAIL#<address>``        ``CONFIRMED#<name>``
order                     ``USER#<name>``            ``ORDER#<order>``
order item                ``ITEM#<order>#<line>``    ``ORDER#<order>``
foreign id of an order    ``FOREIGN#<id>``           ``FOREIGN#<id>``
the same without prefix   ``FOREIGN#<id>``           ``FOREIGN#<prefix><id>``
placing of an order       ``PLACING#<name>#<id>``    ``PLACING#<name>#<id>``
user bought product       ``USER#<name>``            ``BOUGHT#<name>#<product>``
share of a counter        ``COUNTS#<counter>#<n>``   ``COUNTS#<counter>#<n>``
shards of open orders     ``SHARDS#OPEN``            ``SHARDS#OPEN``
limit and its use         ``LIMIT#<HMAC of name>``   ``LIMIT#<HMAC of name>``
key of the API            ``APIKEYS``                ``APIKEY#<id>``
revoked key of the API    ``REVOKED#<id>``           ``REVOKED#<id>``
answer of the API         ``ANSWER#<HMAC of name>``  ``ANSWER#<HMAC of name>``
webhook                   ``WEBHOOKS``               ``WEBHOOK#<id>``
product                   ``PRODUCT#<id>``           ``PRODUCT#<id>``
description of a product  ``PRODUCT#<id>``           ``DESCRIPTION#<id>``
category                  ``CATEGORY#<slug>``        ``CATEGORY#<slug>``
product in a category     ``CATEGORY#<slug>``        ``PRODUCT#<id>``
product by its name       ``CATEGORY#<slug>``        ``NAME#<id>``
product by a word         ``NAMES#<letters>``        ``<word>$<name>#<id>``
category in a category    ``CATEGORY#<parent>``      ``CATEGORY#<slug>``
category in the root      ``CATEGORY#~``             ``CATEGORY#<slug>``
shards of ``by_data``     ``SHARDS#DATA``            ``SHARDS#DATA``
pickup point              ``PICKUP#<id>``            ``PICKUP#<id>``
pickup point in its area  ``GEO#<area>``             ``<geohash>#<id>``
place of a zip prefix     ``ZIP#<prefix>``           ``ZIP#<prefix>``
figures of the lab        ``LAB#FIGURES``            ``LAB#FIGURES``
pages of the sitemap      ``SITEMAP#STARTS``         ``SITEMAP#STARTS``
what the shop owes        ``DUE#<n>``                ``<moment>#<token>``
what was given up         ``DUE#DEAD``               ``<moment>#<token>``
========================  =========================  ===========================

A step of ``migrate_items`` keeps its checkpoint here, under the key ``MIGRATION#<step>`` twice.

The keys of the overloaded index ``by_data``:

========================  ===============================  =========================
entry                     ``data_partition``               ``data``
========================  ===============================  =========================
product, by price         ``CATEGORY#<slug>#PRICE#<n>``    ``<cents>#<product>``
product, by name          ``CATEGORY#<slug>#NAME#<n>``     ``<name>#<product>``
category, in the tree     ``CATEGORY#~#NAME#<n>``          ``<name>$<name>#<slug>``
product, among all        ``PRODUCT#~#NAME#<n>``           ``<name>#<product>``
purchase of a product     ``BOUGHT#<product>#0``           ``<moment>#<user>``
first line of an order    ``TAIL#<end of the order>#0``    ``-``
========================  ===============================  =========================

No sort key is shared without bound, because the index ``inverted`` turns sort keys into
partition keys: ``PROFILE#alex``, not ``PROFILE``; ``BOUGHT#alex#lamp``, not ``BOUGHT#lamp``.
Nodes with a self-edge, edges as items: "Adjacency Lists" of the pattern list.
"""

from string import ascii_lowercase
from zlib import crc32

from django.utils.crypto import salted_hmac

USER_PREFIX = "USER#"
ORDER_PREFIX = "ORDER#"
ITEM_PREFIX = "ITEM#"
COUNTER_PREFIX = "COUNTS#"
PRODUCT_PREFIX = "PRODUCT#"
CATEGORY_PREFIX = "CATEGORY#"
NAME_PREFIX = "NAME#"
WORDS_PREFIX = "NAMES#"
WORD_LETTERS = 2
"""That words of one partition begin with, or all of a shorter word."""
BOUGHT_PREFIX = "BOUGHT#"
PROFILE_PREFIX = "PROFILE#"
EMAIL_PREFIX = "EMAIL#"
FOREIGN_PREFIX = "FOREIGN#"
PLACING_PREFIX = "PLACING#"
PICKUP_PREFIX = "PICKUP#"
ZIP_PREFIX = "ZIP#"
AREA_PREFIX = "GEO#"
SHORT_ID = 8
"""Characters at the end of an order's id that pages show, and staff find it by."""
AREA_CHARACTERS = 2
"""Of a geohash: 1,024 areas of at most 1,250 km by 625 km, and some at each pole."""
CAPS = ("N", "S")
"""The letter in front of a geohash near the north or the south pole (`shop.pickup.cells`)."""
ROOT = f"{CATEGORY_PREFIX}~"
"""The root of the tree of categories."""
DUE_PREFIX = "DUE#"
SITEMAP = "SITEMAP#STARTS"
"""Both keys of where the pages of the sitemap begin."""
API_KEYS = "APIKEYS"
"""The partition key of all keys of the API, of which there are few."""
WEBHOOKS = "WEBHOOKS"
"""The partition key of all webhooks, of which there are few."""
LAB = "LAB#FIGURES"
"""Both keys of the last figures of the comparison lab."""


def product(product_id: str) -> str:
    """Return the partition key of a product, which is its sort key and that of edges to it too."""
    return f"{PRODUCT_PREFIX}{product_id}"


def description(product_id: str) -> str:
    """Return the sort key of a product's description."""
    return f"DESCRIPTION#{product_id}"


def category(slug: str) -> str:
    """Return the partition key of a category and its edges; its own sort key is the same."""
    return f"{CATEGORY_PREFIX}{slug}"


def by_name(product_id: str) -> str:
    """Return the sort key of the edges that carry a product's name as their data."""
    return f"{NAME_PREFIX}{product_id}"


def words(word: str) -> str:
    """Return the partition key of the products whose names have words that begin like this one."""
    return f"{WORDS_PREFIX}{word[:WORD_LETTERS]}"


def category_shard(slug: str, data: str, shard: int) -> str:
    """Return the partition key in ``by_data`` of a category's edges by ``PRICE`` or ``NAME``."""
    return f"{CATEGORY_PREFIX}{slug}#{data}#{shard}"


def tree_shard(shard: int) -> str:
    """Return the partition key in ``by_data`` of all categories."""
    return f"{ROOT}#NAME#{shard}"


def products_shard(shard: int) -> str:
    """Return the partition key in ``by_data`` of all products."""
    return f"{PRODUCT_PREFIX}~#NAME#{shard}"


def buyers(product_id: str) -> str:
    """Return the partition key in ``by_data`` of the purchases of a product: one shard (ADR 36)."""
    return f"{BOUGHT_PREFIX}{product_id}#0"


def user(username: str) -> str:
    """Return the partition key of a user's profile, orders and purchases."""
    return f"{USER_PREFIX}{username}"


def username_in(partition: str) -> str:
    """Return the user name in a partition key of `user`."""
    return partition.removeprefix(USER_PREFIX)


def profile(username: str) -> str:
    """Return the sort key of a user's profile, and of the edges to it."""
    return f"{PROFILE_PREFIX}{username}"


def email(address: str) -> str:
    """Return the partition key of the edges from an e-mail address to its users."""
    return f"{EMAIL_PREFIX}{address}"


def confirmed(username: str) -> str:
    """Return the sort key of the edge from a confirmed e-mail address, before all others."""
    return f"CONFIRMED#{username}"


def limit(name: str) -> dict[str, str]:
    """Return the key of a limit (see `dynapages.writes.rate_limiter`).

    Names of limits hold names of users, e-mail and network addresses: the key has an HMAC of them,
    by the secret key, so that nothing personal is in it. With another secret key limits begin anew.
    """
    return _both(f"LIMIT#{salted_hmac('limit', name, algorithm='sha256').hexdigest()}")


def revoked_api_key(key_id: str) -> str:
    """Return both keys of the mark that an API key was revoked."""
    return f"REVOKED#{key_id}"


def api_key(key_id: str) -> str:
    """Return the sort key of a key of the API."""
    return f"APIKEY#{key_id}"


def webhook(webhook_id: str) -> str:
    """Return the sort key of a webhook."""
    return f"WEBHOOK#{webhook_id}"


def answer(name: str) -> dict[str, str]:
    """Return the key of a stored answer of the API: an HMAC, as clients choose the names."""
    return _both(f"ANSWER#{salted_hmac('answer', name, algorithm='sha256').hexdigest()}")


def order(order_id: str) -> str:
    """Return the sort key of an order and of its items."""
    return f"{ORDER_PREFIX}{order_id}"


def item(order_id: str, line: int) -> str:
    """Return the partition key of an order's line, counted from 1; they sort as their numbers.

    From 100 on a letter for the number of digits is in front: ``99``, ``a100``, ``b1000``.
    """
    # Texts sort by their first character: so "a100" is behind "99".
    more_digits = len(str(line)) - len("99")
    letter = ""
    if more_digits > 0:
        letter = chr(ord("a") + more_digits - 1)
    return f"{ITEM_PREFIX}{order_id}#{letter}{line:02}"


def line_number(partition: str) -> int:
    """Return the number of an order's line in a partition key of `item`."""
    number = partition.rpartition("#")[2]
    return int(number.lstrip(ascii_lowercase))


def short_id(order_id: str) -> str:
    """Return the end of an order's id: it tells orders apart, and staff find them by it."""
    if len(order_id) <= SHORT_ID:
        return order_id
    return f"…{order_id[-SHORT_ID:]}"


def tail(order_id: str) -> str:
    """Return the partition key in ``by_data`` of orders whose ids end alike: one shard."""
    return f"TAIL#{order_id[-SHORT_ID:]}#0"


def foreign(foreign_id: str) -> str:
    """Return the key, both partition and sort key, of the pointer from a foreign id to an order."""
    return f"{FOREIGN_PREFIX}{foreign_id}"


def placing(username: str, client_id: str) -> str:
    """Return the key, both partition and sort key, of the pointer from a form to its order."""
    return f"{PLACING_PREFIX}{username}#{client_id}"


def bought(username: str, product_id: str) -> str:
    """Return the sort key of the edge from a user to a bought product."""
    return f"{BOUGHT_PREFIX}{username}#{product_id}"


def counter(name: str, shard: int) -> dict[str, str]:
    """Return the key of a share of a counter."""
    return _both(f"{COUNTER_PREFIX}{name}#{shard}")


def shards(name: str) -> dict[str, str]:
    """Return the key of a number of shards (see `dynapages.writes.counters`)."""
    return _both(f"SHARDS#{name}")


def status_prefix(status: str) -> str:
    """Return the prefix of a status in the keys of ``by_status``."""
    return f"{status}#"


def open_shard(status: str, shard: int) -> str:
    """Return the partition key in ``queue`` of an open status's shard."""
    return f"OPEN#{status}#{shard}"


def pickup_point(point_id: str) -> str:
    """Return the key, both partition and sort key, of a pickup point."""
    return f"{PICKUP_PREFIX}{point_id}"


def area(cell: str) -> str:
    """Return the partition key of the pickup points in the area of a geohash."""
    return f"{AREA_PREFIX}{area_of(cell)}"


def area_of(cell: str) -> str:
    """Return the area of a geohash or a cell: two characters, behind the letter of a cap."""
    length = AREA_CHARACTERS
    if cell.startswith(CAPS):
        length += 1
    return cell[:length]


def spot(geohash: str, point_id: str) -> str:
    """Return the sort key of a pickup point in its area."""
    return f"{geohash}#{point_id}"


def zip_prefix(prefix: str) -> str:
    """Return the key, both partition and sort key, of a zip prefix."""
    return f"{ZIP_PREFIX}{prefix}"


def due(shard: str) -> str:
    """Return the partition of one shard of what is owed (see `dynapages.work`)."""
    return f"{DUE_PREFIX}{shard}"


def _both(key: str) -> dict[str, str]:
    return {"pk": key, "sk": key}


def shard_of(unique_id: str, shards: int) -> int:
    """Return the shard of an id: always the same one, ids evenly spread."""
    # Python's own hash is another one in each process.
    return crc32(unique_id.encode()) % shards
