"""The writing of comments with what follows from them: `write` is the one place that does.

The primaries of the read model ``sets`` are written in the transaction that changes their comments,
and their copies by a stream (`comments.sets.copies`). Postings are written after it.

The transaction stores a `WordChange` that names all postings which the comments had and are to
have. Then the postings are written (see `comments.store.derived`), and the change is deleted. Where
that fails, or the process dies, a sweep finishes it, or the same deletion made again.

A writer that finds the comment changed by others names what it is going to write first. So all
postings that may be wrong are named by a change that is still stored: but for a writer that was
held up for longer than `PATIENCE`, overtaken by another, and killed before it read again. What that
leaves is found by ``check_integrity --model words``.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from secrets import token_hex
from threading import Timer
from typing import NamedTuple
from zlib import crc32

from pynamodb.expressions.condition import Condition

from comments import keys
from comments.models import ENTRY, Comment, CommentBody
from comments.models import TABLE as COMMENTS_TABLE
from comments.search.models import TABLE, WordChange
from comments.search.postings import is_searchable, postings_of
from comments.sets.copies import follow, is_followed
from comments.store import counts
from comments.store.comments import is_listed, is_tombstone, product_id_of
from comments.store.counts import CountChanges
from comments.store.derived import DerivedWriter, Name, Writes, bulk_batches
from comments.store.table import query_pages, write_if
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
_LENGTH = Comment.body_bytes.attr_name
_WITHHELD = Comment.hidden_product.attr_name
_DECISIVE = ("pk", Comment.body_digest.attr_name, Comment.product_partition.attr_name, *ENTRY)

logger = logging.getLogger(__name__)


class CommentChange(NamedTuple):
    """A comment's item before and after, None for none, and both whole texts where they are known.

    A text that is not known is read where it is long.
    """

    before: Item | None
    after: Item | None
    text_before: str | None = None
    text: str | None = None


def is_anything_following() -> bool:
    """Return whether a change of what lists show must be made from the whole item."""
    return is_followed() or is_searchable()


def write(
    actions: Sequence[Action],
    followed: Sequence[CommentChange],
    counted: CountChanges | None = None,
) -> None:
    """Write actions that change comments, what follows from them, and the counts they change.

    The actions must require that version, product and reply of each comment are as they were
    before. Raises like `comments.store.counts.write`.
    """
    following = [action for one in followed for action in follow(one.before, one.after)]
    writer = WordWriter.following(followed) if is_searchable() else None
    if writer:
        following.append(writer.put())
    counts.write([*actions, *following], counted or CountChanges())
    if writer:
        writer.write_or_log()


def shard_of(comment_id: str) -> str:
    """Return the partition of changes that begin with this comment."""
    return f"{CHANGES}{crc32(comment_id.encode()) % SHARDS}"


def source_of(comment: Item | None) -> Item | None:
    """Return what postings are derived from; None of no comment."""
    if not comment or is_tombstone(comment):
        return None
    source = {name: comment[name] for name in _DECISIVE if name in comment}
    if not is_listed(comment):  # held or hidden, for whatever reason
        source[_WITHHELD] = {"S": product_id_of(comment)}
    return source


@dataclass(slots=True)
class WordWriter(DerivedWriter[str]):
    """Writes the postings of comments, by their partition keys, for one change.

    ``after`` are the comments as they were just written, None where that is not known.
    """

    table = TABLE
    key = ("pk", "o")
    named: set[Name] = field(default_factory=set)
    after: dict[str, Item] | None = None
    stored: Item = field(default_factory=dict)
    _derived: dict[str, list[Item]] = field(default_factory=dict)

    @classmethod
    def following(cls, changes: Sequence[CommentChange]) -> "WordWriter | None":
        """Return the writer for what is about to be changed; None where no postings change."""
        after = dict[str, Item]()
        writer = cls(page_batches() if len(changes) == 1 else bulk_batches(), after=after)
        texts: list[tuple[Item, str | None]] = []
        for change in changes:
            old, new = source_of(change.before), source_of(change.after)
            if old == new:
                continue
            if old:
                texts.append((old, change.text_before))
            if new:
                texts.append((new, change.text))
                after[new["pk"]["S"]] = new
        writer.named.update(*map(writer.by_name, writer._derive(texts)))
        return writer if writer.named else None

    def put(self) -> Action:
        """Build the action that stores what is named now, unless others have stored the change.

        At first it belongs in the transaction of its comments.
        """
        same = self._is_mine()
        if not self.stored:
            first = min(id_at(place) for _, place in self.named)
            self.stored = {"pk": {"S": shard_of(first)}, "o": {"S": f"{first}#{token_hex(8)}"}}
        self.stored = {**self.stored, **self._naming()}
        return put(WordChange, self.stored, same)

    def write(self) -> None:
        """Write the postings of the comments, and delete the change.

        Raises what `DerivedWriter.settle` does, and ConditionFailed where others have taken over.
        """
        asked: dict[str, set[Name]] = defaultdict(set)
        for name in self.named:
            asked[keys.comment(id_at(name[1]))].add(name)
        writes = {key: Writes(deletes=frozenset(names)) for key, names in asked.items()}
        self.settle(writes, self.after)
        key = {name: self.stored[name] for name in self.key}
        write_if(delete(WordChange, key, self._is_mine()))  # else others took over, and finish it

    def write_or_log(self) -> None:
        """Write the postings after a commit; what fails is logged, and left to a sweep."""
        try:
            self.write()
        except (*FAILURES, ConditionFailed, Contended) as failure:
            sentence = "Postings of %s were left behind: %s"
            logger.warning(sentence, comments_of(self.stored), sentence_about(failure))

    def read(self, keys: Collection[str]) -> dict[str, Item]:
        found = self.batches.get(COMMENTS_TABLE, [table_key(key, key) for key in keys])
        return {item["pk"]["S"]: source for item in found if (source := source_of(item))}

    def derive(self, sources: Mapping[str, Item]) -> dict[str, list[Item]]:
        derived = self._derive([(source, None) for source in sources.values()])
        return dict(zip(sources, derived, strict=True))

    def before_writing(self, writes: Iterable[Writes]) -> None:
        """Name what is not yet named. Raises ConditionFailed where others have taken over."""
        named = self.named.union(*(one.puts for one in writes))
        if named != self.named:
            self.named = named
            write_one(client(), self.put())

    def _derive(self, texts: Sequence[tuple[Item, str | None]]) -> list[list[Item]]:
        """Derive postings, or return those derived before; long texts not given are read."""
        new = [(source, text) for source, text in texts if repr(source) not in self._derived]
        unread = {s["pk"]["S"] for s, text in new if text is None and _LENGTH in s}
        found = self.batches.get(COMMENTS_TABLE, [table_key(key, keys.BODY) for key in unread])
        bodies = {body["pk"]["S"]: body[CommentBody.text.attr_name]["S"] for body in found}
        for source, text in new:
            body = bodies.get(source["pk"]["S"]) if text is None else text
            self._derived[repr(source)] = postings_of(source, body)
        return [self._derived[repr(source)] for source, _ in texts]

    def _is_mine(self) -> Condition:
        return unchanged(self.stored, WordChange.pk, WordChange.at)

    def _naming(self) -> Item:
        """Return the attributes that name all postings, by their place and partition's start."""
        stems: dict[str, list[str]] = defaultdict(list)
        for pk, place in self.named:
            start, _, stem = pk.rpartition("/")
            stems[f"{place}\n{start}"].append(stem)
        return {
            _NAMED: {"M": {start: {"SS": some} for start, some in stems.items()}},
            _AT: {"S": timestamp(clock.now())},
        }


