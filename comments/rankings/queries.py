"""Reads of rankings: products of the shop (AP11, AP12), a product's comments by votes (AP13).

A ranking of the shop has shards, which are the runs of one merge; a whole page is read of each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from comments import keys
from comments.host import Product, named, product_reader
from comments.keys import score_at
from comments.lists.by_votes import BY_VOTES
from comments.lists.entries import CommentEntry, comment_at, comment_url
from comments.models import Ranked
from comments.rankings.ratings import rating_in
from comments.rankings.services import NAME, NEWEST, RANKED, Ranking
from comments.store.table import index_of
from comments.votes.services import votes_of
from dynapages.calls import labelled_calls
from dynapages.django.access import Visitor
from dynapages.lists import (
    Order,
    Page,
    PageRequest,
    PageResult,
    Run,
    every_entry,
    first_reads_of,
    id_at,
    moment_at,
    timestamp,
)
from dynapages.process import pool, read

PLAN = Ranked.Meta.index_name
"""The name of the plan: there is one way to read a ranking."""
PRODUCTS_AT_ONCE = 100
"""Of a ranking that is read to its end."""
_PRODUCTS = {ranking: index_of(Ranked, partial(keys.rank_item, ranking)) for ranking in Ranking}
_LABELS = {Ranking.FIVE_STARS: "most loved", Ranking.COMMENTED: "recently commented"}


@dataclass(frozen=True, slots=True)
class RankedProduct:
    """A product in a ranking; ``number`` counts from 1, and is not exact behind the first page.

    It is None on pages that are reached from the end: nobody knows how many products rank.
    """

    number: int | None
    product: Product
    five_stars: int | None = None
    commented: datetime | None = None
    comment_id: str = ""

    @property
    def comment_url(self) -> str:
        return comment_url(self.comment_id)

    @property
    def commented_iso(self) -> str:
        if not self.commented:
            return ""
        return timestamp(self.commented)


@dataclass(frozen=True, slots=True)
class MostHelpful:
    """A page of a product's most helpful comments; ``voted`` are ids of the visitor's votes."""

    product: Product
    comments: PageResult[CommentEntry]
    voted: frozenset[str]


# Products of the shop.


def list_ranking(ranking: Ranking, request: PageRequest) -> PageResult[RankedProduct]:
    """Read a page of a ranking of the shop's products, highest first."""
    page = _page_of(ranking, request)
    return PageResult(_products_on(ranking, page), page)


def commented_products(order: Order = Order.NEWEST_FIRST) -> Iterator[str]:
    """Yield the ids of all products with comments, the one commented on last first, for commands.

    One that is commented on meanwhile goes to the front: whoever must miss none reads
    ``OLDEST_FIRST``, and may meet one twice.
    """

    def page_of(request: PageRequest) -> Page:
        return _page_of(Ranking.COMMENTED, request, order)

    for entry in every_entry(page_of, at_once=PRODUCTS_AT_ONCE):
        yield id_at(entry.position.place)


def _page_of(ranking: Ranking, request: PageRequest, order: Order = Order.NEWEST_FIRST) -> Page:
    """Read a page of a ranking, of all its shards."""

    def read_shards(shards: int) -> Page:
        first_reads = _evenly(request.size + 1, shards)
        return read(_runs(ranking, shards), request, order=order, first_reads=first_reads)

    return RANKED.read_all(read_shards, pool=pool())


def find_leaderboards(size: int) -> dict[Ranking, tuple[RankedProduct, ...]]:
    """Read the first ``size`` products of each ranking of the shop."""

    def read_heads(shards: int) -> list[Page]:
        def read_head(ranking: Ranking) -> Page:
            with labelled_calls(_LABELS[ranking]):
                return read(
                    _runs(ranking, shards),
                    PageRequest(size),
                    first_reads=_evenly(size, shards),
                    look_ahead=False,
                )

        return pool().map(read_head, Ranking)

    heads = RANKED.read_all(read_heads, pool=pool())
    leaderboards = {}
    for ranking, head in zip(Ranking, heads, strict=True):
        leaderboards[ranking] = _products_on(ranking, head)
    return leaderboards


def _products_on(ranking: Ranking, page: Page) -> tuple[RankedProduct, ...]:
    """Return the products on a page of a ranking."""
    products = []
    for entry in page.entries:
        place, ordinal = entry.position.place, entry.position.ordinal
        # The name is missing where the product is not in the catalogue.
        name = entry.item.get(NAME, {"S": id_at(place)})["S"]
        if not name:  # the project leaves it out
            continue
        number = None
        if ordinal is not None and ordinal.from_front:
            number = ordinal.number
        product = named(id_at(place), name, rating=rating_in(entry.item))
        if ranking is Ranking.FIVE_STARS:
            ranked = RankedProduct(number, product, five_stars=score_at(place))
        else:
            latest = id_at(entry.item[NEWEST]["S"])
            ranked = RankedProduct(number, product, commented=moment_at(place), comment_id=latest)
        products.append(ranked)
    return tuple(products)


def _evenly(needed: int, shards: int) -> Sequence[int]:
    """Return how many products each shard reads first: they are spread evenly."""
    return first_reads_of(needed, [1] * shards)


def _runs(ranking: Ranking, shards: int) -> Sequence[Run]:
    runs = []
    for shard in range(shards):
        runs.append(Run(_PRODUCTS[ranking], partition=keys.ranking_shard(ranking, shard)))
    return runs


# Comments of a product.


def read_most_helpful(product_id: str, request: PageRequest, *, visitor: Visitor) -> MostHelpful:
    """Read a product with a page of its most helpful comments. Raises NoSuchProduct."""
    with pool().together() as together:
        read_product = product_reader(together, product_id)
        voted = together.start(votes_of, visitor.user_id, product_id)
        is_user = together.start(visitor.is_confirmed)
        comments = list_most_helpful(product_id, request)
        # The session may name a user who was deleted since it began.
        own_votes: frozenset[str] = frozenset()
        if is_user.result():
            own_votes = voted.result()
        return MostHelpful(read_product(), comments, own_votes)


def list_most_helpful(product_id: str, request: PageRequest) -> PageResult[CommentEntry]:
    """Read a page of a product's comments by helpful votes; those without any are omitted."""
    page = read([Run(index=BY_VOTES, partition=keys.helpful(product_id))], request)
    comments = tuple(comment_at(entry) for entry in page.entries)
    return PageResult(comments, page)
