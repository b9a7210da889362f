"""Writes of products' ranks: derived after the commit of what they are derived from.

Ranks are not part of the transactions that change comments and counts: those would meet on a
product's rank as they must not on its counts. Whoever has changed a product's comments derives
its ranks anew, from the counts and the newest comment, and stores them on condition that nobody
else has stored any since it began to look (a version). So what is derived late never replaces
what is derived from something newer.

Who loses that race tries again. Who loses it twice may stop: the second winner began after the
first had stored, hence after our commit, and has seen what we have written. Only the newest
comment has to be looked for by its own writer, because the index may not show it to others yet.
So a rank lags by the writers that are still under way, and by the index itself.

Every derivation is stored, with a new version, also when it changes nothing: a silent one could
not stop an older one that is still on its way.
"""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import batched

from comments.counts import counters, parse_cell
from comments.newest import find_newest
from comments.ranks import (
    NEWEST,
    PARTITION,
    PLACE,
    TABLE,
    VERSION,
    Rank,
    Ranking,
    RankKey,
    pick_partition,
    scored,
    stored_ranks,
    table_key,
)
from dynamo.backoff import Backoff
from dynamo.client import client, pool
from dynamo.failures import FAILURES, sentence_about
from dynamo.meter import labelled_calls
from dynamo.places import SEPARATOR
from dynamo.runs import Item
from dynamo.transactions import Contended

logger = logging.getLogger(__name__)

BEST_RATING = 5
ENOUGH_LOSSES = 2
TOGETHER = 400
"""Products whose ranks are derived in one go."""
_BACKOFF = Backoff(attempts=12, first=0.01, longest=0.3)

Newest = Mapping[str, str]
"""Product ids, each with the place of the newest comment its writer knows of, or an empty text."""
