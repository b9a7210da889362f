"""The page of a product's comments: all that it shows, declared and read together.

What depends on nothing else goes out in one round: product and counts, the list, the votes of the
visitor, the picks of staff. The list is planned by remembered counts. A second round is read where
there are none, where they turn out to lack something, and for a highlight (AP12) that the list does
not have.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Any
from urllib.parse import urljoin

from django.utils.translation import gettext as _

from comments import host, keys
from comments.filters import CommentFilter, preferred_language
from comments.host import NoSuchProduct, Product, find_product
from comments.indexes.planner import SIZES
from comments.lists.entries import CommentEntry, WholeComment, entry_of
from comments.lists.listing import (
    comments_feed,
    heading_of,
    json_ld,
    list_url,
    listing_of,
    pager_of,
    progress_of,
    things_on_page,
)
from comments.lists.orders import CommentOrder, month_name
from comments.lists.queries import CommentPage, find_comment, list_comments, read_model
from comments.lists.recent import Recent, in_list, read_recent, with_recent
from comments.lists.search_listing import NOT_SEARCHED, is_made, search_shown
from comments.lists.search_queries import (
    MOST_UNITS,
    SearchRequest,
    recent_found,
    search_comments,
)
from comments.models import TABLE, Featured, ProductRank
from comments.store.counts import (
    ProductCounts,
    counters,
    counts_in,
    counts_of,
    remember_counts,
    remembered_counts,
)
from comments.store.table import index_of
from comments.votes.services import has_voted, votes_of
from dynapages.calls import Meter, Started, Together, current_meter, labelled_calls, metered
from dynapages.django.access import NOBODY, Visitor
from dynapages.django.formats import AtomFeed
from dynapages.django.paging import Pager
from dynapages.items import table_key
from dynapages.lists import (
    LEAST_UNITS,
    LIST_EDGE,
    Counted,
    Explanation,
    PageRequest,
    Run,
    Toward,
    explain,
    moment_at,
)
from dynapages.process import page_batches, pool, read

Kind = tuple[int, ...]
"""The ratings of a kind of comments."""
POSITIVE: Kind = (4, 5)
NEGATIVE: Kind = (1, 2)
KINDS = (POSITIVE, NEGATIVE)
LIKELY = 0.5
"""How many of a kind to expect on a page, at the least, before waiting to see whether there is."""
SHOWN_PICKS = 3
"""Picks that a product's page shows."""

_FEATURED = index_of(Featured)
OTHER_UNITS = 2 * LEAST_UNITS
"""What the page of a list reads beside it as a rule: the product, and its counts."""
NO_COUNTS = ProductCounts({})
SHOWN = "shown"
"""The parameter of a page that reads on by itself: how many comments it has already."""
_NEWEST = ProductRank.newest.attr_name
_values_of = attrgetter(*(field.name for field in fields(CommentEntry)))


