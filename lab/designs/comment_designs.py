"""The designs for comments: how each stores a comment, reads a page, and writes one more.

All store what a list shows of a comment. A long text is an item of its own in each, and is not
counted.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.items import NewComment, items_of
from comments.models import SHOWN, All, ByLanguage, ByLanguageAndRating, ByRating, Comment
from comments.sets.copies import copies_of, primary_of
from comments.sets.models import BySet, CommentSetItem
from comments.sets.plans import runs as runs_of_sets
from comments.store.comments import NEW
from comments.store.counts import Cell
from comments.store.transactions import CountChanges, write
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.lists.places import place_of
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Run
from dynamo.lists.site_reader import read
from dynamo.writes.actions import put
from lab.bench import readers
from lab.bench.comment_data import counts_item
from lab.designs.measuring import Answer, Look
from lab.designs.scanning import cut_out, scan
from lab.designs.tables import Layout

TABLE = Comment.Meta.table_name
PLACE = Comment.place.attr_name
PRODUCT = Comment.product_partition.attr_name
LISTED = (PLACE, Comment.language.attr_name, Comment.rating.attr_name, *SHOWN)
_INDEXES = tuple(one.Meta.index_name for one in (All, ByLanguage, ByRating, ByLanguageAndRating))


@dataclass(frozen=True, slots=True)
class CommentDesign:
    """A way to store comments and to read their lists.

    ``items`` are those of one comment, ``besides`` those that products have apart from them.
    ``runs`` are all that lists read a comment from; none where they scan.
    """

    layout: Layout
    items: Callable[[Item], Sequence[Item]]
    read: Callable[[str, CommentFilter, PageRequest], Answer]
    write: Callable[[NewComment], object]
    runs: Callable[[NewComment], Sequence[Run]] = lambda _comment: ()
    besides: Callable[[Sequence[NewComment]], Sequence[Item]] = lambda _comments: ()

    @property
    def name(self) -> str:
        return self.layout.name

    def looks(self, comment: NewComment) -> Sequence[Look]:
        """Return a look for a new comment at the head of each run, or of the whole list."""
        place = place_of(comment.created_at, comment.id)

        def look_in(run: Run) -> bool:
            entries = read([run], PageRequest(1), look_ahead=False).entries
            return [entry.position.place for entry in entries] == [place]

        def look() -> bool:
            found = self.read(comment.product_id, CommentFilter(), PageRequest(1))
            return list(map(place_in, found)) == [place]

        return [partial(look_in, run) for run in self.runs(comment)] or [look]


def place_in(item: Item) -> str:
    """Return the place of a comment's item."""
    place: str = item[PLACE]["S"]
    return place


def stored(comment: NewComment) -> Item:
    """Build the item of a comment as the site stores it."""
    item: Item = items_of(comment)[0].serialize()
    return item


def shown(item: Item) -> Item:
    """Cut an item down to what a list shows of it."""
    return {name: item[name] for name in LISTED if name in item}


def _bare(item: Item) -> Sequence[Item]:
    """Keep what a list shows, and the product that a FilterExpression or the index `all` needs."""
    return ({"pk": item["pk"], "sk": item["sk"], PRODUCT: item[PRODUCT], **shown(item)},)


def _whole(item: Item) -> Sequence[Item]:
    return (item,)


def _in_sets(item: Item) -> Sequence[Item]:
    primary = primary_of(item)
    return () if primary is None else (primary, *copies_of(primary))


def _counts(comments: Sequence[NewComment]) -> Sequence[Item]:
    counted: dict[str, Counter[Cell]] = {}
    for one in comments:
        counted.setdefault(one.product_id, Counter())[one.language, one.rating] += 1
    return [counts_item(product_id, counts) for product_id, counts in counted.items()]


def _scan(product_id: str, chosen: CommentFilter, request: PageRequest) -> Answer:
    condition = Comment.product_partition == keys.product_partition(product_id)
    if chosen.languages:
        condition &= Comment.language.is_in(*chosen.languages)
    if chosen.ratings:
        condition &= Comment.rating.is_in(*chosen.ratings)
    return [shown(item) for item in cut_out(scan(TABLE, condition), request, place=place_in)]


def _read_by(
    reader: readers.Reader,
) -> Callable[[str, CommentFilter, PageRequest], Answer]:
    def read_items(product_id: str, chosen: CommentFilter, request: PageRequest) -> Answer:
        entries = reader.read(product_id, chosen, request).page.entries
        return [shown(entry.item) for entry in entries]

    return read_items


def _read_sets(product_id: str, chosen: CommentFilter, request: PageRequest) -> Answer:
    page = read(runs_of_sets(product_id, chosen), request)
    return [shown(entry.item) for entry in page.entries]


def _put(items: Callable[[Item], Sequence[Item]], table: str, comment: NewComment) -> None:
    """Write the first of a comment's items; a stream's handler writes the others."""
    client().put_item(TableName=table, Item=items(stored(comment))[0])


def _write_counted(comment: NewComment) -> None:
    changes = CountChanges()
    changes.add(comment.product_id, (comment.language, comment.rating), comment.created_at, 1)
    write([put(Comment, stored(comment), NEW)], changes)


def _run_of_all(comment: NewComment) -> Sequence[Run]:
    return plan(comment.product_id, CommentFilter()).runs


def _runs_of_indexes(comment: NewComment) -> Sequence[Run]:
    languages, ratings = (comment.language,), (comment.rating,)
    return [
        run
        for chosen in (
            CommentFilter(),
            CommentFilter.of(languages),
            CommentFilter.of((), ratings),
            CommentFilter.of(languages, ratings),
        )
        for run in plan(comment.product_id, chosen).runs
    ]


def _runs_of_copies(comment: NewComment) -> Sequence[Run]:
    (any_set,) = runs_of_sets(comment.product_id, CommentFilter())
    return [Run(any_set.index, item["sk"]["S"]) for item in _in_sets(stored(comment))]


SCAN = CommentDesign(
    layout=Layout("scan", Comment),
    items=_bare,
    read=_scan,
    write=partial(_put, _bare, TABLE),
)
FILTER = CommentDesign(
    layout=Layout("filter", Comment, _INDEXES[:1]),
    items=_bare,
    read=_read_by(readers.FILTER),
    write=partial(_put, _bare, TABLE),
    runs=_run_of_all,
)
SETS = CommentDesign(
    layout=Layout("sets", CommentSetItem, (BySet.Meta.index_name,)),
    items=_in_sets,
    read=_read_sets,
    write=partial(_put, _in_sets, CommentSetItem.Meta.table_name),
    runs=_runs_of_copies,
)
BY_RULE = CommentDesign(
    layout=Layout("rules", Comment, _INDEXES),
    items=_whole,
    read=_read_by(readers.RULES),
    write=partial(_put, _whole, TABLE),
    runs=_runs_of_indexes,
)
PLANNED = CommentDesign(
    layout=Layout("planner", Comment, _INDEXES),
    items=_whole,
    read=_read_by(readers.SITE),
    write=_write_counted,
    runs=_runs_of_indexes,
    besides=_counts,
)
DESIGNS = (SCAN, FILTER, SETS, BY_RULE, PLANNED)
