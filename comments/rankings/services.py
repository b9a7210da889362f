"""Writes of products' ranks: derived after the commit of what they are derived from.

The writer of a comment derives the product's ranks from the counts and the newest comment, and
stores them on condition that nobody else stored any since it began to read (a version), with a new
version each time. One that loses that race tries again. One that loses twice may stop: the second
winner began after our commit. Only the newest comment has to be looked for by its own writer,
because the index may not have it yet. See docs/rankings.md.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice

from comments import keys
from comments.models import ProductRank
from comments.rankings.derivation import (
    NEWEST,
    PARTITION,
    RANKED,
    VERSION,
    Rank,
    Ranking,
    RankKey,
    Touched,
    derive,
    key_of,
)
from dynapages.calls import Backoff, in_chunks, labelled_calls, sentence_about
from dynapages.django.options import Advance
from dynapages.process import client, pool
from dynapages.pynamodb import FAILURES, unchanged, update
from dynapages.writes import (
    MOST_ACTIONS,
    Action,
    ConditionFailed,
    Contended,
    write_one,
    write_together,
)

logger = logging.getLogger(__name__)

ENOUGH_LOSSES = 2
TOGETHER = 400
"""Products whose ranks are derived in one go."""
FEW = 8
"""Ranks up to which each is stored by itself, which costs half of what a transaction does."""
MOST_NAMED = 3
_BACKOFF = Backoff(attempts=12, first=0.01, longest=0.3)


def refresh_ranks(
    products: Touched,
    *,
    rankings: Iterable[Ranking] = tuple(Ranking),
    only_stale: bool = False,
    log_failures: bool = False,
    advance: Advance = lambda _number: None,
) -> bool:
    """Derive the ranks of products anew, after a change of their comments was committed.

    ``only_stale`` stores those alone that are not as they should be; ``advance`` is called with
    numbers of products done. Raises Contended when others kept storing theirs; the same call again
    does the rest. With ``log_failures`` it logs that instead, and returns False.
    """
    try:
        with labelled_calls("ranks"):
            for some in in_chunks(sorted(products), TOGETHER):
                touched = {product: products[product] for product in some}
                pending = [(ranking, product) for ranking in rankings for product in some]
                if only_stale:
                    pending = [rank.key for rank in derive(pending, touched) if not rank.is_stored]
                _refresh(pending, touched)
                advance(len(some))
    except FAILURES as failure:
        if not log_failures:
            raise
        named = ", ".join(islice(products, MOST_NAMED))
        sentence = "The ranks of %d products were left behind (%s): %s"
        logger.warning(sentence, len(products), named, sentence_about(failure))
        return False
    return True


def _refresh(pending: Sequence[RankKey], touched: Touched) -> None:
    pauses, losses = _BACKOFF.pauses(), 0
    while pending:
        ranks = derive(pending, touched)
        if losses >= ENOUGH_LOSSES:
            ranks = [rank for rank in ranks if not _is_seen(rank, touched)]
        pending = [rank.key for rank in _store_all(ranks)]
        losses += 1
        if not pending:
            return
        if (pause := next(pauses, None)) is None:
            raise Contended("Others kept storing the same ranks.")
        time.sleep(pause)


def _is_seen(rank: Rank, touched: Touched) -> bool:
    if rank.key[0] is Ranking.FIVE_STARS:
        return True
    newest: str = rank.stored.get(NEWEST, {"S": ""})["S"]
    return newest >= touched[rank.key[1]].newest


def _store_all(ranks: Sequence[Rank]) -> list[Rank]:
    if len(ranks) <= FEW:
        lost = pool().gather([partial(_store, rank) for rank in ranks])
    else:
        lost = pool().gather(
            [partial(_store_together, some) for some in in_chunks(ranks, MOST_ACTIONS)]
        )
    return [rank for some in lost for rank in some]


def _store_together(ranks: Sequence[Rank]) -> list[Rank]:
    try:
        write_together(client(), [_update(rank) for rank in ranks])
    except (ConditionFailed, Contended):
        return [lost for rank in ranks for lost in _store(rank)]
    return []


def _store(rank: Rank) -> list[Rank]:
    try:
        write_one(client(), _update(rank))
    except ConditionFailed:
        return [rank]
    return []


def _update(rank: Rank) -> Action:
    partition = rank.stored[PARTITION]["S"] if PARTITION in rank.stored else None
    # A product that begins to rank is put into any shard, and stays there.
    partition = partition or keys.ranking_shard(rank.key[0], RANKED.pick()) if rank.place else None
    version = int(rank.stored.get(VERSION, {"N": "0"})["N"])
    values = (
        (ProductRank.rank_partition, partition),
        (ProductRank.rank_place, rank.place),
        (ProductRank.newest, rank.newest),
        (ProductRank.name, rank.name),
    )
    changes = [attribute.set(value) if value else attribute.remove() for attribute, value in values]
    return update(
        ProductRank,
        key_of(rank.key),
        [ProductRank.version.set(version + 1), *changes],
        unchanged(rank.stored, ProductRank.version),
    )
