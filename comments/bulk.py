"""Writes of many comments: what an import and the sample data are put with.

What is stored already is read first, strongly and a hundred at a time, which takes a fraction
of the time and cost of writing it. So a load that was interrupted is resumed by starting it
again, and one that is repeated writes nothing.

Comments are put some dozens to a transaction, with their long bodies and with the counts of
their products, and with the primary items of `comments.sets` where lists are read from those,
each on condition that what was read is still what is stored. So the counts are
exact at every moment, whatever else is written meanwhile and wherever the load is cut off; and
a comment that somebody changes between the reading and the writing is compared again.

The ranks of the products are derived once for each, when all is written: `rank_products`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from hashlib import blake2b

from comments import helpfulness, keys
from comments.counts import Cell
from comments.items import NewComment, items_of, reply_of
from comments.models import Comment, CommentReply
from comments.rank_derivation import Touch
from comments.ranking import log_failure, refresh_products, settle_products
from comments.replying import BY_STAFF
from comments.sets.following import follow
from comments.stored import is_tombstone
from comments.writing import NEW_OR_DELETED, CountChanges, delete, put, unchanged, write
from dynamo.batches import Batches
from dynamo.failures import FAILURES
from dynamo.progress import Progress
from dynamo.runs import Item
from dynamo.transactions import MOST_ACTIONS, Action, ConditionFailed, Contended

CHUNK = 1_000
"""Comments written at a time: some rounds of parallel transactions."""
CHUNK_CHARACTERS = 8_000_000
"""Text of a chunk, at the most: what bounds the memory of a load."""
TRANSACTION_CHARACTERS = 800_000
"""Text of a transaction, at the most: DynamoDB takes 4 MB in one, of up to 4 bytes a character."""
ATTEMPTS = 5
"""How often a comment is compared anew when others keep changing it."""

TABLE = Comment.Meta.table_name
EDITED = "e"
"""Marks a comment that its author has edited since it was written."""
DETERMINED = frozenset(
    attribute.attr_name
    for attribute in (
        Comment.pk,
        Comment.sk,
        Comment.place,
        Comment.product_partition,
        Comment.language_partition,
        Comment.rating_partition,
        Comment.language_rating_partition,
        Comment.language,
        Comment.rating,
        Comment.author,
        Comment.title,
        Comment.text,
        Comment.body_bytes,
        Comment.body_digest,
    )
)
"""The attributes a `NewComment` always determines. Whatever else a stored comment has came to it in
the shop (whose it is, verified, picked, reported), and is carried over when a newer version
replaces it. A reply is told by its own digest, and may only be added."""
VERSION = Comment.version.attr_name
_PLACE = Comment.place.attr_name
_LENGTH = Comment.body_bytes.attr_name
_LANGUAGE = Comment.language.attr_name
_RATING = Comment.rating.attr_name
_PRODUCT = Comment.product_partition.attr_name
_BY_STAFF = {"B": BY_STAFF}
_REPLIED = Comment.replied.attr_name
_REPLY_DIGEST = Comment.reply_digest.attr_name
_FEATURED = Comment.featured_partition.attr_name
_DECISIVE = (
    VERSION,
    _PLACE,
    _LANGUAGE,
    _RATING,
    _PRODUCT,
    helpfulness.VERSION,
    _FEATURED,
    _REPLIED,
    _REPLY_DIGEST,
    Comment.moderation_partition.attr_name,
    Comment.reports.attr_name,
)
"""What must not have changed in a stored comment for its replacement to be right."""


class Verdict(Enum):
    """What becomes of a comment, compared with what is stored under its id."""

    NEW = "nothing is stored"
    REPLACED = "an older version is stored, or another of the same date"
    UNCHANGED = "the same is stored"
    SUPERSEDED = "a newer version is stored, or one its author has edited or the shop has hidden"


_WRITTEN = frozenset({Verdict.NEW, Verdict.REPLACED})


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many comments met which verdict."""

    new: int = 0
    replaced: int = 0
    unchanged: int = 0
    superseded: int = 0

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> "Outcome":
        counts = Counter(verdict.name.lower() for verdict in verdicts)
        return cls(**counts)

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(
            new=self.new + other.new,
            replaced=self.replaced + other.replaced,
            unchanged=self.unchanged + other.unchanged,
            superseded=self.superseded + other.superseded,
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A comment as it is to be stored, beside what is stored under its id."""

    comment: NewComment
    item: Item
    body: Item | None
    reply: Item | None
    stored: Item | None

    @property
    def verdict(self) -> Verdict:
        """Compare the versions: the newer ``created_at`` wins, at equal dates the incoming one."""
        stored = self.stored
        if stored is None:
            return Verdict.NEW
        if _PRODUCT not in stored:
            return Verdict.SUPERSEDED
        is_stored = self.item.items() <= stored.items()
        if is_stored and _determined(stored) == _determined(self.item):
            return Verdict.UNCHANGED
        # One id, so the order of the places is the order of the dates.
        mine, theirs = self.item[_PLACE]["S"], stored[_PLACE]["S"]
        is_edited = EDITED in stored
        if theirs > mine or (theirs == mine and is_edited):
            return Verdict.SUPERSEDED
        return Verdict.REPLACED

    @property
    def merged(self) -> Item:
        """The item to put: what the shop added stays, but an edit goes with the text it made."""
        kept = {
            name: value
            for name, value in (self.stored or {}).items()
            if name not in DETERMINED and name != EDITED
        }
        version = int(kept.get(VERSION, {"N": "0"})["N"]) + 1
        rank = helpfulness.ranked_under(self.comment.product_id, kept)
        if _FEATURED in kept:
            kept[_FEATURED] = {"S": keys.featured(self.comment.product_id)}
        return {**kept, **rank, **self.item, VERSION: {"N": str(version)}}

    @property
    def cost(self) -> int:
        """How many actions of a transaction this change takes, besides its counts."""
        followed = len(follow(self.stored, self.merged))
        return 1 + self.concerns_body + (self.reply is not None) + followed

    @property
    def characters(self) -> int:
        """How much text this change carries."""
        reply = self.comment.reply
        return len(self.comment.body) + (len(reply.text) if reply else 0)

    @property
    def concerns_body(self) -> bool:
        """Tell whether the comment has, or had, an item for its long body."""
        return self.body is not None or _LENGTH in (self.stored or {})

    @property
    def products(self) -> set[str]:
        """The products whose counts may change."""
        return {self.comment.product_id} | (_products_of(self.stored) if self.stored else set())

    def actions(self) -> list[Action]:
        """Spell the comment, on condition that nothing has changed it, its body and its reply."""
        actions = [self._put()]
        if self.body is not None:
            actions.append(put(self.body))
        elif self.concerns_body:
            actions.append(delete({"pk": self.item["pk"], "sk": {"S": keys.BODY}}))
        if self.reply is not None:
            actions.append(put(self.reply))
        return [*actions, *follow(self.stored, self.merged)]

    def count(self, changes: CountChanges) -> None:
        """Count the comment in, and the version it replaces out."""
        if self.stored is not None:
            changes.add(_product_id(self.stored), _cell(self.stored), -1)
        changes.add(self.comment.product_id, _cell(self.item), 1)

    def _put(self) -> Action:
        if self.stored is None:
            return put(self.merged, NEW_OR_DELETED)
        return put(self.merged, unchanged(self.stored, *_DECISIVE))


class BulkWriter:
    """Writes comments in bulk."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._touched: set[str] = set()
        self._known: dict[str, Touch] = {}

    def write(self, comments: Sequence[NewComment]) -> Outcome:
        """Write what is new or newer than stored, and say what became of each.

        Ids must not repeat; give a bounded number at a time (`in_chunks`). Raises Contended when
        others keep changing the same comments, what `dynamo.batches.Batches` does, and botocore's
        errors; what was written until then stays, and the same call again writes the rest.
        """
        verdicts: list[Verdict] = []
        for _ in range(ATTEMPTS):
            changes = self._compare(comments)
            self._note(changes)
            lost = self._put([c for c in changes if c.verdict in _WRITTEN])
            verdicts += [c.verdict for c in changes if c.comment.id not in lost]
            comments = [comment for comment in comments if comment.id in lost]
            if not comments:
                return Outcome.of(verdicts)
        raise Contended(f"{len(comments)} comments were changed by others at every attempt.")

    def rank_products(self, progress: Progress) -> None:
        """Derive the ranks of all products whose comments were given since the last time.

        Of those whose comments were all stored already the ranks are only looked at, so that a
        load that was cut off before it came here is finished by the same load again. A failure
        is logged and not raised (see `comments.ranking`): all comments are written.
        """
        touched = {p: touch for p, touch in self._known.items() if p in self._touched}
        seen = {p: touch for p, touch in self._known.items() if p not in self._touched}
        try:
            with progress.step("Ranking", total=len(self._known), unit=" products") as advance:
                refresh_products(touched, advance=advance)
                settle_products(seen, advance=advance)
        except FAILURES as failure:
            log_failure(self._known, failure)
        self._touched, self._known = set(), {}

    def _note(self, changes: Iterable[Change]) -> None:
        """Remember the products of comments, each with the newest comment given for it."""
        for change in changes:
            if change.verdict in _WRITTEN:
                self._touched |= change.products
            for product in change.products:
                is_new = product == change.comment.product_id
                place = change.item[_PLACE]["S"] if is_new else ""
                seen = int(is_new and change.verdict is not Verdict.SUPERSEDED)
                self._known[product] = self._known.get(product, Touch()).also(place, seen)

    def _compare(self, comments: Sequence[NewComment]) -> list[Change]:
        table_keys = [{"pk": {"S": key}, "sk": {"S": key}} for key in map(_key, comments)]
        found = {item["pk"]["S"]: item for item in self._batches.get(TABLE, table_keys)}
        return [_change(comment, found.get(_key(comment))) for comment in comments]

    def _put(self, changes: Sequence[Change]) -> set[str]:
        """Write the changes; return the ids of those that somebody got ahead of."""
        lost = self._batches.pool.gather(
            [partial(_write_together, group) for group in _transactions(changes)]
        )
        return {comment_id for group in lost for comment_id in group}


def _write_together(changes: Sequence[Change]) -> list[str]:
    counted = CountChanges()
    for change in changes:
        change.count(counted)
    try:
        write([action for change in changes for action in change.actions()], counted)
    except ConditionFailed:
        return [change.comment.id for change in changes]
    return []


def _transactions(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Divide changes into transactions that DynamoDB takes, their counts included."""
    group: list[Change] = []
    actions, characters, products = 0, 0, set[str]()
    for change in sorted(changes, key=lambda change: change.comment.product_id):
        actions += change.cost
        characters += change.characters
        products |= change.products
        is_full = actions + len(products) > MOST_ACTIONS or characters > TRANSACTION_CHARACTERS
        if group and is_full:
            yield group
            group = []
            actions, characters = change.cost, change.characters
            products = set(change.products)
        group.append(change)
    if group:
        yield group


def in_chunks(comments: Iterable[NewComment]) -> Iterator[list[NewComment]]:
    """Divide comments into lists that fit into memory, however long their texts are."""
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


def _change(comment: NewComment, stored: Item | None) -> Change:
    item, body = items_of(comment)
    reply = None if stored and stored.get(_REPLY_DIGEST) == _BY_STAFF else reply_of(comment)
    if reply is not None:
        item.replied, item.reply_digest = True, _digest(reply)
    return Change(
        comment=comment,
        item=item.serialize(),
        body=body.serialize() if body else None,
        reply=reply.serialize() if reply else None,
        stored=None if stored and is_tombstone(stored) else stored,
    )


def _digest(reply: CommentReply) -> bytes:
    """Give what an import is known by to have brought this reply."""
    said = f"{reply.replied_at or ''}\n{reply.text}"
    return blake2b(said.encode(), digest_size=8).digest()


def _key(comment: NewComment) -> str:
    return keys.comment(comment.id)


def _cell(item: Item) -> Cell:
    return item[_LANGUAGE]["S"], int(item[_RATING]["N"])


def _products_of(item: Item) -> set[str]:
    return {_product_id(item)} if _PRODUCT in item else set()


def _product_id(item: Item) -> str:
    return keys.product_id_in(item[_PRODUCT]["S"])


def _determined(item: Item) -> Item:
    return {name: value for name, value in item.items() if name in DETERMINED}
