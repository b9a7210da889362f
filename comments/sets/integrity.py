"""The integrity of ``comment_sets``: every item, derived again from its comment and compared.

This is the hourly job that part 1 of "Efficient filtering with DynamoDB" asks for, and it fills the
table of a shop that changes over. Both tables are read whole; a comment that looks wrong is read
again, strongly, before it is reported. A primary is written on condition that the comment is still
what it was derived from.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby

from comments import keys
from comments.models import Comment
from comments.sets.copies import CopyWriter, batches, copies_of, is_primary, name_of, primary_of
from comments.sets.models import TABLE, CommentSetItem
from comments.store.derived import Name, Writes, bulk_batches
from comments.store.differences import describe_comments, describe_names, scan_table
from comments.store.states import NEW
from comments.store.table import ATTEMPTS, is_comment, query_pages
from dynapages.calls import in_chunks
from dynapages.django.options import Progress
from dynapages.items import Item, table_key
from dynapages.process import client, write_actions
from dynapages.pynamodb import unchanged
from dynapages.upkeep import Difference
from dynapages.writes import Action, ConditionFailed, check, delete, put

COMPARED_AT_ONCE = 100
REPORTED_AT_ONCE = 1_000
"""Comments without any copy in one difference."""
BUILT_AT_ONCE = 50
"""Of these, the comments whose items are written together."""

COPIES = 31
"""Of each comment."""
ITEMS = COPIES + 1
"""Its copies and its primary."""
_DECISIVE = (
    Comment.pk,
    Comment.expires_at,
    Comment.product_partition,
    Comment.language,
    Comment.rating,
    Comment.version,
    Comment.user_id,
    Comment.author,
    Comment.title,
    Comment.text,
    Comment.body_bytes,
    Comment.edited_at,
    Comment.verified,
    Comment.reply,
)
"""What must not have changed in a comment for its primary to be right."""


def set_differences(progress: Progress | None = None) -> Iterator[Difference]:
    """Compare all items of ``comment_sets`` with the comments in ``comments``.

    Comments without any copy, as an import leaves them, are reported and built some at a time.
    """
    shown = progress or Progress(shown=False)
    seen: set[str] = set()
    wrong: list[str] = []
    without_copies: list[str] = []
    for some in in_chunks(_stored_by_comment(shown), COMPARED_AT_ONCE):
        comments = _comments_of(key for key, _items in some)
        for key, items in some:
            seen.add(key)
            stored = StoredSets(key, comments.get(key), items)
            if stored.has_primary_alone():
                without_copies.append(key)
            elif stored.differs():
                wrong.append(key)
    # After the Scan: what was written meanwhile only looked wrong.
    for key in wrong:
        yield from reread(key)
    for some_keys in in_chunks(chain(without_copies, _absent(seen, shown)), REPORTED_AT_ONCE):
        yield from _reread_without_copies(some_keys)


def _stored_by_comment(progress: Progress) -> Iterator[tuple[str, dict[Name, Item]]]:
    """Yield the partition key of each comment in the table, with its items by their names."""
    for key, items in groupby(scan_table(TABLE, progress), key=_partition_key):
        yield key, {name_of(item): item for item in items}


def _partition_key(item: Item) -> str:
    key: str = item["pk"]["S"]
    return key


def has_stream() -> bool:
    """Return whether the stream of the table is on."""
    described = client().describe_table(TableName=TABLE)["Table"]
    return bool(described.get("StreamSpecification", {}).get("StreamEnabled"))


@dataclass(frozen=True, slots=True)
class StoredSets:
    """What is stored of a comment: its item in ``comments`` if there is one, and its set items."""

    key: str
    comment: Item | None
    stored: Mapping[Name, Item]

    @classmethod
    def read(cls, key: str) -> "StoredSets":
        """Read the comment with this partition key and its set items, strongly."""
        stored: dict[Name, Item] = {}
        for page in query_pages(CommentSetItem.pk == key, table=TABLE, ConsistentRead=True):
            for item in page["Items"]:
                stored[name_of(item)] = item
        return cls(key, _comments_of([key]).get(key), stored)

    def has_primary_alone(self) -> bool:
        """Return whether of the comment's items just the primary is stored, and is right."""
        primary = primary_of(self.comment)
        return primary is not None and self.stored == {name_of(primary): primary}

    def differs(self) -> bool:
        """Return whether an item is missing, stale or too many."""
        puts, too_many = self.wrong()
        return bool(puts or too_many)

    def wrong(self) -> tuple[dict[Name, Item], set[Name]]:
        """Return the items that are missing or stale, and the names of those that are too many."""
        expected: dict[Name, Item] = {}
        primary = primary_of(self.comment)
        if primary is not None:
            for item in (primary, *copies_of(primary)):
                expected[name_of(item)] = item
        stored = self.stored
        puts = {name: item for name, item in expected.items() if stored.get(name) != item}
        return puts, set(self.stored) - expected.keys()


def _absent(seen: Container[str], progress: Progress) -> Iterator[str]:
    """Yield the keys of listed comments that had no item when the table was read."""
    for item in scan_table(Comment.Meta.table_name, progress, "Looking for others"):
        key: str = item["pk"]["S"]
        if is_comment(item) and key not in seen and primary_of(item) is not None:
            yield key


def reread(key: str) -> Iterator[Difference]:
    """Yield the differences of a comment's items by kind; each is repaired with all others."""
    sets = StoredSets.read(key)
    puts, too_many = sets.wrong()
    missing: list[Name] = []
    stale: list[Name] = []
    for name in puts:
        if name in sets.stored:
            stale.append(name)
        else:
            missing.append(name)
    yield from _differences(key, "missing", missing)
    yield from _differences(key, "stale", stale)
    yield from _differences(key, "orphaned", list(too_many))


