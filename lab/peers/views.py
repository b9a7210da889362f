"""The site's pages of a product's comments, read from PostgreSQL: all but the reads is the site's.

Of a visitor who is not signed in and names no language, as the benchmark is; pages are read
onward only.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from comments.filters import CommentFilter
from comments.lists.listing import listing_of, pager_of, things_on_page
from comments.lists.queries import CommentPage
from dynamo.web.addresses import site_of
from dynamo.web.paging import show_page
from dynamo.web.partials import wants_partial
from dynamo.web.structured_data import json_ld
from lab.peers.adapter import (
    counts_of,
    explanation_of,
    find_highlights,
    find_product,
    list_comments,
)
from shop.catalogue.queries import Product

FRAGMENT = "comments/lists/_comments.html"


@require_safe
def product(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show a product with its comments in all languages."""
    return _show(request, product_id, None)


@require_safe
def comments(request: HttpRequest, product_id: str, languages: str, ratings: str) -> HttpResponse:
    """Show a product's comments in some languages and ratings."""
    return _show(request, product_id, CommentFilter.parse(languages, ratings))


def _show(request: HttpRequest, product_id: str, asked_for: CommentFilter | None) -> HttpResponse:
    is_own, chosen = asked_for is None, asked_for or CommentFilter()
    pager = pager_of(product_id, chosen)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    counts = counts_of(product_id)
    found = list_comments(product_id, chosen, asked, counts=counts)
    listing = listing_of(product_id, chosen, found)
    is_front = is_own and not wants_partial(request)
    shown = find_product(product_id)
    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("comments/product.html" if is_own else "comments/lists/list.html", FRAGMENT),
        context=lambda: {
            "product": shown,
            "trail": [*shown.trail, shown],
            "listing": listing,
            "total": counts.of(chosen),
            "highlights": find_highlights(product_id) if is_front else None,
            "voted": frozenset(),
            "explanation": explanation_of(found, is_partial=not is_front),
            "structured_data": _structured(request, shown, found) if is_front else "",
        },
    )


def _structured(request: HttpRequest, product: Product, found: CommentPage) -> str:
    things = things_on_page(product, found.comments, found.counts, site=site_of(request))
    return json_ld({"@graph": things})
