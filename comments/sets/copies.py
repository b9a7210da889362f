"""The items of a comment in ``comment_sets``: the primary, stored with the comment, and copies."""

from collections.abc import Collection
from itertools import combinations, product

from comments import keys
from comments.filters import ANY, RATINGS
from comments.host import COMMENTS
from comments.models import SHOWN, Comment
from comments.sets.models import CommentSetItem
from comments.store.comments import is_tombstone
from dynapages.items import Item
from dynapages.writes import Action, delete, put

AUTO = CommentSetItem.auto.attr_name
_PLACE = Comment.place.attr_name
_LANGUAGE = Comment.language.attr_name
_RATING = Comment.rating.attr_name
_VERSION = Comment.version.attr_name
_LISTED = Comment.product_partition.attr_name
_KEPT = (_PLACE, _LANGUAGE, _RATING, _VERSION, *SHOWN)
_RATED = frozenset(map(str, RATINGS))
_ANY_SET = keys.product_partition("", ANY, ANY).removeprefix(keys.PRODUCT_PREFIX)
MASKS = "masks"


def partition(product_id: str, language: str | None, ratings: Collection[int]) -> str:
    """Format the set of a product's comments in a language (or any) with these ratings (or any)."""
    chosen = sorted(set(ratings))
    if not chosen or chosen == list(RATINGS):
        spelled = ANY
    elif COMMENTS["SETS_KEY_FORMAT"] == MASKS:
        spelled = str(sum(1 << (rating - 1) for rating in chosen))
    else:
        spelled = ".".join(map(str, chosen))
    return keys.product_partition(product_id, language or ANY, spelled)


def rating_sets(rating: int) -> tuple[tuple[int, ...], ...]:
    """Return the 16 sets of ratings that contain this one, sorted within, the smallest first."""
    return tuple(
        chosen
        for size in range(1, len(RATINGS) + 1)
        for chosen in combinations(RATINGS, size)
        if rating in chosen
    )


def primary_of(comment: Item) -> Item | None:
    """Derive a comment's primary item from its item in ``comments``; None for one in no list."""
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


SETS = "sets"
"""What the setting ``COMMENTS_READ_MODEL`` is when lists are read from ``comment_sets``."""


def is_followed() -> bool:
    """Return whether primaries are written: whether the read model is ``sets``."""
    return bool(COMMENTS["READ_MODEL"] == SETS)


def follow(before: Item | None, after: Item | None) -> list[Action]:
    """Build the actions for a transaction that turns a comment's item into another, or None.

    The transaction must require that version, product and reply of ``before`` are still stored.
    """
    if not is_followed():
        return []
    old = primary_of(before) if before else None
    new = primary_of(after) if after else None
    if old == new:
        return []
    actions: list[Action] = []
    if old and (new is None or new["sk"] != old["sk"]):
        actions.append(delete(CommentSetItem, {"pk": old["pk"], "sk": old["sk"]}))
    if new:
        actions.append(put(CommentSetItem, new))
    return actions
