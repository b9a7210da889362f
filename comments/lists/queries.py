"""Reads of comments: lists, by the read model that the site has, and one comment.

==========  ==========================================  ============================
model       lists are read from                         planned by
==========  ==========================================  ============================
``indexes`` the four indexes of ``comments``            `comments.indexes.planner`
``sets``    the copies in ``comment_sets``              `comments.sets.plans`
==========  ==========================================  ============================

``COMMENTS_READ_MODEL`` chooses. A position in one is valid in the other. Single comments, counts,
rankings and repairs are read from ``comments`` under both.

A list by rating is the lists of the ratings, one after another. Each rating is a segment, planned
and read like a list of its own. By the counts and the number of its position a page knows how many
comments of each are ahead, and reads several in one round.
"""

import logging
from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate, groupby, pairwise
from math import inf
from random import sample
from typing import Any, NamedTuple

from django.core.cache import cache
from django.urls import reverse
from django.utils.formats import date_format

from comments import keys
from comments.filters import RATINGS, CommentFilter, language_name
from comments.host import COMMENTS
from comments.indexes import planner as planning
from comments.indexes.planner import MIXED, SIZES, ListPlan
from comments.keys import score_at
from comments.lists.orders import CommentOrder, comments_in_front
from comments.models import TABLE, ByLanguageAndRating, Comment, CommentBody
from comments.replies.services import Reply, reply_in
from comments.search.pending import NOTHING_PENDING, PendingChanges
from comments.sets import plans
from comments.sets.copies import SETS
from comments.store.comments import (
    NoSuchComment,
    Revision,
    hold_reason,
    is_listed,
    is_tombstone,
    product_id_of,
)
from comments.store.counts import Cell, ProductCounts, cell, counters, remembered_as
from comments.store.table import comment_key, query_pages
from comments.users import author_name, profile_url, slug_of
from dynapages.calls import labelled_calls
from dynapages.django.paging import anchor_of
from dynapages.items import Item, blocks_of
from dynapages.lists import (
    HIGHEST,
    LARGEST_ITEM,
    LEAST_UNITS,
    Fallback,
    Order,
    Page,
    PageRequest,
    Run,
    Segment,
    SegmentsPlan,
    Toward,
    id_at,
    moment_at,
    numbered_behind,
    parse_timestamp,
    timestamp,
)
from dynapages.process import client, page_batches, read, read_in_segments
from dynapages.writes import ConditionFailed, write_transaction

MOST_UNITS = 8.0
"""Capacity units of a page with a list, however few comments match its filter."""
MOST_UNITS_OF_AN_ITEM = 0.4
"""The same for pages of more than 20 comments."""
LARGEST_ENTRY = "largest-entry"
_NO_TEXT, _TRUE = {"S": ""}, {"BOOL": True}


@dataclass(frozen=True, slots=True)
class CommentEntry:
    """A comment as lists show it; ``text`` is an excerpt when ``is_long``.

    One that ``is_hidden`` is in no list of its product; ``held_for`` is why it waits for the shop,
    if it does. ``user_id`` is empty for an imported comment, ``product_id`` in the lists of one
    product. Of the shop's ``reply``, lists have what travels with the comment.
    """

    id: str
    language: str
    rating: int
    created: datetime
    author: str
    title: str
    text: str
    is_long: bool
    user_id: str = ""
    edited_at: str = ""
    is_verified: bool = False
    is_hidden: bool = False
    held_for: str | None = None
    product_id: str = ""
    reply: Reply | None = None

    @property
    def url(self) -> str:
        return reverse("comments:comment", args=[self.id])

    @property
    def author_name(self) -> str:
        """What pages call its author, in the active language."""
        return author_name(self)

    @property
    def user_slug(self) -> str:
        """What stands for its author in addresses and in the API; empty for an imported one."""
        return slug_of(self.user_id)

    @property
    def profile_url(self) -> str:
        """The page with all comments of its author; empty for an imported one."""
        return profile_url(self.user_id)

    @property
    def anchor(self) -> str:
        """The id of its element on a page."""
        return anchor_of("comment", self.id)

    @property
    def edited(self) -> datetime | None:
        """When it was last edited, None where it never was."""
        return parse_timestamp(self.edited_at) if self.edited_at else None

    @property
    def language_name(self) -> str:
        return language_name(self.language)

    @property
    def created_iso(self) -> str:
        return timestamp(self.created)

    @property
    def created_day(self) -> str:
        """Such as ``20 Nov 2026``, UTC."""
        return date_format(self.created, "SHORT_DATE_FORMAT")

    @property
    def created_second(self) -> str:
        """Such as ``20 November 2026, 09:30:00``, UTC."""
        return date_format(self.created, "DATETIME_FORMAT")

    @property
    def stars(self) -> str:
        return "★" * self.rating + "☆" * (5 - self.rating)


