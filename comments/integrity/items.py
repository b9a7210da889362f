"""What the checks of the table ``comments`` share: its keys, reads, and single values compared."""

from collections.abc import Callable, Iterator

from comments import keys
from comments.keys import comment_key
from comments.models import Comment
from comments.store.states import is_tombstone
from comments.store.table import query_pages, read_item
from dynapages.items import Item, table_key
from dynapages.upkeep import Difference, compare

COMMENTS = keys.COMMENT_PREFIX, keys.COMMENT
"""How the keys of comments begin: of each, its own item."""
ANY_OF_A_COMMENT = keys.COMMENT_PREFIX, ""
"""How the keys of comments and of their dependents begin."""


def comment_id_of(item: Item) -> str:
    """Return the id in the partition key of a comment or a dependent; a digest of a long one."""
    return keys.comment_id_in(item["pk"]["S"])


def read_undeleted(comment_id: str) -> Item:
    """Read a comment's item strongly; an empty one where there is none, or a tombstone."""
    item = read_item(comment_key(comment_id))
    if is_tombstone(item):
        return {}
    return item


def read_by_key(key: tuple[str, str]) -> Item:
    """Read an item strongly by its keys; an empty one where there is none."""
    return read_item(table_key(*key))


def count_dependents(comment_id: str, prefix: str) -> int:
    """Count a comment's dependents whose sort key begins with ``prefix``, strongly."""
    of_this_kind = (Comment.pk == keys.comment(comment_id)) & Comment.sk.startswith(prefix)
    pages = query_pages(of_this_kind, Select="COUNT", ConsistentRead=True)
    return sum(page["Count"] for page in pages)


def show_value(_name: str, value: object) -> str:
    """Format a value for a report that does not name it."""
    return str(value)


def compare_values(
    kind: str, subject: str, stored: str, expected: str, *, repair: Callable[[], object]
) -> Iterator[Difference]:
    """Yield the difference of a stored and an expected value, if there is one."""

    def repair_it(_wrong: object) -> object:
        return repair()

    return compare(kind, subject, {"": stored}, {"": expected}, repair=repair_it, show=show_value)
