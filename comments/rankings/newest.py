"""The newest comment of a product, which the index may not have yet, or have no longer.

The index is eventually consistent: what it has is confirmed by a strong read of the table, and what
it does not have yet is suggested by who has written it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from comments.filters import CommentFilter
from comments.keys import comment_key
from comments.lists.queries import read_model
from comments.models import TABLE, Comment
from comments.store.states import is_listed, product_id_of
from dynapages.lists import PageRequest, id_at
from dynapages.process import page_batches, pool, read

MOST_LOOKED_THROUGH = 64
"""Entries of the index that are read at once to find a product's newest comment."""

_COMMENT_PLACE = Comment.place.attr_name
Suggestion = tuple[str, str]
"""A product id, and the place of one of its comments."""


@dataclass(frozen=True, slots=True)
class IndexStart:
    """The newest places of a product in the index, and whether it has no others."""

    places: Sequence[str]
    is_whole: bool


def index_start(product_id: str, *, without: Collection[str]) -> IndexStart:
    """Read the first entries of a product in the index, for half a unit.

    Places ``without`` which it is returned are of comments that leave the lists.
    """
    runs = read_model().plan(product_id, CommentFilter()).runs
    size = 1 + len(without)
    entries = read(runs, PageRequest(size)).entries
    places = [entry.position.place for entry in entries]
    others = [place for place in places if place not in without]
    return IndexStart(others, is_whole=len(places) < size)


def find_newest(
    suggested: Mapping[str, Collection[str]],
    *,
    unsure: Collection[str],
    starts: Mapping[str, IndexStart],
) -> dict[str, str]:
    """Return the place of the newest comment of each product that has any.

    ``suggested`` has, for each product, places of comments that may be the newest; ``starts`` has,
    for some, where the index began. The index is read for those ``unsure``, and for products of
    which too few of these comments exist (any more).
    """
    suggestions: set[Suggestion] = set()
    for product, places in suggested.items():
        suggestions.update((product, place) for place in places)
    for product, start in starts.items():
        suggestions.update((product, place) for place in start.places)
    confirmed = _confirmed(suggestions)
    to_look_up = set(unsure)
    for product, places in suggested.items():
        if product in starts:
            start = starts[product]
            # What of its start exists is newer than all that is behind it.
            is_enough = start.is_whole or _has_any(confirmed, product, start.places)
        else:
            is_enough = all((product, place) in confirmed for place in places)
        if not is_enough:
            to_look_up.add(product)
    in_index = sorted(to_look_up)
    found = zip(in_index, pool().map(_newest_indexed, in_index), strict=True)
    newest = {product: place for product, place in found if place}
    # A comment just written is confirmed by the table before the index has it.
    for product, place in confirmed:
        newest[product] = max(place, newest.get(product, ""))
    return newest


def _newest_indexed(product_id: str) -> str:
    """Return the first place in the index that the table confirms; empty if there is none."""
    runs = read_model().plan(product_id, CommentFilter()).runs
    request = PageRequest(1)
    while True:
        page = read(runs, request)
        suggestions: list[Suggestion] = []
        for entry in page.entries:
            suggestions.append((product_id, entry.position.place))
        confirmed = _confirmed(suggestions)
        if confirmed:
            _product_id, newest = max(confirmed)
            return newest
        if not page.has_next:
            return ""
        # The index may have many comments that were deleted a moment ago, as after an erasure.
        more = min(request.size * 4, MOST_LOOKED_THROUGH)
        request = PageRequest(more, page.entries[-1].position)


def _confirmed(suggestions: Iterable[Suggestion]) -> set[Suggestion]:
    """Return the suggestions whose comments are in the table and in lists, by strong reads."""
    suggested = set(suggestions)
    comment_ids = {id_at(place) for _product_id, place in suggested}
    confirmed = set()
    for item in page_batches().get(TABLE, map(comment_key, comment_ids)):
        # One that was put into another product, or imported with another time, is another place.
        if is_listed(item):
            confirmed.add((product_id_of(item), item[_COMMENT_PLACE]["S"]))
    return suggested & confirmed


def _has_any(confirmed: Collection[Suggestion], product: str, places: Iterable[str]) -> bool:
    """Return whether any of a product's places is confirmed."""
    return any((product, place) in confirmed for place in places)
