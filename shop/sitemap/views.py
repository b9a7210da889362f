"""What search engines ask for: robots.txt, and the pages of the sitemap."""

from collections.abc import Iterable
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dynapages.django.access import public
from dynapages.django.paging import Pager, site_of
from dynapages.lists import Position
from shop.sitemap.queries import LISTS, MOST_ADDRESSES, PageStart, find_starts, list_page


@require_safe
@public
def robots(request: HttpRequest) -> HttpResponse:
    """Show the project's ``robots.txt``, which may name the sitemap by ``sitemap_url``."""
    # Whole addresses, as crawlers read none that are relative.
    context = {"sitemap_url": f"{site_of(request)}{reverse('sitemap')}"}
    return render(request, "robots.txt", context, content_type="text/plain")


@require_safe
@public
def sitemap(request: HttpRequest) -> HttpResponse:
    """List the pages of the sitemap."""
    paths = [_page_url(start) for start in find_starts()]
    return _as_xml(request, "shop/sitemap/sitemap.xml", paths)


@require_safe
@public
def sitemap_products(request: HttpRequest) -> HttpResponse:
    """List products, or with ``?of=categories`` categories."""
    of = request.GET.get("of", "products")
    if of not in LISTS:
        raise Http404
    page_request = _pager(of).requested(request.GET, size=MOST_ADDRESSES)
    paths = [each.url for each in list_page(of, page_request).items]
    return _as_xml(request, "shop/sitemap/products.xml", paths)


def _page_url(start: PageStart) -> str:
    """Return the address of a page of the sitemap, without the site."""
    pager = _pager(start.of)
    if not start.place:
        return pager.first_url
    return pager.url_behind(Position(start.place))


def _pager(of: str) -> Pager:
    """Return the pager of a list of the sitemap."""
    return Pager(f"{reverse('sitemap_products')}?{urlencode({'of': of})}", f"sitemap/{of}")


def _as_xml(request: HttpRequest, template: str, paths: Iterable[str]) -> HttpResponse:
    """Render whole addresses of some paths, as XML."""
    site = site_of(request)
    urls = [f"{site}{path}" for path in paths]
    return render(request, template, {"urls": urls}, content_type="application/xml")
