"""The check of the topics of products: numbers that can be, of comments there are, nothing banned.

Whether the numbers are those of the comments says `manage.py topics --check`: they are of the
moment at which topics were made.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, partial

from comments import keys
from comments.integrity.items import COMMENTS, compare_values
from comments.models import Comment
from comments.rankings import ratings
from comments.store.counts import read_counts
from comments.store.states import is_listed
from comments.store.writing import QUEUE
from comments.topics import banning, making
from comments.topics.bans import Banned, banned_in, read_topics_and_bans, stored_word
from comments.topics.records import Topic, TopicsOfProduct, topics_in
from comments.topics.stored import replace_topics
from dynapages.items import Item
from dynapages.upkeep import Candidate, Difference, Handlers
from dynapages.work import Owed

NONE = "none"
_OF_A_PRODUCT = frozenset({making.KIND, ratings.KIND})
"""Kinds of what is owed behind which topics of a product may be others."""


class ProductTopics:
    """The topics of products and what is banned, as stored, and the products with comments."""

    def __init__(self) -> None:
        self._topics: dict[str, TopicsOfProduct] = {}
        # What is banned for all is that of no product.
        self._banned: dict[str, Banned] = {"": frozenset()}
        self._commented: set[str] = set()

    def handlers(self) -> Handlers:
        return {
            (keys.TOPICS_PREFIX, keys.TOPICS): self._add_topics,
            (keys.TOPICS_PREFIX, keys.BANNED_TOPICS): self._add_bans,
            COMMENTS: self._add_comment,
        }

    def candidates(self) -> Iterator[Candidate]:
        for product_id, topics in sorted(self._topics.items()):
            banned = self._banned[""] | self._banned.get(product_id, frozenset())
            has_comments = product_id in self._commented
            differences = list(_differing(product_id, topics, banned, has_comments=has_comments))
            if differences:
                yield Candidate(partial(self._reread, product_id), differences)

    def _add_topics(self, item: Item) -> None:
        self._topics[_product_in(item)] = topics_in(item)

    def _add_bans(self, item: Item) -> None:
        self._banned[_product_in(item)] = banned_in(item)

    def _add_comment(self, item: Item) -> None:
        if is_listed(item):
            comment = Comment.from_raw_data(dict(item))
            self._commented.add(keys.product_id_in(comment.product_partition))

    def _reread(self, product_id: str) -> Iterator[Difference]:
        """Look at the topics of a product again, unless the worker is about to write them."""
        topics, bans = read_topics_and_bans(product_id)
        has_comments = bool(read_counts(product_id, consistent=True).total)
        differences = list(_differing(product_id, topics, bans.words, has_comments=has_comments))
        if differences and not self._is_owed(product_id):
            yield from differences

    def _is_owed(self, product_id: str) -> bool:
        """Return whether the worker is about to write topics of a product, or may be."""
        for owed in self._waiting:
            is_of_product = owed.kind in _OF_A_PRODUCT and owed.payload["product"] == product_id
            if is_of_product or owed.kind == banning.KIND:
                return True
        return False

    @cached_property
    def _waiting(self) -> list[Owed]:
        """What is owed, read once for all products that differ."""
        return list(QUEUE.waiting())


def _product_in(item: Item) -> str:
    """Return the id of the product in the key of its topics; empty for what is banned for all."""
    partition: str = item["pk"]["S"]
    return partition.removeprefix(keys.TOPICS_PREFIX)


def _differing(
    product_id: str, topics: TopicsOfProduct, banned: Banned, *, has_comments: bool
) -> Iterator[Difference]:
    """Yield what is wrong with the topics of a product."""
    if not has_comments:
        delete = partial(replace_topics, product_id, topics, {})
        yield from _wrong(product_id, sorted(topics.languages), repair=delete)
        return
    not_wanted: list[str] = []
    impossible: list[str] = []
    for language, of_language in sorted(topics.languages.items()):
        for topic in of_language.topics:
            word = language, topic.stem
            if word in banned:
                not_wanted.append(f"{stored_word(word)}, which is banned")
            elif not _is_possible(topic):
                impossible.append(f"{stored_word(word)}, {topic.good} of {topic.comments} happy")
    take_out = partial(banning.take_out, product_id, banned)
    yield from _wrong(product_id, not_wanted, repair=take_out)
    yield from _wrong(product_id, impossible, repair=partial(making.owe_making, product_id))


def _is_possible(topic: Topic) -> bool:
    return 0 <= topic.good <= topic.comments and topic.comments > 0


def _wrong(
    product_id: str, found: list[str], *, repair: Callable[[], object]
) -> Iterator[Difference]:
    """Yield the difference of what a product should not have, if anything was found."""
    stored = "; ".join(found) or NONE
    return compare_values("topics", f"product {product_id}", stored, NONE, repair=repair)
