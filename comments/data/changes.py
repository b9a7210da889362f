"""An imported comment, compared with the one that is stored under its id: `Change`.

The newer version wins, by ``created_at``; at equal dates the incoming one, unless its author has
edited what is stored here. What the shop has added to a comment stays when it is replaced.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b

from comments import keys
from comments.items import CONTENT, NewComment, NewReply, NewState, items_of, reply_of, reply_shown
from comments.keys import comment_key
from comments.models import Comment, CommentReply
from comments.replies.services import BY_STAFF
from comments.sets.copies import primary_actions
from comments.store.counts import Cell
from comments.store.states import (
    NEW_OR_DELETED,
    changes_to_withhold,
    imported_votes,
    is_listed,
    is_tombstone,
    product_id_of,
)
from comments.store.table import LIST_KEYS, changed
from comments.votes.rank import VERSION as RANK_VERSION
from comments.votes.rank import rank_keys, ranked_votes
from dynapages.items import Item
from dynapages.lists import moment_at
from dynapages.pynamodb import unchanged
from dynapages.writes import Action, delete, put

EDITED = Comment.edited_at.attr_name
"""Only a comment that its author has edited has it."""
VERSION = Comment.version.attr_name
_PLACE = Comment.place.attr_name
_AUTHOR = Comment.author.attr_name
_LENGTH = Comment.body_bytes.attr_name
_REPLY = Comment.reply.attr_name
_REPLY_DIGEST = Comment.reply_digest.attr_name
_RANKED = Comment.rank_partition.attr_name
_RANK_PLACE = Comment.rank_place.attr_name
_VOTES = Comment.helpful_votes.attr_name
_IMPORTED_VOTES = Comment.imported_votes.attr_name
_PICKED = Comment.featured_partition.attr_name
_MOVED_FROM = Comment.moved_from.attr_name
_TEXTS = (Comment.text.attr_name, Comment.body_digest.attr_name)
DETERMINED = CONTENT.union(("pk", "sk", _PLACE, _AUTHOR), LIST_KEYS.values())
"""The attributes a `NewComment` always determines; a replacement keeps all others."""
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
_DIFFERENCES_OF_A_COLLISION = 3
_BY_STAFF = {"B": BY_STAFF}
HELD_ELSEWHERE = "it waited in another system"
"""Why a comment waits for staff that an import brings as held."""


class Verdict(Enum):
    """The result of comparing a comment with the one stored under its id."""

    NEW = "nothing is stored"
    REPLACED = "an older version is stored, or another of the same date"
    UNCHANGED = "the same is stored"
    SUPERSEDED = "a newer version is stored, or one its author has edited, or another state"


@dataclass(frozen=True, slots=True)
class Change:
    """A comment as it is to be stored, and the item ``stored`` under its id."""

    comment: NewComment
    item: Item
    body: Item | None
    reply: Item | None
    stored: Item | None

    @classmethod
    def between(cls, stored: Item | None, comment: NewComment) -> "Change":
        """Compare a comment with the item that is stored under its id, if one is."""
        item, body = items_of(comment)
        reply = None
        if not _has_reply_by_staff(stored):
            reply = reply_of(comment)
        # What lists show of a reply is in the comment; its digest tells imports apart.
        if reply is not None:
            item.reply = reply_shown(reply.serialize())
            item.reply_digest = _digest(reply)
        # What was deleted is as if it had never been there.
        if stored and is_tombstone(stored):
            stored = None
        item.imported_votes = _votes_brought(comment, is_new=stored is None) or None
        body_item = reply_item = None
        if body is not None:
            body_item = body.serialize()
        if reply is not None:
            reply_item = reply.serialize()
        return cls(
            comment=comment,
            item=_in_its_state(comment, item.serialize()),
            body=body_item,
            reply=reply_item,
            stored=stored,
        )

    # What it is compared with

    @property
    def is_needed(self) -> bool:
        return self.verdict in {Verdict.NEW, Verdict.REPLACED}

    @property
    def verdict(self) -> Verdict:
        """Compare the versions: the newer ``created_at`` wins, at equal dates the incoming one."""
        stored = self.stored
        if stored is None:
            return Verdict.NEW
        # A stored item has more: ranks, reports, picks.
        is_stored = self.item.items() <= stored.items()
        is_stored = is_stored and not self.drops_reply and not self.drops_votes
        if is_stored and _determined(stored) == _determined(self.item):
            return Verdict.UNCHANGED
        # Staff decide on the state of what is here: what they have hidden must not come back, and
        # words that another system does not show must not replace some that are shown.
        if not is_listed(stored) or not is_listed(self.item):
            return Verdict.SUPERSEDED
        # One id, so the order of the places is the order of the dates.
        stored_place = stored[_PLACE]["S"]
        if stored_place > self.place or (stored_place == self.place and EDITED in stored):
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
        author, stored_author = self.item.get(_AUTHOR), self.stored.get(_AUTHOR)
        are_authors_known = author is not None and stored_author is not None
        texts = [self.item.get(name) for name in _TEXTS]
        stored_texts = [self.stored.get(name) for name in _TEXTS]
        differences = [
            len(self.products) > 1,
            are_authors_known and author != stored_author,
            self.comment.created_at != moment_at(self.stored[_PLACE]["S"]),
            texts != stored_texts,
        ]
        return differences.count(True) >= _DIFFERENCES_OF_A_COLLISION

    @property
    def drops_reply(self) -> bool:
        """Whether an import has brought a reply that this version of the comment has not."""
        if self.stored is None or _has_reply_by_staff(self.stored):
            return False
        return _REPLY_DIGEST in self.stored and self.comment.reply is None

    @property
    def drops_votes(self) -> bool:
        """Whether an import has brought votes, and this version of the comment has none."""
        if self.stored is None:
            return False
        return _IMPORTED_VOTES in self.stored and self.comment.helpful == 0

    # What it is about

    @property
    def is_listed(self) -> bool:
        """Whether this version is to be in lists, and not hidden or held."""
        return is_listed(self.item)

    @property
    def place(self) -> str:
        place: str = self.item[_PLACE]["S"]
        return place

    @property
    def cell(self) -> Cell:
        return self.comment.language, self.comment.rating

    @property
    def products(self) -> set[str]:
        """The products whose counts may change."""
        products = {self.comment.product_id}
        if self.stored is not None and is_listed(self.stored):
            products.add(product_id_of(self.stored))
        return products

    @property
    def left_products(self) -> set[str]:
        """The products that the comment was about before, by this change or by earlier ones.

        They are stored with it, so that an interrupted import ranks them when it is run again.
        """
        left: set[str] = set()
        if self.stored is not None:
            left.update(self.stored.get(_MOVED_FROM, {"SS": ()})["SS"])
        return (left | self.products) - {self.comment.product_id}

    # What is written

    @property
    def merged(self) -> Item:
        """The item to put: attributes from the shop stay, but ``edited_at`` goes with its text."""
        removed = DETERMINED | {EDITED, _MOVED_FROM}
        if self.drops_reply:
            removed |= {_REPLY, _REPLY_DIGEST}
        if self.drops_votes:
            removed |= {_IMPORTED_VOTES}
        stored = self.stored or {}
        of_the_shop = {name: value for name, value in stored.items() if name not in removed}
        version = int(of_the_shop.get(VERSION, {"N": "0"})["N"]) + 1
        # Rank and pick are by product, which may be another one now.
        product_id = self.comment.product_id
        if _PICKED in of_the_shop:
            of_the_shop[_PICKED] = {"S": keys.featured(product_id)}
        if self.left_products:
            of_the_shop[_MOVED_FROM] = {"SS": sorted(self.left_products)}
        merged = {**of_the_shop, **self.item, VERSION: {"N": str(version)}}
        return _ranked(merged, product_id, self.comment.id, stored)

    @property
    def cost(self) -> int:
        """The number of actions in a transaction, besides those of counts."""
        actions = 1 + len(primary_actions(self.stored, self.merged))
        if self.concerns_body:
            actions += 1
        if self.reply is not None or self.drops_reply:
            actions += 1
        return actions

    @property
    def characters(self) -> int:
        """The characters of its long texts."""
        characters = len(self.comment.body)
        if isinstance(self.comment.reply, NewReply):
            characters += len(self.comment.reply.text)
        return characters

    @property
    def concerns_body(self) -> bool:
        """Whether the comment has, or had, an item for its long body."""
        had_body = self.stored is not None and _LENGTH in self.stored
        return had_body or self.body is not None

    def actions(self) -> list[Action]:
        """Build the writes, conditional on the comment, its body and its reply being unchanged."""
        if self.stored is None:
            same = NEW_OR_DELETED
        else:
            same = unchanged(self.stored, *_DECISIVE)
        actions = [put(Comment, self.merged, same)]
        if self.body is not None:
            actions.append(put(Comment, self.body))
        elif self.concerns_body:
            actions.append(delete(Comment, comment_key(self.comment.id, keys.BODY)))
        if self.reply is not None:
            actions.append(put(Comment, self.reply))
        elif self.drops_reply:
            actions.append(delete(Comment, comment_key(self.comment.id, keys.REPLY)))
        return actions


def _has_reply_by_staff(stored: Item | None) -> bool:
    return stored is not None and stored.get(_REPLY_DIGEST) == _BY_STAFF


def _votes_brought(comment: NewComment, *, is_new: bool) -> int | None:
    """Return the votes of other systems that a comment is to have; None for those that it has.

    All votes of an export are among those of users here already, if it is of this very shop.
    """
    if comment.helpful is not None:
        return comment.helpful
    return comment.exported_votes if is_new else None


def _in_its_state(comment: NewComment, item: Item) -> Item:
    """Return a comment's item in the state that the import says: in its lists, hidden or held."""
    if comment.state is NewState.PUBLISHED:
        return item
    reason = None
    if comment.state is NewState.HELD:
        reason = HELD_ELSEWHERE
    # In its queue it is as old as it is: the same in every import.
    return changed(item, changes_to_withhold(comment, since=item[_PLACE], reason=reason))


