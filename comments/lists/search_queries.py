"""Lists of a product's comments that have all words of a search, read from ``comment_words``.

`comments.lists.search_plans` says which postings are read. The merge of several languages is that
of other lists, ratings are one more filter.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from urllib.parse import urlencode

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.planner import ListPlan
from comments.lists.entries import comment_at, entry_of
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
    Run,
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

    ``refused`` is the sentence about one that is not made. ``is_typed`` is whether the search field
    sent it while somebody types: there may be more in the field by the time of the answer.
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
    search_request: SearchRequest,
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
            search_request.search,
            chosen,
            counts=known,
            order=order,
            with_hidden=search_request.with_hidden,
        )

    with pool().together() as together:
        marks_read = together.start(_read_marks, product_id)
        # While marks are slow, postings are read behind them rather than twice.
        if _LAST_MARKS.took_long:
            marks_read.result()
        began = monotonic()
        plan = plan_by(counts)
        page = reading.read(plan, request, order)
        now = counts
        if count_now:
            now = count_now()
        plan_now = plan
        # A plan by other counts may have other groups of languages, and so other places.
        if now.cells != counts.cells:
            plan_now = plan_by(now)
        if not plan.covers(plan_now):
            plan = plan_now
            page = reading.read(plan, request, order)
        marks = marks_read.result()
        if marks.answered - began > MARKS_SECONDS:
            page = reading.read(plan, request, order)
    plan.note(page)
    results = CommentPage(
        comments=tuple(comment_at(entry) for entry in page.entries),
        plan=ListPlan(WORDS, tuple(read.run for read in page.reads)),
        page=page,
        shown=page,
        counts=now,
        pending=marks.pending,
        reach=plan.reach(page),
        sections=plan.sections,
    )
    if marks.pending.are_none:
        return results
    belongs = in_list(product_id, chosen, with_hidden=search_request.with_hidden)
    return _as_they_are_now(results, search_request, belongs=belongs, order=order)


# Readings of postings.


class _Reading:
    """The readings of a page, which together cost so many units at the most.

    But a Query of each run is made once in any case: without it no page would ever have anything.
    """

    def __init__(self, most_units: float) -> None:
        self._left = most_units
        self._has_read = False

    def read(self, plan: SearchPlan, request: PageRequest, order: CommentOrder) -> Page:
        """Read the page; again, one that goes on where it begins, if too little is left for it."""
        request = replace(
            request,
            position=plan.placed(request.position),
            most_units=self._left,
            largest_item=LARGEST_POSTING,
        )
        if self._has_read and self._left < _least_units(plan):
            return unread_page(request, order=order.direction)
        page = _read_groups(plan, request, order)
        self._has_read = True
        self._left -= page.capacity_units
        return page


def _least_units(plan: SearchPlan) -> float:
    """Return what a Query of each run costs that a page may begin with."""
    most_queries = 0
    for number in range(len(plan.groups)):
        most_queries = max(most_queries, len(plan.of_group(number, needed=1).runs))
    return LEAST_UNITS * most_queries


def _read_groups(plan: SearchPlan, request: PageRequest, order: CommentOrder) -> Page:
    """Read a page of all groups, in their order."""
    if not plan.is_grouped:
        all_groups = range(len(plan.groups))
        segments_plan = _plan_groups(plan, all_groups, needed=request.size + 1)
        return read(
            segments_plan.runs,
            request,
            order=order.direction,
            first_reads=segments_plan.first_reads,
        )

    def plan_segments(segments: Sequence[Segment], needed: int) -> SegmentsPlan:
        # Segments of groups are named by their numbers.
        return _plan_groups(plan, [int(segment.name) for segment in segments], needed=needed)

    return read_in_segments(plan.segments, plan_segments, request, order=order.direction)


def _plan_groups(plan: SearchPlan, numbers: Sequence[int], *, needed: int) -> SegmentsPlan:
    """Plan the first reads of some groups of languages, given by their numbers."""
    runs: list[Run] = []
    first_reads: list[int] = []
    for number in numbers:
        group = plan.of_group(number, needed)
        runs.extend(group.runs)
        first_reads.extend(group.first_reads or ())
    return SegmentsPlan(runs, first_reads)


# Changes that may not be in postings yet.


@dataclass(slots=True)
class _LastMarks:
    """Whether this process's last Query of marks took longer than `MARKS_SECONDS`."""

    took_long: bool = False


