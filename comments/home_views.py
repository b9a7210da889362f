"""The front page, with shelves of products and the heads of the rankings."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from comments.rankings.listing import MOST_LOVED, RECENTLY_COMMENTED
from comments.rankings.queries import find_leaderboards
from dynamo.calls.meter import labelled_calls
from dynamo.lists.reader import Page, PageRequest
from dynamo.web.paging import Pager, show_page
from dynamo.web.partials import wants_partial
from shop.catalogue.queries import list_categories
from shop.catalogue.shelves import shelve

RANKED = 10
SHELVES = 12
PRODUCTS_ON_A_SHELF = 6


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the heads of the rankings, then the categories, each with a few of its products.

    The rankings are on the first page of the categories alone.
    """
    pager = Pager(first_url=reverse("home"), list_name="categories")
    asked = pager.requested(request.GET, size=SHELVES)
    page = list_categories(asked)
    return show_page(
        request,
        pager,
        asked,
        page,
        templates=("comments/home.html", "shop/catalogue/_shelves.html"),
        context=lambda: _context(request, page, asked),
        plan="categories",
    )


def _context(request: HttpRequest, page: Page, asked: PageRequest) -> dict[str, Any]:
    with labelled_calls("shelves"):
        shelves = shelve(page, products=PRODUCTS_ON_A_SHELF)
    if asked.position is not None or wants_partial(request):
        return {"shelves": shelves}
    boards = find_leaderboards(RANKED)
    panels = [
        {"board": MOST_LOVED, "products": boards.most_loved},
        {"board": RECENTLY_COMMENTED, "products": boards.recently_commented},
    ]
    return {"shelves": shelves, "panels": panels}
