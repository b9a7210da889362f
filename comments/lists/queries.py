"""Reads of comments: pages of a product's list, by the read model that the site has; one comment.

==========  ==========================================  ============================
model       lists are read from                         planned by
==========  ==========================================  ============================
``indexes`` the four indexes of ``comments``            `comments.indexes.planner`
``sets``    the copies in ``comment_sets``              `comments.sets.plans`
==========  ==========================================  ============================

``COMMENTS_READ_MODEL`` chooses. A position in one is valid in the other. Single comments, counts,
rankings and repairs are read from ``comments`` under both.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from math import inf
from typing import Protocol

from django.core.cache import cache

from comments import keys
from comments.filters import CommentFilter
from comments.host import COMMENTS, SETS
from comments.indexes import planner as index_plans
from comments.indexes.planner import ListPlan
from comments.indexes.prices import SIZES
from comments.lists.by_rating import PlannedPage, read_by_rating
from comments.lists.by_votes import read_by_votes
from comments.lists.entries import CommentEntry, WholeComment, comment_at, entry_of
from comments.lists.orders import CommentOrder, comments_in_front
from comments.lists.repair import with_empty_partitions
from comments.models import Comment, CommentBody
from comments.replies.services import reply_in
from comments.search.pending import NOTHING_PENDING, PendingChanges
from comments.sets import plans as set_plans
from comments.store.comments import NoSuchComment
from comments.store.counts import ProductCounts, remembered_as
from comments.store.states import Revision, imported_votes, is_tombstone
from comments.store.table import query_pages
from dynapages.calls import labelled_calls
from dynapages.items import Item, blocks_of
from dynapages.lists import (
    LARGEST_ITEM,
    Entry,
    Page,
    PageRequest,
    Toward,
    id_at,
    moment_at,
    numbered_behind,
)
from dynapages.process import read

INDEXES = "indexes"
"""The name of the read model that reads the indexes of ``comments``."""
MOST_UNITS = 8.0
"""Capacity units of a page with a list, however few comments match its filter."""
MOST_UNITS_OF_AN_ITEM = 0.4
"""The same for pages of more than 20 comments."""
LARGEST_ENTRY = "largest-entry"
"""The kind under which the size of a product's largest list entry is remembered."""


class ReadModel(Protocol):
    """A way to read lists: the module that plans them."""

    def plan(self, product_id: str, chosen: CommentFilter) -> ListPlan:
        """Plan a list without counts."""

    def plan_list(
        self,
        product_id: str,
        chosen: CommentFilter,
        counts: ProductCounts,
        *,
        needed: int,
        forced: str | None = None,
        most_units: float = inf,
    ) -> ListPlan:
        """Plan a page of ``needed`` items by counts, look-ahead included. Raises NoSuchPlan."""


READ_MODELS: Mapping[str, ReadModel] = {INDEXES: index_plans, SETS: set_plans}


def read_model() -> ReadModel:
    """Return the read model of the site."""
    return READ_MODELS[COMMENTS["READ_MODEL"]]


# A page of a list.


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


def list_comments(
    product_id: str,
    chosen: CommentFilter,
    request: PageRequest,
    *,
    counts: ProductCounts,
    count_now: Callable[[], ProductCounts] | None = None,
    order: CommentOrder = CommentOrder.NEWEST,
    other_units: float = 0.0,
    forced_plan: str | None = None,
) -> CommentPage:
    """Read a page of a product's comments in any order (AP1, AP2, AP3, AP6).

    The plan is made from ``counts``, which may be remembered ones; then ``count_now`` returns those
    of now: if they count comments of the list where the plan's counted none, the page is read
    again. All of it costs `most_units` at most, and a query or two: a page that would cost more is
    short, and the list goes on behind its ``cut_at``. ``other_units`` are what else the list's page
    reads; ``forced_plan`` is used whatever it costs. Raises NoSuchPlan.
    """
    largest_key = remembered_as(LARGEST_ENTRY, product_id)
    # Whoever forces a plan wants to see what it costs.
    units_of_page = inf
    if not forced_plan:
        units_of_page = most_units(request, other_units=other_units)
    request = replace(
        request,
        most_units=units_of_page,
        largest_item=cache.get(largest_key, LARGEST_ITEM),
    )
    planned = _read_list(product_id, chosen, request, counts, order=order, forced_plan=forced_plan)
    units_left = request.most_units - planned.page.capacity_units
    now = counts
    if count_now:
        now = count_now()
    # Wrong numbers cost a round at most, but a partition that is not read hides its comments.
    if counts.misses_partitions_of(now, chosen):
        again = replace(request, most_units=units_left)
        planned = _read_list(product_id, chosen, again, now, order=order, forced_plan=forced_plan)
        units_left -= planned.page.capacity_units
    plan, page = planned.plan, planned.page
    # Months are counted of the product alone: they number a list that has all of its comments.
    counts_months = now.of(chosen) == now.total
    if counts_months and request.toward is Toward.NEXT:
        in_front = comments_in_front(request.position, now, order)
        if in_front is not None:
            page = numbered_behind(page, in_front)
    shown = page
    if plan.empty_partitions and not page.has_next:
        shown = with_empty_partitions(
            product_id, page, plan.empty_partitions, order.direction, most_units=units_left
        )
    _note_sizes(page)
    # The next page of this product may then spend no more than it is allowed to.
    if page.largest_item > request.largest_item:
        cache.set(largest_key, page.largest_item, timeout=None)
    return CommentPage(comments=_comments_on(shown), plan=plan, page=page, shown=shown, counts=now)


