"""The page of a product's comments: all that it shows, read together (`read_comments_page`).

What depends on nothing else goes out in one round: product and counts, the list, the votes of the
visitor, the picks of staff. The list is planned by remembered counts. A second round is read where
there are none, where they turn out to lack something, and for a highlight that the list does not
have (`comments.lists.highlights`). One comment is read by `read_comment`, its page by
`read_comment_page`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import Any
from urllib.parse import urljoin

from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from comments import host, keys
from comments.filters import CommentFilter, preferred_language
from comments.host import NoSuchProduct, Product, find_product
from comments.lists.entries import CommentEntry, WholeComment
from comments.lists.explain import explain_page
from comments.lists.feeds import comments_feed
from comments.lists.highlights import (
    KINDS,
    Highlights,
    StartedKinds,
    find_highlights,
    find_picks,
    start_unlikely,
)
from comments.lists.listing import heading_of, list_url, listing_of, pager_of, progress_of
from comments.lists.orders import CommentOrder, month_name
from comments.lists.queries import CommentPage, find_comment, list_comments
from comments.lists.recent import Recent, in_list, read_recent, with_recent
from comments.lists.search_listing import search_shown, total_of_search
from comments.lists.search_queries import (
    MOST_UNITS,
    SearchRequest,
    recent_with_all_words,
    search_comments,
)
from comments.lists.structured_data import json_ld, things_on_page
from comments.lists.topics import ShownTopics, shown_topics
from comments.models import TABLE, ProductRank
from comments.store.counts import (
    ProductCounts,
    counters,
    counts_in,
    remember_counts,
    remembered_counts,
)
from comments.topics.records import NO_TOPICS, TopicsOfProduct, is_topics, topics_in
from comments.votes.services import has_voted, votes_of
from dynapages.calls import Started, Together, current_meter, labelled_calls
from dynapages.django.access import NOBODY, Visitor
from dynapages.django.formats import AtomFeed
from dynapages.django.paging import ListRequest, Pager, address_of_item
from dynapages.items import Item, table_key
from dynapages.lists import LEAST_UNITS, Explanation, Toward, moment_at
from dynapages.process import page_batches, pool

SHOWN = "shown"
"""The parameter of a page that reads on by itself: how many comments it has already."""
NO_COUNTS = ProductCounts({})
_NEWEST = ProductRank.newest.attr_name
_values_of_entry = attrgetter(
    *(field.name for field in fields(CommentEntry) if field.name != "created")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentsRequest(ListRequest[CommentFilter | None]):
    """A request for a page of a product's comments.

    ``filter`` is None for the visitor's language, by ``accept_language``: only the product's own
    page is that, and has highlights. Only a whole page has the description. ``recent`` are the ids
    of what the visitor has just written, ``shown`` how many are there of a page that reads on by
    itself, ``site`` what addresses begin with, ``month`` where the list is to begin.
    ``all_languages`` is whether the visitor has chosen these, which is remembered.
    """

    product_id: str
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
            return not (self.filter and self.filter.languages)
        if self.filter is None:
            return bool(self.accept_language)
        return bool(self.filter.narrowed) or not self.order.is_by_time

    @property
    def has_highlights(self) -> bool:
        return self.is_whole and self.filter is None

    @property
    def has_topics(self) -> bool:
        return self.has_highlights and host.has_topics()

    @property
    def other_units(self) -> float:
        """What a visitor's page reads besides its list: capacity units, if each item is small."""
        items = len(host.products().keys(self.product_id, whole=self.is_whole))
        items += sum(counters().known([self.product_id]).values())
        if not self.has_highlights:
            return LEAST_UNITS * items
        rank, picks = 1, 1
        # A kind may be in two ratings, and each is a partition.
        queries = picks + 2 * len(KINDS)
        topics = int(self.has_topics)
        return LEAST_UNITS * (items + rank + topics + queries)

    def choose(self, counts: ProductCounts) -> CommentFilter:
        """Return the filter of the page: of the visitor's language where the product has that."""
        if self.filter is not None:
            return self.filter
        preferred = preferred_language(self.accept_language, among=counts.languages)
        if not preferred:
            return CommentFilter()
        return CommentFilter.of([preferred])


