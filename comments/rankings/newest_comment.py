"""The newest comment of a product, confirmed by a strong read.

The index ``all`` is eventually consistent: for a moment a comment just added is missing from it,
and one just deleted still there. So places from the index and from writers are only candidates,
which are read strongly from the table.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import partial

from comments import keys
from comments.filters import CommentFilter
from comments.lists.read_models import read_model
from comments.models import TABLE, Comment
from comments.store.table import comment_key
from dynamo.calls.client import pool
from dynamo.lists.places import id_at
from dynamo.lists.reader import PageRequest
from dynamo.lists.site_reader import page_batches, read

_PARTITION = Comment.product_partition.attr_name
_PLACE = Comment.place.attr_name
_MOST_READ = 64

Suggestion = tuple[str, str]
"""A product id, and the place of one of its comments."""


def find_newest(
    suggested: Mapping[str, Collection[str]], *, unsure: Collection[str]
) -> dict[str, str]:
    """Return the place of the newest comment of each product that has any.

    ``suggested`` has, for each product, places of comments that may be the newest: one that was
    the newest before, one just written. The index is read for products whose suggestions do not
    all exist (any more), and for those in ``unsure``.
    """
    suggestions = {(p, place) for p, places in suggested.items() for place in places}
    there = _confirmed(suggestions)
    doubtful = sorted({product for product, _ in suggestions - there} | set(unsure))
    searched = pool().gather([partial(_newest_indexed, product) for product in doubtful])
    indexed = {pair for pair in zip(doubtful, searched, strict=True) if pair[1]}
    newest: dict[str, str] = {}
    for product, place in there | indexed:
        newest[product] = max(place, newest.get(product, ""))
    return newest


def _newest_indexed(product_id: str) -> str:
    """Return the first place in the index that the table confirms; empty if there is none."""
    runs = read_model().plan(product_id, CommentFilter()).runs
    request = PageRequest(1)
    while True:
        page = read(runs, request)
        places = [entry.position.place for entry in page.entries]
        there = _confirmed((product_id, place) for place in places)
        if there or not page.has_next:
            return max((place for _, place in there), default="")
        more = min(request.size * 4, _MOST_READ)
        request = PageRequest(more, page.entries[-1].position)


def _confirmed(suggestions: Iterable[Suggestion]) -> set[Suggestion]:
    wanted = set(suggestions)
    ids = {id_at(place) for _, place in wanted}
    found = page_batches().get(TABLE, map(comment_key, ids))
    listed = [item for item in found if _PARTITION in item]
    return wanted & {
        (keys.product_id_in(item[_PARTITION]["S"]), item[_PLACE]["S"]) for item in listed
    }