def _ranked(merged: Item, product_id: str, comment_id: str, stored: Item) -> Item:
    """Return an item ranked by the votes of users here and those that imports have brought.

    The rank that is ``stored`` is right, or somebody is about to store another one: where the votes
    change, they have to read this one first, as it has another version.
    """
    if not is_listed(merged):
        return merged
    votes_before = ranked_votes(stored)
    votes = votes_before - imported_votes(stored) + imported_votes(merged)
    without_rank = changed(merged, {_RANKED: None, _RANK_PLACE: None, _VOTES: None})
    ranked = {**without_rank, **rank_keys(product_id, comment_id, votes)}
    if stored and votes != votes_before:
        ranked[RANK_VERSION] = {"N": str(int(stored.get(RANK_VERSION, {"N": "0"})["N"]) + 1)}
    return ranked


def _determined(item: Item) -> Item:
    return {name: value for name, value in item.items() if name in DETERMINED}


def _digest(reply: CommentReply) -> bytes:
    date_and_text = f"{reply.replied_at or ''}\n{reply.text}"
    return blake2b(date_and_text.encode(), digest_size=8).digest()


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """The numbers of comments by verdict; ``moved`` of the replaced were about another product.

    ``collided`` are those with the id of a comment that is none of their versions.
    """

    new: int = 0
    replaced: int = 0
    unchanged: int = 0
    superseded: int = 0
    moved: int = 0
    collided: int = 0

    @classmethod
    def of(cls, changes: Sequence[Change]) -> "VerdictCounts":
        numbers = Counter(change.verdict for change in changes)
        return cls(
            new=numbers[Verdict.NEW],
            replaced=numbers[Verdict.REPLACED],
            unchanged=numbers[Verdict.UNCHANGED],
            superseded=numbers[Verdict.SUPERSEDED],
            moved=[change.is_move for change in changes].count(True),
            collided=[change.is_collision for change in changes].count(True),
        )

    def __add__(self, other: "VerdictCounts") -> "VerdictCounts":
        return VerdictCounts(
            new=self.new + other.new,
            replaced=self.replaced + other.replaced,
            unchanged=self.unchanged + other.unchanged,
            superseded=self.superseded + other.superseded,
            moved=self.moved + other.moved,
            collided=self.collided + other.collided,
        )
