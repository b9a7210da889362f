"""The integrity of ranks, derived again from all comments, then from one product's counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from comments import keys
from comments.integrity.comparing import differing
from comments.keys import scored
from comments.models import Comment
from comments.rankings.derivation import (
    BEST_RATING,
    NAME,
    PARTITION,
    PLACE,
    Ranking,
    RankKey,
    Touch,
    commented_place,
    derive,
    find_names,
    five_stars_place,
    rename_ranks,
    stored_ranks,
)
from comments.rankings.services import TOGETHER, refresh_ranks
from comments.store.comments import product_id_of
from comments.store.table import comment_key, portions
from comments.votes.queries import helpful_votes
from comments.votes.services import refresh_comment
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.lists.places import SEPARATOR
from dynamo.upkeep.differences import Suspect, suspected
from dynamo.upkeep.integrity import Difference
from dynamo.writes.actions import update
from dynamo.writes.transactions import ConditionFailed, write_together
from dynamo.writes.updates import write_one

NOWHERE = "nowhere"
NAMELESS = "none"


@dataclass(slots=True)
class RanksFound:
    """The ranks stored with their names, and those derived from the comments seen so far."""

    stored: dict[RankKey, str] = field(default_factory=dict)
    best_rated: dict[str, int] = field(default_factory=dict)
    newest: dict[str, str] = field(default_factory=dict)
    names: dict[RankKey, str] = field(default_factory=dict)

    def add_rank(self, item: Item) -> None:
        """Add the item of a product's rank."""
        ranking, _, product = item["pk"]["S"].removeprefix(keys.RANK_PREFIX).partition(SEPARATOR)
        if PLACE in item:
            self.stored[Ranking(ranking), product] = item[PLACE]["S"]
            self.names[Ranking(ranking), product] = item.get(NAME, {"S": NAMELESS})["S"]

    def add_comment(self, comment: Comment) -> None:
        """Add a comment that is in lists."""
        product_id = keys.product_id_in(comment.product_partition)
        self.newest[product_id] = max(comment.place, self.newest.get(product_id, ""))
        if int(comment.rating) == BEST_RATING:
            self.best_rated[product_id] = self.best_rated.get(product_id, 0) + 1

    def suspects(self) -> Iterator[Suspect]:
        """Yield the ranks of products that look wrong, after all items were added."""
        expected = self._expected()
        for key in sorted(self.stored.keys() | expected.keys()):
            newest = self.newest.get(key[1], "")
            places = self.stored.get(key, NOWHERE), expected.get(key, NOWHERE)
            look = partial(_look_at_rank, key, newest)
            yield from suspected(_differing_rank(key, *places, newest=newest), look)
        for some in portions(sorted(self.names), TOGETHER):
            names = find_names({product_id for _, product_id in some})
            for key in some:
                found = _differing_name(key, self.names[key], names)
                yield from suspected(found, partial(_look_at_name, key))

    def _expected(self) -> dict[RankKey, str]:
        places = {
            (Ranking.FIVE_STARS, product): five_stars_place(product, number)
            for product, number in self.best_rated.items()
        } | {
            (Ranking.COMMENTED, product): commented_place(product, place)
            for product, place in self.newest.items()
        }
        return {key: place for key, place in places.items() if place}


def _differing_rank(
    key: RankKey, stored: str, expected: str, *, newest: str
) -> Iterator[Difference]:
    ranking, product_id = key
    mend = partial(_refresh, product_id, newest)
    return differing("rank", f"product {product_id} in {ranking}", stored, expected, mend=mend)


def _look_at_rank(key: RankKey, newest: str) -> Iterator[Difference]:
    (rank,) = derive([key], {key[1]: Touch(newest)})
    stored = rank.stored.get(PLACE, {"S": NOWHERE})["S"]
    return _differing_rank(key, stored, rank.place or NOWHERE, newest=newest)


def _differing_name(key: RankKey, stored: str, names: Mapping[str, str]) -> Iterator[Difference]:
    ranking, product_id = key
    expected = names.get(product_id, stored)  # a product that is not in the catalogue has none
    mend = partial(_rename, product_id)
    return differing("name", f"product {product_id} in {ranking}", stored, expected, mend=mend)


def _look_at_name(key: RankKey) -> Iterator[Difference]:
    rank = stored_ranks([key]).get(key, {})
    names = find_names([key[1]]) if PLACE in rank else {}
    return _differing_name(key, rank.get(NAME, {"S": NAMELESS})["S"], names)


def differing_comment(key: str, item: Item, votes: int) -> Iterator[Difference]:
    """Compare the keys of a comment's rank with its counted votes.

    ``key`` is its partition key. A comment that is in no list has no rank.
    """
    comment_id = keys.comment_id_in(key)
    stored = [item.get(name, {"S": NOWHERE})["S"] for name in (PARTITION, PLACE)]
    is_hidden = Comment.product_partition.attr_name not in item
    expected = [NOWHERE, NOWHERE]
    if votes > 0 and not is_hidden:
        expected = [keys.helpful(product_id_of(item)), scored(votes, comment_id)]
    mend = partial(_unrank if is_hidden else _rank, comment_id)
    return differing(
        "rank", f"comment {comment_id}", " ".join(stored), " ".join(expected), mend=mend
    )


def _rank(comment_id: str) -> bool:
    return refresh_comment(comment_id, tally=partial(helpful_votes, comment_id))


def _refresh(product_id: str, newest: str) -> bool:
    refresh_ranks({product_id: Touch(newest)})
    return True


def _rename(product_id: str) -> bool:
    for name in find_names([product_id]).values():
        write_together(client(), rename_ranks(product_id, name))
    return True


def _unrank(comment_id: str) -> bool:
    changes = [Comment.rank_partition.remove(), Comment.rank_place.remove()]
    unlisted = Comment.product_partition.does_not_exist()
    action = update(Comment, comment_key(comment_id), changes, unlisted)
    try:
        write_one(client(), action)
    except ConditionFailed:
        return False
    return True
