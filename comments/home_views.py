"""The front page, with shelves of products and the heads of the rankings."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from comments.home_queries import read_front_page
from comments.rankings.listing import MOST_LOVED, RECENTLY_COMMENTED
from dynamo.web.paging import Pager, show_page
from dynamo.web.partials import wants_partial
from shop.web.caching import public

SHELVES = 12


@require_safe
@public
def home(request: HttpRequest) -> HttpResponse:
    """Show the heads of the rankings, then the categories, each with a few of its products.

    The rankings are on the first page of the categories alone.
    """
    pager = Pager(reverse("home"), "categories", canonical=reverse("home"))
    asked = pager.requested(request.GET, size=SHELVES)
    is_first = asked.position is None and not wants_partial(request)
    found = read_front_page(asked, has_boards=is_first)
    context: dict[str, Any] = {"shelves": found.shelves}
    if found.boards:
        context["panels"] = [
            {"board": MOST_LOVED, "products": found.boards.most_loved},
            {"board": RECENTLY_COMMENTED, "products": found.boards.recently_commented},
        ]
    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("comments/home.html", "shop/catalogue/_shelves.html"),
        context=lambda: context,
        plan="categories",
    )
