"""Pages of rankings."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from comments.rankings.listing import (
    MOST_LOVED,
    RECENTLY_COMMENTED,
    Board,
    board_pager,
    helpful_listing,
    helpful_pager,
    ranking_listing,
)
from comments.rankings.queries import PLAN, list_most_helpful, list_ranking
from comments.votes.views import voted_by
from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain
from dynamo.web.partials import render_list
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
    if pager.overshot(found.page, asked):
        return redirect(pager.first_url)
    context = {
        "product": product,
        "trail": [*product.trail, product],
        "listing": helpful_listing(product_id, found, request=asked),
        "voted": voted_by(request, product_id),
        "explanation": explain(found.page, plan=PLAN, meter=current_meter()),
    }
    whole, fragment = "comments/rankings/most_helpful.html", "comments/rankings/_most_helpful.html"
    return render_list(request, whole, fragment, context)


def _show_board(request: HttpRequest, board: Board) -> HttpResponse:
    pager = board_pager(board)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found = list_ranking(board.ranking, asked)
    if pager.overshot(found.page, asked):
        return redirect(pager.first_url)
    context = {
        "listing": ranking_listing(board, found, request=asked),
        "explanation": explain(found.page, plan=PLAN, meter=current_meter()),
    }
    return render_list(
        request, "comments/rankings/ranking.html", "comments/rankings/_ranking.html", context
    )
