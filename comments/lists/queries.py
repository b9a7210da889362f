"""Reads of comments: lists, by the read model that the site has, and one comment.

==========  ==========================================  ============================
model       lists are read from                         planned by
==========  ==========================================  ============================
``indexes`` the four indexes of ``comments``            `comments.indexes.planner`
``sets``    the copies in ``comment_sets``              `comments.sets.plans`
==========  ==========================================  ============================

``COMMENTS_READ_MODEL`` chooses. A position in one is valid in the other. Single comments, counts,
rankings and repairs are read from ``comments`` under both.
"""

import re
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from math import inf
from typing import Any, NamedTuple

from django.core.cache import cache
from django.urls import reverse
from django.utils.formats import date_format
from pynamodb.attributes import Attribute

from comments import keys
from comments.filters import CommentFilter, language_name
from comments.host import COMMENTS
from comments.indexes import access_patterns
from comments.indexes import planner as planning
from comments.indexes.access_patterns import ListPlan
from comments.indexes.planner import SIZES
from comments.keys import score_at
from comments.lists.by_rating import read_by_rating, with_empty_partitions
from comments.lists.orders import CommentOrder, comments_in_front
from comments.models import TABLE, Comment, CommentBody
from comments.replies.services import Reply, reply_in
from comments.sets import plans
from comments.sets.copies import SETS
from comments.store.comments import (
    NoSuchComment,
    Revision,
    hold_reason,
    is_tombstone,
    product_id_of,
)
from comments.store.counts import ProductCounts, remembered_as
from comments.store.table import comment_key, query_pages
from dynapages.calls import labelled_calls
from dynapages.django.paging import anchor_of
from dynapages.items import Item, blocks_of
from dynapages.lists import (
    LARGEST_ITEM,
    Order,
    Page,
    PageRequest,
    Toward,
    id_at,
    moment_at,
    numbered_behind,
    parse_timestamp,
    timestamp,
)
from dynapages.process import page_batches, read

MOST_UNITS = 8.0
"""Capacity units of a page with a list, however few comments match its filter."""
MOST_UNITS_OF_AN_ITEM = 0.4
"""The same for pages of more than 20 comments."""
LARGEST_ENTRY = "largest-entry"
_NO_TEXT = {"S": ""}
_MADE_HERE = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CommentEntry:
    """A comment as lists show it; ``text`` is an excerpt when ``is_long``.

    One that ``is_hidden`` is in no list of its product; ``held_for`` is why it waits for the shop,
    if it does. ``username`` is empty for an imported comment, ``product_id`` in the lists of one
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
    username: str = ""
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
class CommentPage:
    """A page of a list of comments, and the plan it was read by.

    The links to its neighbours are built from ``page``; ``shown`` has also what was found in
    partitions that were counted as empty. ``counts`` are those of the product, as of now.
    """

    comments: tuple[CommentEntry, ...]
    plan: ListPlan
    page: Page
    shown: Page
    counts: ProductCounts


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
    if now.of(chosen) == now.total:  # the months' counts are those of this list
        in_front = comments_in_front(request.position, now, order)
        page = page if in_front is None else numbered_behind(page, in_front)
    shown = page
    if plan.empty_partitions and not page.has_next:
        runs = plan.empty_partitions
        shown = with_empty_partitions(product_id, page, runs, order.direction, most_units=left)
    # A comment that moves between sets, or ratings, may for a moment be in two of them.
    once = {id_at(entry.position.place): entry for entry in shown.entries}.values()
    for name, entries in groupby(page.entries, key=lambda entry: entry.run.index.name or ""):
        SIZES.note(name, [entry.stored for entry in entries])
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

    At least half of those of the page: the counts of a product with many writers are dear.
    """
    of_page = max(MOST_UNITS, request.size * MOST_UNITS_OF_AN_ITEM)
    return max(of_page - beside, of_page / 2)