@dataclass(frozen=True, slots=True)
class Reach:
    """In which languages a search was read by the end of a page, and in which it was not yet.

    ``languages`` are those of this page and of the pages in front of it, ``later`` those whose
    comments follow on pages behind it, both in the order they are read in. In ``common`` ones
    nothing is searched: all words of the search are common there.
    """

    languages: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    common: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommentPage:
    """A page of a list of comments, and the plan it was read by.

    The links to its neighbours are built from ``page``; ``shown`` has also what was found in
    partitions that were counted as empty. ``counts`` are those of the product, as of now.
    ``pending`` is what a search knows of changes that may not be in postings yet, ``reach`` in
    which languages it was made; None for a list that is no search. ``sections`` are what the places
    of each language begin with, where a search reads languages in groups.
    """

    comments: tuple[CommentEntry, ...]
    plan: ListPlan
    page: Page
    shown: Page
    counts: ProductCounts
    pending: PendingChanges = NOTHING_PENDING
    reach: Reach | None = None
    sections: Mapping[str, str] = field(default_factory=dict)


def reached_at(page: Page) -> datetime | None:
    """Return how far the reading of a page came that is short because its units were spent.

    None for other pages, and where that is no moment: of a list by rating, or between two groups of
    languages of a search.
    """
    if page.cut_at is None:
        return None
    place = page.cut_at.place
    if not place[:1].isdecimal():  # it begins with the section of a group
        place = place.partition("/")[2]
    try:
        return moment_at(place)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class WholeComment(CommentEntry):
    """One comment with its whole text in ``body``; ``seen`` is its `Revision` for staff."""

    body: str = ""
    is_pick: bool = False
    helpful: int = 0
    seen: str = ""


def list_comments(
    product_id: str,
    chosen: CommentFilter,
    request: PageRequest,
    *,
    counts: ProductCounts,
    exact: Callable[[], ProductCounts] | None = None,
    order: CommentOrder = CommentOrder.NEWEST,
    beside: float = 0.0,
    forced_plan: str | None = None,
) -> CommentPage:
    """Read a page of a product's comments in any order (AP1, AP2, AP3, AP6).

    The plan is made from ``counts``, which may be remembered ones; then ``exact`` returns those of
    now: if they count comments of the list where the plan's counted none, the page is read again.
    All of it costs `most_units` at most, and a query or two: a page that would cost more is short,
    and the list goes on behind its ``cut_at``. ``beside`` are the units that the list's page takes
    for other things; ``forced_plan`` is used whatever it costs. Raises NoSuchPlan.
    """
    remembered = remembered_as(LARGEST_ENTRY, product_id)
    asked = replace(
        request,
        most_units=inf if forced_plan else most_units(request, beside=beside),
        largest_item=cache.get(remembered, LARGEST_ITEM),
    )
    read_list = partial(_read_list, product_id, chosen, order=order, forced=forced_plan)
    plan, page = read_list(asked, counts)
    left = asked.most_units - page.capacity_units
    now = exact() if exact else counts
    if counts.misses_partitions_of(now, chosen):
        asked = replace(asked, most_units=left)
        plan, page = read_list(asked, now)
        left -= page.capacity_units
    counts_months = now.of(chosen) == now.total  # those of the list, as of the product
    if counts_months and request.toward is Toward.NEXT:
        in_front = comments_in_front(request.position, now, order)
        page = page if in_front is None else numbered_behind(page, in_front)
    shown = page
    if plan.empty_partitions and not page.has_next:
        runs = plan.empty_partitions
        shown = with_empty_partitions(product_id, page, runs, order.direction, most_units=left)
    # A comment that moves between sets, or ratings, may for a moment be in two of them.
    once = {id_at(entry.position.place): entry for entry in shown.entries}.values()
    for name, entries in groupby(page.entries, key=lambda entry: entry.run.index.name or ""):
        SIZES.note(name, (entry.stored for entry in entries))
    if page.largest_item > asked.largest_item:
        cache.set(remembered, page.largest_item, timeout=None)
    comments = tuple(entry_of(entry.item) for entry in once)
    return CommentPage(comments=comments, plan=plan, page=page, shown=shown, counts=now)


