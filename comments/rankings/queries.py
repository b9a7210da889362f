"""Reads of rankings: products of the shop (AP11, AP12), a product's comments by votes (AP13).

A ranking of the shop has shards, which are the runs of one merge; a whole page is read of each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.urls import reverse

from comments import keys
from comments.host import Product, named, product_reader
from comments.keys import score_at
from comments.lists.entries import CommentEntry, entry_of
from comments.models import Ranked
from comments.rankings.services import NAME, NEWEST, RANKED, Ranking
from comments.store.table import index_of
from comments.votes.services import votes_of
from dynapages.calls import labelled_calls
from dynapages.django.access import Visitor
from dynapages.lists import Page, PageRequest, PageResult, Run, id_at, moment_at, timestamp
from dynapages.process import pool, read

PLAN = Ranked.Meta.index_name
_PRODUCTS = {ranking: index_of(Ranked, partial(keys.rank_item, ranking)) for ranking in Ranking}
_COMMENTS = index_of(Ranked)
_LABELS = {Ranking.FIVE_STARS: "most loved", Ranking.COMMENTED: "recently commented"}


@dataclass(frozen=True, slots=True)
class RankedProduct:
    """A product in a ranking; ``number`` counts from 1, and is not exact behind the first page."""

    number: int
    product: Product
    five_stars: int | None = None
    commented: datetime | None = None
    comment_id: str = ""

    @property
    def comment_url(self) -> str:
        return reverse("comments:comment", args=[self.comment_id])

    @property
    def commented_iso(self) -> str:
        return timestamp(self.commented) if self.commented else ""


@dataclass(frozen=True, slots=True)
class HelpfulComment:
    """A comment and its number of helpful votes."""

    comment: CommentEntry
    helpful: int


def list_ranking(ranking: Ranking, request: PageRequest) -> PageResult[RankedProduct]:
    """Read a page of a ranking of the shop's products, highest first."""
    page = RANKED.read_all(lambda shards: read(_runs(ranking, shards), request), pool=pool())
    return PageResult(_products(ranking, page), page)


def find_leaderboards(size: int) -> dict[Ranking, tuple[RankedProduct, ...]]:
    """Read the first ``size`` products of each ranking of the shop."""
    heads = RANKED.read_all(
        lambda shards: pool().gather([partial(_head, one, shards, size) for one in Ranking]),
        pool=pool(),
    )
    return {one: _products(one, head) for one, head in zip(Ranking, heads, strict=True)}


def _head(ranking: Ranking, shards: int, size: int) -> Page:
    with labelled_calls(_LABELS[ranking]):
        return read(_runs(ranking, shards), PageRequest(size), look_ahead=False)


def read_most_helpful(
    product_id: str, request: PageRequest, *, visitor: Visitor
) -> tuple[Product, PageResult[HelpfulComment], frozenset[str]]:
    """Read a product, a page of its most helpful comments, and the ids of the visitor's votes.

    Raises NoSuchProduct.
    """
    with pool().together() as together:
        product = product_reader(together, product_id)
        voted = together.start(partial(votes_of, visitor.user_id, product_id))
        is_user = together.start(visitor.is_confirmed)
        found = list_most_helpful(product_id, request)
        mine = voted.result() if is_user.result() else frozenset()
        return product(), found, mine


def list_most_helpful(product_id: str, request: PageRequest) -> PageResult[HelpfulComment]:
    """Read a page of a product's comments by helpful votes; those without any are omitted."""
    page = read([Run(index=_COMMENTS, partition=keys.helpful(product_id))], request)
    shown = [entry_of(entry.item) for entry in page.entries]
    votes = [score_at(entry.position.place) for entry in page.entries]
    return PageResult(tuple(map(HelpfulComment, shown, votes)), page)


def _products(ranking: Ranking, page: Page) -> tuple[RankedProduct, ...]:
    products = []
    for entry in page.entries:
        place, ordinal = entry.position.place, entry.position.ordinal
        number = 0 if ordinal is None else ordinal.signed
        # The name is missing where the product is not in the catalogue.
        name = entry.item.get(NAME, {"S": id_at(place)})["S"]
        if not name:  # the project leaves it out
            continue
        ranked = RankedProduct(number, named(id_at(place), name))
        if ranking is Ranking.FIVE_STARS:
            ranked = replace(ranked, five_stars=score_at(place))
        else:
            latest = id_at(entry.item[NEWEST]["S"])
            ranked = replace(ranked, commented=moment_at(place), comment_id=latest)
        products.append(ranked)
    return tuple(products)


def _runs(ranking: Ranking, shards: int) -> Sequence[Run]:
    return [
        Run(index=_PRODUCTS[ranking], partition=keys.ranking_shard(ranking, shard))
        for shard in range(shards)
    ]
