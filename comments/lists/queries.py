"""Reads of comments: lists, one comment, and the highlights of a product."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import TypeVar

from django.urls import reverse

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.access_patterns import ListPlan
from comments.indexes.planner import SIZES
from comments.keys import score_at
from comments.languages import language_name
from comments.lists.empty_partitions import with_empty_partitions
from comments.lists.read_models import read_model
from comments.models import Comment, CommentBody
from comments.picks.queries import SHOWN_PICKS, picks_of
from comments.replies.queries import Reply, find_replies
from comments.store.comments import NoSuchComment, product_id_of
from comments.store.counts import ProductCounts
from comments.store.revision import Revision
from dynamo.calls.client import pool
from dynamo.items import Item
from dynamo.lists.merging import Entry
from dynamo.lists.places import id_at, moment_at, parse_timestamp, timestamp
from dynamo.lists.reader import Page, PageRequest, Toward
from dynamo.lists.runs import Run
from dynamo.lists.site_reader import read

POSITIVE, NEGATIVE = (4, 5), (1, 2)
"""Ratings that AP12 calls positive and negative."""

_MADE_HERE = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CommentEntry:
    """A comment as lists show it; ``text`` is an excerpt when ``is_long``.

    ``username`` is empty for an imported comment; ``is_verified`` means that the author had bought
    the product. A hidden one is in no list of its product. ``product_id`` is empty in the lists of
    one product.
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
    product_id: str = ""
    is_replied: bool = False
    reply: Reply | None = None

    @property
    def url(self) -> str:
        return reverse("comment", args=[self.id])

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


Entries = TypeVar("Entries", bound=CommentEntry)


@dataclass(frozen=True, slots=True)
class CommentPage:
    """A page of a list of comments, and the plan it was read by.

    The links to its neighbours are built from ``page``. ``shown`` has also the comments found in
    partitions that were counted as empty. ``total`` is the number in the list, by the counts.
    """

    comments: tuple[CommentEntry, ...]
    plan: ListPlan
    page: Page
    shown: Page
    total: int


@dataclass(frozen=True, slots=True)
class Highlights:
    """The latest positive and negative comment, and when the product was last commented on.

    ``picks`` are the newest of the comments that staff have picked.
    """

    positive: CommentEntry | None
    negative: CommentEntry | None
    last_commented: datetime | None
    picks: tuple[CommentEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class WholeComment(CommentEntry):
    """One comment with its whole text in ``body``, and its product.

    ``helpful`` is the number of helpful votes, by its rank; ``seen`` is the `Revision` for a
    decision of staff.
    """

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
    forced_plan: str | None = None,
) -> CommentPage:
    """Read a page of a product's comments, newest first (AP1, AP2, AP3, AP6).

    ``forced_plan`` names a plan to use in place of the cheapest. Raises NoSuchPlan.
    """
    plan = read_model().plan_list(
        product_id, chosen, counts, needed=request.size + 1, forced=forced_plan
    )
    page = read(plan.runs, request, first_reads=plan.first_reads, fallback=plan.fallback)
    shown = page
    if plan.empty_partitions and request.toward is Toward.NEXT and not page.has_next:
        shown = with_empty_partitions(product_id, page, plan.empty_partitions)
    # A comment that moves between sets may for a moment be in two of them.
    once = {entry.position.place: entry for entry in shown.entries}.values()
    for name, entries in groupby(page.entries, key=lambda entry: entry.run.index.name or ""):
        SIZES.note(name, [entry.stored for entry in entries])
    return CommentPage(
        comments=with_replies([entry_of(entry.item) for entry in once]),
        plan=plan,
        page=page,
        shown=shown,
        total=counts.of(chosen),
    )


def with_replies(comments: Sequence[Entries]) -> tuple[Entries, ...]:
    """Add the shop's replies to list entries, by one call if there are any."""
    replies = find_replies([comment.id for comment in comments if comment.is_replied])
    return tuple(replace(comment, reply=replies.get(comment.id)) for comment in comments)


