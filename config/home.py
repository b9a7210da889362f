"""The front page, with shelves of products and the heads of the rankings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from comments.filters import CommentFilter
from comments.lists.listing import list_url
from comments.lists.page import CommentsRequest, read_comments_page
from comments.rankings.queries import RankedProduct, find_leaderboards
from comments.rankings.services import Ranking
from comments.rankings.views import BOARDS
from dynapages.calls import metered
from dynapages.django.access import Visitor, public, visitor_of
from dynapages.django.paging import Pager, grouped, show_page, wants_partial
from dynapages.lists import Page, PageRequest, Total, Toward
from dynapages.process import pool
from shop.accounts.backend import ProfileBackend
from shop.catalogue.queries import list_categories
from shop.catalogue.services import shelves_in
from shop.orders.filters import OrderFilter
from shop.orders.queries import list_open_orders

RANKED = 6
"""Products shown of each ranking: as many as a shelf has."""
Boards = Mapping[Ranking, Sequence[RankedProduct]]


def read_front_page(request: PageRequest, *, has_boards: bool) -> tuple[Page, Boards]:
    """Read a page of categories with their first products, and the heads of the rankings."""
    with pool().together() as together:
        boards = together.start(partial(find_leaderboards, RANKED)) if has_boards else None
        page = list_categories(request)
        return page, boards.result() if boards else {}


SECONDS = 60
"""How long a cost is remembered, in each process."""
PRODUCT_ID = "enamelled-frying-pan"
"""Of the sample shop: the product that most was written about."""
COMMENTS = 2_500
"""That are on it."""
FEW_STARS = CommentFilter.of(["de", "en"], [1, 2])


@dataclass(frozen=True, slots=True)
class Example:
    """A list to try: its link, and what the page behind it costs, where that was just read."""

    words: str
    url: str
    note: str = ""
    cost: Total | None = None


def example_links() -> list[Example]:
    """Return the lists to try, without their costs: nothing is read."""
    _customer, staff, *_password = settings.SAMPLE_SIGN_IN
    last = f"{list_url(PRODUCT_ID, CommentFilter())}?before=end"
    return [
        Example(_("1 and 2 stars, in German and English"), list_url(PRODUCT_ID, FEW_STARS)),
        Example(_("The last of %(number)s comments") % {"number": grouped(COMMENTS)}, last),
        Example(
            _("Open orders of all customers"),
            reverse("staff_orders"),
            note=_("sign in as %(name)s") % {"name": staff},
        ),
    ]


def examples_with_costs(username: str = "") -> Sequence[Example]:
    """Read all that the pages of the lists read, unless that was done a moment ago.

    They read more for somebody who is signed in: their account and votes.
    """
    key = f"{__name__}/{bool(username)}"
    costs: Sequence[Total] | None = cache.get(key)
    if costs is None:
        _learn_shards()
        costs = [_cost_of(reads) for reads in _reads_of_pages(username)]
        cache.set(key, costs, SECONDS)
    return [replace(one, cost=cost) for one, cost in zip(example_links(), costs, strict=True)]


@lru_cache(maxsize=1)
def _learn_shards() -> None:
    """Read the pages once in a process: it remembers how many shards there are to read."""
    for read in _reads_of_pages(""):
        read()


def _cost_of(read: Callable[[], object]) -> Total:
    with metered() as meter:  # which is the request's own
        calls, units = meter.calls, meter.units
        read()
        return Total(meter.calls - calls, 0, meter.units - units)


def _reads_of_pages(username: str) -> list[Callable[[], object]]:
    """Return what the pages of the lists read, the last one for staff."""
    first = PageRequest(settings.PAGE_SIZE)
    last = PageRequest(settings.PAGE_SIZE, toward=Toward.PREVIOUS)
    visitor = Visitor(username, lambda: bool(ProfileBackend().get_user(username)))
    of_product = partial(CommentsRequest, PRODUCT_ID, is_whole=False, visitor=visitor)
    return [
        lambda: read_comments_page(of_product(first, FEW_STARS)),
        lambda: read_comments_page(of_product(last, CommentFilter())),
        partial(_read_queue, first),
    ]


def _read_queue(request: PageRequest) -> None:
    with pool().together() as together:
        user = together.start(partial(ProfileBackend().get_user, settings.SAMPLE_SIGN_IN[1]))
        list_open_orders(OrderFilter(), request)
        user.result()


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
        context["examples"] = example_links()
    if boards:
        context["panels"] = [
            {"board": board, "products": boards[board.ranking]} for board in BOARDS
        ]
    return show_page(
        request,
        pager,
        asked,
        page,
        templates=("home.html", "shop/catalogue/_shelves.html"),
        context=lambda: context,
        plan="categories",
    )


@require_safe
@public
def examples(request: HttpRequest) -> HttpResponse:
    """Show the lists to try with their costs, for the front page of the sample shop."""
    if not settings.SAMPLE_SIGN_IN:
        raise Http404
    found = examples_with_costs(visitor_of(request).user_id)
    return render(request, "_examples.html", {"examples": found, "is_read": True})