def find_comment(comment_id: str, *, consistent: bool = False) -> WholeComment:
    """Read one comment by its id (AP4), with its body and reply, by one Query.

    Raises NoSuchComment.
    """
    key = keys.comment(comment_id)
    beside = (Comment.pk == key) & Comment.sk.between(keys.BODY, keys.REPLY)
    pages = query_pages(beside, ConsistentRead=consistent)
    items = {item["sk"]["S"]: item for page in pages for item in page["Items"]}
    if key not in items or is_tombstone(items[key]):
        raise NoSuchComment(comment_id)
    item = items[key]
    comment, entry = Comment.from_raw_data(dict(item)), entry_of(item)
    shown = {field.name: getattr(entry, field.name) for field in fields(CommentEntry)}
    reply, body = items.get(keys.REPLY), items.get(keys.BODY)
    shown |= {
        "username": comment.username or "",
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


def entry_of(item: Item) -> CommentEntry:
    """Parse a list entry from an item of the table or of any index, faster than PynamoDB."""
    place, reply = item[Comment.place.attr_name]["S"], item.get(Comment.reply.attr_name)
    return CommentEntry(
        id=id_at(place),
        language=item[Comment.language.attr_name]["S"],
        rating=int(item[Comment.rating.attr_name]["N"]),
        created=moment_at(place),
        author=_text(item, Comment.author),
        title=_text(item, Comment.title),
        text=_text(item, Comment.text),
        is_long=Comment.body_bytes.attr_name in item,
        username=_username_shown(item, id_at(place)),
        edited_at=_text(item, Comment.edited_at),
        is_verified=item.get(Comment.verified.attr_name) == {"BOOL": True},
        is_hidden=Comment.hidden_product.attr_name in item,
        held_for=hold_reason(item),
        product_id=product_id_of(item),
        reply=reply_in(reply["M"]) if reply else None,
    )


def _text(item: Item, attribute: Attribute[str]) -> str:
    text: str = item.get(attribute.attr_name, _NO_TEXT)["S"]
    return text


def _username_shown(item: Item, comment_id: str) -> str:
    """Return the user who wrote a list entry's comment; empty for an imported one.

    Lists have no attribute for it: a comment by a user has an id made here, and ``verified``.
    """
    if Comment.verified.attr_name not in item or not _MADE_HERE.fullmatch(comment_id):
        return ""
    return _text(item, Comment.author)


INDEXES = "indexes"


class ReadModel(NamedTuple):
    """A way to read lists: how they are planned without counts, and with them."""

    plan: Callable[[str, CommentFilter], ListPlan]
    plan_list: Callable[..., ListPlan]


_MODELS = {
    INDEXES: ReadModel(access_patterns.plan, planning.plan_list),
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
    items = {keys.comment_id_in(item["pk"]["S"]): item for item in found if not is_tombstone(item)}
    return {comment_id: items.get(comment_id) for comment_id in comment_ids}


def with_recent(
    entries: Sequence[CommentEntry],
    recent: Recent,
    *,
    page: Page,
    request: PageRequest,
    belongs: Callable[[Item], bool],
    order: CommentOrder = CommentOrder.NEWEST,
) -> tuple[CommentEntry, ...]:
    """Return the entries of a page with the ``recent`` ones as in the table.

    ``belongs`` returns whether an item of the table is in this list.
    """
    if not recent:
        return tuple(entries)
    found = [entry_of(item) for item in recent.values() if item and belongs(item)]
    falls = order.direction is Order.NEWEST_FIRST

    def place(entry: CommentEntry) -> str:
        return order.place(entry.created, entry.id, rating=entry.rating)

    here = [entry for entry in found if _covers(page, request, place(entry), falls=falls)]
    others = [entry for entry in entries if entry.id not in recent]
    return tuple(sorted([*others, *here], key=place, reverse=falls))


def in_list(product_id: str, chosen: CommentFilter) -> Callable[[Item], bool]:
    """Return a predicate for items of the table that are in a list of a product's comments."""
    partition = keys.product_partition(product_id)

    def belongs(item: Item) -> bool:
        if item.get(Comment.product_partition.attr_name, {"S": ""})["S"] != partition:
            return False
        entry = entry_of(item)
        right_language = not chosen.languages or entry.language in chosen.languages
        return right_language and (not chosen.ratings or entry.rating in chosen.ratings)

    return belongs


def _covers(page: Page, request: PageRequest, place: str, *, falls: bool) -> bool:
    is_onward = request.toward is Toward.NEXT
    start, end = request.position, page.next_position if is_onward else page.previous_position
    if falls is is_onward:  # places fall from the start of the reading to its end
        return not (start and place >= start.place) and not (end and place < end.place)
    return not (start and place <= start.place) and not (end and place > end.place)


def _remembered(session: MutableMapping[str, Any], *, now: datetime) -> list[list[Any]]:
    oldest = (now - REMEMBERED_FOR).timestamp()
    return [each for each in session.get(_SESSION_KEY, []) if each[1] >= oldest]
