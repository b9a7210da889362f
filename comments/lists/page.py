"""The page of a product's comments: all that it shows, declared and read together.

What depends on nothing else goes out in one round: product and counts by one BatchGetItem, the
list, the votes of the visitor, the picks of staff. The list is planned by the counts that were
remembered; those of now arrive meanwhile. A second round is read where nothing is remembered, where
the remembered counts turn out to lack something, and for a highlight that the list does not have.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from comments import keys
from comments.filters import CommentFilter
from comments.languages import preferred_language
from comments.lists.highlights import (
    KINDS,
    Highlights,
    Kind,
    find_highlights,
    find_picks,
    start_unlikely,
)
from comments.lists.orders import CommentOrder
from comments.lists.queries import (
    CommentEntry,
    CommentPage,
    WholeComment,
    find_comment,
    list_comments,
)
from comments.lists.read_your_writes import Recent, read_recent
from comments.models import TABLE, ProductRank
from comments.store.counts import (
    ProductCounts,
    counters,
    counts_in,
    remember_counts,
    remembered_counts,
)
from comments.votes.queries import vote_on, votes_of
from dynamo.calls.client import pool
from dynamo.calls.meter import labelled_calls
from dynamo.calls.pool import Started, Together
from dynamo.items import table_key
from dynamo.lists.merging import LEAST_UNITS
from dynamo.lists.places import moment_at
from dynamo.lists.reader import PageRequest
from dynamo.lists.site_reader import page_batches
from shop.catalogue.queries import Product, find_product, product_in, product_keys
from shop.table import TABLE as SHOP
from shop.web.visitor import NOBODY, Visitor

NO_COUNTS = ProductCounts({})
_NEWEST = ProductRank.newest.attr_name


@dataclass(frozen=True, slots=True)
class PageWanted:
    """A page of a product's comments.

    ``chosen`` is None for the visitor's language, by the header ``accept_language``: only the
    product's own page is that, and has highlights. Only a whole page has the description.
    ``recent`` are the ids of comments that the visitor has just written.
    """

    product_id: str
    request: PageRequest
    chosen: CommentFilter | None = None
    order: CommentOrder = CommentOrder.NEWEST
    accept_language: str = ""
    is_whole: bool = True
    visitor: Visitor = NOBODY
    recent: Sequence[str] = ()

    @property
    def needs_counts(self) -> bool:
        """Whether the list cannot be read before any counts are known."""
        if self.chosen is None:
            return bool(self.accept_language)
        return bool(self.chosen.narrowed) or self.order.is_by_rating

    @property
    def has_highlights(self) -> bool:
        """Whether it is the product's own page."""
        return self.is_whole and self.chosen is None

    @property
    def units_beside(self) -> float:
        """What a visitor's page reads beside its list: capacity units, if each item is small."""
        known = counters().known([self.product_id])
        keys_read = len(product_keys(self.product_id, is_whole=self.is_whole))
        items = keys_read + sum(known.values()) + self.has_highlights
        queries = 1 + 2 * len(KINDS) if self.has_highlights else 0
        return LEAST_UNITS * (items + queries)

    def choose(self, counts: ProductCounts) -> CommentFilter:
        """Return the filter of the list."""
        if self.chosen is not None:
            return self.chosen
        preferred = preferred_language(self.accept_language, among=counts.languages)
        return CommentFilter.of([preferred] if preferred else [])


@dataclass(frozen=True, slots=True)
class CommentsPage:
    """What a page of a product's comments shows.

    ``voted`` are the ids of comments that the visitor finds helpful, ``recent`` those just written.
    """

    product: Product
    chosen: CommentFilter
    found: CommentPage
    voted: frozenset[str]
    recent: Recent
    highlights: Highlights | None


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is read by key; ``newest`` is when the product was last commented on, if asked for."""

    product: Product
    counts: ProductCounts
    newest: datetime | None


def read_comments_page(wanted: PageWanted) -> CommentsPage:
    """Read a page of a product's comments. Raises NoSuchProduct."""
    with pool().together() as together:
        begun = _begin(together, wanted)
        counts = _counts_to_plan_by(wanted, begun)
        early = _begin_highlights(together, wanted, counts)
        chosen, found = _read_list(wanted, counts, exact=lambda: begun.facts.result().counts)
        facts = begun.facts.result()
        highlights = None
        if begun.picks:
            highlights = find_highlights(
                wanted.product_id,
                chosen,
                found,
                started=early if chosen == wanted.choose(counts) else {},
                picks=begun.picks,
                newest=facts.newest,
            )
        return CommentsPage(
            product=facts.product,
            chosen=chosen,
            found=found,
            voted=begun.votes(),
            recent=begun.recent.result() if begun.recent else {},
            highlights=highlights,
        )


