"""The writing of postings, after the transaction that changes their comments.

The transaction stores a `WordChange` that names all postings which the comments had and are to
have. Then the postings are written (see `comments.store.derived`), and the change is deleted. Where
that fails, or the process dies, a sweep finishes it, or the same deletion made again.

A writer that finds the comment changed by others names what it is going to write first. So all
postings that may be wrong are named by a change that is still stored: but for a writer that was
held up for longer than `PATIENCE`, overtaken by another, and killed before it read again. What that
leaves is found by ``check_integrity --model words``.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from secrets import token_hex
from threading import Timer
from typing import NamedTuple
from zlib import crc32

from pynamodb.expressions.condition import Condition

from comments import keys
from comments.models import TABLE as COMMENTS_TABLE
from comments.models import Comment, CommentBody
from comments.search.models import TABLE, WordChange
from comments.search.postings import KEPT, is_searchable, postings_of
from comments.store.comments import is_tombstone, product_id_of
from comments.store.derived import DerivedWriter, Name, Writes, bulk_batches
from comments.store.table import query_pages
from dynapages.calls import Batches, clock, sentence_about
from dynapages.items import Item, table_key
from dynapages.lists import id_at, timestamp
from dynapages.process import client, page_batches
from dynapages.pynamodb import FAILURES, unchanged
from dynapages.writes import Action, ConditionFailed, Contended, delete, put, write_one

CHANGES = "CHANGES#"
SHARDS = 4
PATIENCE = timedelta(minutes=1)
"""How long a change is left to whoever is writing its postings."""
_NAMED, _AT = WordChange.named.attr_name, WordChange.at.attr_name
_DIGEST = Comment.body_digest.attr_name
_LENGTH = Comment.body_bytes.attr_name
_LISTED, _WITHHELD = Comment.product_partition.attr_name, Comment.hidden_product.attr_name
_DECISIVE = ("pk", _DIGEST, _LISTED, *KEPT)

logger = logging.getLogger(__name__)


class CommentChange(NamedTuple):
    """A comment's item before and after, None for none, and both whole texts where they are known.

    A text that is not known is read where it is long.
    """

    before: Item | None
    after: Item | None
    text_before: str | None = None
    text: str | None = None


def shard_of(comment_id: str) -> str:
    """Return the partition of changes that begin with this comment."""
    return f"{CHANGES}{crc32(comment_id.encode()) % SHARDS}"


def source_of(comment: Item | None) -> Item | None:
    """Return what postings are derived from; None of no comment."""
    if not comment or is_tombstone(comment):
        return None
    source = {name: comment[name] for name in _DECISIVE if name in comment}
    if _LISTED not in comment:  # held or hidden, for whatever reason
        source[_WITHHELD] = {"S": product_id_of(comment)}
    return source


@dataclass(slots=True)
class WordWriter(DerivedWriter[str, Item]):
    """Writes the postings of comments, by their partition keys, for one change."""

    table = TABLE
    key = ("pk", "o")
    named: dict[str, set[Name]] = field(default_factory=dict)
    after: dict[str, Item] = field(default_factory=dict)
    stored: Item = field(default_factory=dict)
    _derived: dict[str, list[tuple[Item, list[Item]]]] = field(default_factory=dict)

    @classmethod
    def following(cls, changes: Iterable[CommentChange], batches: Batches) -> "WordWriter | None":
        """Return the writer for what is about to be changed; None where no postings change."""
        writer, before = cls(batches), dict[str, Item]()
        texts: list[tuple[Item, str | None]] = []
        for change in changes:
            old, new = source_of(change.before), source_of(change.after)
            if old == new:
                continue
            for source, sources, text in (
                (old, before, change.text_before),
                (new, writer.after, change.text),
            ):
                if source:
                    sources[source["pk"]["S"]] = source
                    texts.append((source, text))
        writer._derive(texts)
        writer.name(writer.derive(before))
        writer.name(writer.derive(writer.after))
        return writer if any(writer.named.values()) else None

    @classmethod
    def resuming(cls, stored: Item, batches: Batches) -> "WordWriter":
        """Return the writer for a change that is stored. Raises ConditionFailed if others are."""
        writer = cls(batches, named=names_in(stored), stored=stored)
        writer._store(writer._naming())
        return writer

    def name(self, postings: Mapping[str, Iterable[Item]]) -> None:
        """Name postings by the keys of their comments, before the change is stored."""
        for key, items in postings.items():
            self.named.setdefault(key, set()).update(self.by_name(items))

    def put(self) -> Action:
        """Build the action that stores the change, in the transaction of its comments."""
        first = keys.comment_id_in(min(self.named))
        key = {"pk": {"S": shard_of(first)}, "o": {"S": f"{first}#{token_hex(8)}"}}
        self.stored = {**key, **self._naming()}
        return put(WordChange, self.stored)

    def write(self, *, is_known: bool = False) -> None:
        """Write the postings of the comments, and delete the change.

        With ``is_known`` the comments are taken to be as they were just written. Raises what
        `DerivedWriter.settle` does.
        """
        asked = {key: Writes(deletes=frozenset(names)) for key, names in self.named.items()}
        self.settle(asked, self.after if is_known else None)
        with suppress(ConditionFailed):  # others have taken it over, and finish it
            write_one(client(), delete(WordChange, self._key(), self._is_mine()))

    def write_or_log(self) -> None:
        """Write the postings after a commit; what fails is logged, and left to a sweep."""
        try:
            self.write(is_known=True)
        except (*FAILURES, ConditionFailed, Contended) as failure:
            sentence = "Postings of %s were left behind: %s"
            logger.warning(sentence, ", ".join(self.named), sentence_about(failure))

    def read(self, keys: Collection[str]) -> dict[str, Item]:
        found = self.batches.get(COMMENTS_TABLE, [table_key(key, key) for key in keys])
        sources = [source for item in found if (source := source_of(item))]
        return {source["pk"]["S"]: source for source in sources}

    def derive(self, sources: Mapping[str, Item]) -> dict[str, list[Item]]:
        self._derive([(s, None) for key, s in sources.items() if not self._kept(key, s)])
        return {key: self._kept(key, source) or [] for key, source in sources.items()}

    def before_writing(self, writes: Iterable[Writes]) -> None:
        """Name what is not yet named. Raises ConditionFailed where others have taken over."""
        known = {name for names in self.named.values() for name in names}
        others = {name for one in writes for name in one.puts} - known
        for name in others:
            self.named.setdefault(keys.comment(id_at(name[1])), set()).add(name)
        if others:
            self._store(self._naming())

    def _kept(self, key: str, source: Item) -> list[Item] | None:
        return next((items for of, items in self._derived.get(key, ()) if of == source), None)

    def _derive(self, texts: Sequence[tuple[Item, str | None]]) -> None:
        """Derive postings, and keep them; long texts that are not given are read."""
        missing = {s["pk"]["S"] for s, text in texts if text is None and _LENGTH in s}
        found = self.batches.get(COMMENTS_TABLE, [table_key(key, keys.BODY) for key in missing])
        bodies = {body["pk"]["S"]: body[CommentBody.text.attr_name]["S"] for body in found}
        for source, text in texts:
            key = source["pk"]["S"]
            body = (bodies.get(key) if text is None else text) if _LENGTH in source else None
            self._derived.setdefault(key, []).append((source, postings_of(source, body)))

    def _store(self, naming: Item) -> None:
        """Store the change anew, as long as nobody else has."""
        stored = {**self.stored, **naming}
        write_one(client(), put(WordChange, stored, self._is_mine()))
        self.stored = stored

    def _is_mine(self) -> Condition:
        return unchanged(self.stored, WordChange.pk, WordChange.at)

    def _key(self) -> Item:
        return {"pk": self.stored["pk"], "o": self.stored["o"]}

    def _naming(self) -> Item:
        """Return the attributes that name all postings, by their place and partition's start."""
        stems: dict[str, list[str]] = {}
        for pk, place in sorted(name for names in self.named.values() for name in names):
            start, _, stem = pk.rpartition("/")
            stems.setdefault(f"{place}\n{start}", []).append(stem)
        return {
            _NAMED: {"M": {start: {"SS": some} for start, some in stems.items()}},
            _AT: {"S": timestamp(clock.now())},
        }


