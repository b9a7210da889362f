"""Every key of the table ``comments``, in one place.

======================  ====================  =====================
item                    partition key ``pk``  sort key ``sk``
======================  ====================  =====================
comment                 ``COMMENT#<c>``       ``C``
long body of a comment  ``COMMENT#<c>``       ``BODY``
reply by the shop       ``COMMENT#<c>``       ``REPLY``
helpful vote            ``COMMENT#<c>``       ``VOTE#<user>``
report                  ``COMMENT#<c>``       ``REPORT#<user>``
share of a tally        ``TALLY#<c>#<n>``     ``TALLY#<c>#<n>``
counts of a product     ``COUNTS#<p>#<n>``    ``COUNTS#<p>#<n>``
author who is blocked   ``AUTHOR#<user>``     ``AUTHOR#<user>``
moderation of a year    ``MODERATED#<year>``  ``MODERATED#<year>``
user who is asked       ``ASKED#<user>``      ``USER``
request for reviews     ``ASKED#<user>``      ``REQUEST#<purchase>``
requests of a month     ``REQUESTS#<month>``  ``REQUESTS#<month>``
rank of a product       ``RANK#<r>#<p>``      ``RANK#<r>#<p>``
topics of a product     ``TOPICS#<p>``        ``TOPICS``
banned topics           ``TOPICS#<p>``        ``BANNED``
topics banned for all   ``TOPICS#``           ``BANNED``
words of a language     ``WORDS#<language>``  ``WORDS#<language>``
shards of rankings      ``SHARDS#RANKED``     ``SHARDS#RANKED``
checkpoint of a stream  ``CHECKPOINT#<s>``    ``CHECKPOINT#<s>``
import's checkpoint     ``IMPORT#<digest>``   ``IMPORT#<digest>``
rate limit              ``LIMIT#<hash>``      ``LIMIT#<hash>``
what is still owed      ``DUE#<n>``           ``<moment>#<token>``
======================  ====================  =====================

``<c>`` is the id of the comment, or an `IdDigest` of a long one: an id stands once in a list entry,
in its place. ``<user>`` is the id of a user (`comments.users`).

One Query on a comment's partition key finds its dependents, except the shares of its tally. A
comment that was deleted leaves a *tombstone* in its place: its keys, its product, and when that
expires.

``<purchase>`` is the id of an order of the project, or an `IdDigest` of a long one. All that is
known of whom the shop asks for reviews, and when, is in one partition for each user.

What a user has written is listed by the sparse index ``by_author``: its partition is
``AUTHOR#<user>``, its sort key the place. Imported comments whose file names no user are not in it.
Votes and reports are found by their user in other partitions of it: ``VOTER#<user>`` and
``REPORTER#<user>``, sort key ``<product>#<comment>``; one Query tells which of a product's comments
a user found helpful. So are the replies of staff, in ``REPLIER#<user>``, sort key
``<moment>#<comment>``. While a user's comments are erased, their tombstones are listed in
``ERASED#<user>``. That staff have blocked an author is an item of its own.

Reported, held and hidden comments are in the sparse index ``moderation``, in the partition of their
state; picks of staff in the sparse index ``featured``, partition ``FEATURED#<product>``.

The index ``ranked`` is overloaded: its partitions are of several rankings.

===========================  ====================================  ==============================
in ``ranked``                partition key                         sort key
===========================  ====================================  ==============================
products by 5-star comments  ``RANK#FIVE_STARS#<shard>``           ``0000000057#<product>``
products by last comment     ``RANK#COMMENTED#<shard>``            ``2026-11-20T…Z#<product>``
a product's comments by      ``RANK#HELPFUL#<product>``            ``0000000012#<comment>``
helpful votes
===========================  ====================================  ==============================
"""

from base64 import urlsafe_b64encode
from hashlib import blake2b

from django.utils.crypto import salted_hmac

from dynapages.items import Item, table_key
from dynapages.lists import SEPARATOR

COMMENT_PREFIX = "COMMENT#"
COMMENT = "C"
"""The sort key of a comment's own item; it sorts behind that of its body, and before its reply."""
BODY = "BODY"
REPLY = "REPLY"
VOTE_PREFIX = "VOTE#"
REPORT_PREFIX = "REPORT#"
PRODUCT_PREFIX = "PRODUCT#"
TALLY_PREFIX = "TALLY#"
RANK_PREFIX = "RANK#"
COUNTS_PREFIX = "COUNTS#"
ASKED_USER = "USER"
"""The sort key of what is known of a user who is asked for reviews; requests sort before it."""
REQUEST_PREFIX = "REQUEST#"
DUE_PREFIX = "DUE#"
MODERATED_PREFIX = "MODERATED#"
TOPICS_PREFIX = "TOPICS#"
TOPICS = "TOPICS"
"""The sort key of what buyers say about a product."""
BANNED_TOPICS = "BANNED"
"""The sort key of what is banned as a topic of a product, or of all."""

