"""Pages of the catalogue."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from dynamo.explain import explain
from dynamo.meter import current_meter, labelled_calls
from dynamo.web.paging import Pager
from dynamo.web.partials import render_list
from shop.queries import (
    Category,
    NoSuchCategory,
    find_category,
    list_products,
    tile_of,
)


@require_safe
def category(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the products of a category."""
    pager = Pager(first_url=reverse("category", args=[slug]), list_name=f"category/{slug}")
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found = _category(slug)
    page = list_products(slug, asked)
    if pager.overshot(page, asked):
        return redirect(pager.first_url)
    context = {
        "category": found,
        "page": {
            "products": [tile_of(entry.item) for entry in page.entries],
            "older_url": pager.next_url(page),
            "newer_url": pager.previous_url(page),
            "first_url": pager.first_url,
        },
        "explanation": explain(page, plan="products of a category", meter=current_meter()),
    }
    return render_list(request, "shop/category.html", "shop/_products.html", context)


def _category(slug: str) -> Category:
    try:
        with labelled_calls("category"):
            return find_category(slug)
    except NoSuchCategory as error:
        sentence = "There is no such category."
        raise Http404(sentence) from error
