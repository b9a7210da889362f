"""The check of the table ``comments``: what is stored of comments, compared with what it should be.

`comment_differences` reads the table once, for all kinds of differences. Keys of comments and the
counts of products are derived here; the other kinds are in modules beside it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.planner import exact_pattern
from comments.integrity.bodies import Bodies
from comments.integrity.dependents import DependentItems, user_keys, votes
from comments.integrity.items import COMMENTS, read_by_key, show_value
from comments.integrity.ranks import ProductRanks
from comments.integrity.ratings import ProductRatings
from comments.integrity.topics import ProductTopics
from comments.items import NewComment, derived_keys
from comments.models import TABLE, Comment
from comments.sets.copies import primary_actions
from comments.store.counts import cell_names, counters
from comments.store.states import is_listed
from comments.store.table import change, changed, id_of
from dynapages.items import Item
from dynapages.lists import Page, PageRequest, every_entry, moment_at
from dynapages.process import client, read, write_actions
from dynapages.pynamodb import unchanged
from dynapages.upkeep import Derived, Difference, Kind, Sums, find_differences
from dynapages.writes import Action, Counters

RECOUNT_PAGE = 1_000
"""Entries of the index that a recount reads at a time."""


def comment_differences() -> Iterator[Difference]:
    """Compare what is stored of comments and derived from them with what it should be."""
    for _check, difference in find_differences(client(), TABLE, {"comments": comment_kinds()}):
        yield difference


def comment_kinds() -> Sequence[Kind]:
    """Return the kinds of the table ``comments``, in the order in which they are repaired."""
    bodies = Bodies()
    return (
        _list_keys(),
        user_keys(),
        _counts(),
        bodies,
        votes(bodies.exists),
        DependentItems(bodies.exists),
        ProductRanks(),
        ProductRatings(),
        ProductTopics(),
    )


# Keys of comments


def _list_keys() -> Derived:
    """Compare the keys of comments with those derived from what comments say."""
    return Derived(
        kind="keys",
        starts=COMMENTS,
        subject=_subject_of_comment,
        derive=_derived_keys,
        actions=_key_actions,
        write=write_actions,
        read=read_by_key,
        show=show_value,
    )


def _subject_of_comment(item: Item) -> str:
    return f"comment {id_of(item)}"


def _derived_keys(item: Item) -> dict[str, str]:
    """Derive the keys of a comment by the names of their attributes; none of one in no list."""
    if not is_listed(item):
        return {}
    stored = Comment.from_raw_data(dict(item))
    comment = NewComment(
        id=id_of(item),
        product_id=keys.product_id_in(stored.product_partition),
        language=stored.language,
        rating=int(stored.rating),
        created_at=moment_at(stored.place),
        user_id=stored.user_id or "",
    )
    keys_by_attribute: dict[str, str] = {}
    for name, key in derived_keys(comment).items():
        keys_by_attribute[getattr(Comment, name).attr_name] = key
    return keys_by_attribute


def _key_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the actions that correct a comment's keys, and its primary item with them."""
    # Nothing has the id any more that the place must end in.
    if isinstance(id_of(item), keys.IdDigest):
        return []
    changes = {name: {"S": key} for name, key in expected.items()}
    same = unchanged(item, Comment.pk, Comment.version, Comment.reply)
    key = {"pk": item["pk"], "sk": item["sk"]}
    return [change(key, changes, same), *primary_actions(item, changed(item, changes))]


# Counts of products


def _counts() -> Sums:
    """Compare the counts of products with their comments."""
    return Sums(
        shards=(keys.COUNTS_PREFIX, ""),
        name_in=_product_id_of_counts,
        items=COMMENTS,
        cells=_cells_counted_in,
        counters=_counters_of_product,
        subject="product {}".format,
        spread_subject="counts of {}".format,
        write=write_actions,
        count=count_all,
        show="{}: {}".format,
    )


def _product_id_of_counts(shard: Item) -> str:
    return keys.product_id_of_counts(shard["pk"]["S"])


def _counters_of_product(_product_id: str) -> Counters:
    return counters()


def _cells_counted_in(item: Item) -> Iterable[tuple[str, str]]:
    """Yield the product of a comment with each cell that it is counted in; none of one hidden."""
    if not is_listed(item):
        return
    comment = Comment.from_raw_data(dict(item))
    product_id = keys.product_id_in(comment.product_partition)
    for cell in cell_names(comment.language, int(comment.rating), moment_at(comment.place)):
        yield product_id, cell


def count_all(product_id: str) -> Counter[str]:
    """Count a product's comments from the index, by the names of cells."""
    every_comment = CommentFilter()
    runs = exact_pattern(every_comment).runs(product_id, every_comment)
    counted = Counter[str]()

    def read_page(request: PageRequest) -> Page:
        return read(runs, request)

    for entry in every_entry(read_page, at_once=RECOUNT_PAGE):
        for _product_id, cell in _cells_counted_in(entry.item):
            counted[cell] += 1
    return counted
