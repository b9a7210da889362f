"""The highlights of a product's page (AP12): the latest praise and criticism, and staff's picks.

As a rule, the latest praise and criticism are on the page of comments that is read anyway. What is
missing there is read by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from comments.filters import CommentFilter
from comments.lists.queries import CommentEntry, CommentPage, entry_of
from comments.lists.read_models import read_model
from comments.picks.queries import SHOWN_PICKS, picks_of
from comments.store.counts import ProductCounts
from dynamo.calls.client import pool
from dynamo.calls.meter import labelled_calls
from dynamo.calls.pool import Started, Together
from dynamo.lists.reader import PageRequest
from dynamo.lists.site_reader import read

Kind = tuple[int, ...]
"""The ratings of a kind of comments."""
POSITIVE: Kind = (4, 5)
NEGATIVE: Kind = (1, 2)
KINDS = (POSITIVE, NEGATIVE)
"""What AP12 calls positive and negative."""
LIKELY = 0.5
"""How many of a kind to expect on a page, at the least, before waiting to see whether there is."""


@dataclass(frozen=True, slots=True)
class Highlights:
    """The latest positive and negative comment, and when the product was last commented on.

    ``picks`` are the newest of the comments that staff have picked.
    """

    positive: CommentEntry | None
    negative: CommentEntry | None
    last_commented: datetime | None
    picks: tuple[CommentEntry, ...] = ()


def start_unlikely(
    together: Together, product_id: str, chosen: CommentFilter, counts: ProductCounts, *, size: int
) -> dict[Kind, Started[CommentEntry | None]]:
    """Start to read the kinds of which a page of ``size`` comments is likely to have none."""
    total = max(counts.of(chosen), 1)
    return {
        kind: together.start(partial(find_latest, product_id, chosen, ratings))
        for kind, ratings in _counted(chosen, counts).items()
        if size * counts.of(replace(chosen, ratings=ratings)) / total < LIKELY
    }


def find_latest(
    product_id: str, chosen: CommentFilter, ratings: tuple[int, ...]
) -> CommentEntry | None:
    """Read the latest comment of some ratings, half a unit for each language and rating."""
    runs = read_model().plan(product_id, replace(chosen, ratings=ratings)).runs
    with labelled_calls("highlights"):
        entries = read(runs, PageRequest(1), look_ahead=False).entries
    return entry_of(entries[0].item) if entries else None


def find_picks(product_id: str) -> tuple[CommentEntry, ...]:
    """Read the newest of the comments that staff have picked."""
    with labelled_calls("picks"):
        page = read([picks_of(product_id)], PageRequest(SHOWN_PICKS), look_ahead=False)
    return tuple(entry_of(entry.item) for entry in page.entries)


def find_highlights(
    product_id: str,
    chosen: CommentFilter,
    found: CommentPage,
    *,
    started: Mapping[Kind, Started[CommentEntry | None]],
    picks: Started[tuple[CommentEntry, ...]],
    newest: datetime | None,
) -> Highlights:
    """Return the highlights of a first page of comments; read what neither has nor was started.

    ``newest`` is when the product was last commented on in any language, as far as that is known.
    """
    shown = {kind: _first(found, kind) for kind in KINDS}
    missing = {
        kind: ratings
        for kind, ratings in _counted(chosen, found.counts).items()
        if shown[kind] is None and kind not in started and found.page.has_next
    }
    calls = [partial(find_latest, product_id, chosen, ratings) for ratings in missing.values()]
    read_now = pool().gather(calls)
    late = {kind: call.result() for kind, call in started.items()}
    late |= dict(zip(missing, read_now, strict=True))
    first = found.comments[0].created if found.comments else None
    last_commented = max((moment for moment in (first, newest) if moment), default=None)
    positive, negative = (shown[kind] or late.get(kind) for kind in KINDS)
    return Highlights(positive, negative, last_commented, picks.result())


def _first(found: CommentPage, kind: Kind) -> CommentEntry | None:
    return next((comment for comment in found.comments if comment.rating in kind), None)


def _counted(chosen: CommentFilter, counts: ProductCounts) -> dict[Kind, tuple[int, ...]]:
    """Return, by kind, its ratings that a list has comments of; no kinds without any."""
    languages = chosen.languages or counts.languages
    by_kind = {kind: tuple(r for r in kind if counts.within(languages, [r])) for kind in KINDS}
    return {kind: ratings for kind, ratings in by_kind.items() if ratings}