def names_in(stored: Item) -> set[Name]:
    """Return the postings that a stored change names."""
    return {
        (f"{start}/{stem}", place)
        for name, stems in stored[_NAMED]["M"].items()
        for place, start in [name.split("\n")]
        for stem in stems["SS"]
    }


def comments_of(stored: Item) -> str:
    """Return the ids of the comments that a stored change is about, for a reader."""
    return ", ".join(sorted({id_at(place) for _, place in names_in(stored)}))


def rewrite(named: Iterable[Name]) -> None:
    """Write the postings of some comments anew; ``named`` are all that may be wrong.

    Raises BatchIncomplete, Contended, ConditionFailed, and botocore's errors.
    """
    writer = WordWriter(bulk_batches(), named=set(named))
    write_one(client(), writer.put())
    writer.write()


def finish(comment_id: str) -> None:
    """Write what changes of a comment have left behind, however lately. Raises like `resume`."""
    if is_searchable():
        begins = WordChange.place.startswith(f"{comment_id}#")
        resume(_changes_in((WordChange.pk == shard_of(comment_id)) & begins), page_batches())


def unfinished() -> list[Item]:
    """Read the changes that nobody has worked at for `PATIENCE`: half a unit for each shard."""
    limit = timestamp(clock.now() - PATIENCE)
    shards = (WordChange.pk == f"{CHANGES}{shard}" for shard in range(SHARDS))
    return [item for one in shards for item in _changes_in(one) if item[_AT]["S"] <= limit]


def _changes_in(condition: Condition) -> Iterator[Item]:
    for page in query_pages(condition, table=TABLE, ConsistentRead=True):
        yield from page["Items"]


def resume(changes: Iterable[Item], batches: Batches) -> int:
    """Write the postings of changes as they were read; return how many were still there.

    Raises BatchIncomplete, Contended, and botocore's errors.
    """
    resumed = 0
    for stored in changes:
        writer = WordWriter(batches, named=names_in(stored), stored=stored)
        with suppress(ConditionFailed):  # another process is at it
            write_one(client(), writer.put())
            writer.write()
            resumed += 1
    return resumed


def sweep() -> int:
    """Write the postings of changes that were left behind; return how many there were.

    What fails is logged, and left to the next one.
    """
    try:
        return resume(unfinished(), bulk_batches()) if is_searchable() else 0
    except (*FAILURES, Contended) as failure:
        logger.warning("The sweep of postings ended: %s", sentence_about(failure))
        return 0


def sweep_later() -> None:
    """Sweep in the background, when what a process before this one has left is old enough."""
    if is_searchable():
        timer = Timer(PATIENCE.total_seconds() + 10, sweep)
        timer.daemon = True
        timer.start()
