"""Pages of rankings."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from comments.rankings.listing import (
    BOARDS,
    MOST_LOVED,
    RECENTLY_COMMENTED,
    Board,
    board_pager,
    helpful_pager,
)
from comments.rankings.queries import PLAN, list_most_helpful, list_ranking
from comments.votes.views import voted_by
from dynamo.web.paging import show_page
from shop.catalogue.lookup import product_or_404


@require_safe
def most_loved(request: HttpRequest) -> HttpResponse:
    """Show the shop's products by the number of their 5-star comments (AP11)."""
    return _show_board(request, MOST_LOVED)


@require_safe
def recently_commented(request: HttpRequest) -> HttpResponse:
    """Show the shop's products by the time of their last comment."""
    return _show_board(request, RECENTLY_COMMENTED)


@require_safe
def most_helpful(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show a product's comments by helpful votes, in all languages and of all ratings (AP13)."""
    pager = helpful_pager(product_id)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    product = product_or_404(product_id)
    found = list_most_helpful(product_id, asked)
    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("comments/rankings/most_helpful.html", "comments/rankings/_most_helpful.html"),
        context=lambda: {
            "product": product,
            "trail": [*product.trail, product],
            "comments": found.comments,
            "voted": voted_by(request, product_id),
        },
        plan=PLAN,
    )


def _show_board(request: HttpRequest, board: Board) -> HttpResponse:
    pager = board_pager(board)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found = list_ranking(board.ranking, asked)
    context = {
        "board": board,
        "boards": BOARDS,
        "products": found.products,
        "first_number": found.products[0].number if found.products else 1,
    }
    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("comments/rankings/ranking.html", "comments/rankings/_ranking.html"),
        context=lambda: context,
        plan=PLAN,
    )