def names_in(stored: Item) -> dict[str, set[Name]]:
    """Return the postings that a stored change names, by the keys of their comments."""
    named: dict[str, set[Name]] = {}
    for name, stems in stored[_NAMED]["M"].items():
        place, _, start = name.partition("\n")
        of_comment = named.setdefault(keys.comment(id_at(place)), set())
        of_comment.update((f"{start}/{stem}", place) for stem in stems["SS"])
    return named


def rewrite(named: Mapping[str, set[Name]]) -> None:
    """Write the postings of some comments anew; ``named`` are all that may be wrong.

    Raises like `sweep`.
    """
    writer = WordWriter(bulk_batches(), named={key: set(names) for key, names in named.items()})
    writer.after = writer.read(named)
    writer.name(writer.derive(writer.after))
    if any(writer.named.values()):
        write_one(client(), writer.put())
        writer.write(is_known=True)


def finish(comment_id: str) -> None:
    """Write what changes of a comment have left behind, however lately. Raises like `sweep`."""
    if is_searchable():
        condition = (WordChange.pk == shard_of(comment_id)) & WordChange.place.startswith(
            f"{comment_id}#"
        )
        for page in query_pages(condition, table=TABLE, ConsistentRead=True):
            resume(page["Items"], page_batches())


def unfinished() -> list[Item]:
    """Read the changes that nobody has worked at for `PATIENCE`: half a unit for each shard."""
    limit = timestamp(clock.now() - PATIENCE)
    shards = (WordChange.pk == f"{CHANGES}{shard}" for shard in range(SHARDS))
    pages = (page for one in shards for page in query_pages(one, table=TABLE, ConsistentRead=True))
    return [item for page in pages for item in page["Items"] if item[_AT]["S"] <= limit]


def sweep() -> int:
    """Write the postings of changes that were left behind; return how many there were.

    Raises BatchIncomplete, Contended, and botocore's errors.
    """
    return resume(unfinished(), bulk_batches()) if is_searchable() else 0


def sweep_later() -> None:
    """Sweep in the background, when what a process before this one has left is old enough."""
    if is_searchable():
        timer = Timer(PATIENCE.total_seconds() + 10, sweep_or_log)
        timer.daemon = True
        timer.start()


def sweep_or_log() -> None:
    """Sweep; what fails is logged."""
    try:
        sweep()
    except (*FAILURES, Contended) as failure:
        logger.warning("The sweep of postings ended: %s", sentence_about(failure))


def resume(changes: Sequence[Item], batches: Batches) -> int:
    """Write the postings of changes as they were read; return how many were still there."""
    resumed = 0
    for stored in changes:
        with suppress(ConditionFailed):  # another process is at it
            WordWriter.resuming(stored, batches).write()
            resumed += 1
    return resumed
