"""The designs for comments: how each stores a comment, reads a page, and writes one more.

All store what a list shows of a comment; a long text stands apart in each, and is not counted.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.items import NewComment
from comments.models import Comment
from comments.sets.copies import copies_of, primary_of
from comments.sets.models import BySet, CommentSetItem
from comments.sets.plans import runs as runs_of_sets
from comments.store.comments import NEW
from comments.store.counts import Cell, cell
from comments.store.transactions import CountChanges, write
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.lists.places import place_of
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Run
from dynamo.lists.site_reader import read
from dynamo.writes.actions import put
from lab.bench.readers import DROPPING, RULES, SITE, Reader
from lab.designs.comment_reads import (
    PRODUCT,
    TABLE,
    place_in,
    read_sets,
    scan_page,
    showing,
    shown,
    stored,
)
from lab.designs.tables import Layout
from lab.designs.writing import Look

_INDEXES = tuple(
    index.Meta.index_name
    for index in (
        Comment.all,
        Comment.by_language,
        Comment.by_rating,
        Comment.by_language_and_rating,
    )
)


@dataclass(frozen=True, slots=True)
class CommentDesign:
    """A way to store comments and to read their lists.

    ``items`` are those of one comment, ``besides`` those that products have apart from them.
    ``looks`` tell of a new comment whether it is where lists read it, in each place there is.
    """

    layout: Layout
    items: Callable[[Item], Sequence[Item]]
    read: Callable[[str, CommentFilter, PageRequest], Sequence[Item]]
    write: Callable[[NewComment], object]
    looks: Callable[[NewComment], Sequence[Look]]
    besides: Callable[[Sequence[NewComment]], Sequence[Item]] = lambda _comments: ()

    @property
    def name(self) -> str:
        return self.layout.name


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
    return [
        {"pk": {"S": key}, "sk": {"S": key}}
        | {cell(*of): {"N": str(number)} for of, number in cells.items()}
        for key, cells in ((keys.counts(p, 0), cells) for p, cells in counted.items())
    ]


def _reader(reader: Reader) -> Callable[[str, CommentFilter, PageRequest], Sequence[Item]]:
    return showing(reader.read)


def _put(items: Callable[[Item], Sequence[Item]], table: str, comment: NewComment) -> None:
    """Write the first of a comment's items: what it writes itself."""
    client().put_item(TableName=table, Item=items(stored(comment))[0])


def _write_counted(comment: NewComment) -> None:
    changes = CountChanges()
    changes.add(comment.product_id, (comment.language, comment.rating), 1)
    write([put(Comment, stored(comment), NEW)], changes)


def _look_by_scan(comment: NewComment) -> Sequence[Look]:
    def look() -> bool:
        found = scan_page(comment.product_id, CommentFilter(), PageRequest(1))
        return [place_in(item) for item in found] == [place_of(comment.created_at, comment.id)]

    return [look]


def _look_in(runs: Callable[[NewComment], Sequence[Run]], comment: NewComment) -> Sequence[Look]:
    """Look for a comment at the head of each run that lists read it from."""
    place = place_of(comment.created_at, comment.id)

    def look(run: Run) -> bool:
        entries = read([run], PageRequest(1), look_ahead=False).entries
        return [entry.position.place for entry in entries] == [place]

    return [partial(look, run) for run in runs(comment)]


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
    read=scan_page,
    write=partial(_put, _bare, TABLE),
    looks=_look_by_scan,
)
FILTER = CommentDesign(
    layout=Layout("filter", Comment, _INDEXES[:1]),
    items=_bare,
    read=_reader(DROPPING),
    write=partial(_put, _bare, TABLE),
    looks=partial(_look_in, _run_of_all),
)
SETS = CommentDesign(
    layout=Layout("sets", CommentSetItem, (BySet.Meta.index_name,)),
    items=_in_sets,
    read=showing(read_sets),
    write=partial(_put, _in_sets, CommentSetItem.Meta.table_name),
    looks=partial(_look_in, _runs_of_copies),
)
BY_RULE = CommentDesign(
    layout=Layout("rules", Comment, _INDEXES),
    items=_whole,
    read=_reader(RULES),
    write=partial(_put, _whole, TABLE),
    looks=partial(_look_in, _runs_of_indexes),
)
PLANNED = CommentDesign(
    layout=Layout("planner", Comment, _INDEXES),
    items=_whole,
    read=_reader(SITE),
    write=_write_counted,
    looks=partial(_look_in, _runs_of_indexes),
    besides=_counts,
)
DESIGNS = (SCAN, FILTER, SETS, BY_RULE, PLANNED)
