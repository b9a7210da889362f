"""How many found a comment helpful: one sharded counter for each comment ("Write Sharding").

A tally changes only in the transaction of the vote it counts. Lists are in the order of the rank
derived from it (see `comments.votes.rank`).
"""

from comments.store.counts import tallies

HELPFUL = "helpful"
"""The cell of a tally that counts votes."""


def helpful_votes(comment_id: str) -> int:
    """Read strongly how many found a comment helpful: a unit as long as it has one shard."""
    return tallies().read(comment_id, consistent=True).get(HELPFUL, 0)
