"""The front page, which needs the shop's shelves and the comments' rankings."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from comments.rankings.listing import MOST_LOVED, RECENTLY_COMMENTED
from comments.rankings.queries import find_leaderboards
from dynamo.calls.meter import current_meter, labelled_calls
from dynamo.lists.explain import explain
from dynamo.web.paging import Pager
from dynamo.web.partials import render_list, wants_partial
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
    if pager.overshot(page, asked):
        return redirect(pager.first_url)
    with labelled_calls("shelves"):
        shelves = shelve(page, products=PRODUCTS_ON_A_SHELF)
    context: dict[str, Any] = {
        "shelves": shelves,
        "page": {
            "older_url": pager.next_url(page),
            "newer_url": pager.previous_url(page),
            "first_url": "" if asked.position is None else pager.first_url,
        },
    }
    if asked.position is None and not wants_partial(request):
        boards = find_leaderboards(RANKED)
        context["panels"] = [
            {"board": MOST_LOVED, "products": boards.most_loved},
            {"board": RECENTLY_COMMENTED, "products": boards.recently_commented},
        ]
    context["explanation"] = explain(page, plan="categories", meter=current_meter())
    return render_list(request, "comments/home.html", "shop/catalogue/_shelves.html", context)
