"""Pages of rankings, and what ranks as a feed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from comments.filters import CommentFilter
from comments.lists.listing import list_url
from comments.lists.orders import CommentOrder
from comments.rankings.queries import PLAN, RankedProduct, list_ranking
from comments.rankings.services import Ranking
from dynapages.django.access import public
from dynapages.django.formats import AtomEntry, AtomFeed
from dynapages.django.paging import Pager, address_of, show_page

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Board:
    """The heading of a ranking of products; ``name`` is that of its page's URL."""

    ranking: Ranking
    name: str
    heading: "StrOrPromise"
    sentence: "StrOrPromise"

    @property
    def url(self) -> str:
        return address_of(f"comments:{self.name}")


BOARDS = (
    Board(
        Ranking.FIVE_STARS,
        "most_loved",
        gettext_lazy("Most loved"),
        gettext_lazy("Products by the number of their five-star comments."),
    ),
    Board(
        Ranking.COMMENTED,
        "recently_commented",
        gettext_lazy("Recently commented"),
        gettext_lazy("Products by the time of their last comment, in any language."),
    ),
)


@require_safe
@public
def most_helpful(_request: HttpRequest, product_id: str) -> HttpResponse:
    """Lead to the list by votes, which had this address and no filter."""
    url = list_url(product_id, CommentFilter(), CommentOrder.HELPFUL)
    return redirect(url, permanent=True)


@require_safe
@public
def ranking(request: HttpRequest, board: Board) -> HttpResponse:
    """Show the shop's products by their 5-star comments, or by their last comment (AP11)."""
    pager = Pager(board.url, f"ranking/{board.ranking}", canonical=board.url)
    page_request = pager.requested(request.GET, size=settings.PAGE_SIZE)
    result = list_ranking(board.ranking, page_request)
    products = result.items
    # A page behind the end of the ranking has none.
    first_number: int | None = 1
    if products:
        first_number = products[0].number

    def context() -> dict[str, object]:
        return {
            "heading": board.heading,
            "board": board,
            "boards": BOARDS,
            "products": products,
            "first_number": first_number,
        }

    def feed() -> AtomFeed:
        return ranked_feed(board, products)

    return show_page(
        request,
        pager,
        page_request,
        result.page,
        templates=("comments/rankings/ranking.html", "comments/rankings/_ranking.html"),
        context=context,
        plan=PLAN,
        feed=feed if board.ranking is Ranking.COMMENTED else None,
    )


def ranked_feed(board: Board, products: Iterable[RankedProduct]) -> AtomFeed:
    """Return products by their last comments as a feed, in which each such comment is an entry."""
    entries = []
    for ranked in products:
        if ranked.commented is None:
            continue
        name = ranked.product.name
        sentence = _("The last comment on %(product)s is of %(day)s.")
        day = date_format(ranked.commented, "DATE_FORMAT")
        entry = AtomEntry(
            path=ranked.comment_url,
            title=name,
            published=ranked.commented,
            text=sentence % {"product": name, "day": day},
        )
        entries.append(entry)
    return AtomFeed(title=str(board.heading), entries=entries)
