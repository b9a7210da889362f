"""The integrity of ``comment_words``: all postings, derived again from the comments and compared.

Both tables are read whole. Of each comment a sum of its postings is kept, so that their order does
not matter; where the sums differ, the comment is read again, strongly, before it is reported. This
fills the table of a site that has just switched on the search, too.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from hashlib import blake2b
from operator import xor

from comments import keys
from comments.models import TABLE as COMMENTS_TABLE
from comments.models import CommentBody
from comments.search.models import TABLE
from comments.search.postings import STEMS, postings_of
from comments.search.writer import (
    CHANGES,
    WordWriter,
    comments_of,
    names_in,
    resume,
    rewrite,
    unfinished,
)
from comments.store.derived import Name, bulk_batches
from dynapages.calls import in_chunks
from dynapages.django.options import Progress
from dynapages.items import Item
from dynapages.lists import id_at
from dynapages.process import client
from dynapages.upkeep import Difference, every_item, repair_once

WRITTEN_AT_ONCE = 50
"""Comments whose postings are read, reported and written together."""
NAMED = 3
"""How many partitions a report names."""
_BODY = CommentBody.text.attr_name


def word_differences(progress: Progress | None = None) -> Iterator[Difference]:
    """Compare all postings with their comments, after the changes that were left behind."""
    shown = progress or Progress(shown=False)
    for change in unfinished():
        subject = f"postings of {comments_of(names_in(change))}"
        mend = partial(repair_once, resume, [change], bulk_batches())
        yield Difference("change", subject, "not written", "written", mend)
    wrong = _wrong(shown)
    stored: dict[str, set[Name]] = {key: set() for key in wrong}
    if any(wrong.values()):
        for key, item in _postings(shown):
            if key in stored:
                stored[key].add((item["pk"]["S"], item["o"]["S"]))
    for some in in_chunks(stored, WRITTEN_AT_ONCE):
        yield from _reread(some, stored)


def has_words() -> bool:
    """Return whether anything is in the table."""
    return bool(client().scan(TableName=TABLE, Limit=1)["Items"])


def _wrong(progress: Progress) -> dict[str, bool]:
    """Return the comments whose postings look wrong, and whether any are stored."""
    sums: dict[str, int] = defaultdict(int)
    for key, item in _postings(progress):
        sums[key] ^= _digest(item)
    wrong, body = {}, dict[str, Item]()
    for item in _scanned(COMMENTS_TABLE, progress):
        key = item["pk"]["S"]
        if item["sk"]["S"] == keys.BODY:  # which comes before its comment
            body = {key: item}
        elif item["sk"]["S"] == key and key.startswith(keys.COMMENT_PREFIX):
            text = body[key][_BODY]["S"] if key in body else None
            expected = reduce(xor, map(_digest, postings_of(item, text)), 0)
            if sums.get(key, 0) != expected:
                wrong[key] = key in sums
            sums.pop(key, None)
    return wrong | dict.fromkeys(sums, True)  # and those of comments that are gone


def _reread(some: Sequence[str], stored: Mapping[str, set[Name]]) -> Iterator[Difference]:
    """Yield one difference for comments without postings, and one for each of the others."""
    writer = WordWriter(bulk_batches())
    expected = {
        key: writer.by_name(items) for key, items in writer.derive(writer.read(some)).items()
    }
    names = {key: stored[key] | expected.get(key, {}).keys() for key in some}
    wanted = [writer.table_key(name) for each in names.values() for name in each]
    found = writer.by_name(writer.batches.get(TABLE, wanted))
    bare: list[str] = []
    for key in some:
        now = {name: found[name] for name in names[key] if name in found}
        right = expected.get(key, {})
        if not now and right:
            bare.append(key)
        elif {n: _digest(i) for n, i in now.items()} != {n: _digest(i) for n, i in right.items()}:
            yield Difference(
                "postings",
                f"comment {keys.comment_id_in(key)}",
                _shown(now),
                _shown(right),
                partial(repair_once, rewrite, names[key]),
            )
    if bare:
        ids = [keys.comment_id_in(key) for key in bare]
        many = f"{len(ids)} comments from {ids[0]} to {ids[-1]}"
        number = sum(len(expected[key]) for key in bare)
        yield Difference(
            "words",
            f"comment {ids[0]}" if len(ids) == 1 else many,
            "no postings",
            f"{number} postings",
            partial(repair_once, rewrite, set().union(*(names[key] for key in bare))),
        )


def _postings(progress: Progress) -> Iterator[tuple[str, Item]]:
    """Yield all postings, each with the key of its comment."""
    for item in _scanned(TABLE, progress):
        if not item["pk"]["S"].startswith(CHANGES):
            yield keys.comment(id_at(item["o"]["S"])), item


def _scanned(table: str, progress: Progress) -> Iterator[Item]:
    total = client().describe_table(TableName=table)["Table"]["ItemCount"]
    with progress.step("Comparing", total=total, unit=" items") as advance:
        yield from every_item(client(), table, advance)


def _digest(posting: Item) -> int:
    spelled = {**posting, STEMS: sorted(posting[STEMS].get("SS", ()))}
    text = json.dumps(spelled, sort_keys=True, default=str)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def _shown(postings: Iterable[Name]) -> str:
    named = sorted(partition for partition, _ in postings)
    return f"{len(named)} postings, {', '.join(named[:NAMED])}" if named else "none"
