"""The ratings of products where products are listed: in their ranks, and by the project itself.

A product's rating follows from its counts, which its own page reads. A list of many products would
have to read as many counts: what it shows instead are copies, in the items that it reads anyhow.

Copies follow a change of comments within `EVERY`, and whatever number of comments came in that time
they are written once. The writer of a comment only stores that they are owed, in the comment's own
round after the commit: one write unit. Where that fails, what the change owes is left, and the
worker stores it.

The worker reads the counts, writes the copies that differ, and reads the counts again, until they
have not changed meanwhile. So whoever ends last leaves what the counts say. See
docs/adr/0062-ratings-travel-with-products.md.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import product as every_pair
from typing import Any

from pynamodb.expressions.update import Action as Change

from comments import host
from comments.host import Rating
from comments.models import Comment, ProductRank
from comments.rankings.services import PRODUCTS_AT_ONCE, Ranking, RankKey, key_of, stored_ranks
from comments.store.counts import counters, counts_in
from comments.store.states import product_id_of
from comments.store.table import ATTEMPTS
from comments.store.writing import NOTHING_FOLLOWS, QUEUE, CommentChange, Following, Owes
from dynapages.calls import few_of, in_chunks, labelled_calls, sentence_about
from dynapages.django.options import Advance
from dynapages.items import Item
from dynapages.process import client, pool
from dynapages.pynamodb import FAILURES, update
from dynapages.work import Owed
from dynapages.writes import Contended, write_item

KIND = "rate"
"""The kind of the due items."""
EVERY = timedelta(minutes=5)
"""How often the copies of a product's rating are written, at most."""
LEFT = "left"
"""In the payload of a due item, where a comment has left its lists."""
UNTIL_FOUND_NO_MORE = timedelta(minutes=1)
"""Until when searches do not find a comment any more that has left its lists."""
_PRODUCT = "product"
RATED = ProductRank.rated.attr_name
STARS = ProductRank.stars.attr_name
_RATING = Comment.rating.attr_name

Ratings = Mapping[str, Rating | None]
"""Product ids, each with its rating; None without comments."""

logger = logging.getLogger(__name__)


# By the writer of a comment


def follow(changes: Sequence[CommentChange]) -> Following:
    """Return that the copies of ratings are owed that these changes make wrong."""
    product_ids = tuple(sorted(_rated_otherwise(changes)))
    if not product_ids:
        return NOTHING_FOLLOWS
    left = _left_by(changes) if host.has_topics() else set[str]()

    def finish() -> bool:
        try:
            owe_copies(product_ids, left=left)
        except FAILURES as failure:
            sentence = "The ratings of %d products were left to the worker (%s): %s"
            named = few_of(list(product_ids))
            logger.warning(sentence, len(product_ids), named, sentence_about(failure))
            return False
        return True

    return Following(owes=Owes(ratings=product_ids), finish=finish)


def _rated_otherwise(changes: Iterable[CommentChange]) -> set[str]:
    """Return the products whose rating differs after these changes."""
    product_ids: set[str] = set()
    for change in changes:
        before = _rated_by(change.before) if change.was_listed else None
        after = _rated_by(change.after) if change.is_listed else None
        if before == after:
            continue
        for rated in (before, after):
            if rated is not None:
                product_id, _stars = rated
                product_ids.add(product_id)
    return product_ids


def _left_by(changes: Iterable[CommentChange]) -> set[str]:
    """Return the products that lose a listed comment by these changes."""
    product_ids: set[str] = set()
    for change in changes:
        if change.before is None or not change.was_listed:
            continue
        product_id = product_id_of(change.before)
        if not change.is_listed or change.product_id != product_id:
            product_ids.add(product_id)
    return product_ids


def _rated_by(comment: Item | None) -> tuple[str, str] | None:
    """Return which product a listed comment rates, and with how many stars."""
    if comment is None:
        return None
    return product_id_of(comment), comment[_RATING]["N"]