def _read_list(
    product_id: str,
    chosen: CommentFilter,
    request: PageRequest,
    counts: ProductCounts,
    *,
    order: CommentOrder,
    forced: str | None,
) -> tuple[ListPlan, Page]:
    def plan_part(part: CommentFilter, needed: int, most: float) -> ListPlan:
        planner, most = read_model().plan_list, most / blocks_of(request.largest_item)
        return planner(product_id, part, counts, needed=needed, forced=forced, most_units=most)

    if order.is_by_rating:
        return read_by_rating(chosen, request, counts=counts, order=order, plan_part=plan_part)
    plan = plan_part(chosen, request.size + 1, request.most_units)
    page = read(
        plan.runs,
        request,
        order=order.direction,
        first_reads=plan.first_reads,
        fallback=plan.fallback,
    )
    return plan, page


def most_units(request: PageRequest, *, beside: float = 0.0) -> float:
    """Return the capacity units that a list may cost where its page takes others ``beside`` it.

    At least half of those of the page: the counts of a product with many writers are dear. But no
    more than the request allows.
    """
    of_page = max(MOST_UNITS, request.size * MOST_UNITS_OF_AN_ITEM)
    return min(max(of_page - beside, of_page / 2), request.most_units)


def find_comment(comment_id: str, *, consistent: bool = False) -> WholeComment:
    """Read one comment by its id (AP4), with its body and reply, by one Query.

    Raises NoSuchComment.
    """
    # Body, comment and reply are next to each other; votes and reports are behind them.
    to_reply = Comment.sk.between(keys.BODY, keys.REPLY)
    pages = query_pages(
        (Comment.pk == keys.comment(comment_id)) & to_reply, ConsistentRead=consistent
    )
    items = {item["sk"]["S"]: item for page in pages for item in page["Items"]}
    item = items.get(keys.COMMENT)
    if item is None or is_tombstone(item):
        raise NoSuchComment(comment_id)
    comment, entry = Comment.from_raw_data(dict(item)), entry_of(item)
    shown = {field.name: getattr(entry, field.name) for field in fields(CommentEntry)}
    reply, body = items.get(keys.REPLY), items.get(keys.BODY)
    shown |= {
        "reply": reply_in(reply) if reply else None,
        # An excerpt where an import has not put a long body yet.
        "body": CommentBody.from_raw_data(dict(body)).text
        if body and entry.is_long
        else entry.text,
    }
    return WholeComment(
        **shown,
        is_pick=comment.featured_partition is not None,
        helpful=score_at(comment.rank_place) if comment.rank_place else 0,
        seen=str(Revision.of(item)),
    )


# Attributes of models take a while to look up, for every comment of a page.
_PLACE = Comment.place.attr_name
_LANGUAGE = Comment.language.attr_name
_RATING = Comment.rating.attr_name
_USER_ID = Comment.user_id.attr_name
_AUTHOR = Comment.author.attr_name
_TITLE = Comment.title.attr_name
_TEXT = Comment.text.attr_name
_EDITED = Comment.edited_at.attr_name
_VERIFIED = Comment.verified.attr_name
_HIDDEN = Comment.hidden_product.attr_name
_LONG = Comment.body_bytes.attr_name
_REPLY = Comment.reply.attr_name


