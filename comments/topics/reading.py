"""The comments that topics are made from: all listed ones of a product in a language, whole.

They are read by their partition of the index ``by_language``, eventually consistent, half a unit
for each 4 KB, and long texts by their keys. Whoever makes topics takes a while: between two pages
the worker of the process makes the calls that wait.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from comments import keys
from comments.models import TABLE, ByLanguage, Comment, CommentBody
from comments.store.derived import bulk_batches
from comments.store.table import query_pages
from comments.topics.tally import ReadComment
from dynapages.items import Item, table_key
from dynapages.work import worker

AT_A_TIME = 200
"""Comments of a page: some dozen units, and a tenth of a second to count their words."""
_RATING = Comment.rating.attr_name
_AUTHOR = Comment.author.attr_name
_TITLE = Comment.title.attr_name
_TEXT = Comment.text.attr_name
_BODY_BYTES = Comment.body_bytes.attr_name
_BODY_TEXT = CommentBody.text.attr_name
_NOTHING = {"S": ""}


def read_comments(product_id: str, language: str) -> Iterator[ReadComment]:
    """Yield all listed comments of a product in a language, the newest first.

    Raises BatchIncomplete, and botocore's errors.
    """
    for page in _pages(product_id, language):
        yield from _whole(page["Items"])
        # It may take minutes, and somebody may wait for an e-mail.
        worker().make_due_calls()


def newest_comments(product_id: str, language: str, most: int) -> Iterator[ReadComment]:
    """Yield the newest ``most`` comments of a product in a language, or all if it has fewer."""
    yield from islice(read_comments(product_id, language), most)


def _pages(product_id: str, language: str) -> Iterator[Mapping[str, Any]]:
    """Yield pages of the index, each of which is read when it is reached."""
    yield from query_pages(
        ByLanguage.partition == keys.product_partition(product_id, language),
        IndexName=ByLanguage.Meta.index_name,
        ScanIndexForward=False,
        Limit=AT_A_TIME,
    )


def _whole(entries: Sequence[Item]) -> Iterator[ReadComment]:
    """Yield the comments of entries of the index, long ones with all of their text."""
    bodies = _bodies_of(entries)
    for entry in entries:
        excerpt: str = entry.get(_TEXT, _NOTHING)["S"]
        yield ReadComment(
            title=entry.get(_TITLE, _NOTHING)["S"],
            # A comment may have got a short text, or be gone, since the index was read.
            body=bodies.get(entry["pk"]["S"], excerpt),
            rating=int(entry[_RATING]["N"]),
            author=entry.get(_AUTHOR, _NOTHING)["S"],
        )


def _bodies_of(entries: Sequence[Item]) -> dict[str, str]:
    """Read the texts of long comments, by the partition keys of these."""
    body_keys: list[Item] = []
    for entry in entries:
        if _BODY_BYTES in entry:
            body_keys.append(table_key(entry["pk"]["S"], keys.BODY))
    bodies: dict[str, str] = {}
    for body in bulk_batches().get(TABLE, body_keys, consistent=False):
        bodies[body["pk"]["S"]] = body[_BODY_TEXT]["S"]
    return bodies
