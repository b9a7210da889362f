"""Reads of who found what helpful, and of how many did.

How many found a comment helpful: one sharded counter for each comment ("Write Sharding").

A tally changes only in the transaction of the vote it counts. Lists are in the order of the rank
derived from it (see `comments.votes.services`).
"""

from comments import keys
from comments.models import ByAuthor
from comments.store.counts import tallies
from comments.store.table import comment_key, query_pages, read_item
from dynamo.calls.meter import labelled_calls
from dynamo.lists.runs import id_at


def has_voted(*, comment_id: str, username: str) -> bool:
    """Return whether a user finds a comment helpful, by a strong read of one capacity unit."""
    with labelled_calls("votes"):
        return bool(read_item(comment_key(comment_id, keys.vote(username))))


def vote_on(username: str, comment_id: str) -> frozenset[str]:
    """Return the comment's id if a user finds it helpful, nothing for nobody (an empty name)."""
    if username and has_voted(comment_id=comment_id, username=username):
        return frozenset({comment_id})
    return frozenset()


def votes_of(username: str, product_id: str) -> frozenset[str]:
    """Return which of a product's comments a user finds helpful, none for nobody (an empty name).

    One query, half a capacity unit for each 4 KB of votes, which some forty fit into: far less
    than looking for a vote beside each comment of a page.
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