def entry_of(item: Item) -> CommentEntry:
    """Parse a list entry from an item of the table or of any index, faster than PynamoDB."""
    place, reply = item[_PLACE]["S"], item.get(_REPLY)
    return CommentEntry(
        id=id_at(place),
        language=item[_LANGUAGE]["S"],
        rating=int(item[_RATING]["N"]),
        created=moment_at(place),
        author=item.get(_AUTHOR, _NO_TEXT)["S"],
        title=item.get(_TITLE, _NO_TEXT)["S"],
        text=item.get(_TEXT, _NO_TEXT)["S"],
        is_long=_LONG in item,
        user_id=item.get(_USER_ID, _NO_TEXT)["S"],
        edited_at=item.get(_EDITED, _NO_TEXT)["S"],
        is_verified=item.get(_VERIFIED) == _TRUE,
        is_hidden=_HIDDEN in item,
        held_for=hold_reason(item),
        product_id=product_id_of(item),
        reply=reply_in(reply["M"]) if reply else None,
    )


INDEXES = "indexes"


class ReadModel(NamedTuple):
    """A way to read lists: how they are planned without counts, and with them."""

    plan: Callable[[str, CommentFilter], ListPlan]
    plan_list: Callable[..., ListPlan]


_MODELS = {
    INDEXES: ReadModel(planning.plan, planning.plan_list),
    SETS: ReadModel(plans.plan, plans.plan_list),
}


def read_model() -> ReadModel:
    """Return the read model of the site."""
    return _MODELS[COMMENTS["READ_MODEL"]]


REMEMBERED_FOR = timedelta(minutes=1)
MOST = 5
MOST_BYTES = 700
"""What the ids may take of the session, which is a cookie."""

_SESSION_KEY = "written"

Recent = Mapping[str, Item | None]
"""Comments just written by their ids, None for those that are deleted."""


def remember_written(session: MutableMapping[str, Any], comment_id: str, *, now: datetime) -> None:
    """Remember that this visitor writes a comment now."""
    others = [each for each in _remembered(session, now=now) if each[0] != comment_id]
    kept: list[list[Any]] = [[comment_id, int(now.timestamp())], *others][:MOST]
    while len(str(kept).encode()) > MOST_BYTES and len(kept) > 1:
        kept.pop()
    session[_SESSION_KEY] = kept


def recently_written(session: MutableMapping[str, Any], *, now: datetime) -> list[str]:
    """Return the ids of the comments this visitor has just written, changed or deleted."""
    return [comment_id for comment_id, _ in _remembered(session, now=now)]


def read_recent(comment_ids: Sequence[str]) -> Recent:
    """Read comments just written, strongly."""
    with labelled_calls("just written"):
        found = page_batches().get(TABLE, map(comment_key, comment_ids))
    items = {item["pk"]["S"]: item for item in found if not is_tombstone(item)}
    return {comment_id: items.get(keys.comment(comment_id)) for comment_id in comment_ids}


def with_recent(
    entries: Sequence[CommentEntry],
    recent: Recent,
    *,
    page: Page,
    belongs: Callable[[Item], bool],
    order: CommentOrder = CommentOrder.NEWEST,
    sections: Mapping[str, str] | None = None,
) -> tuple[CommentEntry, ...]:
    """Return the entries of a page with the ``recent`` ones as in the table.

    ``belongs`` returns whether an item of the table is in this list, ``sections`` are those of a
    `CommentPage`.
    """
    if not recent:
        return tuple(entries)
    found = [entry_of(item) for item in recent.values() if item and belongs(item)]
    falls = order.direction is Order.NEWEST_FIRST

    def place(entry: CommentEntry) -> str:
        section = sections.get(entry.language, "") if sections else ""
        return section + order.place(entry.created, entry.id, rating=entry.rating)

    here = [entry for entry in found if _covers(page, place(entry), falls=falls)]
    others = [entry for entry in entries if entry.id not in recent]
    return tuple(sorted([*others, *here], key=place, reverse=falls))