@dataclass(frozen=True)
class CommentsPage:
    """A page of a product's comments, ready to be shown.

    ``chosen`` is the filter of its list, ``results`` what was read of that; ``voted`` and
    ``recent`` are ids.
    """

    request: CommentsRequest
    product: Product
    chosen: CommentFilter
    results: CommentPage
    voted: frozenset[str]
    recent: Recent
    highlights: Highlights | None
    topics: TopicsOfProduct = NO_TOPICS

    @cached_property
    def pager(self) -> Pager:
        request = self.request
        pager = pager_of(request.product_id, self.chosen, request.order, request.search)
        canonical = pager.canonical
        # In whatever language, the product's own page has one address for search engines.
        if request.filter is None:
            canonical = self.product.url
        return replace(pager, shown=request.shown, canonical=canonical)

    @property
    def facts(self) -> tuple[object, ...]:
        """What decides what the page of a visitor without a session says."""
        results = self.results
        return (
            self.product,
            self.chosen,
            # The `repr` of a comment takes long, and so does that of a moment.
            [_values_of_entry(comment) for comment in results.comments],
            [comment.created.timestamp() for comment in results.comments],
            [sorted(results.counts.cells.items()), sorted(results.counts.months.items())],
            self.highlights,
            # A map is read in any order.
            sorted(self.topics.languages.items()),
            results.page.next_position,
            results.page.previous_position,
            results.page.cut_at,
            results.pending,
            results.reach,
            self.request.all_languages,
            self.request.search,
        )

    @cached_property
    def comments(self) -> tuple[CommentEntry, ...]:
        """The comments of the list, with what the visitor has just written."""
        if not self.recent:
            return self.results.comments
        chosen = self.chosen
        # In the visitor's language, a comment just written in another one is shown as well.
        if self.request.filter is None:
            chosen = CommentFilter()
        return with_recent(
            self.results.comments,
            self.recent,
            page=self.results.page,
            belongs=in_list(self.request.product_id, chosen),
            order=self.request.order,
            sections=self.results.sections,
        )

    @cached_property
    def total(self) -> int | None:
        """How many comments the list has, None if that is not known, or nothing was searched."""
        if self.request.search:
            search = self.request.search.search
            return total_of_search(search, self.results, shown=len(self.comments))
        return self.results.counts.of(self.chosen)

    def context(self) -> dict[str, Any]:
        """Return what the templates of the page and of its list show."""
        request, product = self.request, self.product
        shown = replace(self.results, comments=self.comments)
        context: dict[str, Any] = {
            "product": product,
            "trail": (*product.trail, product),
            "listing": listing_of(
                request.product_id,
                self.chosen,
                shown,
                order=request.order,
                search=request.search,
                is_remembered=request.all_languages,
                is_default_language=request.filter is None and bool(self.chosen.languages),
            ),
            "total": self.total,
            "empty_month": self._empty_month(),
            "image_url": self._image_url,
            "voted": self.voted,
            "highlights": self.highlights,
            "topics": self._shown_topics(),
            "bans_url": self._bans_url(),
            "explain": self._explain,
            "kept": (),
            **self._reading_on(),
        }
        if request.search:
            context["search"] = search_shown(request.search, shown, self._url_with_search)
            context["kept"] = request.search.fields
            context["most_units"] = MOST_UNITS
            context["is_behind"] = not self.results.pending.are_all_named
            context["is_searched_anew"] = not self.results.pending.are_none
        if self.highlights:
            comments, counts = self.results.comments, self.results.counts
            things = things_on_page(product, comments, counts, site=request.site)
            context["structured_data"] = json_ld({"@graph": things})
        return context

    def feed(self) -> AtomFeed:
        """Return the comments as a feed."""
        heading = heading_of(self.chosen, search=self.request.search)
        return comments_feed(f"{heading} · {self.product.name}", self.comments)

    def _url_with_search(self, search: SearchRequest | None) -> str:
        return list_url(self.request.product_id, self.chosen, self.request.order, search)

    def _image_url(self) -> str:
        """Return the address of the product's image; a template of the whole page asks for it."""
        if not self.product.image:
            return ""
        return urljoin(self.request.site, self.product.image)

    def _shown_topics(self) -> ShownTopics | None:
        """Arrange the topics for the product's own page; None on others, or without any."""
        if not self.request.has_topics:
            return None
        languages = self.chosen.languages
        return shown_topics(self.request.product_id, self.topics, languages=languages)

    def _bans_url(self) -> str:
        """Return the address at which staff ban words as topics; empty without topics here."""
        if not self.request.has_topics:
            return ""
        return address_of_item("comments:topics", self.request.product_id)

    def _explain(self) -> Explanation:
        return explain_page(self.results, current_meter())

    def _empty_month(self) -> str:
        """Return the sentence about a month to begin at that has no comment, empty for others."""
        month, comments = self.request.month, self.comments
        if not month or (not comments and self.results.page.cut_at):
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
        page, pager = self.results.page, self.pager
        if page.cut_at is None:
            return {"shown": pager.shown}
        # A page that is read back is filled at its top.
        reads_back = page.toward is Toward.PREVIOUS
        if reads_back:
            url = pager.previous_url(page)
        else:
            url = pager.next_url(page)
        progress = progress_of(
            page,
            self.request.order,
            number=pager.shown + len(self.comments),
            is_search=self.request.search is not None,
        )
        return {
            "shown": pager.shown,
            "reads_back": reads_back,
            "goes_on_url": url,
            "reads_on_url": f"{url}&{SHOWN}={pager.shown + len(page.entries)}",
            "progress": progress,
        }


