"""Rankings as their pages show them: headings and URLs; and what ranks as data."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from comments.lists.listing import comment_data
from comments.rankings.items import Ranking
from comments.rankings.queries import HelpfulComment, RankedProduct
from dynamo.web.feeds import Feed, FeedEntry
from dynamo.web.paging import Pager
from shop.catalogue.category_listing import link_data

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Board:
    """The heading of a ranking of products; ``url_name`` is its page's."""

    ranking: Ranking
    url_name: str
    heading: "StrOrPromise"
    sentence: "StrOrPromise"

    @property
    def url(self) -> str:
        return reverse(self.url_name)


MOST_LOVED = Board(
    Ranking.FIVE_STARS,
    "most_loved",
    _("Most loved"),
    _("Products by the number of their 5-star comments."),
)
RECENTLY_COMMENTED = Board(
    Ranking.COMMENTED,
    "recently_commented",
    _("Recently commented"),
    _("Products by the time of their last comment, in any language."),
)
BOARDS = (MOST_LOVED, RECENTLY_COMMENTED)


def board_pager(board: Board) -> Pager:
    """Return the pager of a ranking of products."""
    has_feed = board.ranking is Ranking.COMMENTED
    return Pager(board.url, f"ranking/{board.ranking}", canonical=board.url, has_feed=has_feed)


def helpful_pager(product_id: str) -> Pager:
    """Return the pager of a product's most helpful comments."""
    first_url = reverse("most_helpful", args=[product_id])
    return Pager(first_url, f"helpful/{product_id}", canonical=first_url)


def ranked_data(ranked: RankedProduct) -> dict[str, Any]:
    """Return a product in a ranking for programs (docs/api.md)."""
    data = {"number": ranked.number, "product": link_data(ranked.product)}
    if ranked.commented is None:
        return {**data, "five_star_comments": ranked.five_stars}
    latest = {"id": ranked.comment_id, "url": ranked.comment_url}
    return {**data, "last_commented": ranked.commented_iso, "latest_comment": latest}


def ranked_feed(board: Board, products: Iterable[RankedProduct]) -> Feed:
    """Return products by their last comments as a feed, in which each such comment is an entry."""
    return Feed(
        title=f"{board.heading} · Dynashop",
        entries=[
            FeedEntry(path=one.comment_url, title=one.product.name, published=one.commented)
            for one in products
            if one.commented
        ],
    )


def helpful_data(found: HelpfulComment, *, product_id: str) -> dict[str, Any]:
    """Return a comment with its votes for programs (docs/api.md)."""
    return {**comment_data(found.comment, product_id=product_id), "helpful_votes": found.helpful}