def in_list(
    product_id: str, chosen: CommentFilter, *, with_hidden: bool = False
) -> Callable[[Item], bool]:
    """Return a predicate for items of the table that are in a list of a product's comments.

    Or would be, but that they are hidden, in a list ``with_hidden`` ones.
    """

    def belongs(item: Item) -> bool:
        if product_id_of(item) != product_id or not (with_hidden or is_listed(item)):
            return False
        entry = entry_of(item)
        right_language = not chosen.languages or entry.language in chosen.languages
        return right_language and (not chosen.ratings or entry.rating in chosen.ratings)

    return belongs


def _covers(page: Page, place: str, *, falls: bool) -> bool:
    is_onward = page.toward is Toward.NEXT
    end = page.next_position if is_onward else page.previous_position
    ascending = falls is not is_onward
    if page.start and not page.start.is_before(place, ascending=ascending):
        return False
    return not (end and end.is_before(place, ascending=ascending))


def _remembered(session: MutableMapping[str, Any], *, now: datetime) -> list[list[Any]]:
    oldest = (now - REMEMBERED_FOR).timestamp()
    return [each for each in session.get(_SESSION_KEY, []) if each[1] >= oldest]


PlanPart = Callable[[CommentFilter, int, float], ListPlan]
"""Plans a part of the list for so many needed items, and so many units at most."""

LEAST_NEEDED = 2
"""A comment, and one behind it."""


def read_by_rating(
    chosen: CommentFilter,
    request: PageRequest,
    *,
    counts: ProductCounts,
    order: CommentOrder,
    plan_part: PlanPart,
) -> tuple[ListPlan, Page]:
    """Read a page of a list by rating; the plan is of those ratings that were read."""
    # Where nothing is counted, all ratings are read together.
    at_once = 1 if counts.cells else len(chosen.ratings or RATINGS)
    ratings = _Ratings(chosen, order, plan_part, request.most_units / at_once)
    page = read_in_segments(_segments(chosen, request, counts, order), ratings.plan, request)
    empty = () if page.has_next else ratings.empty_partitions()
    sections = {read.run.section for read in page.reads}
    read = [plan for rating, plan in ratings.planned.items() if order.section(rating) in sections]
    names = {plan.name for plan in read or ratings.planned.values()}
    estimates = [plan.estimated_capacity_units for plan in read]
    return ListPlan(
        name=names.pop() if len(names) == 1 else MIXED,
        runs=tuple(run for plan in read for run in plan.runs),
        empty_partitions=empty,
        estimated_capacity_units=None if None in estimates else sum(filter(None, estimates)),
    ), page


@dataclass(frozen=True, slots=True)
class _Ratings:
    """The plans of the ratings of a list, as they are needed."""

    chosen: CommentFilter
    order: CommentOrder
    plan_part: PlanPart
    most_units: float
    planned: dict[int, ListPlan] = field(default_factory=dict)

    def plan(self, segments: Sequence[Segment], needed: int) -> SegmentsPlan:
        """Plan some ratings, each for what those before it are expected to leave."""
        plans = []
        for segment in segments:
            plans.append(self._plan(int(segment.name), max(needed, LEAST_NEEDED)))
            needed -= int(min(segment.expected, needed))
        limits = [plan.first_reads for plan in plans]
        return SegmentsPlan(
            runs=[run for plan in plans for run in plan.runs],
            first_reads=None if None in limits else [n for some in limits for n in some or ()],
            fallback=next((plan.fallback for plan in plans if plan.fallback), None),
        )

    def empty_partitions(self) -> tuple[Run, ...]:
        """Return the runs of all ratings of the list that are empty by the counts."""
        for rating in self.chosen.ratings or RATINGS:
            if rating not in self.planned:
                self._plan(rating, LEAST_NEEDED)
        return tuple(run for plan in self.planned.values() for run in plan.empty_partitions)

    def _plan(self, rating: int, needed: int) -> ListPlan:
        part = replace(self.chosen, ratings=(rating,))
        plan, section = self.plan_part(part, needed, self.most_units), self.order.section(rating)
        self.planned[rating] = replace(
            plan,
            runs=_in_section(plan.runs, section),
            empty_partitions=_in_section(plan.empty_partitions, section),
            fallback=partial(_fall_back, plan.fallback) if plan.fallback else None,
        )
        return self.planned[rating]