# Reading it.


@dataclass(frozen=True, slots=True)
class CountedProduct:
    """What was read in one call; ``items`` are those of the table of comments.

    The product is None where the project reads it by itself.
    """

    product: Product | None
    counts: ProductCounts
    items: Sequence[Item]


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a page reads of its product in one call.

    The product is None where the project reads it by itself, or has none; ``last_commented`` is
    read for highlights alone, ``topics`` for the page that shows them.
    """

    product: Product | None
    counts: ProductCounts
    last_commented: datetime | None
    topics: TopicsOfProduct


@dataclass(frozen=True, slots=True)
class _StartedReads:
    """What a page reads at the same time as its list; None of what it does not need."""

    facts: Started[_Facts]
    is_user: Started[bool] | None
    voted: Started[frozenset[str]] | None
    recent: Started[Recent] | None
    picks: Started[tuple[CommentEntry, ...]] | None

    def count_now(self) -> ProductCounts:
        """Wait for the counts of now."""
        return self.facts.result().counts


def read_comments_page(request: CommentsRequest) -> CommentsPage:
    """Read a page of a product's comments. Raises NoSuchProduct."""
    product_id = request.product_id
    with pool().together() as together:
        reads = _start_reads(request, together)
        product = None
        # Else the product is among the facts, in the same call as the counts.
        if not host.is_read_along():
            product = find_product(product_id)
        counts = remembered_counts(product_id)
        if counts is None and request.needs_counts:
            counts = reads.count_now()
        elif counts is None:
            counts = NO_COUNTS
        expected = request.choose(counts)
        unlikely: StartedKinds = {}
        if reads.picks:
            page_size = request.page_request.size
            unlikely = start_unlikely(together, product_id, expected, counts, page_size=page_size)
        chosen, results = _read_list(request, counts, reads.count_now)
        facts = reads.facts.result()
        product = facts.product or product
        if product is None:
            raise NoSuchProduct(product_id)
        recent = _written_recently(request, reads)
        highlights = None
        if reads.picks:
            # What was started for another language is of no use.
            if chosen != expected:
                unlikely = {}
            highlights = find_highlights(
                product_id,
                chosen,
                results,
                started=unlikely,
                picks=reads.picks,
                last_commented=facts.last_commented,
            )
        return CommentsPage(
            request=request,
            product=product,
            chosen=chosen,
            results=results,
            voted=_confirmed_votes(reads),
            recent=recent,
            highlights=highlights,
            topics=facts.topics,
        )


def _start_reads(request: CommentsRequest, together: Together) -> _StartedReads:
    """Start all reads of a page that depend on nothing else."""
    product_id, visitor = request.product_id, request.visitor
    facts = together.start(_read_facts, request, get_language())
    is_user = voted = recent = picks = None
    if visitor.user_id:
        is_user = together.start(visitor.is_confirmed)
        voted = together.start(votes_of, visitor.user_id, product_id)
    if request.recent:
        recent = together.start(read_recent, request.recent)
    if request.has_highlights:
        picks = together.start(find_picks, product_id)
    return _StartedReads(facts, is_user, voted, recent, picks)


def _read_facts(request: CommentsRequest, language: str) -> _Facts:
    """Read product and counts, its topics, and for highlights when it was last commented on.

    ``language`` is that of the page.
    """
    product_id = request.product_id
    others: list[Item] = []
    if request.has_highlights:
        rank = keys.rank("COMMENTED", product_id)
        others.append(table_key(rank, rank))
    if request.has_topics:
        others.append(keys.topics(product_id))
    read = read_counted_product(
        product_id, language=language, is_whole=request.is_whole, others=others
    )
    last_commented = _last_commented(read.items)
    topics = _topics_among(read.items) if request.has_topics else NO_TOPICS
    return _Facts(read.product, read.counts, last_commented, topics)


def read_counted_product(
    product_id: str, *, language: str, is_whole: bool, others: Sequence[Item] = ()
) -> CountedProduct:
    """Read a product, its counts, and ``others`` by their keys: half a unit for each 4 KB of each.

    ``language`` is that of the page, ``is_whole`` whether the product's description is needed. The
    counts are remembered. Raises NoSuchProduct where the product would be read here.
    """
    counting = counters()
    known = counting.known([product_id])
    with labelled_calls("product and counts"):
        # One BatchGetItem for items of both apps takes one round trip, whatever it reads.
        table_keys = [*host.products().keys(product_id, whole=is_whole)]
        for key in [*counting.keys(known), *others]:
            table_keys.append((TABLE, key))
        items: list[Item] = []
        product_items: list[Item] = []
        for table, item in page_batches().get_from_tables(table_keys, consistent=False):
            if table == TABLE:
                items.append(item)
            else:
                product_items.append(item)
        # The active language belongs to the thread of the request, which this is not.
        with override(language):
            product = host.built(product_id, product_items)
        counts = counts_in(counting.sums(known, items)[product_id])
    remember_counts(product_id, counts)
    return CountedProduct(product, counts, items)


