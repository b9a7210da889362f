"""How many found a comment helpful: one sharded counter for each comment ("Write Sharding").

A tally changes in the transaction of the vote it counts, and in no other way. What lists are in
the order of is the rank derived from it (see `comments.votes.rank`).
"""

from collections.abc import Mapping
from functools import lru_cache

from comments import keys
from comments.models import Comment
from dynamo.calls.batches import Batches
from dynamo.lists.site_reader import page_batches
from dynamo.writes.counters import Counters

HELPFUL = "helpful"
"""The cell of a tally that counts votes."""


def tallies() -> Counters:
    """Give the counters of all comments' votes."""
    return _tallies_of(page_batches())


def helpful_votes(comment_id: str) -> int:
    """Read, strongly, how many found a comment helpful: a unit as long as nobody met there."""
    return tallies().read(comment_id, consistent=True).get(HELPFUL, 0)


def _key_of(comment_id: str, shard: int) -> Mapping[str, str]:
    return keys.tally(comment_id, shard)


@lru_cache(maxsize=4)
def _tallies_of(batches: Batches) -> Counters:
    """Make them once for each client: they remember how far they are spread."""
    return Counters.of_table(batches, table=Comment.Meta.table_name, key_of=_key_of)
