"""The writing of comments with what follows from them: `write` is the one place that does.

The primaries of the read model ``sets`` are written in the transaction that changes their comments,
and their copies by a stream (`comments.sets.copies`). Postings are written after it.

The transaction stores a `WordChange` that names all postings which the comments had and are to
have, a mark in each product of theirs (`comments.search.pending`), and a due item that names the
change. Then the postings are written (see `comments.store.derived`), and two seconds later the
change is deleted with its marks, and then the due item. Until then searches ask the table instead
of the postings. So while a posting may be wrong, there is a mark that says so; and while there is a
mark, there is a due item by which any process finishes the change.

Where the table may have postings of an older version of stems, those of comments as they were are
named, too, and so are deleted. None are written.

A writer that finds the comment changed by others names and marks what it is going to write first.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from zlib import crc32

from pynamodb.expressions.condition import Condition

from comments import keys
from comments.host import is_searchable
from comments.keys import COMMENT
from comments.models import ENTRY, Comment, CommentBody
from comments.models import TABLE as COMMENTS_TABLE
from comments.search.models import TABLE, PendingMark, WordChange
from comments.search.pending import changes_of, marks_of
from comments.search.postings import has_older, older_names_of, postings_of
from comments.store.derived import DerivedWriter, Name, Writes, bulk_batches
from comments.store.states import is_listed, is_tombstone, product_id_of
from comments.store.table import query_pages
from comments.store.writing import (
    NOTHING_FOLLOWS,
    PATIENCE,
    SETTLED_AFTER,
    CommentChange,
    Committed,
    Following,
    Owes,
)
from dynapages.calls import Batches, clock, sentence_about, time_budget
from dynapages.items import Item, table_key
from dynapages.lists import id_at, parse_timestamp, timestamp
from dynapages.process import client, page_batches
from dynapages.pynamodb import FAILURES, unchanged
from dynapages.work import worker
from dynapages.writes import Action, ConditionFailed, Contended, delete, put, write_transaction

CHANGES = "CHANGES#"
SHARDS = 4
MOST_OF_A_WRITER = PATIENCE * 3 / 4
"""How long after its change a process may write postings: others take over after `PATIENCE`."""
AT = WordChange.at.attr_name
_NAMED = WordChange.named.attr_name
_MARKS = WordChange.marks.attr_name
_PLACE = WordChange.place.attr_name
_LENGTH = Comment.body_bytes.attr_name
_WITHHELD = Comment.hidden_product.attr_name
_DECISIVE = ("pk", Comment.body_digest.attr_name, Comment.product_partition.attr_name, *ENTRY)

logger = logging.getLogger(__name__)


def follow(changes: Sequence[CommentChange]) -> Following:
    """Return what belongs in the transaction of changes, and the writing of postings after it."""
    words = WordWriter.following(changes)
    if words is None:
        return NOTHING_FOLLOWS
    actions = words.put()
    return Following(
        actions=actions,
        owes=Owes(change=words.change),
        finish=words.write_or_log,
        close=words.close,
    )


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

    ``after`` are the comments as they were just written, None where that is not known. ``stored``
    is the change, ``marks`` are those that are stored with it.
    """

    table = TABLE
    key = ("pk", "o")
    named: set[Name] = field(default_factory=set)
    after: dict[str, Item] | None = None
    stored: Item = field(default_factory=dict)
    marks: set[Name] = field(default_factory=set)
    _derived: dict[str, list[Item]] = field(default_factory=dict)

    @classmethod
    def following(cls, changes: Sequence[CommentChange]) -> "WordWriter | None":
        """Return the writer for what is about to be changed; None where no postings change."""
        after = dict[str, Item]()
        writer = cls(page_batches() if len(changes) == 1 else bulk_batches(), after=after)
        befores: list[tuple[Item, str | None]] = []
        afters: list[tuple[Item, str | None]] = []
        for change in changes:
            old, new = source_of(change.before), source_of(change.after)
            if old == new:
                continue
            if old:
                befores.append((old, change.text_before))
            if new:
                afters.append((new, change.text_after))
                after[new["pk"]["S"]] = new
        whole = writer._with_bodies([*befores, *afters])
        writer.named.update(*map(writer.by_name, writer._derive(whole)))
        if has_older():
            for source, body in whole[: len(befores)]:
                writer.named.update(older_names_of(source, body))
        return writer if writer.named else None

    @classmethod
    def of_stored(cls, stored: Item, batches: Batches) -> "WordWriter":
        """Return the writer for a change as it is stored."""
        return cls(batches, named=names_in(stored), stored=stored, marks=marks_in(stored))

    @property
    def change(self) -> str:
        """The sort key of the change, which `put` has given it."""
        sort_key: str = self.stored[_PLACE]["S"]
        return sort_key

    def put(self) -> list[Action]:
        """Build the actions that store what is named now, unless others have stored the change.

        They store the change and its marks. At first they belong in the transaction of its
        comments.
        """
        same = self._is_mine()
        if not self.stored:
            first = min(keys.id_in_keys(id_at(place)) for _, place in self.named)
            self.stored = {"pk": {"S": shard_of(first)}, _PLACE: {"S": f"{first}#{token_hex(8)}"}}
        marks = self.by_name(marks_of(self.change, self.named))
        self.marks.update(marks)
        self.stored = {**self.stored, **self._naming()}
        return [put(WordChange, self.stored, same), *(put(PendingMark, m) for m in marks.values())]

    def write(self) -> None:
        """Write the postings of the comments as they are now.

        Raises what `DerivedWriter.settle` does, and ConditionFailed where others have taken over;
        OutOfTime before these may do so, as they would not know of postings that are put later.
        """
        asked: dict[str, set[Name]] = defaultdict(set)
        for name in self.named:
            asked[keys.comment(id_at(name[1]))].add(name)
        writes = {key: Writes(deletes=frozenset(names)) for key, names in asked.items()}
        at = parse_timestamp(self.stored[AT]["S"])
        with time_budget((at + MOST_OF_A_WRITER - clock.now()).total_seconds()):
            self.settle(writes, self.after)

    def write_or_log(self) -> bool:
        """Write the postings after a commit; return whether they are written.

        What fails is logged, and left to the worker.
        """
        try:
            self.write()
        except (*FAILURES, ConditionFailed, Contended) as failure:
            sentence = "Postings of %s were left behind: %s"
            logger.warning(sentence, comments_of(self.stored), sentence_about(failure))
            return False
        return True

    def close(self) -> bool:
        """Delete the change with its marks; return False where others have taken it over.

        Not before `SETTLED_AFTER` the last posting was written.
        """
        gone = delete(WordChange, {name: self.stored[name] for name in self.key}, self._is_mine())
        marks = [delete(PendingMark, self.table_key(mark)) for mark in self.marks]
        try:
            write_transaction(client(), [gone, *marks])
        except ConditionFailed:
            return False
        return True

    def read(self, keys: Collection[str]) -> dict[str, Item]:
        found = self.batches.get(COMMENTS_TABLE, [table_key(key, COMMENT) for key in keys])
        return {item["pk"]["S"]: source for item in found if (source := source_of(item))}

    def derive(self, sources: Mapping[str, Item]) -> dict[str, list[Item]]:
        derived = self._derive([(source, None) for source in sources.values()])
        return dict(zip(sources, derived, strict=True))

    def before_writing(self, writes: Iterable[Writes]) -> None:
        """Name what is not yet named. Raises ConditionFailed where others have taken over."""
        named = self.named.union(*(one.puts for one in writes))
        if named != self.named:
            self.named = named
            write_transaction(client(), self.put())

    def _derive(self, texts: Sequence[tuple[Item, str | None]]) -> list[list[Item]]:
        """Derive postings, or return those derived before; long texts not given are read."""
        new = [(source, text) for source, text in texts if repr(source) not in self._derived]
        for source, body in self._with_bodies(new):
            self._derived[repr(source)] = postings_of(source, body)
        return [self._derived[repr(source)] for source, _ in texts]

    def _with_bodies(
        self, texts: Sequence[tuple[Item, str | None]]
    ) -> list[tuple[Item, str | None]]:
        """Return comments with their texts, of which long ones that are not given are read."""
        unread = {s["pk"]["S"] for s, text in texts if text is None and _LENGTH in s}
        found = self.batches.get(COMMENTS_TABLE, [table_key(key, keys.BODY) for key in unread])
        bodies = {body["pk"]["S"]: body[CommentBody.text.attr_name]["S"] for body in found}
        return [
            (source, bodies.get(source["pk"]["S"]) if text is None else text)
            for source, text in texts
        ]

    def _is_mine(self) -> Condition:
        return unchanged(self.stored, WordChange.pk, WordChange.at)

    def _naming(self) -> Item:
        """Return the attributes that name all postings, by their place and partition's start.

        Beside them the marks: a later process that names others may not know of all these.
        """
        stems: dict[str, list[str]] = defaultdict(list)
        for pk, place in self.named:
            start, _, stem = pk.rpartition("/")
            stems[f"{place}\n{start}"].append(stem)
        return {
            _NAMED: {"M": {start: {"SS": some} for start, some in stems.items()}},
            _MARKS: {"SS": ["\n".join(key) for key in self.marks]},
            AT: {"S": timestamp(clock.now())},
        }


