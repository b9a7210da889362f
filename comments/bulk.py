"""Writes of many comments: what an import and the sample data are put with.

What is stored already is read first, strongly and a hundred at a time, which takes a tenth of
the time and cost of writing it. So a load that was interrupted is resumed by starting it again,
and one that is repeated writes nothing.

A comment that has, or had, a long body is written with it in one transaction: at no moment, and
after no interruption, does one of them belong to another version than the other. The languages
of a product are added before the first comment in them, so that no comment is ever in a language
that its product's page does not offer.

BatchWriteItem knows no conditions: of two loads at once that bring different versions of one
comment, the later call wins. Run one at a time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

from comments import keys
from comments.items import NewComment, items_of
from comments.models import Comment, ProductLanguages
from dynamo.batches import Batches
from dynamo.runs import Item
from dynamo.transactions import write_together

CHUNK = 1_000
"""Comments written at a time: some rounds of parallel batches."""
CHUNK_CHARACTERS = 8_000_000
"""Text of a chunk, at the most: what bounds the memory of a load."""

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
"""The attributes a `NewComment` determines. Whatever else a stored comment has came to it in the
shop (verified, replied to), and is carried over when a newer version replaces it."""
_PLACE = Comment.place.attr_name
_LENGTH = Comment.body_bytes.attr_name


class Verdict(Enum):
    """What becomes of a comment, compared with what is stored under its id."""

    NEW = "nothing is stored"
    REPLACED = "an older version is stored, or another of the same date"
    UNCHANGED = "the same is stored"
    SUPERSEDED = "a newer version is stored, or one its author has edited"


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
    stored: Item | None

    @property
    def verdict(self) -> Verdict:
        """Compare the versions: the newer ``created_at`` wins, at equal dates the incoming one."""
        stored = self.stored
        if stored is None:
            return Verdict.NEW
        if _determined(stored) == self.item:
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
        return {**kept, **self.item}

    @property
    def concerns_body(self) -> bool:
        """Tell whether the comment has, or had, an item for its long body."""
        return self.body is not None or _LENGTH in (self.stored or {})

    def operations(self) -> list[dict[str, Any]]:
        """Spell the comment and its body as one transaction."""
        key = {"pk": self.item["pk"], "sk": {"S": keys.BODY}}
        put_body = {"Put": {"TableName": TABLE, "Item": self.body}}
        delete_body = {"Delete": {"TableName": TABLE, "Key": key}}
        return [
            put_body if self.body is not None else delete_body,
            {"Put": {"TableName": TABLE, "Item": self.merged}},
        ]


class BulkWriter:
    """Writes comments in bulk. One of it serves one load, from one thread."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._offered: set[tuple[str, str]] = set()

    def write(self, comments: Sequence[NewComment]) -> Outcome:
        """Write what is new or newer than stored, and say what became of each.

        Ids must not repeat; give a bounded number at a time (`in_chunks`). Raises what
        `dynamo.batches.Batches` and `dynamo.transactions.write_together` do; what was written
        until then stays, and the same call again writes the rest.
        """
        changes = self._compare(comments)
        pending = [c for c in changes if c.verdict in {Verdict.NEW, Verdict.REPLACED}]
        self._offer_languages(pending)
        self._put(pending)
        return Outcome.of(change.verdict for change in changes)

    def _compare(self, comments: Sequence[NewComment]) -> list[Change]:
        table_keys = [{"pk": {"S": key}, "sk": {"S": key}} for key in map(_key, comments)]
        found = {item["pk"]["S"]: item for item in self._batches.get(TABLE, table_keys)}
        return [_change(comment, found.get(_key(comment))) for comment in comments]

    def _offer_languages(self, pending: Sequence[Change]) -> None:
        wanted = {(c.comment.product_id, c.comment.language) for c in pending} - self._offered
        by_product: dict[str, set[str]] = {}
        for product_id, language in wanted:
            by_product.setdefault(product_id, set()).add(language)
        self._batches.pool.gather(
            [partial(add_languages, product, of=codes) for product, codes in by_product.items()]
        )
        self._offered |= wanted

    def _put(self, pending: Sequence[Change]) -> None:
        together = [change for change in pending if change.concerns_body]
        self._batches.pool.gather(
            [partial(write_together, self._batches.client, c.operations()) for c in together]
        )
        alone = [change.merged for change in pending if not change.concerns_body]
        self._batches.put(TABLE, alone)


def add_languages(product_id: str, *, of: Iterable[str]) -> None:
    """Add languages to those a product's page offers; adding one twice changes nothing."""
    key = keys.languages(product_id)
    ProductLanguages(pk=key, sk=key).update(actions=[ProductLanguages.languages.add(set(of))])


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
    return Change(
        comment=comment,
        item=item.serialize(),
        body=body.serialize() if body else None,
        stored=stored,
    )


def _key(comment: NewComment) -> str:
    return keys.comment(comment.id)


def _determined(item: Item) -> Item:
    return {name: value for name, value in item.items() if name in DETERMINED}
