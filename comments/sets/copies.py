"""The derivation of the items of ``comment_sets`` from a comment.

Used by the comment's own writes, by the stream's handler and by the integrity check.
"""

from itertools import product

from comments import keys
from comments.filters import RATINGS
from comments.models import SHOWN, Comment
from comments.sets.models import CommentSetItem
from comments.sets.spelling import partition, rating_sets
from comments.store.comments import is_tombstone
from dynamo.items import Item

AUTO = CommentSetItem.auto.attr_name
_PLACE = Comment.place.attr_name
_LANGUAGE = Comment.language.attr_name
_RATING = Comment.rating.attr_name
_VERSION = Comment.version.attr_name
_LISTED = Comment.product_partition.attr_name
_KEPT = (_PLACE, _LANGUAGE, _RATING, _VERSION, *SHOWN)
_RATED = frozenset(map(str, RATINGS))
_ANY_SET = partition("", None, RATINGS).removeprefix(keys.PRODUCT_PREFIX)


def primary_of(comment: Item) -> Item | None:
    """Derive a comment's primary item from its item in the table ``comments``.

    None for a hidden comment and for a tombstone.
    """
    if is_tombstone(comment) or _LISTED not in comment:
        return None
    product_id = keys.product_id_in(comment[_LISTED]["S"])
    return {
        "pk": comment["pk"],
        "sk": {"S": partition(product_id, None, RATINGS)},
        **{name: comment[name] for name in _KEPT if name in comment},
    }


def copies_of(primary: Item) -> list[Item]:
    """Derive the 31 copies of a primary item, one for each other set of the comment."""
    product_id = keys.product_id_in(primary["sk"]["S"]).removesuffix(_ANY_SET)
    languages = (None, primary[_LANGUAGE]["S"])
    names = [
        partition(product_id, language, ratings)
        for language, ratings in product(languages, rating_sets(int(primary[_RATING]["N"])))
    ]
    return [
        {**primary, "sk": {"S": name}, AUTO: {"BOOL": True}}
        for name in names
        if name != primary["sk"]["S"]
    ]


def is_primary(item: Item) -> bool:
    """Return whether an item, or its key alone, is a primary."""
    return bool(item["sk"]["S"].endswith(_ANY_SET)) and AUTO not in item


def is_nameable(primary: Item) -> bool:
    """Return whether a primary item has what the keys of its copies are derived from."""
    return "S" in primary.get(_LANGUAGE, {}) and primary.get(_RATING, {}).get("N") in _RATED