def names_in(stored: Item) -> set[Name]:
    """Return the postings that a stored change names."""
    return {
        (f"{start}/{stem}", place)
        for name, stems in stored[_NAMED]["M"].items()
        for place, start in [name.split("\n")]
        for stem in stems["SS"]
    }


def marks_in(stored: Item) -> set[Name]:
    """Return the keys of the marks of a stored change."""
    keys_of = (text.partition("\n") for text in stored[_MARKS]["SS"])
    return {(pk, sort_key) for pk, _, sort_key in keys_of}


def comments_of(stored: Item) -> str:
    """Return the ids of the comments that a stored change is about, for a reader."""
    return ", ".join(sorted({id_at(place) for _, place in names_in(stored)}))


def rewrite(named: Iterable[Name]) -> None:
    """Write the postings of some comments anew; ``named`` are all that may be wrong.

    What is right is put before the rest is deleted: searches find a comment by either meanwhile.
    Raises BatchIncomplete, Contended, ConditionFailed, and botocore's errors.
    """
    words = WordWriter(bulk_batches(), puts_first=True, named=set(named))
    actions = words.put()
    committed = Committed(Owes(change=words.change).due_item(), words.close)
    write_transaction(client(), [*actions, *committed.actions])
    words.write()
    committed.end(is_done=True)