def _differences(key: str, kind: str, names: Sequence[Name]) -> Iterator[Difference]:
    """Yield a difference for a primary among these items, and one for the copies."""
    primaries: list[Name] = []
    copies: list[Name] = []
    for name in names:
        if is_primary(table_key(*name)):
            primaries.append(name)
        else:
            copies.append(name)
    if primaries:
        yield _difference(key, kind, "primary", primaries)
    if copies:
        yield _difference(key, kind, "copies", copies)


def _difference(key: str, kind: str, what: str, names: Iterable[Name]) -> Difference:
    """Build the difference of some items of a comment, all primaries or all copies."""
    listed = describe_names(sort_key for _partition, sort_key in names)
    if kind == "missing":
        stored, expected = "none", listed
    elif kind == "stale":
        stored, expected = listed, "what the comment says"
    else:
        stored, expected = listed, "none"
    repair = partial(_repair, key)
    return Difference(f"{kind} {what}", describe_comments([key]), stored, expected, repair)


def _reread_without_copies(partition_keys: Sequence[str]) -> Iterator[Difference]:
    """Yield a difference for all comments without items, one for all with just their primaries."""
    without_items: list[Item] = []
    without_copies: list[Item] = []
    for sets in _read_in_part(partition_keys):
        if sets.comment and primary_of(sets.comment) and not sets.stored:
            without_items.append(sets.comment)
        elif sets.comment and sets.has_primary_alone():
            without_copies.append(sets.comment)
        else:  # written while the tables were being read
            yield from reread(sets.key)
    if without_items:
        subject, number = _describe(without_items), ITEMS * len(without_items)
        repair = partial(_build_all, without_items, _build_items)
        yield Difference("sets", subject, "no items", f"{number} items", repair)
    if without_copies:
        subject, number = _describe(without_copies), COPIES * len(without_copies)
        repair = partial(_build_all, without_copies, _build_copies)
        yield Difference("missing copies", subject, "no copies", f"{number} copies", repair)


def _describe(comments: Iterable[Item]) -> str:
    return describe_comments([comment["pk"]["S"] for comment in comments])


def _read_in_part(partition_keys: Sequence[str]) -> Iterator[StoredSets]:
    """Read comments, and of each its primary and one copy, strongly."""
    comments = _comments_of(partition_keys)
    table_keys: list[Item] = []
    for primary in _primaries(comments.values()):
        # All copies are written together: one tells whether they were.
        for item in (primary, copies_of(primary)[0]):
            table_keys.append(table_key(*name_of(item)))
    stored: dict[str, dict[Name, Item]] = {}
    for item in batches().get(TABLE, table_keys):
        stored.setdefault(item["pk"]["S"], {})[name_of(item)] = item
    for key in partition_keys:
        yield StoredSets(key, comments.get(key), stored.get(key, {}))


def _repair(key: str) -> bool:
    """Write the items of a comment that are wrong; return False if they kept changing."""
    for _ in range(ATTEMPTS):
        sets = StoredSets.read(key)
        puts, too_many = sets.wrong()
        if not puts and not too_many:
            return True
        actions: list[Action] = []
        copies_to_put: list[Item] = []
        copies_to_delete: list[Item] = []
        for item in puts.values():
            if is_primary(item):
                actions.append(put(CommentSetItem, item))
            else:
                copies_to_put.append(item)
        for item_key in (table_key(*name) for name in too_many):
            if is_primary(item_key):
                actions.append(delete(CommentSetItem, item_key))
            else:
                copies_to_delete.append(item_key)
        # A primary is written with its comment: on condition that this is still what it was.
        if actions:
            try:
                write_actions([*actions, _require(key, sets.comment)])
            except ConditionFailed:
                continue
        batches().delete(TABLE, copies_to_delete)
        batches().put(TABLE, copies_to_put)
    return False


def _build_all(comments: Sequence[Item], build: Callable[[Sequence[Item]], bool]) -> bool:
    outcomes = [build(some) for some in in_chunks(comments, BUILT_AT_ONCE)]
    return all(outcomes)


def _build_items(comments: Sequence[Item]) -> bool:
    """Write all items of comments that have none, at most `BUILT_AT_ONCE`; repair changed ones."""
    # Copies are derived from primaries as they are stored, so these are first.
    actions = [put(CommentSetItem, primary) for primary in _primaries(comments)]
    actions += [_require(comment["pk"]["S"], comment) for comment in comments]
    try:
        write_actions(actions)
    except ConditionFailed:
        outcomes = [_repair(comment["pk"]["S"]) for comment in comments]
        return all(outcomes)
    return _build_copies(comments)


def _build_copies(comments: Sequence[Item]) -> bool:
    """Write all copies of comments as their primaries are now."""
    named = {name_of(primary): Writes() for primary in _primaries(comments)}
    CopyWriter(bulk_batches()).settle(named)
    return True


def _primaries(comments: Iterable[Item]) -> Iterator[Item]:
    for comment in comments:
        primary = primary_of(comment)
        if primary is not None:
            yield primary


def _require(key: str, comment: Item | None) -> Action:
    same = unchanged(comment, *_DECISIVE) if comment else NEW
    return check(Comment, table_key(key, keys.COMMENT), same)


def _comments_of(partition_keys: Iterable[str]) -> dict[str, Item]:
    """Read the items of comments, strongly, by their partition keys."""
    table_keys = [table_key(key, keys.COMMENT) for key in partition_keys]
    comments = batches().get(Comment.Meta.table_name, table_keys)
    return {comment["pk"]["S"]: comment for comment in comments}
