"""Lists of a product's comments that have all words of a search, read from ``comment_words``.

`comments.lists.search_plans` says which postings are read. The merge of several languages is that
of other lists, ratings are one more filter.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from urllib.parse import urlencode

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.planner import ListPlan
from comments.lists.entries import entry_of
from comments.lists.orders import CommentOrder
from comments.lists.queries import CommentPage
from comments.lists.recent import Recent, in_list, read_recent, with_recent
from comments.lists.search_plans import WORDS, SearchPlan
from comments.models import TABLE as COMMENTS_TABLE
from comments.models import Comment, CommentBody
from comments.search.pending import PendingChanges, find_pending
from comments.search.postings import LARGEST_POSTING, stems_of_comment
from comments.search.words import Search
from comments.store.counts import ProductCounts
from dynapages.calls import labelled_calls
from dynapages.items import Item, table_key
from dynapages.lists import (
    LEAST_UNITS,
    Page,
    PageRequest,
    Segment,
    SegmentsPlan,
    id_at,
    unread_page,
)
from dynapages.process import page_batches, pool, read, read_in_segments

MOST_UNITS = 12.5
"""Capacity units of a page with a search, product and counts among them, whatever is searched for.

However few comments have all its words, and whatever they say: no posting has more than
`LARGEST_POSTING` bytes. While changes are unfinished, the comments of these cost a unit each beside
it, and their long texts one for each 4 KB.
"""
UNITS_OF_MARKS = LEAST_UNITS
"""What the Query of marks costs (`comments.search.pending`)."""
MARKS_SECONDS = 0.5
"""How much later than the postings the marks may be read. They stay for two seconds; the rest of
these is for replicas that lag.
"""
_BODY_BYTES = Comment.body_bytes.attr_name
_TEXT = CommentBody.text.attr_name


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search among a product's comments; ``with_hidden`` only for staff.

    ``refused`` is the sentence about one that is not made. ``is_typed`` is whether its field sent
    it, which may hold more by now.
    """

    search: Search
    with_hidden: bool = False
    refused: str = ""
    is_typed: bool = False

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The parameters in the URL of its list, by name."""
        fields = [("q", self.search.text)]
        if self.with_hidden:
            fields.append(("hidden", "1"))
        return tuple(fields)

    @property
    def query(self) -> str:
        return urlencode(self.fields)


def search_comments(
    product_id: str,
    wanted: SearchRequest,
    chosen: CommentFilter,
    request: PageRequest,
    *,
    counts: ProductCounts,
    count_now: Callable[[], ProductCounts] | None = None,
    order: CommentOrder = CommentOrder.NEWEST,
    other_units: float = 0.0,
) -> CommentPage:
    """Read a page of the comments with all words of a search, by time (S1).

    With the ``other_units`` that its page reads besides, it costs `MOST_UNITS` at most; a page that
    would cost more is short, and the list goes on. What is left of these may be spent on a second
    reading: where the counts of now (``count_now``) have other languages. If it does not suffice,
    the page is empty, and the next one is the page that was asked for.

    In the same round it is asked which changes may not be in postings yet. Comments of these are
    read from the table, strongly, for up to a unit each, and are on the page as they are now. Where
    the answer takes long, as after several attempts, a change may have been finished meanwhile that
    the postings did not have when they were read: they are read again. The next page then asks
    first, and reads its postings in the round after that.
    """
    most = max(MOST_UNITS - UNITS_OF_MARKS - other_units, MOST_UNITS / 2)
    reading = _Reading(min(most, request.most_units))

    def plan_by(known: ProductCounts) -> SearchPlan:
        return SearchPlan(
            product_id,
            wanted.search,
            chosen,
            counts=known,
            order=order,
            with_hidden=wanted.with_hidden,
        )

    with pool().together() as together:
        marks = together.start(partial(_find_pending, product_id))
        if _MARKS.took_long:
            marks.result()
        began = monotonic()
        plan = plan_by(counts)
        page = reading.read(plan, request, order)
        now = count_now() if count_now else counts
        by_now = plan if now.cells == counts.cells else plan_by(now)
        if not plan.covers(by_now):
            plan = by_now
            page = reading.read(plan, request, order)
        pending, answered = marks.result()
        if answered - began > MARKS_SECONDS:
            page = reading.read(plan, request, order)
    plan.note(page)
    found = CommentPage(
        comments=tuple(entry_of(entry.item) for entry in page.entries),
        plan=ListPlan(WORDS, tuple(one.run for one in page.reads)),
        page=page,
        shown=page,
        counts=now,
        pending=pending,
        reach=plan.reach(page),
        sections=plan.sections,
    )
    if pending.are_none:
        return found
    belongs = in_list(product_id, chosen, with_hidden=wanted.with_hidden)
    return _as_they_are_now(found, wanted, belongs=belongs, order=order)


class _Reading:
    """The readings of a page, which together cost so many units at the most.

    But a Query of each run is made once in any case: without it no page would ever have anything.
    """

    def __init__(self, most_units: float) -> None:
        self._left = most_units
        self._has_read = False

    def read(self, plan: SearchPlan, request: PageRequest, order: CommentOrder) -> Page:
        """Read the page; again, one that goes on where it begins, if too little is left for it."""
        asked = replace(
            request,
            position=plan.placed(request.position),
            most_units=self._left,
            largest_item=LARGEST_POSTING,
        )
        if self._has_read and self._left < _least_units(plan):
            return unread_page(asked, order=order.direction)
        page = _read_groups(plan, asked, order)
        self._has_read = True
        self._left -= page.capacity_units
        return page


def _least_units(plan: SearchPlan) -> float:
    """Return what a Query of each run costs that a page may begin with."""
    queries = (len(_of_groups(plan, [one], needed=1).runs) for one in range(len(plan.groups)))
    return LEAST_UNITS * max(queries, default=0)


def _read_groups(plan: SearchPlan, asked: PageRequest, order: CommentOrder) -> Page:
    """Read a page of all groups, in their order."""
    if not plan.is_grouped:
        whole = _of_groups(plan, range(len(plan.groups)), needed=asked.size + 1)
        return read(whole.runs, asked, order=order.direction, first_reads=whole.first_reads)

    def plan_of(segments: Sequence[Segment], needed: int) -> SegmentsPlan:
        return _of_groups(plan, [int(segment.name) for segment in segments], needed=needed)

    return read_in_segments(plan.segments, plan_of, asked, order=order.direction)


def _of_groups(plan: SearchPlan, numbers: Sequence[int], *, needed: int) -> SegmentsPlan:
    plans = [plan.of_group(number, needed) for number in numbers]
    return SegmentsPlan(
        runs=[run for one in plans for run in one.runs],
        first_reads=[limit for one in plans for limit in one.first_reads or ()],
    )


class _Marks:
    """What this process knows of Queries of marks."""

    took_long = False
    """Whether the last one took longer than `MARKS_SECONDS`."""


_MARKS = _Marks()


def _find_pending(product_id: str) -> tuple[PendingChanges, float]:
    """Return what the marks say, and when they were read by `time.monotonic`."""
    began = monotonic()
    with labelled_calls("unfinished changes"):
        pending = find_pending(product_id)
    answered = monotonic()
    _MARKS.took_long = answered - began > MARKS_SECONDS
    return pending, answered


def _as_they_are_now(
    found: CommentPage,
    wanted: SearchRequest,
    *,
    belongs: Callable[[Item], bool],
    order: CommentOrder,
) -> CommentPage:
    """Return a page with the comments of unfinished changes as they are in the table.

    Where not all of these are named, every comment of the page is read.
    """
    on_page = {keys.id_in_keys(comment.id): comment.id for comment in found.comments}
    ids = {on_page.get(one, one) for one in found.pending.comment_ids}
    if not found.pending.are_all_named:
        ids.update(comment.id for comment in found.comments)
    comments = with_recent(
        found.comments,
        matching(wanted, read_recent(sorted(ids))),
        page=found.page,
        belongs=belongs,
        order=order,
        sections=found.sections,
    )
    shown = _only(found.page, {comment.id for comment in comments})
    return replace(found, comments=comments, shown=shown)


def _only(page: Page, comment_ids: Collection[str]) -> Page:
    """Return a page without the entries of other comments, for its explanation."""
    entries = [entry for entry in page.entries if id_at(entry.position.place) in comment_ids]
    reads = []
    for one in page.reads:
        returned = sum(entry.run is one.run for entry in entries)
        reads.append(replace(one, items_returned=returned))
    return replace(page, entries=tuple(entries), reads=tuple(reads))


def recent_found(wanted: SearchRequest, recent: Recent) -> Recent:
    """Return comments just written, those without all words of a search as if they were deleted.

    With hidden comments none is returned: the list has them.
    """
    return {} if wanted.with_hidden else matching(wanted, recent)


def matching(wanted: SearchRequest, comments: Recent) -> Recent:
    """Return comments of the table, those without all words of a search as if they were deleted.

    Long bodies are read, strongly.
    """
    items = [item for item in comments.values() if item]
    long = [table_key(item["pk"]["S"], keys.BODY) for item in items if _BODY_BYTES in item]
    bodies = {
        item["pk"]["S"]: item[_TEXT]["S"] for item in page_batches().get(COMMENTS_TABLE, long)
    }

    def has_all(item: Item) -> bool:
        stems = stems_of_comment(item, bodies.get(item["pk"]["S"]))
        asked = wanted.search.stems(entry_of(item).language)
        return bool(asked) and {*asked} <= {*stems}

    return {one: item if item and has_all(item) else None for one, item in comments.items()}