def find_comment(comment_id: str, *, consistent: bool = False) -> WholeComment:
    """Read one comment by its id (AP4), and its body where that is an item of its own.

    The read is strong if ``consistent``, for whoever has just written it. Raises NoSuchComment.
    """
    key = keys.comment(comment_id)
    try:
        comment = Comment.get(key, key, consistent_read=consistent)
    except Comment.DoesNotExist as error:
        raise NoSuchComment(comment_id) from error
    if comment.expires_at is not None:  # a tombstone
        raise NoSuchComment(comment_id)
    item = comment.serialize()
    entry = entry_of(item)
    shown = {field.name: getattr(entry, field.name) for field in fields(CommentEntry)}
    return WholeComment(
        **{**shown, "username": comment.username or ""},
        is_pick=comment.featured_partition is not None,
        helpful=score_at(comment.rank_place) if comment.rank_place else 0,
        seen=str(Revision.of(item)),
        body=_body(key, entry.text, consistent=consistent) if entry.is_long else entry.text,
    )


def find_highlights(product_id: str, language: str | None = None) -> Highlights:
    """Read the latest positive and negative comment, in a language or any (AP12).

    The picks of staff and the time of the last comment are of all languages. One item of each run
    is read, all at once.
    """
    languages = (language,) if language else ()
    filters = (
        CommentFilter.of(languages, POSITIVE),
        CommentFilter.of(languages, NEGATIVE),
        CommentFilter(),
    )
    runs = [read_model().plan(product_id, chosen).runs for chosen in filters]
    calls = [partial(_first, run, 1) for some in runs for run in some]
    picks, *rest = pool().gather([partial(_first, picks_of(product_id), SHOWN_PICKS), *calls])
    firsts = iter(rest)
    positive, negative, last = ([next(firsts) for _ in some] for some in runs)
    latest = _latest(last)
    return Highlights(
        _latest(positive),
        _latest(negative),
        latest.created if latest else None,
        tuple(entry_of(entry.item) for entry in picks),
    )


def _first(run: Run, number: int) -> Sequence[Entry]:
    return read([run], PageRequest(number), look_ahead=False).entries


def _latest(firsts: Sequence[Sequence[Entry]]) -> CommentEntry | None:
    found = [entry for entries in firsts for entry in entries]
    latest = max(found, key=lambda entry: entry.position.place, default=None)
    return entry_of(latest.item) if latest else None


def entry_of(item: Item) -> CommentEntry:
    """Parse a list entry from an item of the table or of any index."""
    comment = Comment.from_raw_data(dict(item))
    return CommentEntry(
        id=id_at(comment.place),
        language=comment.language,
        rating=int(comment.rating),
        created=moment_at(comment.place),
        author=comment.author or "",
        title=comment.title or "",
        text=comment.text or "",
        is_long=comment.body_bytes is not None,
        username=username_shown(comment),
        edited_at=comment.edited_at or "",
        is_verified=bool(comment.verified),
        is_replied=bool(comment.replied),
        is_hidden=comment.hidden_product is not None,
        product_id=product_id_of(item),
    )


def _body(key: str, excerpt: str, *, consistent: bool) -> str:
    """Read a long body; fall back to the excerpt, as an import may not have put it yet."""
    try:
        return CommentBody.get(key, keys.BODY, consistent_read=consistent).text
    except CommentBody.DoesNotExist:
        return excerpt


def username_shown(comment: Comment) -> str:
    """Return the user who wrote a list entry's comment; empty for an imported one.

    Lists have no attribute for it: a comment by a user has an id made here, ``verified``, and the
    user as its author. An import sets at most one of the first two.
    """
    if comment.verified is None:
        return ""
    is_made_here = _MADE_HERE.fullmatch(id_at(comment.place))
    return comment.author or "" if is_made_here else ""