def owe_copies(product_ids: Iterable[str], *, left: Collection[str] = ()) -> None:
    """Store that copies of the ratings of products are to be written: a write unit for each.

    Of products that comments have ``left`` it is also owed to look whether topics have words of
    these alone (`comments.topics.leaving`). Raises botocore's errors.
    """

    def store(product_id: str) -> None:
        owed = QUEUE.owe_once(KIND, {_PRODUCT: product_id}, every=EVERY)
        if product_id in left:
            # Another key: what is owed once in a span of time would be stored without it.
            owed = QUEUE.owe_once(KIND, {_PRODUCT: product_id, LEFT: True}, every=EVERY)
            owed = owed.due_at(owed.moment + UNTIL_FOUND_NO_MORE)
        write_item(client(), owed.action)

    with labelled_calls("ratings owed"):
        pool().map(store, product_ids)


def owed_copies() -> Iterator[str]:
    """Yield the ids of products whose ratings wait to be copied, strongly consistent."""
    for owed in QUEUE.waiting():
        if owed.kind == KIND:
            yield _product_in(owed)


def _product_in(owed: Owed) -> str:
    product_id: str = owed.payload[_PRODUCT]
    return product_id


# By the worker, and at the end of imports


def refresh_owed(payload: Mapping[str, Any]) -> None:
    """Write the copies that are owed. Raises Contended, and botocore's errors."""
    refresh_ratings([payload[_PRODUCT]])


def _advance_nothing(_number: int) -> None:
    """Take no note of progress."""


def refresh_ratings(
    product_ids: Collection[str],
    *,
    log_failures: bool = False,
    advance: Advance = _advance_nothing,
) -> bool:
    """Write those copies of the ratings of products that are not as the counts are.

    ``advance`` is called with numbers of products done. Raises Contended, and botocore's errors.
    With ``log_failures`` it logs these instead, and returns False.
    """
    try:
        with labelled_calls("ratings"):
            for some in in_chunks(sorted(product_ids), PRODUCTS_AT_ONCE):
                _refresh(some)
                advance(len(some))
    except FAILURES as failure:
        if not log_failures:
            raise
        sentence = "The ratings of %d products were left behind (%s): %s"
        named = few_of(list(product_ids))
        logger.warning(sentence, len(product_ids), named, sentence_about(failure))
        return False
    return True


def _refresh(product_ids: Sequence[str]) -> None:
    """Write the copies of some products, until their counts have not changed meanwhile."""
    ratings = read_ratings(product_ids)
    for _attempt in range(ATTEMPTS):
        _keep_in_ranks(ratings)
        host.keep_ratings(ratings)
        read_again = read_ratings(ratings)
        changed = [each for each, rating in read_again.items() if rating != ratings[each]]
        if not changed:
            return
        ratings = {each: read_again[each] for each in changed}
    raise Contended("Comments on these products keep changing.")


def read_ratings(product_ids: Iterable[str]) -> dict[str, Rating | None]:
    """Read how products are rated now, strongly."""
    counted = counters().read_many({*product_ids}, consistent=True)
    return {product_id: counts_in(cells).rating for product_id, cells in counted.items()}


# In ranks


def _keep_in_ranks(ratings: Ratings) -> None:
    """Write into the ranks of products how these are rated, where it is not there yet."""
    stored = stored_ranks(every_pair(Ranking, ratings))
    stale: list[RankKey] = []
    for key, item in stored.items():
        _ranking, product_id = key
        if rating_in(item) != ratings[product_id]:
            stale.append(key)

    def keep(key: RankKey) -> None:
        _ranking, product_id = key
        _keep_in_rank(key, ratings[product_id])

    pool().map(keep, stale)


def _keep_in_rank(key: RankKey, rating: Rating | None) -> None:
    changes: list[Change]
    if rating is None:
        changes = [ProductRank.rated.remove(), ProductRank.stars.remove()]
    else:
        changes = [ProductRank.rated.set(rating.count), ProductRank.stars.set(rating.stars)]
    # Without a condition, one that is gone by now would be there again, with nothing else in it.
    write_item(client(), update(ProductRank, key_of(key), changes, ProductRank.pk.exists()))


def rating_in(rank: Item) -> Rating | None:
    """Return the rating that a product's rank has, None without one."""
    if RATED not in rank or STARS not in rank:
        return None
    return Rating(int(rank[RATED]["N"]), int(rank[STARS]["N"]))
