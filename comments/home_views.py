"""The front page, with shelves of products and the heads of the rankings."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from comments import home_queries
from comments.home_queries import read_front_page
from comments.rankings.views import BOARDS
from dynamo.web.paging import Pager, show_page, wants_partial
from shop.catalogue.services import shelves_in
from shop.web.caching import public

SHELVES = 12


@require_safe
@public
def home(request: HttpRequest) -> HttpResponse:
    """Show the heads of the rankings, then the categories, each with a few of its products."""
    pager = Pager(reverse("home"), "categories", canonical=reverse("home"))
    asked = pager.requested(request.GET, size=SHELVES)
    is_first = asked.is_first and not wants_partial(request)
    page, boards = read_front_page(asked, has_boards=is_first)
    context: dict[str, Any] = {"shelves": shelves_in(page)}
    if is_first and settings.SAMPLE_SIGN_IN:
        context["examples"] = home_queries.examples()
    if boards:
        context["panels"] = [
            {"board": board, "products": boards[board.ranking]} for board in BOARDS
        ]
    return show_page(
        request,
        pager,
        asked,
        page,
        templates=("comments/home.html", "shop/catalogue/_shelves.html"),
        context=lambda: context,
        plan="categories",
    )


@require_safe
@public
def examples(request: HttpRequest) -> HttpResponse:
    """Show the lists to try with their costs, for the front page of the sample shop."""
    if not settings.SAMPLE_SIGN_IN:
        raise Http404
    found = home_queries.examples_with_costs()
    return render(request, "comments/_examples.html", {"examples": found, "is_read": True})
