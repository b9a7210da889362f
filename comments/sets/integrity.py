"""The integrity of ``comment_sets``: every item, derived again from its comment and compared.

This is the hourly job that part 1 of "Efficient filtering with DynamoDB" asks for, and it fills the
table of a shop that changes over to it. Both tables are read whole, at half a capacity unit for
each 2 KB; a comment that looks wrong is read again, strongly and by its key, before it is reported.
Copies that the stream's consumer is about to make are missing as well: mending makes them, and the
consumer finds nothing left to change.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby

from comments import keys
from comments.models import Comment
from comments.sets.copies import is_primary, primary_of
from comments.sets.filling import every_comment
from comments.sets.mending import BUILT_AT_ONCE, Held, build, comments_of, look, mend
from comments.sets.models import TABLE
from comments.sets.streaming import Name, key_of, name_of
from dynamo.calls.batches import in_chunks
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.progress import Progress
from dynamo.upkeep.integrity import Difference, every_item

COMPARED_AT_ONCE = 100
NAMED = 3
"""How many sort keys a report names of those that are wrong."""


def set_differences(progress: Progress | None = None) -> Iterator[Difference]:
    """Compare all items of ``comment_sets`` with the comments in ``comments``.

    Comments without any item are reported, and built, some at a time. Raises botocore's errors;
    what was mended until then stays.
    """
    shown = progress or Progress(shown=False)
    seen: set[str] = set()
    with shown.step("Comparing", total=_about(TABLE), unit=" items") as advance:
        for group in in_chunks(_by_comment(advance), COMPARED_AT_ONCE):
            seen.update(key for key, _ in group)
            comments = comments_of(key for key, _ in group)
            for key, stored in group:
                if any(Held(key, comments.get(key), stored).wrong()):
                    yield from _differences(look(key))
    total = _about(Comment.Meta.table_name)
    with shown.step("Looking for others", total=total, unit=" items") as advance:
        for some in in_chunks(_absent(seen, advance), BUILT_AT_ONCE):
            yield from _absent_differences(some)


def _by_comment(advance: Callable[[int], object]) -> Iterator[tuple[str, dict[Name, Item]]]:
    items = every_item(client(), TABLE)
    for key, found in groupby(items, key=lambda item: str(item["pk"]["S"])):
        stored = {name_of(item): item for item in found}
        advance(len(stored))
        yield key, stored


def _absent(seen: set[str], advance: Callable[[int], object]) -> Iterator[Item]:
    """Yield the listed comments that had no item when the table was read."""
    for comment in every_comment():
        advance(1)
        if comment["pk"]["S"] not in seen and primary_of(comment) is not None:
            yield comment


def _absent_differences(comments: list[Item]) -> Iterator[Difference]:
    absent = []
    for comment in comments:
        held = look(comment["pk"]["S"])
        if held.stored:  # it was written while the table was being read
            yield from _differences(held)
        elif held.expected and held.comment is not None:
            absent.append(held.comment)
    if absent:
        ids = sorted(keys.comment_id_in(comment["pk"]["S"]) for comment in absent)
        many = f"{len(ids)} comments from {ids[0]} to {ids[-1]}"
        yield Difference(
            kind="sets",
            subject=f"comment {ids[0]}" if len(ids) == 1 else many,
            stored="no items",
            expected=f"{32 * len(ids)} items",
            mend=partial(build, absent),
        )


def _differences(held: Held) -> Iterator[Difference]:
    """Yield the differences of a comment's items by kind; each is mended with all others."""
    puts, too_many = held.wrong()
    kinds: dict[str, list[Name]] = {}
    for name in puts:
        kinds.setdefault("stale" if name in held.stored else "missing", []).append(name)
    kinds["orphaned"] = list(too_many)
    for kind, names in kinds.items():
        for what in ("primary", "copies"):
            of_this = sorted(n for n in names if is_primary(key_of(n)) == (what == "primary"))
            if of_this:
                yield Difference(
                    kind=f"{kind} {what}",
                    subject=f"comment {keys.comment_id_in(held.key)}",
                    stored="none" if kind == "missing" else _spelled(of_this),
                    expected="none" if kind == "orphaned" else _expected(kind, of_this),
                    mend=partial(mend, held.key),
                )


def _expected(kind: str, names: list[Name]) -> str:
    return _spelled(names) if kind == "missing" else "what the comment says"


def _spelled(names: list[Name]) -> str:
    shown = ", ".join(sort_key for _, sort_key in names[:NAMED])
    return f"{shown} and {len(names) - NAMED} more" if len(names) > NAMED else shown


def _about(table: str) -> int:
    return client().describe_table(TableName=table)["Table"]["ItemCount"]
