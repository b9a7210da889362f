"""The front page: shelves of products by category, and the heads of the rankings."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from comments.rankings.queries import RankedProduct, find_leaderboards
from comments.rankings.services import Ranking
from comments.rankings.views import BOARDS
from config.examples import example_links
from dynapages.django.access import public
from dynapages.django.paging import Pager, show_page, wants_partial
from dynapages.lists import Page, PageRequest
from dynapages.process import pool
from shop.catalogue.queries import list_categories
from shop.catalogue.shelves import shelves_in

SHELVES_ON_A_PAGE = 2
"""With two rankings these are four shelves, and 24 drawings."""
RANKED_PRODUCTS = 6
"""Products shown of each ranking: as many as a shelf has."""

Boards = Mapping[Ranking, Sequence[RankedProduct]]


@require_safe
@public
def home(request: HttpRequest) -> HttpResponse:
    """Show the heads of the rankings, then the categories, each with a few of its products."""
    pager = Pager(reverse("home"), "categories", canonical=reverse("home"))
    page_request = pager.requested(request.GET, size=SHELVES_ON_A_PAGE)
    is_first = page_request.is_first and not wants_partial(request)
    # The rankings are on the first page alone; a fragment for htmx is more categories.
    if is_first:
        page, boards = read_first_page(page_request)
    else:
        page, boards = list_categories(page_request), {}
    context: dict[str, Any] = {"shelves": shelves_in(page)}
    if is_first and settings.SAMPLE_SIGN_IN:
        context["examples"] = example_links()
    if boards:
        context["panels"] = [
            {"board": board, "products": boards[board.ranking]} for board in BOARDS
        ]
    return show_page(
        request,
        pager,
        page_request,
        page,
        templates=("home.html", "shop/catalogue/_shelves.html"),
        context=lambda: context,
        plan="categories",
    )


def read_first_page(request: PageRequest) -> tuple[Page, Boards]:
    """Read categories with their first products, and the heads of the rankings, in one round."""
    with pool().together() as together:
        boards = together.start(_read_boards)
        page = list_categories(request)
        return page, boards.result()


def _read_boards() -> Boards:
    return find_leaderboards(RANKED_PRODUCTS)