def _fall_back(fallback: Fallback, run: Run, most: float) -> Sequence[Run]:
    return _in_section(fallback(run, most), run.section)


def _in_section(runs: Sequence[Run], section: str) -> tuple[Run, ...]:
    return tuple(replace(run, section=section) for run in runs)


def _segments(
    chosen: CommentFilter, request: PageRequest, counts: ProductCounts, order: CommentOrder
) -> list[Segment]:
    """Return the ratings that are not empty by the counts; without any counts all of them."""
    numbers = {r: counts.of(replace(chosen, ratings=(r,))) for r in chosen.ratings or RATINGS}
    in_order = sorted(numbers, key=order.section, reverse=True)
    ahead = _ahead([numbers[rating] for rating in in_order], request)
    return [
        Segment(str(rating), order.section(rating), order.section(rating) + HIGHEST, expected)
        for rating, expected in zip(in_order, ahead, strict=True)
        if numbers[rating] or not counts.cells
    ]


def _ahead(numbers: Sequence[int], request: PageRequest) -> list[float]:
    """Return how many items of each of several lists in a row are ahead of a page's position."""
    onward, total = request.toward is Toward.NEXT, sum(numbers)
    ordinal = request.position.ordinal if request.position else 0
    if ordinal is None:
        return [inf] * len(numbers)
    if ordinal < 0 or (ordinal == 0 and not onward):
        ordinal += total + 1
    edges = list(accumulate(numbers, initial=0))
    if onward:
        return [max(end - max(begin, ordinal), 0) for begin, end in pairwise(edges)]
    return [max(min(end, ordinal - 1) - begin, 0) for begin, end in pairwise(edges)]


logger = logging.getLogger(__name__)

MOST_CHECKED = 8
"""Partitions: half a capacity unit each."""
MOST_FOUND_LATE = 200
MOST_RECOUNTED = 10_000
"""Comments of a language and rating up to which a page recounts; `check_integrity` does all."""


def with_empty_partitions(
    product_id: str, page: Page, runs: Sequence[Run], order: Order, *, most_units: float = inf
) -> Page:
    """Add to a last page the comments in runs that were counted as empty; correct the counts.

    At least one of the runs is read, and no more than ``most_units`` allow.
    """
    most = int(max(1, min(MOST_CHECKED, most_units / LEAST_UNITS)))
    if len(runs) > most:
        runs = sample(runs, most)
    late = read(runs, PageRequest(MOST_FOUND_LATE), look_ahead=False)
    if found := [Comment.from_raw_data(dict(entry.item)) for entry in late.entries]:
        _recount(product_id, {(each.language, int(each.rating)) for each in found})
    entries = sorted(
        (*page.entries, *late.entries),
        key=lambda entry: entry.position.place,
        reverse=order is Order.NEWEST_FIRST,
    )
    return replace(
        page,
        entries=tuple(entries),
        rounds=page.rounds + late.rounds,
        reads=(*page.reads, *late.reads),
    )


def _recount(product_id: str, cells: Collection[Cell]) -> None:
    counted = {cell(*one): _count(product_id, one) for one in cells}
    if any(number != 0 for number in counted.values()):
        logger.warning("%s has comments where its counts say none: %s", product_id, sorted(cells))
    known = {name: number for name, number in counted.items() if number is not None}
    try:
        if actions := counters().set_sums(product_id, known):
            write_transaction(client(), actions)
    except ConditionFailed:
        logger.info("%s is being written to: the next reader will recount", product_id)


def _count(product_id: str, one: Cell) -> int | None:
    """Count comments from their own index; None when there are more than a page should count."""
    partition = ByLanguageAndRating.partition == keys.product_partition(product_id, *one)
    index = ByLanguageAndRating.Meta.index_name
    counted = 0
    for page in query_pages(partition, IndexName=index, Select="COUNT"):
        counted += page["Count"]
        if counted > MOST_RECOUNTED:
            return None
    return counted
