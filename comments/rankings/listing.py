"""Rankings as their pages show them: headings, neighbours, and the URLs around them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from comments.rankings.items import Ranking
from comments.rankings.queries import HelpfulComment, HelpfulPage, ProductRanking, RankedProduct
from dynamo.lists.reader import PageRequest
from dynamo.web.paging import Pager


@dataclass(frozen=True, slots=True)
class Board:
    """A ranking of the shop's products, in words; ``url_name`` is its page's."""

    ranking: Ranking
    url_name: str
    heading: str
    sentence: str

    @property
    def url(self) -> str:
        return reverse(self.url_name)


MOST_LOVED = Board(
    Ranking.FIVE_STARS,
    "most_loved",
    "Most loved",
    "Products by the number of their 5-star comments.",
)
RECENTLY_COMMENTED = Board(
    Ranking.COMMENTED,
    "recently_commented",
    "Recently commented",
    "Products by the time of their last comment, in whatever language.",
)
BOARDS = (MOST_LOVED, RECENTLY_COMMENTED)


@dataclass(frozen=True, slots=True)
class RankingListing:
    """A page of a ranking: ``older_url`` leads down it, ``newer_url`` up."""

    products: Sequence[RankedProduct]
    board: Board
    boards: Sequence[Board]
    older_url: str | None
    newer_url: str | None
    first_url: str
    is_first: bool

    @property
    def first_number(self) -> int:
        return self.products[0].number if self.products else 1


@dataclass(frozen=True, slots=True)
class HelpfulListing:
    """A page of a product's comments by helpful votes: ``older_url`` leads to fewer votes."""

    comments: Sequence[HelpfulComment]
    newest_url: str
    older_url: str | None
    newer_url: str | None
    first_url: str
    is_first: bool


def board_pager(board: Board) -> Pager:
    """Give the pages of a ranking of products."""
    return Pager(first_url=board.url, list_name=f"ranking/{board.ranking}")


def helpful_pager(product_id: str) -> Pager:
    """Give the pages of a product's most helpful comments."""
    first_url = reverse("most_helpful", args=[product_id])
    return Pager(first_url=first_url, list_name=f"helpful/{product_id}")


def ranking_listing(board: Board, found: ProductRanking, *, request: PageRequest) -> RankingListing:
    """Arrange a page of a ranking of products for its template."""
    pager = board_pager(board)
    return RankingListing(
        products=found.products,
        board=board,
        boards=BOARDS,
        older_url=pager.next_url(found.page),
        newer_url=pager.previous_url(found.page),
        first_url=pager.first_url,
        is_first=request.position is None,
    )


def helpful_listing(product_id: str, found: HelpfulPage, *, request: PageRequest) -> HelpfulListing:
    """Arrange a page of a product's most helpful comments for its template."""
    pager = helpful_pager(product_id)
    return HelpfulListing(
        comments=found.comments,
        newest_url=reverse("product", args=[product_id]),
        older_url=pager.next_url(found.page),
        newer_url=pager.previous_url(found.page),
        first_url=pager.first_url,
        is_first=request.position is None,
    )