DIGITS = 10
"""Of a score: what makes the order of the strings the order of the numbers."""
LONGEST_ID_IN_KEYS = 32
"""Bytes of UTF-8 up to which the id of a comment stands in its partition key; ULIDs have 26."""
_DIGEST_MARK = "#"
_DIGEST_BYTES = 16


class IdDigest(str):
    """Stands for the id of a comment in a partition key, where the id is long.

    Checks read it from keys of items that do not hold the id, and may use it like an id to read and
    write by. A plain string is never taken for one, so nobody can choose the digest of another id.
    """

    __slots__ = ()

    @classmethod
    def of(cls, comment_id: str) -> "IdDigest":
        digest = blake2b(comment_id.encode(), digest_size=_DIGEST_BYTES).digest()
        return cls(_DIGEST_MARK + urlsafe_b64encode(digest).decode().rstrip("="))


def _alone(key: str) -> dict[str, str]:
    """Return the key of an item that is alone in its partition."""
    return {"pk": key, "sk": key}


def id_in_keys(comment_id: str) -> str:
    """Return what stands for an id in partition keys: the id, or a digest of a long one.

    The table of words uses it for ids of products as well.
    """
    if isinstance(comment_id, IdDigest):
        return comment_id
    is_long = len(comment_id.encode()) > LONGEST_ID_IN_KEYS
    if is_long or comment_id.startswith(_DIGEST_MARK):
        return IdDigest.of(comment_id)
    return comment_id


def comment(comment_id: str) -> str:
    """Return the partition key of a comment and its dependents."""
    return f"{COMMENT_PREFIX}{id_in_keys(comment_id)}"


def comment_item(comment_id: str) -> dict[str, str]:
    """Return the key of a comment's own item."""
    return {"pk": comment(comment_id), "sk": COMMENT}


def comment_key(comment_id: str, sort_key: str = COMMENT) -> Item:
    """Return the key of a comment's own item, or of a dependent with this sort key, on the wire."""
    return table_key(comment(comment_id), sort_key)


def comment_id_in(partition: str) -> str:
    """Return the id in a partition key of a comment or of a share of its tally.

    It is an `IdDigest` where the id is long: the whole id is in the places of the comment.
    """
    if partition.startswith(TALLY_PREFIX):
        id_in_key = partition.removeprefix(TALLY_PREFIX).rpartition("#")[0]
    else:
        id_in_key = partition.removeprefix(COMMENT_PREFIX)
    return IdDigest(id_in_key) if id_in_key.startswith(_DIGEST_MARK) else id_in_key


def tally(comment_id: str, shard: int) -> dict[str, str]:
    """Return the key of one share of a comment's votes (see `dynapages.writes.counters`)."""
    return _alone(f"{TALLY_PREFIX}{id_in_keys(comment_id)}#{shard}")


def author(user_id: str) -> str:
    """Return the partition in ``by_author`` of what a user has written; the key of their block."""
    return f"AUTHOR#{user_id}"


def erased(user_id: str) -> str:
    """Return the partition in ``by_author`` of a user's comments of which something is left."""
    return f"ERASED#{user_id}"


def asked(user_id: str) -> str:
    """Return the partition key of the requests for reviews that a user got."""
    return f"ASKED#{user_id}"


def asked_user(user_id: str) -> Item:
    """Return the key of what is known of a user who is asked for reviews, on the wire."""
    return table_key(asked(user_id), ASKED_USER)


def request(user_id: str, purchase_id: str) -> Item:
    """Return the key of the request for reviews of a purchase, on the wire."""
    return table_key(asked(user_id), f"{REQUEST_PREFIX}{id_in_keys(purchase_id)}")


def requests_of_month(month: str) -> Item:
    """Return the key of how many requests were sent in a month, such as 2026-11, on the wire."""
    key = f"REQUESTS#{month}"
    return table_key(key, key)


def vote(user_id: str) -> str:
    """Return the sort key of a user's vote."""
    return f"{VOTE_PREFIX}{user_id}"


def report(user_id: str) -> str:
    """Return the sort key of a user's report."""
    return f"{REPORT_PREFIX}{user_id}"


def voter(user_id: str) -> str:
    """Return the partition in ``by_author`` of a user's votes."""
    return f"VOTER#{user_id}"


def reporter(user_id: str) -> str:
    """Return the partition in ``by_author`` of a user's reports."""
    return f"REPORTER#{user_id}"