def _read_list(
    product_id: str,
    chosen: CommentFilter,
    request: PageRequest,
    counts: ProductCounts,
    *,
    order: CommentOrder,
    forced_plan: str | None,
) -> PlannedPage:
    """Plan a page of a list by its counts, and read it."""

    def plan_part(part: CommentFilter, needed: int, most_units: float) -> ListPlan:
        return read_model().plan_list(
            product_id,
            part,
            counts,
            needed=needed,
            forced=forced_plan,
            # A query is charged for its largest item at least.
            most_units=most_units / blocks_of(request.largest_item),
        )

    if order.is_by_rating:
        return read_by_rating(chosen, request, counts=counts, order=order, plan_part=plan_part)
    if order is CommentOrder.HELPFUL:
        return read_by_votes(product_id, chosen, request, counts=counts, forced=forced_plan)
    plan = plan_part(chosen, request.size + 1, request.most_units)
    page = read(
        plan.runs,
        request,
        order=order.direction,
        first_reads=plan.first_reads,
        fallback=plan.fallback,
    )
    return PlannedPage(plan, page)


def _note_sizes(page: Page) -> None:
    """Note the sizes of a page's items, by which plans are priced from now on."""
    entries_of: dict[str, list[Entry]] = {}
    for entry in page.entries:
        entries_of.setdefault(entry.run.index.name or "", []).append(entry)
    for name, entries in entries_of.items():
        SIZES.note(name, (entry.stored for entry in entries))


def _comments_on(page: Page) -> tuple[CommentEntry, ...]:
    """Return the comments of a page, each once."""
    # One that moves between sets, or ratings, may for a moment be in two of them.
    entries = {id_at(entry.position.place): entry for entry in page.entries}
    return tuple(comment_at(entry) for entry in entries.values())


def most_units(request: PageRequest, *, other_units: float = 0.0) -> float:
    """Return the capacity units that a list may cost where its page reads ``other_units`` as well.

    At least half of those of the page: the counts of a product with many writers are dear. But no
    more than the request allows.
    """
    of_page = max(MOST_UNITS, request.size * MOST_UNITS_OF_AN_ITEM)
    return min(max(of_page - other_units, of_page / 2), request.most_units)


def find_newest(product_id: str, *, size: int) -> tuple[CommentEntry, ...]:
    """Read a product's newest comments by one call, half a unit for each 4 KB of them."""
    # Without counts, so that it is one call.
    runs = read_model().plan(product_id, CommentFilter()).runs
    with labelled_calls("newest"):
        page = read(runs, PageRequest(size), look_ahead=False)
    return tuple(comment_at(entry) for entry in page.entries)


# One comment.


def find_comment(comment_id: str, *, consistent: bool = False) -> WholeComment:
    """Read one comment by its id (AP4), with its body and reply, by one Query.

    Raises NoSuchComment.
    """
    # Body, comment and reply are next to each other; votes and reports are behind them.
    to_reply = Comment.sk.between(keys.BODY, keys.REPLY)
    pages = query_pages(
        (Comment.pk == keys.comment(comment_id)) & to_reply, ConsistentRead=consistent
    )
    items: dict[str, Item] = {}
    for page in pages:
        for stored in page["Items"]:
            items[stored["sk"]["S"]] = stored
    item = items.get(keys.COMMENT)
    if item is None or is_tombstone(item):
        raise NoSuchComment(comment_id)
    entry = entry_of(item)
    values = {each.name: getattr(entry, each.name) for each in fields(CommentEntry)}
    # What travels with the comment for lists may be an excerpt: this is the whole reply.
    reply = items.get(keys.REPLY)
    values["reply"] = None
    if reply:
        values["reply"] = reply_in(reply)
    body = items.get(keys.BODY)
    text = entry.text
    # It stays an excerpt where an import has not put a long body yet.
    if entry.is_long and body:
        text = CommentBody.from_raw_data(dict(body)).text
    comment = Comment.from_raw_data(dict(item))
    return WholeComment(
        **values,
        body=text,
        is_pick=comment.featured_partition is not None,
        imported_votes=imported_votes(item),
        seen=str(Revision.of(item)),
    )
