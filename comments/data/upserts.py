"""The comparison of one comment of a bulk load with the one stored under its id."""

from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b

from comments import keys
from comments.items import NewComment, NewReply, items_of, reply_of, reply_shown
from comments.models import Comment, CommentReply
from comments.replies.services import BY_STAFF
from comments.sets.copies import follow
from comments.store.comments import NEW_OR_DELETED, is_tombstone
from comments.store.counts import Cell, CountChanges
from comments.store.table import LIST_KEYS, comment_key
from comments.votes.services import ranked_under
from dynapages.items import Item
from dynapages.lists import moment_at
from dynapages.pynamodb import unchanged
from dynapages.writes import Action, delete, put

EDITED = Comment.edited_at.attr_name
"""Only a comment that its author has edited has it."""
DETERMINED = frozenset(
    attribute.attr_name
    for attribute in (
        Comment.pk,
        Comment.sk,
        Comment.place,
        Comment.language,
        Comment.rating,
        Comment.author,
        Comment.title,
        Comment.text,
        Comment.body_bytes,
        Comment.body_digest,
    )
).union(LIST_KEYS.values())
"""The attributes a `NewComment` always determines; a replacement keeps all others."""
VERSION = Comment.version.attr_name
_PLACE = Comment.place.attr_name
_LENGTH = Comment.body_bytes.attr_name
_LANGUAGE = Comment.language.attr_name
_RATING = Comment.rating.attr_name
_PRODUCT = Comment.product_partition.attr_name
_AUTHOR = Comment.author.attr_name
_TEXTS = (Comment.text.attr_name, Comment.body_digest.attr_name)
_OTHERS_OF_A_COLLISION = 3
_BY_STAFF = {"B": BY_STAFF}
_REPLY = Comment.reply.attr_name
_REPLY_DIGEST = Comment.reply_digest.attr_name
_FEATURED = Comment.featured_partition.attr_name
_MOVED_FROM = Comment.moved_from.attr_name
_DECISIVE = (
    Comment.version,
    Comment.place,
    Comment.language,
    Comment.rating,
    Comment.product_partition,
    Comment.rank_version,
    Comment.featured_partition,
    Comment.reply,
    Comment.reply_digest,
    Comment.moderation_partition,
    Comment.reports,
)
"""What must not have changed in a stored comment for its replacement to be right."""


class Verdict(Enum):
    """The result of comparing a comment with the one stored under its id."""

    NEW = "nothing is stored"
    REPLACED = "an older version is stored, or another of the same date"
    UNCHANGED = "the same is stored"
    SUPERSEDED = "a newer version is stored, or one its author has edited or the shop has hidden"