_LAST_MARKS = _LastMarks()


@dataclass(frozen=True, slots=True)
class _Marks:
    """What the marks of a product say, and when they were read by `time.monotonic`."""

    pending: PendingChanges
    answered: float


def _read_marks(product_id: str) -> _Marks:
    """Read which changes of a product may not be in postings yet."""
    began = monotonic()
    with labelled_calls("unfinished changes"):
        pending = find_pending(product_id)
    answered = monotonic()
    _LAST_MARKS.took_long = answered - began > MARKS_SECONDS
    return _Marks(pending, answered)


def _as_they_are_now(
    results: CommentPage,
    search_request: SearchRequest,
    *,
    belongs: Callable[[Item], bool],
    order: CommentOrder,
) -> CommentPage:
    """Return a page with the comments of unfinished changes as they are in the table.

    Where not all of these are named, every comment of the page is read.
    """
    # Marks have digests of long ids: those of comments on the page are known.
    on_page = {keys.id_in_keys(comment.id): comment.id for comment in results.comments}
    ids: set[str] = set()
    for marked_id in results.pending.comment_ids:
        ids.add(on_page.get(marked_id, marked_id))
    if not results.pending.are_all_named:
        ids.update(comment.id for comment in results.comments)
    comments = with_recent(
        results.comments,
        with_all_words(search_request, read_recent(sorted(ids))),
        page=results.page,
        belongs=belongs,
        order=order,
        sections=results.sections,
    )
    shown = _with_entries_of(results.page, {comment.id for comment in comments})
    return replace(results, comments=comments, shown=shown)


def _with_entries_of(page: Page, comment_ids: Collection[str]) -> Page:
    """Return a page without the entries of other comments, for its explanation."""
    entries = []
    for entry in page.entries:
        if id_at(entry.position.place) in comment_ids:
            entries.append(entry)
    reads = []
    for run_read in page.reads:
        returned = sum(entry.run is run_read.run for entry in entries)
        reads.append(replace(run_read, items_returned=returned))
    return replace(page, entries=tuple(entries), reads=tuple(reads))


def recent_with_all_words(search_request: SearchRequest, recent: Recent) -> Recent:
    """Return comments just written, those without all words of a search as if they were deleted.

    With hidden comments none is returned: the list has them.
    """
    if search_request.with_hidden:
        return {}
    return with_all_words(search_request, recent)


def with_all_words(search_request: SearchRequest, comments: Recent) -> Recent:
    """Return comments of the table, those without all words of a search as if they were deleted.

    Long bodies are read, strongly.
    """
    bodies = _long_bodies(comments)

    def has_all_words(item: Item) -> bool:
        searched = set(search_request.search.stems(entry_of(item).language))
        # Where all its words are common, nothing is searched in the language.
        if not searched:
            return False
        stems = stems_of_comment(item, bodies.get(item["pk"]["S"]))
        return searched.issubset(stems)

    matching: dict[str, Item | None] = {}
    for comment_id, item in comments.items():
        matching[comment_id] = None
        if item and has_all_words(item):
            matching[comment_id] = item
    return matching


def _long_bodies(comments: Recent) -> dict[str, str]:
    """Read the texts of those comments that have only an excerpt, by the partitions of these."""
    body_keys = []
    for item in comments.values():
        if item and _BODY_BYTES in item:
            body_keys.append(table_key(item["pk"]["S"], keys.BODY))
    body_items = page_batches().get(COMMENTS_TABLE, body_keys)
    return {item["pk"]["S"]: item[_TEXT]["S"] for item in body_items}