def _last_commented(items: Iterable[Item]) -> datetime | None:
    """Return the moment of the newest comment by the product's rank, if that is among the items."""
    for item in items:
        if _NEWEST in item:
            return moment_at(item[_NEWEST]["S"])
    return None


def _topics_among(items: Iterable[Item]) -> TopicsOfProduct:
    """Return the topics of the product, none where they are not among the items."""
    for item in items:
        if is_topics(item):
            return topics_in(item)
    return NO_TOPICS


def _read_list(
    request: CommentsRequest, counts: ProductCounts, count_now: Callable[[], ProductCounts]
) -> tuple[CommentFilter, CommentPage]:
    """Read the list of the filter that is chosen by the counts of now, planned by ``counts``."""
    chosen = request.choose(counts)
    results = _read_filtered(request, chosen, counts, count_now)
    # A product may have got its first comment in the visitor's language since it was remembered.
    chosen_now = request.choose(results.counts)
    if chosen_now != chosen:
        results = _read_filtered(request, chosen_now, results.counts, None)
    return chosen_now, results


def _read_filtered(
    request: CommentsRequest,
    chosen: CommentFilter,
    counts: ProductCounts,
    count_now: Callable[[], ProductCounts] | None,
) -> CommentPage:
    """Read the page of a list, or of a search in it."""
    if request.search:
        return search_comments(
            request.product_id,
            request.search,
            chosen,
            request.page_request,
            counts=counts,
            count_now=count_now,
            order=request.order,
            other_units=request.other_units,
        )
    return list_comments(
        request.product_id,
        chosen,
        request.page_request,
        counts=counts,
        count_now=count_now,
        order=request.order,
        other_units=request.other_units,
    )


def _written_recently(request: CommentsRequest, reads: _StartedReads) -> Recent:
    """Return what the visitor has just written; of a search, what has its words."""
    if reads.recent is None:
        return {}
    recent = reads.recent.result()
    if request.search:
        return recent_with_all_words(request.search, recent)
    return recent


def _confirmed_votes(reads: _StartedReads) -> frozenset[str]:
    """Return the visitor's votes, none where the session's user is none any more."""
    if reads.voted is None or reads.is_user is None or not reads.is_user.result():
        return frozenset()
    return reads.voted.result()


# One comment.


@dataclass(frozen=True, slots=True)
class CommentRead:
    """A comment, and whether the visitor finds it helpful."""

    comment: WholeComment
    has_voted: bool


@dataclass(frozen=True, slots=True)
class CommentPageRead(CommentRead):
    """What the page of one comment shows."""

    product: Product


def read_comment(comment_id: str, *, visitor: Visitor, is_recent: bool) -> CommentRead:
    """Read a comment, strongly for users and if ``is_recent``. Raises NoSuchComment."""
    with pool().together() as together:
        started = _start_comment(together, comment_id, visitor=visitor, is_recent=is_recent)
        return CommentRead(started.comment, started.has_voted())


def read_comment_page(comment_id: str, *, visitor: Visitor, is_recent: bool) -> CommentPageRead:
    """Read the page of a comment: what `read_comment` does, and then its product.

    Raises NoSuchComment and NoSuchProduct.
    """
    with pool().together() as together:
        started = _start_comment(together, comment_id, visitor=visitor, is_recent=is_recent)
        product = find_product(started.comment.product_id)
        return CommentPageRead(started.comment, started.has_voted(), product)


@dataclass(frozen=True, slots=True)
class _StartedComment:
    """A comment, and what is read of its visitor meanwhile."""

    comment: WholeComment
    is_user: Started[bool]
    voted: Started[bool]

    def has_voted(self) -> bool:
        """Wait for whether the visitor is a user who finds it helpful."""
        return self.is_user.result() and self.voted.result()


def _start_comment(
    together: Together, comment_id: str, *, visitor: Visitor, is_recent: bool
) -> _StartedComment:
    # Users must see what they have just changed; for anybody else half a unit is saved.
    is_strong = is_recent or bool(visitor.user_id)
    voted = together.start(has_voted, comment_id=comment_id, user_id=visitor.user_id)
    is_user = together.start(visitor.is_confirmed)
    with labelled_calls("comment"):
        comment = find_comment(comment_id, consistent=is_strong)
    return _StartedComment(comment, is_user, voted)