@dataclass(frozen=True, slots=True)
class Change:
    """A comment as it is to be stored, beside the item stored under its id."""

    comment: NewComment
    item: Item
    body: Item | None
    reply: Item | None
    stored: Item | None

    @classmethod
    def between(cls, stored: Item | None, comment: NewComment) -> "Change":
        """Compare a comment with the item that is stored under its id, if one is."""
        item, body = items_of(comment)
        reply = None if _is_by_staff(stored) else reply_of(comment)
        if reply is not None:
            item.reply, item.reply_digest = reply_shown(reply.serialize()), _digest(reply)
        return cls(
            comment=comment,
            item=item.serialize(),
            body=body.serialize() if body else None,
            reply=reply.serialize() if reply else None,
            stored=None if stored and is_tombstone(stored) else stored,
        )

    @property
    def is_needed(self) -> bool:
        return self.verdict in {Verdict.NEW, Verdict.REPLACED}

    @property
    def place(self) -> str:
        place: str = self.item[_PLACE]["S"]
        return place

    @property
    def cell(self) -> Cell:
        return self.comment.language, self.comment.rating

    @property
    def verdict(self) -> Verdict:
        """Compare the versions: the newer ``created_at`` wins, at equal dates the incoming one."""
        stored = self.stored
        if stored is None:
            return Verdict.NEW
        if _PRODUCT not in stored:
            return Verdict.SUPERSEDED
        is_stored = self.item.items() <= stored.items() and not self.drops_reply
        if is_stored and _determined(stored) == _determined(self.item):
            return Verdict.UNCHANGED
        # One id, so the order of the places is the order of the dates.
        mine, theirs = self.place, stored[_PLACE]["S"]
        is_edited = EDITED in stored
        if theirs > mine or (theirs == mine and is_edited):
            return Verdict.SUPERSEDED
        return Verdict.REPLACED

    @property
    def is_move(self) -> bool:
        """Whether it replaces a version that is about another product."""
        return self.verdict is Verdict.REPLACED and len(self.products) > 1

    @property
    def is_collision(self) -> bool:
        """Whether a stored comment has the id that is no other version of this one.

        It differs in three of its product, author, date and text. A new version has at most two
        others, such as its date and text; a missing author is not another one.
        """
        if self.verdict not in {Verdict.REPLACED, Verdict.SUPERSEDED} or self.stored is None:
            return False
        authors = [item.get(_AUTHOR) for item in (self.item, self.stored)]
        others = (
            len(self.products) > 1,
            None not in authors and authors[0] != authors[1],
            self.comment.created_at != moment_at(self.stored[_PLACE]["S"]),
            any(self.item.get(name) != self.stored.get(name) for name in _TEXTS),
        )
        return sum(others) >= _OTHERS_OF_A_COLLISION

    @property
    def merged(self) -> Item:
        """The item to put: attributes from the shop stay, but ``edited_at`` goes with its text."""
        kept = {
            name: value
            for name, value in (self.stored or {}).items()
            if name not in DETERMINED and name != EDITED
        }
        version = int(kept.get(VERSION, {"N": "0"})["N"]) + 1
        rank = ranked_under(self.comment.product_id, kept)
        if _FEATURED in kept:
            kept[_FEATURED] = {"S": keys.featured(self.comment.product_id)}
        kept.pop(_MOVED_FROM, None)
        if left := self.left_products:
            kept[_MOVED_FROM] = {"SS": sorted(left)}
        if self.drops_reply:
            kept = {n: value for n, value in kept.items() if n not in {_REPLY, _REPLY_DIGEST}}
        return {**kept, **rank, **self.item, VERSION: {"N": str(version)}}

    @property
    def cost(self) -> int:
        """The number of actions in a transaction, besides those of counts."""
        followed = len(follow(self.stored, self.merged))
        return 1 + self.concerns_body + (self.reply is not None or self.drops_reply) + followed

    @property
    def characters(self) -> int:
        reply = self.comment.reply
        return len(self.comment.body) + (len(reply.text) if isinstance(reply, NewReply) else 0)

    @property
    def concerns_body(self) -> bool:
        """Whether the comment has, or had, an item for its long body."""
        return self.body is not None or _LENGTH in (self.stored or {})

    @property
    def drops_reply(self) -> bool:
        """Whether an import has brought a reply that this version of the comment has not."""
        imported = _REPLY_DIGEST in (self.stored or {}) and not _is_by_staff(self.stored)
        return imported and self.comment.reply is None

    @property
    def products(self) -> set[str]:
        """The products whose counts may change."""
        return {self.comment.product_id} | (_products_of(self.stored) if self.stored else set())

    @property
    def left_products(self) -> set[str]:
        """The products that the comment was about before, by this change or by earlier ones.

        They are stored with it, so that an interrupted import ranks them when it is run again.
        """
        stored = self.stored or {}
        before = {*stored.get(_MOVED_FROM, {"SS": ()})["SS"]}
        return (before | _products_of(stored)) - {self.comment.product_id}

    def actions(self) -> list[Action]:
        """Build the writes, conditional on the comment, its body and its reply being unchanged."""
        actions = [self._put()]
        if self.body is not None:
            actions.append(put(Comment, self.body))
        elif self.concerns_body:
            actions.append(delete(Comment, comment_key(self.comment.id, keys.BODY)))
        if self.reply is not None:
            actions.append(put(Comment, self.reply))
        elif self.drops_reply:
            actions.append(delete(Comment, comment_key(self.comment.id, keys.REPLY)))
        return [*actions, *follow(self.stored, self.merged)]

    def count(self, changes: CountChanges) -> None:
        """Count the comment in, and the version it replaces out."""
        if self.stored is not None:
            created = moment_at(self.stored[_PLACE]["S"])
            changes.add(_product_id(self.stored), _cell(self.stored), created, -1)
        changes.add(self.comment.product_id, _cell(self.item), self.comment.created_at, 1)

    def _put(self) -> Action:
        same = NEW_OR_DELETED if self.stored is None else unchanged(self.stored, *_DECISIVE)
        return put(Comment, self.merged, same)


def _is_by_staff(stored: Item | None) -> bool:
    return (stored or {}).get(_REPLY_DIGEST) == _BY_STAFF


def _cell(item: Item) -> Cell:
    return item[_LANGUAGE]["S"], int(item[_RATING]["N"])


def _products_of(item: Item) -> set[str]:
    return {_product_id(item)} if _PRODUCT in item else set()


def _product_id(item: Item) -> str:
    return keys.product_id_in(item[_PRODUCT]["S"])


def _determined(item: Item) -> Item:
    return {name: value for name, value in item.items() if name in DETERMINED}


def _digest(reply: CommentReply) -> bytes:
    said = f"{reply.replied_at or ''}\n{reply.text}"
    return blake2b(said.encode(), digest_size=8).digest()
