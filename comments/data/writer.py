"""Bulk writes of comments, for imports and the sample data.

The stored items are read first, so that an interrupted load is resumed by starting it again.
Each comment is compared with the one stored under its id (`Change`); some dozens are put in a
transaction with their bodies, counts and primary items, on condition that what was read is still
stored. The ranks are derived at the end, and what earlier imports have left is finished:
`BulkWriter.finish`. Before each part is written, a due item says which products must be ranked.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from enum import Enum
from functools import partial
from hashlib import blake2b
from operator import add

from comments import keys
from comments.host import is_searchable
from comments.items import CONTENT, NewComment, NewReply, items_of, reply_of, reply_shown
from comments.models import TABLE, Comment, CommentReply
from comments.rankings.services import RankHint, refresh_ranks
from comments.replies.services import BY_STAFF
from comments.search.pending import changes_of
from comments.search.writer import finish_change
from comments.sets.copies import primary_actions
from comments.signals import announce, comment_edited, comment_posted
from comments.store.comments import comment_in
from comments.store.counts import Cell
from comments.store.derived import bulk_batches
from comments.store.states import NEW_OR_DELETED, State, is_tombstone
from comments.store.table import ATTEMPTS, LIST_KEYS, comment_key
from comments.store.writing import CommentChange, Committed, Owes, write_comments
from dynapages.calls import Batches, clock, sentence_about
from dynapages.calls import in_chunks as split
from dynapages.django.options import Progress
from dynapages.items import Item
from dynapages.lists import moment_at
from dynapages.process import client
from dynapages.pynamodb import FAILURES, unchanged
from dynapages.work import worker
from dynapages.writes import (
    MOST_ACTIONS,
    Action,
    ConditionFailed,
    Contended,
    delete,
    put,
    write_item,
)

_PLACE = Comment.place.attr_name
_AUTHOR = Comment.author.attr_name
EDITED = Comment.edited_at.attr_name
"""Only a comment that its author has edited has it."""
DETERMINED = CONTENT.union(("pk", "sk", _PLACE, _AUTHOR), LIST_KEYS.values())
"""The attributes a `NewComment` always determines; a replacement keeps all others."""
VERSION = Comment.version.attr_name
_LENGTH = Comment.body_bytes.attr_name
_LANGUAGE = Comment.language.attr_name
_RATING = Comment.rating.attr_name
_PRODUCT = Comment.product_partition.attr_name
_TEXTS = (Comment.text.attr_name, Comment.body_digest.attr_name)
_OTHERS_OF_A_COLLISION = 3
_BY_STAFF = {"B": BY_STAFF}
_REPLY = Comment.reply.attr_name
_REPLY_DIGEST = Comment.reply_digest.attr_name
_RANKED = Comment.rank_partition.attr_name
_FEATURED = Comment.featured_partition.attr_name
_MOVED_FROM = Comment.moved_from.attr_name
_DECISIVE = (
    *(Comment.version, Comment.place, Comment.language, Comment.rating, Comment.product_partition),
    *(Comment.rank_version, Comment.featured_partition, Comment.reply, Comment.reply_digest),
    *(Comment.moderation_partition, Comment.reports),
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
        theirs = stored[_PLACE]["S"]
        is_newer = theirs > self.place or (theirs == self.place and EDITED in stored)
        return Verdict.SUPERSEDED if is_newer else Verdict.REPLACED

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
        gone = DETERMINED | {EDITED, _MOVED_FROM}
        if self.drops_reply:
            gone |= {_REPLY, _REPLY_DIGEST}
        kept = {n: value for n, value in (self.stored or {}).items() if n not in gone}
        version = int(kept.get(VERSION, {"N": "0"})["N"]) + 1
        for name, partition in ((_RANKED, keys.helpful), (_FEATURED, keys.featured)):
            if name in kept:
                kept[name] = {"S": partition(self.comment.product_id)}
        if left := self.left_products:
            kept[_MOVED_FROM] = {"SS": sorted(left)}
        return {**kept, **self.item, VERSION: {"N": str(version)}}

    @property
    def cost(self) -> int:
        """The number of actions in a transaction, besides those of counts."""
        followed = len(primary_actions(self.stored, self.merged))
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
        same = NEW_OR_DELETED if self.stored is None else unchanged(self.stored, *_DECISIVE)
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


CHUNK = 1_000
"""Comments written at a time: some rounds of parallel transactions."""
CHUNK_CHARACTERS = 8_000_000
"""Text of a chunk, at the most: what bounds the memory of a load."""
TRANSACTION_CHARACTERS = 800_000
"""Text of a transaction, at the most: DynamoDB takes 4 MB in one, of up to 4 bytes a character."""


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
        counts = Counter(change.verdict.name.lower() for change in changes)
        return cls(
            **counts,
            moved=sum(change.is_move for change in changes),
            collided=sum(change.is_collision for change in changes),
        )

    def __add__(self, other: "VerdictCounts") -> "VerdictCounts":
        return VerdictCounts(*map(add, astuple(self), astuple(other)))


CLOSING_SECONDS = 10.0
"""How long an import waits at its end until its changes can be deleted."""
PRODUCTS_AT_ONCE = 400
logger = logging.getLogger(__name__)

Prepare = Callable[[set[str]], object]


class BulkWriter:
    """Writes comments in bulk; ``announces`` them by signals if it is told to."""

    def __init__(self, batches: Batches, *, announces: bool = False) -> None:
        self._batches = batches
        self._announces = announces
        self._touched: set[str] = set()
        self._known: dict[str, RankHint] = {}
        self._owed: list[Committed] = []

    def write(self, comments: Sequence[NewComment]) -> VerdictCounts:
        """Write the comments that are new or newer than stored, and count the verdicts.

        Ids must not repeat, and the number must be bounded (`in_chunks`). Raises Contended when
        others keep changing the same comments; the same call again writes the rest.
        """
        return VerdictCounts.of(self.put(comments))

    def put(
        self, comments: Sequence[NewComment], *, prepare: Prepare = lambda _products: None
    ) -> list[Change]:
        """Do what `write_comments` does, and return the changes.

        ``prepare`` is called with the products of comments before these are written.
        """
        decided: list[Change] = []
        for _ in range(ATTEMPTS):
            changes = self.compare(comments)
            self._note(changes)
            needed = [change for change in changes if change.is_needed]
            prepare({change.comment.product_id for change in needed})
            self._owe_ranks(needed)
            lost = self._put(needed)
            if self._announces:
                _announce(change for change in needed if change.comment.id not in lost)
            decided += [change for change in changes if change.comment.id not in lost]
            comments = [comment for comment in comments if comment.id in lost]
            if not comments:
                return decided
        raise Contended(f"{len(comments)} comments were changed by others at every attempt.")

    def finish(self, progress: Progress) -> int:
        """Do what the comments written since the last call owe, and those that were there already.

        An import before this one may have been killed. Returns how many changes are left, whose
        postings or ranks could not be written: the worker goes on with them. What fails is logged.
        """
        left = self._finish_postings(progress)
        if self._rank_products(progress):
            for committed in self._owed:
                committed.end(is_done=True)
        else:
            left += len(self._owed)
        self._touched, self._known, self._owed = set(), {}, []
        worker().flush(seconds=CLOSING_SECONDS)
        return left

    def _owe_ranks(self, changes: Sequence[Change]) -> None:
        """Store that the products of comments must be ranked, before these are written."""
        products = {product for change in changes for product in change.products}
        committed = Committed(Owes(ranks=dict.fromkeys(products, "")).due_item())
        for action in committed.actions:
            write_item(client(), action)
        self._owed.append(committed)

    def _rank_products(self, progress: Progress) -> bool:
        """Derive the ranks of all products; return whether nothing failed.

        Where all comments of a product were stored already its ranks are only compared.
        """
        touched = {p: touch for p, touch in self._known.items() if p in self._touched}
        seen = {p: touch for p, touch in self._known.items() if p not in self._touched}
        with progress.step("Ranking", total=len(self._known), unit=" products") as advance:
            return refresh_ranks(touched, log_failures=True, advance=advance) and refresh_ranks(
                seen, only_stale=True, log_failures=True, advance=advance
            )

    def _finish_postings(self, progress: Progress) -> int:
        """Write the postings that this import, or one before it, has left behind.

        Returns how many changes of these products could not be finished.
        """
        if not is_searchable():
            return 0
        worker().flush(seconds=CLOSING_SECONDS)  # what is written needs no second look
        changes = set[str]()
        with progress.step("Finishing", total=len(self._known), unit=" products") as advance:
            for some in split(sorted(self._known), PRODUCTS_AT_ONCE):
                found = self._batches.pool.gather([partial(changes_of, one) for one in some])
                changes.update(change for of_product in found for change in of_product)
                advance(len(some))
        return sum(not _finish(change) for change in sorted(changes))

    def _note(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if change.is_needed:
                self._touched |= change.products
            for product in {change.comment.product_id, *change.left_products}:
                is_new = product == change.comment.product_id
                place = change.place if is_new else ""
                seen = int(is_new and change.verdict is not Verdict.SUPERSEDED)
                known = self._known.get(product, RankHint())
                self._known[product] = RankHint(max(known.newest, place), known.seen + seen)

    def compare(self, comments: Sequence[NewComment]) -> list[Change]:
        """Read what is stored under the ids of comments, and return what they would change."""
        table_keys = [comment_key(comment.id) for comment in comments]
        found = {item["pk"]["S"]: item for item in self._batches.get(TABLE, table_keys)}
        return [
            Change.between(found.get(keys.comment(comment.id)), comment) for comment in comments
        ]

    def _put(self, changes: Sequence[Change]) -> set[str]:
        lost = self._batches.pool.gather(
            [partial(_write_together, group) for group in _transactions(changes)]
        )
        return {comment_id for group in lost for comment_id in group}


def _finish(change: str) -> bool:
    try:
        finish_change(change, bulk_batches())
    except (*FAILURES, ConditionFailed) as failure:
        logger.warning("The change %s was left behind: %s", change, sentence_about(failure))
        return False
    return True


def _announce(changes: Iterable[Change]) -> None:
    for change in changes:
        comment, now = change.comment, clock.now()
        about = partial(announce, comment_id=comment.id, moment=now, comment=comment)
        if change.stored is None:
            about(comment_posted, was=None)
        else:
            about(comment_edited, before=comment_in(change.stored), state=State.of(change.stored))


def _write_together(changes: Sequence[Change]) -> list[str]:
    imported = []
    actions: list[Action] = []
    for change in changes:
        imported.append(CommentChange(change.stored, change.merged, text_after=change.comment.body))
        actions += change.actions()
    try:
        write_comments(imported, actions, are_ranked=False)
    except ConditionFailed:
        return [change.comment.id for change in changes]
    return []


def _transactions(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Divide changes into transactions that DynamoDB takes, with what else these store.

    That are the counts of each product, and where comments can be searched a change, a mark of it
    in each product, and its due item.
    """
    of_product, of_all = (2, 2) if is_searchable() else (1, 0)
    group: list[Change] = []
    actions, characters, products = 0, 0, set[str]()
    for change in sorted(changes, key=lambda change: change.comment.product_id):
        actions += change.cost
        characters += change.characters
        products |= change.products
        stored = actions + of_product * len(products) + of_all
        is_full = stored > MOST_ACTIONS or characters > TRANSACTION_CHARACTERS
        if group and is_full:
            yield group
            group = []
            actions, characters = change.cost, change.characters
            products = set(change.products)
        group.append(change)
    if group:
        yield group


def in_chunks(comments: Iterable[NewComment]) -> Iterator[list[NewComment]]:
    """Divide comments into lists of bounded size, however long their texts are."""
    chunk: list[NewComment] = []
    characters = 0
    for comment in comments:
        chunk.append(comment)
        characters += len(comment.body)
        if len(chunk) == CHUNK or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk
