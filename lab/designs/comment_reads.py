"""Lists of comments as the designs read them, cut down to what a list shows."""

from collections.abc import Callable, Iterator, Sequence

from comments import keys
from comments.filters import CommentFilter
from comments.items import NewComment, items_of
from comments.models import SHOWN, Comment
from comments.sets.models import BySet
from comments.sets.plans import runs as runs_of_sets
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import OneOf
from dynamo.lists.site_reader import read
from lab.bench.readers import ListRead
from lab.designs.scanning import Sieve, cut_out, scan

TABLE = Comment.Meta.table_name
PLACE = Comment.place.attr_name
PRODUCT = Comment.product_partition.attr_name
LISTED = (PLACE, Comment.language.attr_name, Comment.rating.attr_name, *SHOWN)


def place_in(item: Item) -> str:
    """Give the place of a comment's item."""
    place: str = item[PLACE]["S"]
    return place


def stored(comment: NewComment) -> Item:
    """Spell a comment as the site stores it, whatever its indexes."""
    item: Item = items_of(comment)[0].serialize()
    return item


def shown(item: Item) -> Item:
    """Cut an item down to what a list shows of it."""
    return {name: item[name] for name in LISTED if name in item}


def scan_page(product_id: str, chosen: CommentFilter, request: PageRequest) -> Sequence[Item]:
    """Scan the whole table for a page, as one must to be right."""
    sieve = Sieve(tuple(_terms(product_id, chosen)))
    found = scan(client(), TABLE, sieve)
    return [shown(item) for item in cut_out(found, request, place=place_in)]


def _terms(product_id: str, chosen: CommentFilter) -> Iterator[OneOf]:
    yield OneOf(PRODUCT, ({"S": keys.product_partition(product_id)},))
    if chosen.languages:
        yield OneOf(Comment.language.attr_name, tuple({"S": code} for code in chosen.languages))
    if chosen.ratings:
        yield OneOf(Comment.rating.attr_name, tuple({"N": str(r)} for r in chosen.ratings))


def read_sets(product_id: str, chosen: CommentFilter, request: PageRequest) -> ListRead:
    """Read a page of the sets that a filter names: one Query for each language, or for any."""
    page = read(runs_of_sets(product_id, chosen), request)
    return ListRead(BySet.Meta.index_name, page)


def showing(
    read_list: Callable[[str, CommentFilter, PageRequest], ListRead],
) -> Callable[[str, CommentFilter, PageRequest], Sequence[Item]]:
    """Give what a reader's pages show, to be compared."""

    def read_items(product_id: str, chosen: CommentFilter, request: PageRequest) -> Sequence[Item]:
        return [shown(entry.item) for entry in read_list(product_id, chosen, request).page.entries]

    return read_items
