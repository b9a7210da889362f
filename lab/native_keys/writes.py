"""What writes of a comment change: its attributes, and the entries of indexes.

A write is the item before and after it, as the site stores them; each design says what is stored of
these. Counts, dependents and postings are the same in all designs, and are left out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from comments.items import NewComment, items_of
from comments.models import Comment
from comments.store.states import changes_to_withhold
from comments.store.table import changed
from dynapages.items import Item
from dynapages.lists import sort_key_of, timestamp
from lab.native_keys.byte_prices import price_of_write
from lab.native_keys.designs import KeyDesign
from lab.native_keys.figures import KeyWriting

AUTHOR = "alex"
"""The user who wrote the comments: one that was imported is not in ``by_author``."""
OTHER_PRODUCT = "moved-product"
LATER = timedelta(days=1)
"""How long after it was written a comment is edited, or hidden."""


@dataclass(frozen=True, slots=True)
class _Write:
    before: Item | None
    after: Item


Make = Callable[[NewComment], _Write]
"""Builds a write of a comment."""


def price_writings(design: KeyDesign, comments: Sequence[NewComment]) -> Iterator[KeyWriting]:
    """Yield what each kind of write takes, as means of some comments."""
    for action, make in ACTIONS.items():
        writes = [make(replace(comment, user_id=AUTHOR)) for comment in comments]
        yield _mean_of(action, design, writes)


def _mean_of(action: str, design: KeyDesign, writes: Sequence[_Write]) -> KeyWriting:
    number = len(writes)
    list_keys = attributes = put = changes = deleted = units = 0
    for write in writes:
        before = None
        if write.before is not None:
            before = design.item_of(write.before)
        after = design.item_of(write.after)
        list_keys += _list_keys_written(design, before or {}, after)
        price = price_of_write(before, after, design.indexes)
        attributes += price.attributes
        put += price.put
        changes += price.changed
        deleted += price.deleted
        units += price.units
    return KeyWriting(
        action,
        list_keys=round(list_keys / number, 2),
        attributes=round(attributes / number, 2),
        entries_put=round(put / number, 2),
        entries_changed=round(changes / number, 2),
        entries_deleted=round(deleted / number, 2),
        units=round(units / number, 2),
    )


def _list_keys_written(design: KeyDesign, before: Item, after: Item) -> int:
    """Count the attributes that put a comment into lists, and that a write sets or removes."""
    number = 0
    for name in design.list_keys:
        if before.get(name) != after.get(name):
            number += 1
    return number


# The writes, as the site makes them


def _posted(comment: NewComment) -> _Write:
    return _Write(None, _item(comment, version=1))


def _with_other_text(comment: NewComment) -> _Write:
    return _edited(comment, replace(comment, body=f"{comment.body} Edited."))


def _with_other_rating(comment: NewComment) -> _Write:
    return _edited(comment, replace(comment, rating=comment.rating % 5 + 1))


def _edited(comment: NewComment, after: NewComment) -> _Write:
    edited_at = {Comment.edited_at.attr_name: {"S": timestamp(_later(comment))}}
    before = _item(comment, version=1)
    return _Write(before, {**_item(after, version=2), **edited_at})


def _hidden(comment: NewComment) -> _Write:
    before = _item(comment, version=1)
    since = {"S": sort_key_of(_later(comment), comment.id)}
    return _Write(before, changed(before, changes_to_withhold(comment, since=since)))


def _moved(comment: NewComment) -> _Write:
    after = _item(replace(comment, product_id=OTHER_PRODUCT), version=2)
    # By this an import knows that the old product is to be ranked too.
    moved_from = {Comment.moved_from.attr_name: {"SS": [comment.product_id]}}
    return _Write(_item(comment, version=1), {**after, **moved_from})


def _item(comment: NewComment, *, version: int) -> Item:
    item, _long_text = items_of(comment)
    item.version = version
    serialized: Item = item.serialize()
    return serialized


def _later(comment: NewComment) -> datetime:
    return comment.created_at + LATER


ACTIONS: dict[str, Make] = {
    "post": _posted,
    "edit of the text": _with_other_text,
    "edit of the rating": _with_other_rating,
    "hide": _hidden,
    "move to another product": _moved,
}
"""The kinds of writes by their names."""
