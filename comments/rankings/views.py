"""Pages of rankings."""

from functools import partial

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from comments.filters import CommentFilter
from comments.lists.listing import order_links
from comments.rankings.listing import (
    BOARDS,
    MOST_LOVED,
    RECENTLY_COMMENTED,
    Board,
    board_pager,
    helpful_data,
    helpful_pager,
    ranked_data,
    ranked_feed,
)
from comments.rankings.queries import PLAN, list_ranking, read_most_helpful
from dynamo.web.paging import ListData, show_page
from shop.catalogue.lookup import NO_SUCH_PRODUCT
from shop.catalogue.queries import NoSuchProduct
from shop.web.access import visitor_of
from shop.web.caching import public


@require_safe
@public
def most_loved(request: HttpRequest) -> HttpResponse:
    """Show the shop's products by the number of their 5-star comments (AP11)."""
    return _show_board(request, MOST_LOVED)


@require_safe
@public
def recently_commented(request: HttpRequest) -> HttpResponse:
    """Show the shop's products by the time of their last comment."""
    return _show_board(request, RECENTLY_COMMENTED)


@require_safe
@public
def most_helpful(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show a product's comments by helpful votes, in all languages and of all ratings (AP13)."""
    pager = helpful_pager(product_id)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    try:
        read = read_most_helpful(product_id, asked, visitor=visitor_of(request))
    except NoSuchProduct as error:
        raise Http404(_(NO_SUCH_PRODUCT)) from error
    context = {
        "product": read.product,
        "trail": [*read.product.trail, read.product],
        "orders": order_links(product_id, CommentFilter(), None),
        "comments": read.found.comments,
        "voted": read.voted,
    }
    return show_page(
        request,
        pager,
        asked,
        read.found.page,
        templates=("comments/rankings/most_helpful.html", "comments/rankings/_most_helpful.html"),
        context=lambda: context,
        plan=PLAN,
        data=lambda: ListData(
            [helpful_data(one, product_id=product_id) for one in read.found.comments]
        ),
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
        data=lambda: ListData(
            [ranked_data(ranked) for ranked in found.products],
            feed=partial(ranked_feed, board, found.products),
        ),
    )
