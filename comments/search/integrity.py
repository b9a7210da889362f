"""The integrity of ``comment_words``: all postings, derived again from the comments and compared.

Both tables are read whole. Of each comment a sum of its postings is kept, so that their order does
not matter; where the sums differ, the comment is read again, strongly, before it is reported. This
fills the table of a site that has just switched on the search, too.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b

from comments import keys
from comments.models import TABLE as COMMENTS_TABLE
from comments.models import Comment, CommentBody
from comments.search.models import TABLE, PendingMark
from comments.search.pending import PENDING, change_of
from comments.search.postings import STEMS, postings_of, version_in
from comments.search.words import OLDER
from comments.search.writer import (
    CHANGES,
    WordWriter,
    comments_of,
    find_change,
    finish_change,
    rewrite,
    unfinished_changes,
)
from comments.store.derived import Name, bulk_batches
from comments.store.differences import describe_comments, describe_names, scan_table
from comments.store.table import is_comment, write_if_condition_holds
from dynapages.calls import in_chunks
from dynapages.django.options import Progress
from dynapages.items import Item
from dynapages.lists import id_at
from dynapages.process import client, page_batches
from dynapages.upkeep import Difference, repair_once
from dynapages.writes import delete

WRITTEN_AT_ONCE = 50
"""Comments whose postings are read, reported and written together."""
_PLACE = Comment.place.attr_name
_BODY = CommentBody.text.attr_name


@dataclass(frozen=True, slots=True)
class _PostingsOfComment:
    """The postings of a comment as they are and as they should be: their digests, by their keys.

    ``names`` are the keys of both, and those that were there when the table was scanned.
    """

    key: str
    names: set[Name]
    stored: dict[Name, int]
    expected: dict[Name, int]

    @property
    def are_all_older(self) -> bool:
        """Whether no stored posting is of the version that is written now."""
        return all(version_in(partition) == OLDER for partition, _place in self.stored)


def word_differences(progress: Progress | None = None) -> Iterator[Difference]:
    """Compare all postings with their comments, after the changes that were left behind."""
    shown = progress or Progress(shown=False)
    for change in unfinished_changes():
        subject = f"postings of {comments_of(change)}"
        repair = partial(repair_once, finish_change, change[_PLACE]["S"], bulk_batches())
        yield Difference("change", subject, "not written", "written", repair)
    marks: list[Item] = []
    wrong = _comments_that_differ(shown, marks)
    for mark in marks:
        yield from _reread_mark(mark)
    if not wrong:
        return
    stored: dict[str, set[Name]] = {key: set() for key in wrong}
    for key, item in _postings(shown):
        if key in stored:
            stored[key].add((item["pk"]["S"], item[_PLACE]["S"]))
    for some in in_chunks(stored, WRITTEN_AT_ONCE):
        yield from _reread(some, stored)


def _reread_mark(mark: Item) -> Iterator[Difference]:
    """Yield a difference for a mark without its change.

    It would make searches dear for good, as nothing else deletes it.
    """
    key = {name: mark[name] for name in ("pk", _PLACE)}
    # A change is deleted in one transaction with its marks, maybe since they were scanned.
    if find_change(change_of(mark)) or not page_batches().get(TABLE, [key]):
        return
    about = f"{mark['pk']['S'].removeprefix(PENDING)} {mark[_PLACE]['S']}"
    repair = partial(repair_once, write_if_condition_holds, delete(PendingMark, key))
    yield Difference("mark", f"mark of {about}", "without a change", "none", repair)


def has_words() -> bool:
    """Return whether anything is in the table."""
    return bool(client().scan(TableName=TABLE, Limit=1)["Items"])


def _comments_that_differ(progress: Progress, marks: list[Item]) -> list[str]:
    """Return the keys of the comments whose postings look wrong; add the ``marks`` that are met."""
    sums: dict[str, int] = defaultdict(int)
    for key, item in _postings(progress, marks):
        sums[key] ^= _digest(item)
    wrong: list[str] = []
    bodies: dict[str, str] = {}
    for item in scan_table(COMMENTS_TABLE, progress):
        key = item["pk"]["S"]
        # A body comes before its comment: only the latest one is needed.
        if item["sk"]["S"] == keys.BODY:
            bodies = {key: item[_BODY]["S"]}
        elif is_comment(item):
            expected = 0
            for posting in postings_of(item, bodies.get(key)):
                expected ^= _digest(posting)
            if sums.pop(key, 0) != expected:
                wrong.append(key)
    # What is left are postings of comments that are gone.
    return [*wrong, *sums]


def _reread(some: Sequence[str], stored: Mapping[str, set[Name]]) -> Iterator[Difference]:
    """Yield one difference for comments without postings, and one for each of the others.

    Comments that have postings of the older version only are one difference, too.
    """
    comments = _read_postings_of(some, stored)
    without: list[_PostingsOfComment] = []
    with_older: list[_PostingsOfComment] = []
    for comment in comments:
        if comment.expected and not comment.stored:
            without.append(comment)
        elif comment.expected and comment.are_all_older:
            with_older.append(comment)
        elif comment.stored != comment.expected:
            yield Difference(
                "postings",
                describe_comments([comment.key]),
                describe_names(partition for partition, _place in comment.stored),
                describe_names(partition for partition, _place in comment.expected),
                partial(repair_once, rewrite, comment.names),
            )
    # Of a site that has just switched on the search, these are all of its comments.
    if without:
        yield _difference_of_several(without, "no postings")
    if with_older:
        yield _difference_of_several(with_older, f"postings of {OLDER}")


def _read_postings_of(
    comment_keys: Sequence[str], scanned: Mapping[str, set[Name]]
) -> list[_PostingsOfComment]:
    """Read comments and their postings, strongly; ``scanned`` are the keys of those once there."""
    writer = WordWriter(bulk_batches())
    derived = writer.derive(writer.read(comment_keys))
    expected: dict[str, dict[Name, Item]] = {}
    names: dict[str, set[Name]] = {}
    posting_keys: list[Item] = []
    for key in comment_keys:
        expected[key] = writer.by_name(derived.get(key, ()))
        names[key] = scanned[key].union(expected[key])
        posting_keys += [writer.table_key(name) for name in names[key]]
    # Those of all comments in one round.
    postings = writer.by_name(writer.batches.get(TABLE, posting_keys))
    comments: list[_PostingsOfComment] = []
    for key in comment_keys:
        stored: dict[Name, int] = {}
        for name in names[key]:
            if name in postings:
                stored[name] = _digest(postings[name])
        digests = {name: _digest(item) for name, item in expected[key].items()}
        comments.append(_PostingsOfComment(key, names[key], stored, digests))
    return comments


def _difference_of_several(comments: Sequence[_PostingsOfComment], stored_now: str) -> Difference:
    """Return one difference for all comments that lack their postings in the same way."""
    number = 0
    names: set[Name] = set()
    for comment in comments:
        number += len(comment.expected)
        names |= comment.names
    return Difference(
        "words",
        describe_comments([comment.key for comment in comments]),
        stored_now,
        f"{number} postings",
        partial(repair_once, rewrite, names),
    )


def _postings(progress: Progress, marks: list[Item] | None = None) -> Iterator[tuple[str, Item]]:
    """Yield all postings, each with the key of its comment; add the ``marks`` that are met."""
    for item in scan_table(TABLE, progress):
        partition = item["pk"]["S"]
        if partition.startswith(PENDING) and marks is not None:
            marks.append(item)
        if not partition.startswith((CHANGES, PENDING)):
            yield keys.comment(id_at(item[_PLACE]["S"])), item


def _digest(posting: Item) -> int:
    """Return a number of 64 bits for a posting, the same in whichever order its stems are."""
    in_order = {**posting, STEMS: sorted(posting[STEMS].get("BS", ()))}
    text = json.dumps(in_order, sort_keys=True, default=str)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
