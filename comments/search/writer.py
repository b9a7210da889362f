"""The writing of postings: with a change of comments, after it, and by whoever finishes it.

Postings are written after the transaction of their comments (`follow`). It stores a `WordChange`
that names all postings which the comments had and are to have, a mark in each product of theirs
(`comments.search.pending`), and a due item that names the change. Then the postings are written
(see `comments.store.derived`), and two seconds later the change is deleted with its marks, and then
the due item. Until then searches ask the table instead of the postings. So while a posting may be
wrong, there is a mark that says so; and while there is a mark, there is a due item by which any
process finishes the change (`finish_change`, `finish_postings`).

Where the table may have postings of an older version of stems, those of comments as they were are
named, too, and so are deleted. None are written. A writer that finds the comment changed by others
names and marks what it is going to write first.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
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
from dynapages.calls import (
    Batches,
    Throttled,
    Unreachable,
    clock,
    fault_in,
    few_of,
    one_operation,
    patience_is_over,
    sentence_about,
    size_of_batch,
    time_budget,
)
from dynapages.items import Item, table_key
from dynapages.lists import id_at, parse_timestamp, timestamp
from dynapages.process import client, page_batches
from dynapages.pynamodb import FAILURES, unchanged
from dynapages.work import worker
from dynapages.writes import Action, ConditionFailed, delete, put, write_transaction

CHANGES = "CHANGES#"
SHARDS = 4
"""Partitions that changes are spread over."""
MOST_OF_A_WRITER = PATIENCE * 3 / 4
"""How long after its change a process may write postings: others take over after `PATIENCE`."""
COMMENTS_AT_ONCE = 25
"""Of a change: comments whose postings are written together."""
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


@dataclass(frozen=True, slots=True)
class SourceText:
    """What postings are derived from, and the comment's text: None where it is not known."""

    source: Item
    body: str | None

    @property
    def partition(self) -> str:
        key: str = self.source["pk"]["S"]
        return key

    @property
    def must_be_read(self) -> bool:
        """Whether the text is longer than the item shows, and not known."""
        return self.body is None and _LENGTH in self.source


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
        after: dict[str, Item] = {}
        # One change is of a visitor, who waits; several are of an import.
        if len(changes) == 1:
            batches = page_batches()
        else:
            batches = bulk_batches()
        writer = cls(batches, after=after)
        texts_before: list[SourceText] = []
        texts_after: list[SourceText] = []
        for change in changes:
            # Votes, ranks and picks are in no posting.
            old, new = source_of(change.before), source_of(change.after)
            if old == new:
                continue
            if old:
                texts_before.append(SourceText(old, change.text_before))
            if new:
                texts_after.append(SourceText(new, change.text_after))
                after[new["pk"]["S"]] = new
        # Long texts of both are read in one round.
        texts = writer._with_bodies([*texts_before, *texts_after])
        for postings in writer._derive(texts):
            writer.named.update(writer.by_name(postings))
        if has_older():
            for text in texts[: len(texts_before)]:
                writer.named.update(older_names_of(text.source, text.body))
        if not writer.named:
            return None
        return writer

    @classmethod
    def of_stored(cls, stored: Item, batches: Batches) -> "WordWriter":
        """Return the writer for a change as it is stored."""
        # Without ``after``: others may have changed the comments since, so they are read.
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
        # A new change must not exist; one that is taken over must be as it was read.
        same = self._is_mine()
        if not self.stored:
            first_id = min(keys.id_in_keys(id_at(place)) for _partition, place in self.named)
            sort_key = f"{first_id}#{token_hex(8)}"
            self.stored = {"pk": {"S": shard_of(first_id)}, _PLACE: {"S": sort_key}}
        marks = self.by_name(marks_of(self.change, self.named))
        self.marks.update(marks)
        self.stored = {**self.stored, **self._names_and_marks()}
        actions = [put(WordChange, self.stored, same)]
        actions += [put(PendingMark, mark) for mark in marks.values()]
        return actions

    def write(self) -> None:
        """Write the postings of the comments as they are now.

        Raises what `DerivedWriter.settle` does, and ConditionFailed where others have taken over;
        OutOfTime before these may do so, as they would not know of postings that are put later.
        """
        by_comment: dict[str, set[Name]] = defaultdict(set)
        for partition, place in self.named:
            by_comment[keys.comment(id_at(place))].add((partition, place))
        writes: dict[str, Writes] = {}
        for key, names in by_comment.items():
            writes[key] = Writes(deletes=frozenset(names))
        pending = list(writes)
        while pending:
            # Where the database is slow, fewer comments are written before others may take over.
            number = size_of_batch(COMMENTS_AT_ONCE)
            with one_operation():
                self._settle_in_time({key: writes[key] for key in pending[:number]})
            del pending[:number]

    def _settle_in_time(self, writes: Mapping[str, Writes]) -> None:
        """Write the postings of some comments; a patient job does, however long it takes."""
        while True:
            # Where the database is slow, a change of many comments takes longer than others wait.
            if self._time_left() < MOST_OF_A_WRITER / 2:
                write_transaction(client(), self.put())
            try:
                # Others take a change over then: what is put after that is unknown to them.
                with time_budget(self._time_left().total_seconds()):
                    self.settle(writes, self.after)
            except FAILURES as failure:
                is_passing = isinstance(fault_in(failure), Throttled | Unreachable)
                if not is_passing or patience_is_over():
                    raise
            else:
                return

    def _time_left(self) -> timedelta:
        """Return how long postings may be written until the change must be renewed."""
        began = parse_timestamp(self.stored[AT]["S"])
        return began + MOST_OF_A_WRITER - clock.now()

    def write_or_log(self) -> bool:
        """Write the postings after a commit; return whether they are written.

        What fails is logged, and left to the worker.
        """
        try:
            self.write()
        except FAILURES as failure:
            sentence = "Postings of %s were left behind: %s"
            logger.warning(sentence, comments_of(self.stored), sentence_about(failure))
            return False
        return True

    def close(self) -> bool:
        """Delete the change with its marks; return False where others have taken it over.

        Not before `SETTLED_AFTER` the last posting was written.
        """
        key = {name: self.stored[name] for name in self.key}
        # In one transaction: a mark without its change would make searches dear for good.
        deletions = [delete(WordChange, key, self._is_mine())]
        deletions += [delete(PendingMark, self.table_key(mark)) for mark in self.marks]
        try:
            write_transaction(client(), deletions)
        except ConditionFailed:
            return False
        return True

    def read(self, keys: Collection[str]) -> dict[str, Item]:
        sources: dict[str, Item] = {}
        table_keys = [table_key(key, COMMENT) for key in keys]
        for comment in self.batches.get(COMMENTS_TABLE, table_keys):
            source = source_of(comment)
            if source is not None:
                sources[comment["pk"]["S"]] = source
        return sources

    def derive(self, sources: Mapping[str, Item]) -> dict[str, list[Item]]:
        derived = self._derive([SourceText(source, None) for source in sources.values()])
        return dict(zip(sources, derived, strict=True))

    def before_writing(self, writes: Iterable[Writes]) -> None:
        """Name what is not yet named. Raises ConditionFailed where others have taken over."""
        names = set(self.named)
        for of_comment in writes:
            names.update(of_comment.puts)
        if names != self.named:
            self.named = names
            write_transaction(client(), self.put())

    def write_items(self, puts: Sequence[Item], deletes: Sequence[Item]) -> None:
        # In no order: while there is a mark, searches ask the table.
        self.batches.put_and_delete(self.table, puts, deletes)

    def _derive(self, texts: Sequence[SourceText]) -> list[list[Item]]:
        """Derive postings, or return those derived before; long texts not given are read."""
        # A source is derived before its write and after it: postings are derived once.
        new = [text for text in texts if repr(text.source) not in self._derived]
        for text in self._with_bodies(new):
            self._derived[repr(text.source)] = postings_of(text.source, text.body)
        return [self._derived[repr(text.source)] for text in texts]

    def _with_bodies(self, texts: Sequence[SourceText]) -> list[SourceText]:
        """Return comments with their texts, of which long ones that are not given are read."""
        unread = {text.partition for text in texts if text.must_be_read}
        body_keys = [table_key(partition, keys.BODY) for partition in unread]
        bodies: dict[str, str] = {}
        for body in self.batches.get(COMMENTS_TABLE, body_keys):
            bodies[body["pk"]["S"]] = body[CommentBody.text.attr_name]["S"]
        whole: list[SourceText] = []
        for text in texts:
            if text.body is None:
                whole.append(SourceText(text.source, bodies.get(text.partition)))
            else:
                whole.append(text)
        return whole

    def _is_mine(self) -> Condition:
        return unchanged(self.stored, WordChange.pk, WordChange.at)

    def _names_and_marks(self) -> Item:
        """Return the attributes that name all postings, by their place and partition's start.

        And the marks: a later process that names other postings may not know of all these.
        """
        stems_by_start: dict[str, list[str]] = defaultdict(list)
        for partition, place in self.named:
            start, _, stem = partition.rpartition("/")
            stems_by_start[f"{place}\n{start}"].append(stem)
        named: dict[str, dict[str, list[str]]] = {}
        for place_and_start, stems in stems_by_start.items():
            named[place_and_start] = {"SS": stems}
        return {
            _NAMED: {"M": named},
            _MARKS: {"SS": ["\n".join(key) for key in self.marks]},
            AT: {"S": timestamp(clock.now())},
        }


