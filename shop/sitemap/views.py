"""What search engines ask for: robots.txt, and the pages of the sitemap."""

from collections.abc import Iterable
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dynapages.django.access import public
from dynapages.django.paging import LONGEST_ID, Pager, site_of
from shop.catalogue.queries import Category, tile_of
from shop.sitemap.queries import MOST_PRODUCTS, PageStart, find_starts, list_page


@require_safe
@public
def robots(request: HttpRequest) -> HttpResponse:
    """Show the project's ``robots.txt``, which may name the sitemap by ``sitemap_url``."""
    context = {"sitemap_url": f"{site_of(request)}{reverse('sitemap')}"}
    return render(request, "robots.txt", context, content_type="text/plain")


@require_safe
@public
def sitemap(request: HttpRequest) -> HttpResponse:
    """List the pages of the sitemap."""
    return _as_xml(request, "shop/sitemap/sitemap.xml", map(_page_url, find_starts()))


@require_safe
@public
def sitemap_products(request: HttpRequest) -> HttpResponse:
    """List products of one category, on the first page the category as well."""
    slug = request.GET.get("category", "")
    if not 0 < len(slug) <= LONGEST_ID:
        raise Http404(_("There is no such category."))
    asked = _pager(slug).requested(request.GET, size=MOST_PRODUCTS)
    paths = [tile_of(entry.item).url for entry in list_page(slug, asked).entries]
    if asked.position is None and paths:
        paths.insert(0, Category(slug, slug).url)
    return _as_xml(request, "shop/sitemap/products.xml", paths)


def _page_url(start: PageStart) -> str:
    pager = _pager(start.slug)
    return pager.url_behind(start.position) if start.position else pager.first_url


def _pager(slug: str) -> Pager:
    url = f"{reverse('sitemap_products')}?{urlencode({'category': slug})}"
    return Pager(url, f"sitemap/{slug}")


def _as_xml(request: HttpRequest, template: str, paths: Iterable[str]) -> HttpResponse:
    site = site_of(request)
    urls = [f"{site}{path}" for path in paths]
    return render(request, template, {"urls": urls}, content_type="application/xml")