@dataclass(frozen=True, slots=True)
class Highlights:
    """The latest positive and negative comment, and when the product was last commented on."""

    positive: CommentEntry | None
    negative: CommentEntry | None
    last_commented: datetime | None
    picks: tuple[CommentEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class CommentsRequest:
    """A page of a product's comments.

    ``chosen`` is None for the visitor's language, by ``accept_language``: only the product's own
    page is that, and has highlights. Only a whole page has the description. ``recent`` are the ids
    of what the visitor has just written, ``shown`` how many are there of a page that reads on by
    itself, ``site`` what addresses begin with, ``month`` where the list was asked to begin.
    ``all_languages`` is whether the visitor has chosen these, which is remembered.
    """

    product_id: str
    request: PageRequest
    chosen: CommentFilter | None = None
    order: CommentOrder = CommentOrder.NEWEST
    accept_language: str = ""
    is_whole: bool = True
    visitor: Visitor = NOBODY
    recent: Sequence[str] = ()
    shown: int = 0
    site: str = ""
    month: str = ""
    all_languages: bool = False
    search: SearchRequest | None = None

    @property
    def needs_counts(self) -> bool:
        """Whether the list cannot be read before any counts are known."""
        if self.search:  # in all languages there are
            return not (self.chosen and self.chosen.languages)
        if self.chosen is None:
            return bool(self.accept_language)
        return bool(self.chosen.narrowed) or self.order.is_by_rating

    @property
    def has_highlights(self) -> bool:
        return self.is_whole and self.chosen is None

    @property
    def other_units(self) -> float:
        """What a visitor's page reads beside its list: capacity units, if each item is small."""
        known = counters().known([self.product_id])
        keys_read = len(host.products().keys(self.product_id, whole=self.is_whole))
        items = keys_read + sum(known.values()) + self.has_highlights
        queries = 1 + 2 * len(KINDS) if self.has_highlights else 0
        return LEAST_UNITS * (items + queries)

    def choose(self, counts: ProductCounts) -> CommentFilter:
        if self.chosen is not None:
            return self.chosen
        preferred = preferred_language(self.accept_language, among=counts.languages)
        return CommentFilter.of([preferred] if preferred else [])


@dataclass(frozen=True, slots=True)
class CommentsPage:
    """A page of a product's comments, ready to be shown; ``voted`` and ``recent`` are ids."""

    wanted: CommentsRequest
    product: Product
    chosen: CommentFilter
    found: CommentPage
    voted: frozenset[str]
    recent: Recent
    highlights: Highlights | None

    @property
    def pager(self) -> Pager:
        wanted = self.wanted
        pager = pager_of(wanted.product_id, self.chosen, wanted.order, wanted.search)
        canonical = self.product.url if wanted.chosen is None else pager.canonical
        return replace(pager, shown=wanted.shown, canonical=canonical)

    @property
    def facts(self) -> tuple[object, ...]:
        """What decides what the page of a visitor without a session says."""
        found = self.found
        counts = [sorted(some.items()) for some in (found.counts.cells, found.counts.months)]
        comments = [_values_of(comment) for comment in found.comments]  # their `repr` takes long
        facts = (self.product, self.chosen, comments, counts, self.highlights)
        of_page = (found.page.next_position, found.page.cut_at, found.pending, found.reach)
        return (*facts, *of_page, self.wanted.all_languages, self.wanted.search)

    @property
    def comments(self) -> tuple[CommentEntry, ...]:
        # In the visitor's language, a comment just written in another one is shown as well.
        chosen = CommentFilter() if self.wanted.chosen is None else self.chosen
        return with_recent(
            self.found.comments,
            self.recent,
            page=self.found.page,
            belongs=in_list(self.wanted.product_id, chosen),
            order=self.wanted.order,
            sections=self.found.sections,
        )

    @property
    def total(self) -> int | None:
        """How many comments the list has, None if that is not known, or nothing was searched."""
        page = self.found.page
        if not self.wanted.search:
            return self.found.counts.of(self.chosen)
        if not is_made(self.wanted.search.search, self.found.reach or NOT_SEARCHED):
            return None
        if not self.found.pending.are_none:
            # The ordinals of a page count postings, of which some may not be right.
            is_all = (
                not page.has_next and not page.has_previous and self.found.pending.are_all_named
            )
            return len(self.comments) if is_all else None
        if page.has_next:
            return None
        if page.entries:
            last = page.entries[-1].position.ordinal
        elif not page.has_previous:
            last = LIST_EDGE
        elif page.start and page.toward is Toward.NEXT and not page.start.inclusive:
            last = page.start.ordinal  # nothing lies behind what it begins at
        else:
            last = None
        if last is None or not last.from_front:
            return None
        return last.number

    def context(self) -> dict[str, Any]:
        wanted, product, counts = self.wanted, self.product, self.found.counts
        context: dict[str, Any] = {
            "product": product,
            "trail": (*product.trail, product),
            "listing": listing_of(
                wanted.product_id,
                self.chosen,
                replace(self.found, comments=self.comments),
                order=wanted.order,
                search=wanted.search,
                is_remembered=wanted.all_languages,
                is_default_language=wanted.chosen is None and bool(self.chosen.languages),
            ),
            "total": self.total,
            "empty_month": self._empty_month(),
            "image_url": product.image and urljoin(wanted.site, product.image),
            "voted": self.voted,
            "highlights": self.highlights,
            "explain": partial(explain_page, self.found, current_meter()),
            **self._reading_on(),
        }
        if wanted.search:
            url_of = partial(list_url, wanted.product_id, self.chosen, wanted.order)
            found = replace(self.found, comments=self.comments)
            context["search"] = search_shown(wanted.search, found, url_of)
            context["most_units"] = MOST_UNITS
            context["is_behind"] = not self.found.pending.are_all_named
            context["is_searched_anew"] = not self.found.pending.are_none
        if self.highlights:
            things = things_on_page(product, self.found.comments, counts, site=wanted.site)
            context["structured_data"] = json_ld({"@graph": things})
        return context

    def feed(self) -> AtomFeed:
        heading = heading_of(self.chosen, search=self.wanted.search)
        return comments_feed(f"{heading} · {self.product.name}", self.comments)

    def _empty_month(self) -> str:
        """Return the sentence about a month to begin at that has no comment, empty for others."""
        month, comments = self.wanted.month, self.comments
        if not month or (not comments and self.found.page.cut_at):
            return ""
        if not comments:
            sentence = _("There are no comments from %(month)s, and the list ends there.")
            return sentence % {"month": month_name(month)}
        next_month = comments[0].created_iso[: len(month)]
        if next_month == month:
            return ""
        sentence = _("There are no comments from %(month)s: the list goes on with %(next)s.")
        return sentence % {"month": month_name(month), "next": month_name(next_month)}

    def _reading_on(self) -> dict[str, Any]:
        """Return what a page that is short of comments needs to be filled by htmx, call by call."""
        page = self.found.page
        if page.cut_at is None:
            return {"shown": self.wanted.shown}
        pager = self.pager
        back = page.toward is Toward.PREVIOUS
        url = pager.previous_url(page) if back else pager.next_url(page)
        in_all = pager.shown + len(page.entries)
        progress = progress_of(
            page,
            self.wanted.order,
            number=pager.shown + len(self.comments),
            is_search=self.wanted.search is not None,
        )
        return {
            "shown": pager.shown,
            "reads_back": back,
            "goes_on_url": url,
            "reads_on_url": f"{url}&{SHOWN}={in_all}",
            "progress": progress,
        }


def read_comments_page(wanted: CommentsRequest) -> CommentsPage:
    """Read a page of a product's comments. Raises NoSuchProduct."""
    product_id, visitor = wanted.product_id, wanted.visitor
    with pool().together() as together:
        facts = together.start(partial(_read_facts, wanted))
        is_user = voted = recent = picks = None
        if visitor.user_id:
            is_user = together.start(visitor.is_confirmed)
            voted = together.start(partial(votes_of, visitor.user_id, product_id))
        if wanted.recent:
            recent = together.start(partial(read_recent, wanted.recent))
        if wanted.has_highlights:
            picks = together.start(partial(find_picks, product_id))
        alone = None if host.is_read_along() else find_product(product_id)
        counts = remembered_counts(product_id)
        if counts is None:
            counts = facts.result()[1] if wanted.needs_counts else NO_COUNTS
        likely = wanted.choose(counts)
        early = _start_unlikely(together, wanted, likely, counts) if picks else {}
        chosen, found = _read_list(wanted, counts, count_now=lambda: facts.result()[1])
        read_along, _, newest = facts.result()
        product = read_along or alone
        if product is None:
            raise NoSuchProduct(product_id)
        written = recent.result() if recent else {}
        if wanted.search:
            written = recent_found(wanted.search, written)
        highlights = None
        if picks:
            started = early if chosen == likely else {}
            highlights = find_highlights(
                product_id, chosen, found, started=started, picks=picks, newest=newest
            )
        return CommentsPage(
            wanted=wanted,
            product=product,
            chosen=chosen,
            found=found,
            voted=voted.result() if voted and is_user and is_user.result() else frozenset(),
            recent=written,
            highlights=highlights,
        )


def _read_list(
    wanted: CommentsRequest, counts: ProductCounts, count_now: Callable[[], ProductCounts]
) -> tuple[CommentFilter, CommentPage]:
    """Read the list of the filter that is chosen by the counts of now, planned by ``counts``."""
    read: Callable[..., CommentPage]
    if wanted.search:
        read = partial(search_comments, wanted.product_id, wanted.search)
    else:
        read = partial(list_comments, wanted.product_id)
    read = partial(read, order=wanted.order, other_units=wanted.other_units)
    chosen = wanted.choose(counts)
    found = read(chosen, wanted.request, counts=counts, count_now=count_now)
    right = wanted.choose(found.counts)
    if right != chosen:
        found = read(right, wanted.request, counts=found.counts)
    return right, found


def _read_facts(wanted: CommentsRequest) -> tuple[Product | None, ProductCounts, datetime | None]:
    """Read product and counts, and for highlights when the product was last commented on.

    The product is None where the project reads it by itself.
    """
    product_id, counting = wanted.product_id, counters()
    known = counting.known([product_id])
    rank = table_key(*[keys.rank("COMMENTED", product_id)] * 2)
    asked = [
        *host.products().keys(product_id, whole=wanted.is_whole),
        *((TABLE, key) for key in [*counting.keys(known), *[rank] * wanted.has_highlights]),
    ]
    with labelled_calls("product and counts"):
        read = page_batches().get_from_tables(asked, consistent=False)
        items = [item for table, item in read if table == TABLE]
        lent = [item for table, item in read if table != TABLE]
        product = host.built(product_id, lent)
        counts = counts_in(counting.sums(known, items)[product_id])
    remember_counts(product_id, counts)
    newest = next((item[_NEWEST] for item in items if _NEWEST in item), None)
    return product, counts, moment_at(newest["S"]) if newest else None


def read_comment_page(
    comment_id: str, *, visitor: Visitor, is_recent: bool
) -> tuple[WholeComment, Product, bool]:
    """Read the page of a comment, strongly for users and if ``is_recent``, and then its product.

    Returns also whether the visitor finds it helpful. Raises NoSuchComment and NoSuchProduct.
    """
    is_strong = is_recent or bool(visitor.user_id)
    with pool().together() as together:
        voted = together.start(partial(has_voted, comment_id=comment_id, user_id=visitor.user_id))
        is_user = together.start(visitor.is_confirmed)
        with labelled_calls("comment"):
            comment = find_comment(comment_id, consistent=is_strong)
        product = find_product(comment.product_id)
        return comment, product, is_user.result() and voted.result()


def _start_unlikely(
    together: Together, wanted: CommentsRequest, chosen: CommentFilter, counts: ProductCounts
) -> dict[Kind, Started[CommentEntry | None]]:
    """Start to read the kinds of which the page is likely to have none."""
    total = max(counts.of(chosen), 1)
    return {
        kind: together.start(partial(find_latest, wanted.product_id, chosen, ratings))
        for kind, ratings in _counted(chosen, counts).items()
        if wanted.request.size * counts.of(replace(chosen, ratings=ratings)) / total < LIKELY
    }


def find_latest(
    product_id: str, chosen: CommentFilter, ratings: tuple[int, ...]
) -> CommentEntry | None:
    """Read the latest comment of some ratings, half a unit for each language and rating."""
    runs = read_model().plan(product_id, replace(chosen, ratings=ratings)).runs
    with labelled_calls("highlights"):
        entries = read(runs, PageRequest(1), look_ahead=False).entries
    return entry_of(entries[0].item) if entries else None


def find_newest(product_id: str, *, size: int) -> tuple[CommentEntry, ...]:
    """Read a product's newest comments by one call, half a unit for each 4 KB of them."""
    runs = read_model().plan(product_id, CommentFilter()).runs
    with labelled_calls("newest"):
        page = read(runs, PageRequest(size), look_ahead=False)
    return tuple(entry_of(entry.item) for entry in page.entries)


def find_picks(product_id: str) -> tuple[CommentEntry, ...]:
    """Read the newest of the comments that staff have picked."""
    run = Run(index=_FEATURED, partition=keys.featured(product_id))
    with labelled_calls("picks"):
        page = read([run], PageRequest(SHOWN_PICKS), look_ahead=False)
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
    """Return the highlights of a first page of comments; read what neither has nor was started."""
    shown = {
        kind: next((one for one in found.comments if one.rating in kind), None) for kind in KINDS
    }
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


def _counted(chosen: CommentFilter, counts: ProductCounts) -> dict[Kind, tuple[int, ...]]:
    """Return, by kind, its ratings that a list has comments of; no kinds without any."""
    languages = chosen.languages or counts.languages
    by_kind = {kind: tuple(r for r in kind if counts.within(languages, [r])) for kind in KINDS}
    return {kind: ratings for kind, ratings in by_kind.items() if ratings}


def explain_page(found: CommentPage, meter: Meter | None) -> Explanation:
    """Explain a page of comments by its plan, the other calls of its meter, and its counts."""
    page = found.page
    is_full = page.has_next or not page.has_previous or page.toward is Toward.PREVIOUS
    by_rule = found.plan.by_rule if is_full else ()
    return explain(
        found.shown,
        plan=found.plan.name,
        meter=meter,
        estimated_capacity_units=found.plan.estimated_capacity_units,
        alternatives=found.plan.alternatives,
        counted=Counted(found.counts.total, by_rule, SIZES.of_all),
    )


def explain_comments(
    product_id: str,
    chosen: CommentFilter,
    *,
    size: int,
    order: CommentOrder = CommentOrder.NEWEST,
    position: Mapping[str, str] | None = None,
    forced_plan: str | None = None,
    search: SearchRequest | None = None,
) -> Explanation:
    """Read a page of a list as its page does, and explain it; ``position`` is as in its URL.

    Raises Refusal for one of another list, and NoSuchPlan.
    """
    request = pager_of(product_id, chosen, order, search).requested(position or {}, size=size)
    with metered() as meter:
        with labelled_calls("counts"):
            counts = counts_of(product_id)
        read_list: Callable[..., CommentPage] = (
            partial(search_comments, product_id, search)
            if search
            else partial(list_comments, product_id, forced_plan=forced_plan)
        )
        found = read_list(chosen, request, counts=counts, order=order, other_units=OTHER_UNITS)
    return explain_page(found, meter)
