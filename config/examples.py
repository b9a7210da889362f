"""The lists to try that the front page of the sample shop offers, each with what its page costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

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
from dynapages.calls import metered
from dynapages.django.access import Visitor, public, visitor_of
from dynapages.django.paging import grouped
from dynapages.lists import PageRequest, Total, Toward
from dynapages.process import pool
from shop.accounts.backend import ProfileBackend
from shop.orders.filters import OrderFilter
from shop.orders.queries import list_open_orders

REMEMBERED_SECONDS = 60
"""How long a cost is remembered, in each process."""
PRODUCT_ID = "enamelled-frying-pan"
"""Of the sample shop: the product that most was written about."""
PRODUCT_COMMENTS = 2_500
"""How many comments that product has."""
FEW_STARS = CommentFilter.of(["de", "en"], [1, 2])


@dataclass(frozen=True, slots=True)
class Example:
    """A list to try: its link, and what the page behind it costs, where that was just read."""

    words: str
    url: str
    note: str = ""
    cost: Total | None = None


@require_safe
@public
def examples(request: HttpRequest) -> HttpResponse:
    """Show the lists to try with their costs, for the front page of the sample shop."""
    if not settings.SAMPLE_SIGN_IN:
        raise Http404
    with_costs = examples_with_costs(visitor_of(request).user_id)
    return render(request, "_examples.html", {"examples": with_costs, "is_read": True})


def example_links() -> list[Example]:
    """Return the lists to try, without their costs: nothing is read."""
    _customer, staff, *_password = settings.SAMPLE_SIGN_IN
    last_page = f"{list_url(PRODUCT_ID, CommentFilter())}?before=end"
    number = grouped(PRODUCT_COMMENTS)
    return [
        Example(_("1 and 2 stars, in German and English"), list_url(PRODUCT_ID, FEW_STARS)),
        Example(_("The last of %(number)s comments") % {"number": number}, last_page),
        Example(
            _("Open orders of all customers"),
            reverse("staff_orders"),
            note=_("sign in as %(name)s") % {"name": staff},
        ),
    ]


def examples_with_costs(username: str) -> list[Example]:
    """Read all that the pages of the lists read, unless that was done a moment ago.

    They read more for somebody who is signed in: their account and votes. ``username`` is empty
    for others.
    """
    # What is read differs with the visitor only in whether there is one.
    key = f"{__name__}/{bool(username)}"
    costs: Sequence[Total] | None = cache.get(key)
    if costs is None:
        _learn_shards()
        costs = [_cost_of(read) for read in _reads_of_pages(username)]
        cache.set(key, costs, REMEMBERED_SECONDS)
    return [
        replace(example, cost=cost) for example, cost in zip(example_links(), costs, strict=True)
    ]


@lru_cache(maxsize=1)
def _learn_shards() -> None:
    """Read the pages once in a process: it remembers how many shards there are to read."""
    for read in _reads_of_pages(""):
        read()


def _cost_of(read: Callable[[], object]) -> Total:
    """Return what a function reads. Its calls count for the request too, whose meter this is."""
    with metered() as meter:
        calls, units = meter.calls, meter.units
        read()
        return Total(meter.calls - calls, 0, meter.units - units)


def _reads_of_pages(username: str) -> list[Callable[[], object]]:
    """Return what the pages of the lists read, the last one for staff."""

    def is_signed_in() -> bool:
        return ProfileBackend().get_user(username) is not None

    def read_few_stars() -> None:
        _read_comments(first_page, FEW_STARS, visitor)

    def read_last_comments() -> None:
        _read_comments(last_page, CommentFilter(), visitor)

    def read_open_orders() -> None:
        _read_open_orders(first_page)

    visitor = Visitor(username, is_signed_in)
    first_page = PageRequest(settings.PAGE_SIZE)
    last_page = PageRequest(settings.PAGE_SIZE, toward=Toward.PREVIOUS)
    return [read_few_stars, read_last_comments, read_open_orders]


def _read_comments(request: PageRequest, chosen: CommentFilter, visitor: Visitor) -> None:
    read_comments_page(
        CommentsRequest(chosen, request, product_id=PRODUCT_ID, is_whole=False, visitor=visitor)
    )


def _read_open_orders(request: PageRequest) -> None:
    """Read the queue of open orders and, in the same round, the member of staff who asks."""

    def load_staff() -> object:
        return ProfileBackend().get_user(settings.SAMPLE_SIGN_IN[1])

    with pool().together() as together:
        user = together.start(load_staff)
        list_open_orders(OrderFilter(), request)
        user.result()