def finish_postings(product_id: str, comment_id: str, *, and_close: bool = False) -> None:
    """Write what earlier changes of a comment have left behind, whoever made them.

    Their marks stay until their due items close them: an attempt before this one may still be
    writing, and what it puts later would be old, and trusted. With ``and_close`` they go with this.
    Raises like `finish_change`.
    """
    for change in changes_of(product_id, comment_id) if is_searchable() else ():
        if and_close:
            finish_change(change, page_batches())
        else:
            resume(change, page_batches())


def finish_change(change: str, batches: Batches) -> None:
    """Write the postings of an unfinished change, by its sort key, and have it deleted after that.

    Raises ConditionFailed where another process is at it, BatchIncomplete, Contended, and
    botocore's errors.
    """
    if words := resume(change, batches):
        worker().later(SETTLED_AFTER.total_seconds(), words.close)  # its due item finds it gone


def resume(change: str, batches: Batches) -> WordWriter | None:
    """Write the postings of an unfinished change; return None where it is not there any more.

    Raises like `finish_change`.
    """
    stored = find_change(change)
    if not stored:
        return None
    words = WordWriter.of_stored(stored, batches)
    write_transaction(client(), words.put())
    words.write()
    return words


def find_change(change: str) -> Item:
    """Read a change by its sort key, strongly; an empty one where there is none."""
    first, _, _token = change.rpartition("#")
    key = {"pk": {"S": shard_of(first)}, _PLACE: {"S": change}}
    found: Item = client().get_item(TableName=TABLE, Key=key, ConsistentRead=True).get("Item", {})
    return found


def unfinished() -> list[Item]:
    """Read the changes that nobody has worked at for `PATIENCE`: half a unit for each shard."""
    limit = timestamp(clock.now() - PATIENCE)
    shards = (WordChange.pk == f"{CHANGES}{shard}" for shard in range(SHARDS))
    return [item for one in shards for item in _changes_in(one) if item[AT]["S"] <= limit]


def _changes_in(condition: Condition) -> Iterator[Item]:
    for page in query_pages(condition, table=TABLE, ConsistentRead=True):
        yield from page["Items"]
