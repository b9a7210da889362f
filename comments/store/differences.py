"""What the checks of tables that are derived from comments share: their reads and their words."""

from collections.abc import Iterable, Iterator, Sequence

from comments import keys
from comments.store.table import whole_id
from dynapages.django.options import Progress
from dynapages.items import Item
from dynapages.process import client
from dynapages.upkeep import every_item

MOST_NAMED = 3
"""Names that a report shows of many."""


def scan_table(table: str, progress: Progress, step: str = "Comparing") -> Iterator[Item]:
    """Yield all items of a table, and show how far it was read."""
    total = client().describe_table(TableName=table)["Table"]["ItemCount"]
    with progress.step(step, total=total, unit=" items") as advance:
        yield from every_item(client(), table, advance)


def describe_comments(partition_keys: Sequence[str]) -> str:
    """Return what a report calls the comments with these keys, one or more."""
    first = _whole_id_in(partition_keys[0])
    if len(partition_keys) == 1:
        return f"comment {first}"
    last = _whole_id_in(partition_keys[-1])
    return f"{len(partition_keys)} comments from {first} to {last}"


def describe_names(names: Iterable[str]) -> str:
    """Return what a report says of names: the first `MOST_NAMED`, and how many others there are."""
    in_order = sorted(names)
    shown = ", ".join(in_order[:MOST_NAMED]) or "none"
    number_of_others = len(in_order) - MOST_NAMED
    if number_of_others <= 0:
        return shown
    return f"{shown} and {number_of_others} more"


def _whole_id_in(partition_key: str) -> str:
    # A key may hold a digest of the id: then the comment is read for it.
    return whole_id(keys.comment_id_in(partition_key))
