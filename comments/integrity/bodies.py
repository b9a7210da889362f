"""The check of long bodies and of what is left of deleted comments.

A long text has a body, which its excerpt and its digest in the comment follow from; a short one has
none. There are no dependents without a comment.
"""

from collections.abc import Iterable, Iterator
from functools import partial

from comments import keys
from comments.integrity.items import ANY_OF_A_COMMENT, comment_id_of
from comments.items import text_shown
from comments.models import Comment, CommentBody
from comments.store import dependents, writing
from comments.store.states import is_tombstone
from comments.store.table import Changes, change, changed, id_of, is_comment, read_item
from dynapages.items import Item, table_key
from dynapages.process import write_actions
from dynapages.pynamodb import unchanged
from dynapages.upkeep import Candidate, Difference, Handlers, repair_once
from dynapages.writes import check, delete

_BODY_BYTES = Comment.body_bytes.attr_name


class Bodies:
    """Comments by what is in their partitions; `exists` knows them once the table was read."""

    def __init__(self) -> None:
        self._comments: set[str] = set()
        self._with_long_text: set[str] = set()
        self._with_body: set[str] = set()
        self._with_wrong_excerpt: set[str] = set()
        self._with_dependents: set[str] = set()
        self._latest_body: Item = {}

    def exists(self, comment_id: str) -> bool:
        """Return whether there is such a comment, after the table was read."""
        return keys.comment(comment_id) in self._comments

    def handlers(self) -> Handlers:
        return {ANY_OF_A_COMMENT: self._add, (keys.TALLY_PREFIX, ""): self._add}

    def candidates(self) -> Iterator[Candidate]:
        with_body = self._with_body & self._comments
        for key in sorted(with_body ^ self._with_long_text):
            difference = _wrong_body(key, has_body=key in self._with_body)
            yield Candidate(partial(_reread_body, key), [difference])
        for key in sorted(self._with_wrong_excerpt):
            # Both items are read by a call each: an edit between the two would look like a fault.
            differences = list(_reread_excerpt(key))
            if differences:
                yield Candidate(partial(_reread_excerpt, key), differences)
        for key in sorted(self._with_dependents - self._comments):
            yield Candidate(partial(_reread_leftovers, key), [_leftovers(key)])

    def _add(self, item: Item) -> None:
        """Note a comment, or that there is a dependent of one."""
        key = keys.comment(comment_id_of(item))
        if not is_comment(item):
            self._with_dependents.add(key)
            if item["sk"]["S"] == keys.BODY:
                self._with_body.add(key)
                self._latest_body = item
        elif not is_tombstone(item):
            self._add_comment(key, item)

    def _add_comment(self, key: str, item: Item) -> None:
        self._comments.add(key)
        if _BODY_BYTES in item:
            self._with_long_text.add(key)
        # The body comes before its comment, by their sort keys.
        body = self._latest_body
        is_of_this = body.get("pk") == item["pk"]
        if is_of_this and _changes_of_excerpt(item, body):
            self._with_wrong_excerpt.add(key)


# Bodies without a long text, and long texts without a body


def _wrong_body(key: str, *, has_body: bool) -> Difference:
    if not has_body:
        return Difference("body", key, "none", "a body, which is lost")
    # Somebody may have given the comment a long text meanwhile.
    short = check(Comment, table_key(key, keys.COMMENT), Comment.body_bytes.does_not_exist())
    actions = [short, delete(Comment, table_key(key, keys.BODY))]
    return Difference("body", key, "a body", "none", partial(repair_once, write_actions, actions))


def _reread_body(key: str) -> Iterable[Difference]:
    """Return the difference of a comment that lacks its body, or has one for a short text."""
    comment = read_item(table_key(key, keys.COMMENT))
    body = read_item(table_key(key, keys.BODY))
    if not comment or is_tombstone(comment):
        return []
    is_long, has_body = _BODY_BYTES in comment, bool(body)
    if is_long == has_body:
        return []
    return [_wrong_body(key, has_body=has_body)]


# Excerpts


def _changes_of_excerpt(comment: Item, body: Item) -> Changes:
    """Return what must change for lists to show what the body of a long text says."""
    changes = {}
    for name, value in text_shown(body[CommentBody.text.attr_name]["S"]).items():
        attribute = getattr(Comment, name)
        expected = None
        if value is not None:
            expected = {attribute.attr_type: attribute.serialize(value)}
        if comment.get(attribute.attr_name) != expected:
            changes[attribute.attr_name] = expected
    return changes


def _reread_excerpt(key: str) -> Iterator[Difference]:
    """Read a comment and its body, and yield where lists show another text."""
    comment = read_item(table_key(key, keys.COMMENT))
    body = read_item(table_key(key, keys.BODY))
    if not comment or not body or is_tombstone(comment):
        return
    changes = _changes_of_excerpt(comment, body)
    if changes:
        repair = partial(repair_once, _write_excerpt, comment, changes)
        subject = f"comment {id_of(comment)}"
        yield Difference("excerpt", subject, "of another text", "of its body", repair)


def _write_excerpt(comment: Item, changes: Changes) -> None:
    same = unchanged(comment, Comment.pk, Comment.version, Comment.product_partition)
    action = change({"pk": comment["pk"], "sk": comment["sk"]}, changes, same)
    corrected = writing.CommentChange(comment, changed(comment, changes))
    writing.write_comments([corrected], [action])


# Leftovers


def _leftovers(key: str) -> Difference:
    """Build the difference of a comment that does not exist, but has dependents."""
    repair = partial(repair_once, dependents.delete_dependents, keys.comment_id_in(key))
    return Difference("leftovers", key, "some", "none", repair)


def _reread_leftovers(key: str) -> Iterable[Difference]:
    if not dependents.deletions_of_dependents(keys.comment_id_in(key)):
        return []
    return [_leftovers(key)]
