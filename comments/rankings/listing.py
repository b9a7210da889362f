"""Rankings as their pages show them: headings and URLs."""

from dataclasses import dataclass

from django.urls import reverse

from comments.rankings.items import Ranking
from dynamo.web.paging import Pager


@dataclass(frozen=True, slots=True)
class Board:
    """The heading of a ranking of products; ``url_name`` is its page's."""

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


def board_pager(board: Board) -> Pager:
    """Return the pager of a ranking of products."""
    return Pager(first_url=board.url, list_name=f"ranking/{board.ranking}")


def helpful_pager(product_id: str) -> Pager:
    """Return the pager of a product's most helpful comments."""
    first_url = reverse("most_helpful", args=[product_id])
    return Pager(first_url=first_url, list_name=f"helpful/{product_id}")
