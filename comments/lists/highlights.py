"""Highlights of a product's page (AP12): latest praise, latest criticism, and picks of staff.

A page mostly has them among its comments. What is likely to be missing there is read in the round
of the list (`start_unlikely`), what turns out to be missing in a second one (`find_highlights`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from comments import keys
from comments.filters import CommentFilter
from comments.lists.entries import CommentEntry, comment_at
from comments.lists.queries import CommentPage, read_model
from comments.models import Featured
from comments.store.counts import ProductCounts
from comments.store.table import index_of
from dynapages.calls import Started, Together, labelled_calls
from dynapages.lists import PageRequest, Run
from dynapages.process import pool, read

Kind = tuple[int, ...]
"""The ratings of a kind of comments."""
POSITIVE: Kind = (4, 5)
NEGATIVE: Kind = (1, 2)
KINDS = (POSITIVE, NEGATIVE)
LEAST_EXPECTED = 0.5
"""How many of a kind to expect on a page, at the least, before waiting to see whether there is."""
SHOWN_PICKS = 3
"""Picks that a product's page shows."""
_FEATURED = index_of(Featured)

StartedKinds = Mapping[Kind, Started[CommentEntry | None]]
"""The kinds whose latest comment is being read."""


@dataclass(frozen=True, slots=True)
class Highlights:
    """The latest positive and negative comment, and when the product was last commented on."""

    positive: CommentEntry | None
    negative: CommentEntry | None
    last_commented: datetime | None
    picks: tuple[CommentEntry, ...] = ()


def start_unlikely(
    together: Together,
    product_id: str,
    chosen: CommentFilter,
    counts: ProductCounts,
    *,
    page_size: int,
) -> StartedKinds:
    """Start to read the kinds of which a page of so many comments is likely to have none."""
    total = max(counts.of(chosen), 1)
    started = {}
    for kind, ratings in _counted_kinds(chosen, counts).items():
        expected = page_size * counts.of(replace(chosen, ratings=ratings)) / total
        if expected < LEAST_EXPECTED:
            started[kind] = together.start(find_latest, product_id, chosen, ratings)
    return started


def find_highlights(
    product_id: str,
    chosen: CommentFilter,
    results: CommentPage,
    *,
    started: StartedKinds,
    picks: Started[tuple[CommentEntry, ...]],
    last_commented: datetime | None,
) -> Highlights:
    """Return the highlights of a first page of comments.

    Each kind is the first of the page, else the one whose read was ``started``. A kind that has
    neither is read now, if the list goes on. ``last_commented`` is what the product's rank says:
    the page may have a later comment.
    """
    counted = _counted_kinds(chosen, results.counts)
    latest = {kind: _first_of_kind(kind, results.comments) for kind in KINDS}
    missing: list[Kind] = []
    for kind in counted:
        # Where the list ends with this page, there is no more of any kind.
        if results.page.has_next and latest[kind] is None and kind not in started:
            missing.append(kind)

    def find(kind: Kind) -> CommentEntry | None:
        return find_latest(product_id, chosen, counted[kind])

    latest.update(zip(missing, pool().map(find, missing), strict=True))
    # Those that turned out not to be needed are waited for too, so that their cost is counted.
    for kind, call in started.items():
        comment = call.result()
        latest[kind] = latest[kind] or comment
    if results.comments:
        first = results.comments[0].created
        # The rank is stored after the comment, and is that of all languages.
        if last_commented is None or last_commented < first:
            last_commented = first
    return Highlights(latest[POSITIVE], latest[NEGATIVE], last_commented, picks.result())


def _first_of_kind(kind: Kind, comments: Sequence[CommentEntry]) -> CommentEntry | None:
    for comment in comments:
        if comment.rating in kind:
            return comment
    return None


def _counted_kinds(chosen: CommentFilter, counts: ProductCounts) -> dict[Kind, tuple[int, ...]]:
    """Return, by kind, its ratings that a list has comments of; no kinds without any."""
    languages = chosen.languages or counts.languages
    counted = {}
    for kind in KINDS:
        ratings = []
        for rating in kind:
            if counts.within(languages, [rating]):
                ratings.append(rating)
        if ratings:
            counted[kind] = tuple(ratings)
    return counted


def find_latest(
    product_id: str, chosen: CommentFilter, ratings: tuple[int, ...]
) -> CommentEntry | None:
    """Read the latest comment of some ratings, half a unit for each language and rating."""
    runs = read_model().plan(product_id, replace(chosen, ratings=ratings)).runs
    with labelled_calls("highlights"):
        entries = read(runs, PageRequest(1), look_ahead=False).entries
    if not entries:
        return None
    return comment_at(entries[0])


def find_picks(product_id: str) -> tuple[CommentEntry, ...]:
    """Read the newest of the comments that staff have picked."""
    # The index is sparse: only picks are in it, whatever the number of comments.
    run = Run(index=_FEATURED, partition=keys.featured(product_id))
    with labelled_calls("picks"):
        page = read([run], PageRequest(SHOWN_PICKS), look_ahead=False)
    return tuple(comment_at(entry) for entry in page.entries)
