"""Reads of who found what helpful, and of how many did.

A tally, one sharded counter for each comment, changes only in the transaction of its votes.
"""

from comments import keys
from comments.models import ByAuthor
from comments.store.counts import tallies
from comments.store.table import comment_key, query_pages, read_item
from dynamo.calls.meter import labelled_calls
from dynamo.lists.runs import id_at


def has_voted(*, comment_id: str, username: str) -> bool:
    """Return whether a user finds a comment helpful, by a strong read; nobody ("") does not."""
    if not username:
        return False
    with labelled_calls("votes"):
        return bool(read_item(comment_key(comment_id, keys.vote(username))))


def votes_of(username: str, product_id: str) -> frozenset[str]:
    """Return which of a product's comments a user finds helpful, none for nobody (an empty name).

    One Query: half a capacity unit for each 4 KB of votes, some forty.
    """
    if not username:
        return frozenset()
    votes = (ByAuthor.partition == keys.voter(username)) & ByAuthor.place.startswith(
        keys.about(product_id, "")
    )
    with labelled_calls("votes"):
        first = next(query_pages(votes, IndexName=ByAuthor.Meta.index_name))
    return frozenset(id_at(item[ByAuthor.place.attr_name]["S"]) for item in first["Items"])


HELPFUL = "helpful"
"""The cell of a tally that counts votes."""


def helpful_votes(comment_id: str) -> int:
    """Read strongly how many found a comment helpful: a unit as long as it has one shard."""
    return tallies().read(comment_id, consistent=True).get(HELPFUL, 0)
