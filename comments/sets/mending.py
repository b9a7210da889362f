"""Mending of ``comment_sets`` while the site goes on.

The comment in the table ``comments`` is the truth. A primary is written on condition that the
comment is still what it was derived from, so that a deleted one does not come back; a comment that
changes meanwhile is read again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from comments.models import Comment
from comments.sets.applying import CopyWriter, batches
from comments.sets.copies import copies_of, is_primary, primary_of
from comments.sets.models import TABLE, CommentSetItem
from comments.sets.streaming import Name, SetWrites, key_of, name_of
from comments.store.comments import NEW
from comments.store.table import ATTEMPTS, query_pages
from dynamo.calls.client import client
from dynamo.items import Item, table_key
from dynamo.writes.actions import Action, check, delete, put, unchanged
from dynamo.writes.transactions import ConditionFailed, write_together

BUILT_AT_ONCE = 25
"""Comments without any item whose primaries are put in one transaction."""

_DECISIVE = (
    Comment.pk,
    Comment.expires_at,
    Comment.product_partition,
    Comment.language,
    Comment.rating,
    Comment.version,
    Comment.author,
    Comment.title,
    Comment.text,
    Comment.body_bytes,
    Comment.edited_at,
    Comment.verified,
    Comment.reply,
)
"""What must not have changed in a comment for its primary to be right."""


@dataclass(frozen=True, slots=True)
class Held:
    """What is stored of a comment: its item in ``comments`` if there is one, and its set items."""

    key: str
    comment: Item | None
    stored: Mapping[Name, Item]

    @property
    def expected(self) -> dict[Name, Item]:
        """All its set items, as they should be."""
        primary = primary_of(self.comment) if self.comment else None
        items = [primary, *copies_of(primary)] if primary else []
        return {name_of(item): item for item in items}

    def wrong(self) -> tuple[dict[Name, Item], set[Name]]:
        """Return the items that are missing or stale, and the names of those that are too many."""
        expected = self.expected
        puts = {n: item for n, item in expected.items() if self.stored.get(n) != item}
        return puts, set(self.stored) - expected.keys()


def look(key: str) -> Held:
    """Read the comment with this partition key and its set items, strongly."""
    pages = query_pages(CommentSetItem.pk == key, table=TABLE, ConsistentRead=True)
    stored = {name_of(item): item for page in pages for item in page["Items"]}
    return Held(key, comments_of([key]).get(key), stored)


def comments_of(partition_keys: Iterable[str]) -> dict[str, Item]:
    """Read the items of comments, strongly, by their partition keys."""
    table_keys = [table_key(key, key) for key in partition_keys]
    found = batches().get(Comment.Meta.table_name, table_keys)
    return {item["pk"]["S"]: item for item in found}


def mend(key: str) -> bool:
    """Write the items of a comment that are wrong; return False if they kept changing.

    Raises what `dynamo.calls.batches.Batches` and `dynamo.writes.transactions.write_together` do.
    """
    for _ in range(ATTEMPTS):
        held = look(key)
        puts, deletes = held.wrong()
        if not puts and not deletes:
            return True
        try:
            _write_primaries(held, puts, deletes)
        except ConditionFailed:
            continue
        batches().delete(TABLE, [key_of(name) for name in deletes if not _is_primary(name)])
        batches().put(TABLE, [item for item in puts.values() if not is_primary(item)])
    return False


def build(comments: Sequence[Item]) -> bool:
    """Write all items of comments that have none, at most `BUILT_AT_ONCE`.

    Comments that have changed since they were read are mended one by one. Raises like `mend`, and
    Contended.
    """
    primaries = [primary for comment in comments if (primary := primary_of(comment))]
    puts = [put(CommentSetItem, primary) for primary in primaries]
    checks = [_require(comment["pk"]["S"], comment) for comment in comments]
    try:
        write_together(client(), [*puts, *checks])
    except ConditionFailed:
        return not [comment for comment in comments if not mend(comment["pk"]["S"])]
    CopyWriter(batches()).settle({name_of(primary): SetWrites() for primary in primaries})
    return True


def _write_primaries(held: Held, puts: dict[Name, Item], deletes: set[Name]) -> None:
    actions = [put(CommentSetItem, item) for item in puts.values() if is_primary(item)]
    actions += [delete(CommentSetItem, key_of(name)) for name in deletes if _is_primary(name)]
    if actions:
        write_together(client(), [*actions, _require(held.key, held.comment)])


def _require(key: str, comment: Item | None) -> Action:
    return check(Comment, table_key(key, key), unchanged(comment, *_DECISIVE) if comment else NEW)


def _is_primary(name: Name) -> bool:
    return is_primary(key_of(name))
