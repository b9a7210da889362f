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
from comments.store.derived import Name, Writes, bulk_batches, listed, scanned, spelled
from comments.store.states import NEW
from comments.store.table import ATTEMPTS, is_comment, query_pages
from dynapages.calls import in_chunks
from dynapages.django.options import Progress
from dynapages.items import Item, table_key
from dynapages.process import client, write
from dynapages.pynamodb import unchanged
from dynapages.upkeep import Difference
from dynapages.writes import Action, ConditionFailed, check, delete, put

COMPARED_AT_ONCE = 100
REPORTED_AT_ONCE = 1_000
"""Comments without any copy that one difference tells of."""
BUILT_AT_ONCE = 50
"""Of these, the comments whose items are written together."""

_DECISIVE = (
    *(Comment.pk, Comment.expires_at, Comment.product_partition, Comment.language, Comment.rating),
    *(Comment.version, Comment.user_id, Comment.author, Comment.title, Comment.text),
    *(Comment.body_bytes, Comment.edited_at, Comment.verified, Comment.reply),
)
"""What must not have changed in a comment for its primary to be right."""


def set_differences(progress: Progress | None = None) -> Iterator[Difference]:
    """Compare all items of ``comment_sets`` with the comments in ``comments``.

    Comments without any copy, as an import leaves them, are reported and built some at a time.
    """
    shown = progress or Progress(shown=False)
    seen, wrong, bare = set[str](), list[str](), list[str]()
    by_comment = groupby(scanned(TABLE, shown), key=lambda item: item["pk"]["S"])
    stored = ((key, {name_of(item): item for item in items}) for key, items in by_comment)
    for some in in_chunks(stored, COMPARED_AT_ONCE):
        comments = _comments_of(key for key, _ in some)
        for key, items in some:
            held = Held(key, comments.get(key), items)
            if held.has_primary_alone():
                bare.append(key)
            elif any(held.wrong()):
                wrong.append(key)
            seen.add(key)
    for key in wrong:
        yield from _reread(key)
    for absent in in_chunks(chain(bare, _absent(seen, shown)), REPORTED_AT_ONCE):
        yield from _reread_bare(absent)


def has_stream() -> bool:
    """Return whether the stream of the table is on."""
    described = client().describe_table(TableName=TABLE)["Table"]
    return bool(described.get("StreamSpecification", {}).get("StreamEnabled"))


@dataclass(frozen=True, slots=True)
class Held:
    """What is stored of a comment: its item in ``comments`` if there is one, and its set items."""

    key: str
    comment: Item | None
    stored: Mapping[Name, Item]

    @classmethod
    def read(cls, key: str) -> "Held":
        """Read the comment with this partition key and its set items, strongly."""
        pages = query_pages(CommentSetItem.pk == key, table=TABLE, ConsistentRead=True)
        stored = {name_of(item): item for page in pages for item in page["Items"]}
        return cls(key, _comments_of([key]).get(key), stored)

    def has_primary_alone(self) -> bool:
        """Return whether of the comment's items just the primary is stored, and is right."""
        primary = primary_of(self.comment)
        return primary is not None and self.stored == {name_of(primary): primary}

    def wrong(self) -> tuple[dict[Name, Item], set[Name]]:
        """Return the items that are missing or stale, and the names of those that are too many."""
        primary = primary_of(self.comment)
        items = [primary, *copies_of(primary)] if primary else []
        expected = {name_of(item): item for item in items}
        puts = {n: item for n, item in expected.items() if self.stored.get(n) != item}
        return puts, set(self.stored) - expected.keys()


def _absent(seen: Container[str], progress: Progress) -> Iterator[str]:
    """Yield the keys of listed comments that had no item when the table was read."""
    for item in scanned(Comment.Meta.table_name, progress, "Looking for others"):
        key: str = item["pk"]["S"]
        if is_comment(item) and key not in seen and primary_of(item) is not None:
            yield key