def names_in(stored: Item) -> set[Name]:
    """Return the postings that a stored change names."""
    names: set[Name] = set()
    for place_and_start, stems in stored[_NAMED]["M"].items():
        place, start = place_and_start.split("\n")
        for stem in stems["SS"]:
            names.add((f"{start}/{stem}", place))
    return names


def marks_in(stored: Item) -> set[Name]:
    """Return the keys of the marks of a stored change."""
    marks: set[Name] = set()
    for text in stored[_MARKS]["SS"]:
        partition, _, sort_key = text.partition("\n")
        marks.add((partition, sort_key))
    return marks


def comments_of(stored: Item) -> str:
    """Return the ids of the comments that a stored change is about, or of a few, for a reader."""
    comment_ids = {id_at(place) for _partition, place in names_in(stored)}
    return few_of(sorted(comment_ids))


def rewrite(named: Iterable[Name]) -> None:
    """Write the postings of some comments anew; ``named`` are all that may be wrong.

    Raises BatchIncomplete, Contended, ConditionFailed, and botocore's errors.
    """
    # Named and marked like a change, so that a crash is finished like one.
    words = WordWriter(bulk_batches(), named=set(named))
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
    if not is_searchable():
        return
    for change in changes_of(product_id, comment_id):
        if and_close:
            finish_change(change, page_batches())
        else:
            resume(change, page_batches())


def finish_change(change: str, batches: Batches) -> None:
    """Write the postings of an unfinished change, by its sort key, and have it deleted after that.

    Raises ConditionFailed where another process is at it, BatchIncomplete, Contended, and
    botocore's errors.
    """
    words = resume(change, batches)
    if words is not None:
        # Its due item then finds it gone.
        worker().later(SETTLED_AFTER.total_seconds(), words.close)


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
    change_item: Item = (
        client().get_item(TableName=TABLE, Key=key, ConsistentRead=True).get("Item", {})
    )
    return change_item


def unfinished_changes() -> list[Item]:
    """Read the changes that nobody has worked at for `PATIENCE`: half a unit for each shard."""
    latest = timestamp(clock.now() - PATIENCE)
    changes: list[Item] = []
    for shard in range(SHARDS):
        partition = WordChange.pk == f"{CHANGES}{shard}"
        for page in query_pages(partition, table=TABLE, ConsistentRead=True):
            for change in page["Items"]:
                if change[AT]["S"] <= latest:
                    changes.append(change)
    return changes