@dataclass(frozen=True, slots=True)
class _Begun:
    """The calls that do not depend on any other; None where there is nothing to read."""

    facts: Started[_Facts]
    is_user: Started[bool] | None
    voted: Started[frozenset[str]] | None
    recent: Started[Recent] | None
    picks: Started[tuple[CommentEntry, ...]] | None

    def votes(self) -> frozenset[str]:
        """Return the votes of the visitor, none where the session is not confirmed."""
        is_user = self.is_user is not None and self.is_user.result()
        return self.voted.result() if self.voted and is_user else frozenset()


def _begin(together: Together, wanted: PageWanted) -> _Begun:
    product_id, visitor = wanted.product_id, wanted.visitor
    votes = partial(votes_of, visitor.username, product_id)
    return _Begun(
        facts=together.start(partial(_read_facts, wanted)),
        is_user=together.start(visitor.is_confirmed) if visitor.username else None,
        voted=together.start(votes) if visitor.username else None,
        recent=together.start(partial(read_recent, wanted.recent)) if wanted.recent else None,
        picks=together.start(partial(find_picks, product_id)) if wanted.has_highlights else None,
    )


def _counts_to_plan_by(wanted: PageWanted, begun: _Begun) -> ProductCounts:
    remembered = remembered_counts(wanted.product_id)
    if remembered is not None:
        return remembered
    return begun.facts.result().counts if wanted.needs_counts else NO_COUNTS


def _begin_highlights(
    together: Together, wanted: PageWanted, counts: ProductCounts
) -> dict[Kind, Started[CommentEntry | None]]:
    if not wanted.has_highlights:
        return {}
    chosen, size = wanted.choose(counts), wanted.request.size
    return start_unlikely(together, wanted.product_id, chosen, counts, size=size)


def _read_list(
    wanted: PageWanted, counts: ProductCounts, exact: Callable[[], ProductCounts]
) -> tuple[CommentFilter, CommentPage]:
    """Read the list of the filter that is chosen by the counts of now, planned by ``counts``."""
    beside = wanted.units_beside
    read = partial(list_comments, wanted.product_id, order=wanted.order, beside=beside)
    chosen = wanted.choose(counts)
    found = read(chosen, wanted.request, counts=counts, exact=exact)
    right = wanted.choose(found.counts)
    if right != chosen:
        found = read(right, wanted.request, counts=found.counts)
    return right, found


def _read_facts(wanted: PageWanted) -> _Facts:
    product_id, counting = wanted.product_id, counters()
    known, rank = counting.known([product_id]), table_key(*[keys.commented_rank(product_id)] * 2)
    asked = [
        *((SHOP, table_key(*key)) for key in product_keys(product_id, is_whole=wanted.is_whole)),
        *((TABLE, key) for key in [*counting.keys(known), *[rank] * wanted.has_highlights]),
    ]
    with labelled_calls("product and counts"):
        read = page_batches().get_from_tables(asked, consistent=False)
        items = [item for table, item in read if table == TABLE]
        product = product_in(product_id, (item for table, item in read if table == SHOP))
        counts = counts_in(counting.sums(known, items)[product_id])
    remember_counts(product_id, counts)
    newest = next((item[_NEWEST] for item in items if _NEWEST in item), None)
    return _Facts(product, counts, moment_at(newest["S"]) if newest else None)


@dataclass(frozen=True, slots=True)
class CommentRead:
    """What the page of one comment shows; ``voted`` is its id if the visitor finds it helpful."""

    comment: WholeComment
    product: Product
    voted: frozenset[str]


def read_comment_page(comment_id: str, *, visitor: Visitor, is_recent: bool) -> CommentRead:
    """Read the page of a comment: in one round, and its product in another.

    It is read strongly for users, as staff see their reply at once, and if ``is_recent``, for its
    author. Raises NoSuchComment and NoSuchProduct.
    """
    is_strong = is_recent or bool(visitor.username)
    with pool().together() as together:
        voted = together.start(partial(vote_on, visitor.username, comment_id))
        is_user = together.start(visitor.is_confirmed)
        with labelled_calls("comment"):
            comment = find_comment(comment_id, consistent=is_strong)
        product = find_product(comment.product_id, is_whole=False)
        return CommentRead(comment, product, voted.result() if is_user.result() else frozenset())