def _reread(key: str) -> Iterator[Difference]:
    """Yield the differences of a comment's items by kind; each is repaired with all others."""
    held = Held.read(key)
    puts, too_many = held.wrong()
    kinds = {
        "missing": [name for name in puts if name not in held.stored],
        "stale": [name for name in puts if name in held.stored],
        "orphaned": list(too_many),
    }
    for kind, names in kinds.items():
        for what in ("primary", "copies"):
            of_this = [n[1] for n in names if is_primary(table_key(*n)) == (what == "primary")]
            if of_this:
                shown = listed(of_this)
                right = {"missing": shown, "stale": "what the comment says", "orphaned": "none"}
                told, mend = "none" if kind == "missing" else shown, partial(_repair, key)
                yield Difference(f"{kind} {what}", spelled([key]), told, right[kind], mend)


def _reread_bare(partition_keys: Sequence[str]) -> Iterator[Difference]:
    """Yield a difference for all comments without items, one for all with just their primaries."""
    absent, copyless = list[Item](), list[Item]()
    for held in _held_in_part(partition_keys):
        if held.comment and primary_of(held.comment) and not held.stored:
            absent.append(held.comment)
        elif held.comment and held.has_primary_alone():
            copyless.append(held.comment)
        else:  # written while the tables were being read
            yield from _reread(held.key)
    for comments, kind, count, what, build in (
        (absent, "sets", 32, "items", _build),
        (copyless, "missing copies", 31, "copies", _copy),
    ):
        if comments:
            subject = spelled([comment["pk"]["S"] for comment in comments])
            right, mend = f"{count * len(comments)} {what}", partial(_build_all, comments, build)
            yield Difference(kind, subject, f"no {what}", right, mend)


def _held_in_part(partition_keys: Sequence[str]) -> Iterator[Held]:
    """Read comments, and of each its primary and one copy, strongly."""
    comments = _comments_of(partition_keys)
    wanted = [
        table_key(*name_of(item))
        for primary in _primaries(comments.values())
        for item in (primary, copies_of(primary)[0])
    ]
    stored: dict[str, dict[Name, Item]] = {}
    for item in batches().get(TABLE, wanted):
        stored.setdefault(item["pk"]["S"], {})[name_of(item)] = item
    for key in partition_keys:
        yield Held(key, comments.get(key), stored.get(key, {}))


def _repair(key: str) -> bool:
    """Write the items of a comment that are wrong; return False if they kept changing."""
    for _ in range(ATTEMPTS):
        held = Held.read(key)
        puts, deletes = held.wrong()
        if not puts and not deletes:
            return True
        actions = [put(CommentSetItem, item) for item in puts.values() if is_primary(item)]
        gone = [table_key(*name) for name in deletes]
        actions += [delete(CommentSetItem, key) for key in gone if is_primary(key)]
        try:
            if actions:
                write([*actions, _require(key, held.comment)])
        except ConditionFailed:
            continue
        batches().delete(TABLE, [key for key in gone if not is_primary(key)])
        batches().put(TABLE, [item for item in puts.values() if not is_primary(item)])
    return False


def _build_all(comments: Sequence[Item], build: Callable[[Sequence[Item]], bool]) -> bool:
    built = [build(some) for some in in_chunks(comments, BUILT_AT_ONCE)]
    return all(built)


def _build(comments: Sequence[Item]) -> bool:
    """Write all items of comments that have none, at most `BUILT_AT_ONCE`; repair changed ones."""
    puts = [put(CommentSetItem, primary) for primary in _primaries(comments)]
    try:
        write([*puts, *(_require(comment["pk"]["S"], comment) for comment in comments)])
    except ConditionFailed:
        return not [comment for comment in comments if not _repair(comment["pk"]["S"])]
    return _copy(comments)


def _copy(comments: Sequence[Item]) -> bool:
    """Write all copies of comments as their primaries are now."""
    CopyWriter(bulk_batches()).settle(dict.fromkeys(map(name_of, _primaries(comments)), Writes()))
    return True


def _primaries(comments: Iterable[Item]) -> Iterator[Item]:
    return filter(None, map(primary_of, comments))


def _require(key: str, comment: Item | None) -> Action:
    same = unchanged(comment, *_DECISIVE) if comment else NEW
    return check(Comment, table_key(key, keys.COMMENT), same)


def _comments_of(partition_keys: Iterable[str]) -> dict[str, Item]:
    """Read the items of comments, strongly, by their partition keys."""
    table_keys = [table_key(key, keys.COMMENT) for key in partition_keys]
    found = batches().get(Comment.Meta.table_name, table_keys)
    return {item["pk"]["S"]: item for item in found}
