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
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from comments.models import TABLE
from comments.rankings.derivation import Touch, Touched, derive, rank_keys_of
from comments.rankings.items import (
    NEWEST,
    PARTITION,
    PLACE,
    VERSION,
    Rank,
    Ranking,
    RankKey,
    pick_partition,
    table_key,
)
from dynamo.calls.backoff import Backoff
from dynamo.calls.client import client, pool
from dynamo.calls.faults import FAILURES, sentence_about
from dynamo.calls.meter import labelled_calls
from dynamo.progress import Advance
from dynamo.writes.transactions import MOST_ACTIONS, ConditionFailed, Contended, write_together

logger = logging.getLogger(__name__)

ENOUGH_LOSSES = 2
TOGETHER = 400
"""Products whose ranks are derived in one go."""
FEW = 8
"""Ranks up to which each is stored by itself, which costs half of what a transaction does."""
MOST_NAMED = 3
_BACKOFF = Backoff(attempts=12, first=0.01, longest=0.3)


def _unseen(_number: int) -> None:
    """Nobody watches."""


def refresh_product(
    product_id: str, *, newest: str = "", rankings: Iterable[Ranking] = tuple(Ranking)
) -> None:
    """Derive a product's ranks anew, all or some; see `refresh_products`.

    ``newest`` is the place of the comment just written, if it may be the newest.
    """
    with labelled_calls("ranks"):
        _refresh(rank_keys_of([product_id], rankings), {product_id: Touch(newest)})


def refresh_products(touched: Touched, *, advance: Advance = _unseen) -> None:
    """Derive the ranks of products anew, after a change of their comments was committed.

    When it returns, the table holds ranks that were derived after the call began. ``advance`` is
    called with numbers of products done. Raises Contended when others kept storing theirs, what
    `dynamo.calls.batches.Batches` does, and botocore's errors; what was stored until then stays, and
    the same call again does the rest.
    """
    with labelled_calls("ranks"):
        for some in _portions(touched):
            _refresh(rank_keys_of(some), some)
            advance(len(some))


def settle_products(seen: Touched, *, advance: Advance = _unseen) -> None:
    """Refresh those whose ranks are not what they should be: for products left as they were.

    ``advance`` and what it raises are as for `refresh_products`.
    """
    with labelled_calls("ranks"):
        for some in _portions(seen):
            ranks = derive(rank_keys_of(some), some)
            _refresh([rank.key for rank in ranks if not rank.is_stored], some)
            advance(len(some))


def refresh_or_log(
    product_id: str, *, newest: str = "", rankings: Iterable[Ranking] = tuple(Ranking)
) -> None:
    """Refresh a product's ranks for a write that is committed, and must not fail for their sake.

    `check_integrity` finds the ranks that were left behind, and mends them.
    """
    try:
        refresh_product(product_id, newest=newest, rankings=rankings)
    except FAILURES as failure:
        log_failure([product_id], failure)


def settle_or_log(product_id: str, *, newest: str = "") -> None:
    """Look at a product's ranks for a write that was there already, and mend what it left behind.

    A failure is logged, as by `refresh_or_log`.
    """
    try:
        settle_products({product_id: Touch(newest)})
    except FAILURES as failure:
        log_failure([product_id], failure)


def log_failure(products: Collection[str], failure: BaseException) -> None:
    """Tell the log in one line that ranks were left behind."""
    some = ", ".join(islice(products, MOST_NAMED))
    sentence = "The ranks of %d products were left behind (%s): %s"
    logger.warning(sentence, len(products), some, sentence_about(failure))


def _refresh(pending: Sequence[RankKey], touched: Touched) -> None:
    pauses, losses = _BACKOFF.pauses(), 0
    while pending:
        ranks = derive(pending, touched)
        if losses >= ENOUGH_LOSSES:
            ranks = [rank for rank in ranks if not _is_seen(rank, touched)]
        pending = [rank.key for rank in _store_all(ranks)]
        losses += 1
        if pending:
            _wait(pauses)


def _is_seen(rank: Rank, touched: Touched) -> bool:
    """Tell whether those who have won twice have seen our newest comment, or a newer one."""
    if rank.key[0] is Ranking.FIVE_STARS:
        return True
    newest: str = rank.stored.get(NEWEST, {"S": ""})["S"]
    return newest >= touched[rank.key[1]].newest


def _wait(pauses: Iterator[float]) -> None:
    pause = next(pauses, None)
    if pause is None:
        raise Contended("Others kept storing the same ranks.")
    time.sleep(pause)


def _store_all(ranks: Sequence[Rank]) -> list[Rank]:
    """Store ranks, many of them some dozens to a transaction; give those that lost the race."""
    if len(ranks) <= FEW:
        lost = pool().gather([partial(_store, rank) for rank in ranks])
    else:
        lost = pool().gather([partial(_store_together, some) for some in _grouped(ranks)])
    return [rank for some in lost for rank in some]


def _store_together(ranks: Sequence[Rank]) -> list[Rank]:
    """Store ranks at once; where one of them holds up the others, one by one."""
    try:
        write_together(client(), [{"Update": _update(rank)} for rank in ranks])
    except (ConditionFailed, Contended):
        return [lost for rank in ranks for lost in _store(rank)]
    return []


def _store(rank: Rank) -> list[Rank]:
    try:
        client().update_item(**_update(rank))
    except client().exceptions.ConditionalCheckFailedException:
        return [rank]
    return []


def _update(rank: Rank) -> dict[str, Any]:
    """Spell the update that stores a rank unless another was stored meanwhile."""
    partition = rank.stored[PARTITION]["S"] if PARTITION in rank.stored else None
    values = {
        PARTITION: rank.place and (partition or pick_partition(rank.key[0])),
        PLACE: rank.place,
        NEWEST: rank.newest,
    }
    there = {name: value for name, value in values.items() if value}
    gone = [f"#{name}" for name in values if name not in there]
    version = rank.stored.get(VERSION)
    update = ", ".join(f"#{name} = :{name}" for name in (VERSION, *there))
    return {
        "TableName": TABLE,
        "Key": table_key(rank.key),
        "UpdateExpression": f"SET {update}" + (f" REMOVE {', '.join(gone)}" if gone else ""),
        "ConditionExpression": "#w = :seen" if version else "attribute_not_exists(#w)",
        "ExpressionAttributeNames": {f"#{name}": name for name in (VERSION, *values)},
        "ExpressionAttributeValues": {
            f":{VERSION}": {"N": str(int(version["N"] if version else 0) + 1)},
            **{f":{name}": {"S": value} for name, value in there.items()},
            **({":seen": version} if version else {}),
        },
    }


def _grouped(ranks: Sequence[Rank]) -> Iterator[Sequence[Rank]]:
    for start in range(0, len(ranks), MOST_ACTIONS):
        yield ranks[start : start + MOST_ACTIONS]


def _portions(touched: Touched) -> Iterator[Touched]:
    products = iter(sorted(touched))
    while some := list(islice(products, TOGETHER)):
        yield {product: touched[product] for product in some}