def replier(user_id: str) -> str:
    """Return the partition in ``by_author`` of the replies a member of staff wrote."""
    return f"REPLIER#{user_id}"


def replied(moment: str, comment_id: str) -> str:
    """Return the sort key in ``by_author`` of a reply at a `dynapages.items.timestamp`."""
    return f"{moment}#{comment_id}"


def about(product_id: str, comment_id: str) -> str:
    """Return the sort key in ``by_author`` of what a user did with a comment of a product."""
    return f"{product_id}#{comment_id}"


def moderation(state: str) -> str:
    """Return the partition in ``moderation`` of the comments in a state."""
    return f"MODERATION#{state}"


def moderated(year: int) -> str:
    """Return both keys of how often comments were held or hidden in a year, such as 2026."""
    return f"{MODERATED_PREFIX}{year}"


def year_of_moderation(partition: str) -> int | None:
    """Return the year in a partition key of `moderated`, None of another item."""
    if not partition.startswith(MODERATED_PREFIX):
        return None
    return int(partition.removeprefix(MODERATED_PREFIX))


def featured(product_id: str) -> str:
    """Return the partition in ``featured`` of a product's picked comments."""
    return f"FEATURED#{product_id}"


def counts(product_id: str, shard: int) -> dict[str, str]:
    """Return the key of one shard of a product's counts."""
    return _alone(f"{COUNTS_PREFIX}{product_id}#{shard}")


def topics(product_id: str) -> Item:
    """Return the key of the topics of a product, on the wire."""
    return table_key(f"{TOPICS_PREFIX}{product_id}", TOPICS)


def banned_topics(product_id: str = "") -> Item:
    """Return the key of what is banned as a topic of a product, or of all, on the wire."""
    return table_key(f"{TOPICS_PREFIX}{product_id}", BANNED_TOPICS)


def words_of(language: str) -> Item:
    """Return the key of the words of a language in comments on many products, on the wire."""
    key = f"WORDS#{language}"
    return table_key(key, key)


def product_partition(product_id: str, *narrower: str | int) -> str:
    """Return an index's partition: the product, then the filter values that index answers."""
    return "/".join([f"{PRODUCT_PREFIX}{product_id}", *map(str, narrower)])


def product_id_in(partition: str) -> str:
    """Return the product id of a partition of the index ``all``."""
    return partition.removeprefix(PRODUCT_PREFIX)


def product_id_of_counts(key: str) -> str:
    """Return the product id of a shard of its counts."""
    return key.removeprefix(COUNTS_PREFIX).rpartition("#")[0]


def rank(ranking: str, product_id: str) -> str:
    """Return both keys of a product's item in a ranking of the shop."""
    return f"{RANK_PREFIX}{ranking}#{product_id}"


def rank_item(ranking: str, product_id: str) -> dict[str, str]:
    """Return the key of a product's item in a ranking of the shop."""
    return _alone(rank(ranking, product_id))


def ranking_shard(ranking: str, shard: int) -> str:
    """Return the partition in ``ranked`` of one shard of a ranking of the shop."""
    return f"{RANK_PREFIX}{ranking}#{shard}"


def helpful(product_id: str) -> str:
    """Return the partition in ``ranked`` of a product's comments by helpful votes."""
    return f"{RANK_PREFIX}HELPFUL#{product_id}"


def shards(name: str) -> dict[str, str]:
    """Return the key of the number of shards of something (see `dynapages.writes.counters`)."""
    return _alone(f"SHARDS#{name}")


def limit(name: str) -> dict[str, str]:
    """Return the key of a rate limit, where the project has no limiter of its own.

    Its name, with those of users and network addresses, is not in it, but an HMAC.
    """
    return _alone(f"LIMIT#{salted_hmac('limit', name, algorithm='sha256').hexdigest()}")


def due(shard: str) -> str:
    """Return the partition of one shard of what is owed (see `dynapages.work`)."""
    return f"{DUE_PREFIX}{shard}"


def checkpoint(stream: str, shard: str) -> dict[str, str]:
    """Return the key of how far a shard of a stream was read (see `dynapages.streams.walk`)."""
    table, _, label = stream.rpartition(":table/")[2].partition("/stream/")
    return _alone(f"CHECKPOINT#{table}#{label}#{shard}")


def import_checkpoint(digest: str) -> dict[str, str]:
    """Return the key of how far the rows with this digest are written by an import."""
    return _alone(f"IMPORT#{digest}")


def scored(number: int, unique_id: str) -> str:
    """Format the sort key of a score; it sorts by the number, and is unique."""
    return f"{number:0{DIGITS}}{SEPARATOR}{unique_id}"


def score_at(place: str) -> int:
    """Parse the number in a sort key of `scored`."""
    return int(place.partition(SEPARATOR)[0])
