"""Writes of single comments, each one transaction with the counts it changes.

Every change is conditional on the version it was made from, so that none is lost to another;
doing the same again is success, and counts once. When it is committed, the ranks it touches are
derived anew; should that fail, the change stands all the same (see `comments.ranking`).
"""

from dataclasses import replace
from datetime import datetime

from comments import helpfulness, keys
from comments.items import NewComment, items_of
from comments.models import Comment
from comments.rank_derivation import BEST_RATING, rankings_of_comment
from comments.ranking import refresh_or_log
from comments.ranks import Ranking
from comments.stored import NoSuchComment, StoredComment, load_comment
from comments.writing import NEW, CountChanges, delete, put, unchanged, write
from dynamo.errors import DynamoError
from dynamo.places import place_of, timestamp
from dynamo.runs import Item
from dynamo.transactions import ConditionFailed, Contended

_VERSION = Comment.version.attr_name
_ATTEMPTS = 5


class CommentExists(DynamoError):
    """Another comment has this id."""


class EditLost(DynamoError):
    """Somebody changed the comment since it was read; ``stored`` is how it is now."""

    def __init__(self, stored: StoredComment) -> None:
        super().__init__("Somebody else has changed this comment in the meantime.")
        self.stored = stored


def add_comment(comment: NewComment) -> None:
    """Add a comment and count it. Adding the very same one again changes nothing.

    Raises CommentExists when its id belongs to another comment, and what `writing.write` does.
    """
    changes = CountChanges()
    changes.add(comment.product_id, (comment.language, comment.rating), 1)
    item, body = _items(comment, version=1)
    try:
        write([put(item, NEW), *([put(body)] if body else [])], changes)
    except ConditionFailed as error:
        if load_comment(comment.id).comment != comment:
            raise CommentExists("There is another comment with this id.") from error
    refresh_or_log(
        comment.product_id,
        newest=place_of(comment.created_at, comment.id),
        rankings=rankings_of_comment(comment.rating),
    )


def edit_comment(
    stored: StoredComment,
    *,
    now: datetime,
    rating: int | None = None,
    language: str | None = None,
    title: str | None = None,
    body: str | None = None,
) -> StoredComment:
    """Change what is given of a comment, and give it as it then is.

    All its list keys and the counts move with it. An edit that changes nothing is not written.
    Raises EditLost when ``stored`` is no longer how it is, NoSuchComment when it has been
    deleted, Contended when it keeps changing, and what `writing.write` does.
    """
    before = stored.comment
    after = replace(
        before,
        rating=before.rating if rating is None else rating,
        language=before.language if language is None else language,
        title=before.title if title is None else title,
        body=before.body if body is None else body,
    )
    if after == before:
        return stored
    edited = _store_edit(stored, after, now=now)
    if BEST_RATING in {before.rating, after.rating} and before.rating != after.rating:
        refresh_or_log(after.product_id, rankings=[Ranking.FIVE_STARS])
    return edited


def _store_edit(stored: StoredComment, after: NewComment, *, now: datetime) -> StoredComment:
    """Write an edit; a vote that ranked the comment anew meanwhile does not stand in its way."""
    for _ in range(_ATTEMPTS):
        try:
            return _edit(stored, after, now=now)
        except ConditionFailed as error:
            found = load_comment(after.id)
            if found.version != stored.version:
                raise EditLost(found) from error
            stored = found
    raise Contended("This comment is being voted on too fast at the moment.")


def _edit(stored: StoredComment, after: NewComment, *, now: datetime) -> StoredComment:
    item, long_body = _items(after, version=stored.version + 1)
    item = {**_kept(stored.item), **item, Comment.edited_at.attr_name: {"S": timestamp(now)}}
    changes = CountChanges()
    changes.add(after.product_id, stored.cell, -1)
    changes.add(after.product_id, (after.language, after.rating), 1)
    same = unchanged(stored.item, "pk", _VERSION, helpfulness.VERSION)
    body_action = put(long_body) if long_body else delete(_key(after.id, keys.BODY))
    write([put(item, same), body_action], changes)
    return StoredComment(after, item)


def delete_comment(comment_id: str) -> bool:
    """Delete a comment with its long body, and count it out (AP5, QP7).

    Returns whether there was one: deleting it again is success, and counts nothing. Raises
    Contended when others keep changing it, and what `writing.write` does.
    """
    for _ in range(_ATTEMPTS):
        try:
            stored = load_comment(comment_id)
            _delete(stored)
        except NoSuchComment:
            return False
        except ConditionFailed:
            continue
        comment = stored.comment
        refresh_or_log(comment.product_id, rankings=rankings_of_comment(comment.rating))
        return True
    raise Contended("This comment is being changed by others at the moment.")


def _delete(stored: StoredComment) -> None:
    comment = stored.comment
    changes = CountChanges()
    changes.add(comment.product_id, stored.cell, -1)
    same = unchanged(stored.item, "pk", _VERSION)
    key = keys.comment(comment.id)
    write([delete(_key(comment.id, key), same), delete(_key(comment.id, keys.BODY))], changes)


def _items(comment: NewComment, *, version: int) -> tuple[Item, Item | None]:
    item, body = items_of(comment)
    item.version = version
    return item.serialize(), body.serialize() if body else None


def _kept(item: Item) -> Item:
    """What an edit leaves alone: marks the shop put on the comment, and its rank."""
    shop = (Comment.verified.attr_name, Comment.replied.attr_name, *helpfulness.ATTRIBUTES)
    return {name: value for name, value in item.items() if name in shop}


def _key(comment_id: str, sort_key: str) -> Item:
    return {"pk": {"S": keys.comment(comment_id)}, "sk": {"S": sort_key}}


