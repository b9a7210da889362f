"""Marks of changes that are committed and may not be in postings yet, which each search reads.

A mark is an item in the partition of its product, ``PENDING#<product>``, and is stored in the
transaction of its change. So a search knows which of its postings it must not trust. Most changes
are of one comment, and their marks name it. A change of several comments of a product, as an import
makes them, has one mark for all of them, which names none.

A mark is deleted with its change, two seconds after the last posting was written: postings and
marks are read eventually, and a replica that lags would show the old postings without the mark.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from comments import keys
from comments.search.models import TABLE, PendingMark
from comments.search.postings import HIDDEN_PREFIX
from comments.store.derived import Name
from comments.store.table import query_pages
from dynapages.items import Item
from dynapages.lists import id_at

PENDING = "PENDING#"
MOST_MARKS = 16
"""Marks that a search reads: of at most 120 bytes each, so that they cost half a unit."""
SEVERAL = "*"
"""Stands for a comment in the mark of several; sorts before what ids usually begin with."""
_PLACE = PendingMark.place.attr_name
_CHANGE = PendingMark.change.attr_name


@dataclass(frozen=True, slots=True)
class PendingChanges:
    """Those changes of a product that may not be in postings yet, as a search has read their marks.

    ``comment_ids`` are those that marks name, digests of long ones (`comments.keys.IdDigest`).
    ``are_all_named`` is false where there may be others.
    """

    comment_ids: frozenset[str] = frozenset()
    are_all_named: bool = True

    @property
    def are_none(self) -> bool:
        """Whether all postings of the product can be trusted."""
        return not self.comment_ids and self.are_all_named


NOTHING_PENDING = PendingChanges()


def marks_of(change: str, named: Iterable[Name]) -> list[Item]:
    """Build the marks of a change, one for each product; ``change`` is its sort key.

    ``named`` are the keys of its postings.
    """
    by_product: dict[str, set[str]] = defaultdict(set)
    for partition, place in named:
        by_product[_product_in(partition)].add(keys.id_in_keys(id_at(place)))
    return [_mark(change, product_id, ids) for product_id, ids in by_product.items()]


def _mark(change: str, product_id: str, comment_ids: set[str]) -> Item:
    """Build the mark of a change in a product, about one comment or several."""
    if len(comment_ids) > 1:
        about = SEVERAL
    else:
        (about,) = comment_ids
    token = change.rpartition("#")[2]
    place = f"{about}#{token}"
    mark = {"pk": {"S": f"{PENDING}{product_id}"}, _PLACE: {"S": place}}
    # The key of most marks is that of their change, which they need not repeat.
    if place != change:
        mark[_CHANGE] = {"S": change}
    return mark


def _product_in(partition: str) -> str:
    """Return the product of a posting's partition key: its id, or the digest of a long one."""
    product_partition, _version, _language, _stem = partition.rsplit("/", 3)
    return keys.product_id_in(product_partition.removeprefix(HIDDEN_PREFIX))


def find_pending(product_id: str) -> PendingChanges:
    """Read the marks of a product by one eventual Query of half a capacity unit."""
    partition = PendingMark.pk == f"{PENDING}{keys.id_in_keys(product_id)}"
    # One page: where a product has more marks than that, all of its postings are distrusted.
    page = next(query_pages(partition, table=TABLE, Limit=MOST_MARKS))
    comment_ids: set[str] = set()
    are_all_named = "LastEvaluatedKey" not in page
    for mark in page["Items"]:
        id_in_key = mark[_PLACE]["S"].rpartition("#")[0]
        if id_in_key == SEVERAL:
            are_all_named = False
        else:
            comment_ids.add(keys.comment_id_in(f"{keys.COMMENT_PREFIX}{id_in_key}"))
    return PendingChanges(frozenset(comment_ids), are_all_named)


def changes_of(product_id: str, comment_id: str | None = None) -> list[str]:
    """Read the sort keys of a product's unfinished changes, strongly.

    With ``comment_id``, of those that may be about this comment.
    """
    partition = PendingMark.pk == f"{PENDING}{keys.id_in_keys(product_id)}"
    if comment_id is None:
        conditions = [partition]
    else:
        of_several = PendingMark.place.startswith(f"{SEVERAL}#")
        of_this = PendingMark.place.startswith(f"{keys.id_in_keys(comment_id)}#")
        conditions = [partition & of_several, partition & of_this]
    changes: list[str] = []
    for condition in conditions:
        for page in query_pages(condition, table=TABLE, ConsistentRead=True):
            changes += [change_of(mark) for mark in page["Items"]]
    return changes


def change_of(mark: Item) -> str:
    """Return the sort key of the change that a mark stands for."""
    change: str = mark.get(_CHANGE, mark[_PLACE])["S"]
    return change
