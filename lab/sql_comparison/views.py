"""The site's pages of a product's comments, read from PostgreSQL: all but the reads is the site's.

Rows become the site's own values, which its templates and links are made for: whatever of the
site's dataclasses changes is followed here. Pages are those of a visitor who is not signed in and
names no language, as the benchmark is, and are read onward only. The URLs are the site's, and below
``/sql`` the same pages read from here.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import include, path, reverse
from django.views.decorators.http import require_safe

from comments.filters import CommentFilter
from comments.host import Product
from comments.indexes.planner import ListPlan
from comments.lists.entries import CommentEntry
from comments.lists.explain import explain_page
from comments.lists.feeds import comments_feed
from comments.lists.highlights import Highlights
from comments.lists.listing import listing_of, pager_of
from comments.lists.queries import CommentPage
from comments.lists.structured_data import json_ld, things_on_page
from comments.replies.services import Reply
from comments.store.counts import ProductCounts
from dynapages.django.paging import show_page, site_of, wants_partial
from dynapages.lists import (
    Entry,
    Index,
    Ordinal,
    OtherLine,
    Page,
    PageRequest,
    Position,
    Run,
    RunRead,
    sort_key_of,
)
from lab.sql_comparison import models
from shop.catalogue.drawings import drawing_url
from shop.catalogue.tiles import Category

PLAN = "sql"
READ_BESIDE = (OtherLine("counts", 1, 0.0), OtherLine("product", 2, 0.0))
HIGHLIGHTS = OtherLine("highlights", 4, 0.0)
INDEX = Index(table="PostgreSQL", name=None, partition="", sort="", table_key=lambda _: {})


def list_comments(
    product_id: str, chosen: CommentFilter, request: PageRequest, *, counts: ProductCounts
) -> CommentPage:
    """Read a page of a list, from its beginning or onward from a position."""
    rows, run = models.list_comments(product_id, chosen, request), Run(INDEX, product_id)
    page = _page(rows, request, run)
    return CommentPage(
        comments=tuple(map(_with_reply, rows[: request.size])),
        plan=ListPlan(PLAN, (run,)),
        page=page,
        shown=page,
        counts=counts,
    )


def place_of_row(row: models.Comment) -> str:
    """Return the place that a comment has in the site's lists."""
    return sort_key_of(row.created, row.id)


def counts_of(product_id: str) -> ProductCounts:
    """Read a product's counts."""
    found = models.find_counts(product_id)
    return ProductCounts({(language, rating): number for language, rating, number in found})


def find_product(product_id: str) -> Product:
    """Read a product with its categories."""
    row = models.find_product(product_id)
    categories = tuple(Category(each.slug, each.name) for each in row.categories.all())
    return Product(
        row.id,
        row.name,
        reverse("comments:product", args=[row.id]),
        description=row.description,
        categories=categories,
        trail=categories[:1],
        image=drawing_url(row.id, tuple(each.slug for each in categories[:1])),
    )


def find_highlights(product_id: str) -> Highlights:
    """Read a product's highlights, of all languages."""
    rows, last_commented, picks = models.find_highlights(product_id)
    positive, negative = (_comment(row) if row else None for row in rows)
    return Highlights(positive, negative, last_commented, tuple(map(_comment, picks)))


def _page(rows: Sequence[models.Comment], request: PageRequest, run: Run) -> Page:
    start = request.position.ordinal if request.position else None
    before = start.signed if start else 0
    entries = tuple(
        Entry({}, Position(place_of_row(row), ordinal=Ordinal.from_signed(number)), run)
        for number, row in enumerate(rows[: request.size], before + 1)
    )
    return Page(
        entries=entries,
        has_next=len(rows) > request.size,
        has_previous=request.position is not None,
        rounds=1,
        reads=(RunRead(run, 1, len(rows), len(entries), capacity_units=0.0),),
        start=request.position,
    )


def _with_reply(row: models.Comment) -> CommentEntry:
    """Return an entry of a list, whose rows are read with their replies."""
    reply: models.Reply | None = getattr(row, "reply", None)
    if reply is None:
        return _comment(row)
    shown = Reply(reply.text, reply.author, reply.replied, edited=None, version=1)
    return replace(_comment(row), reply=shown)


def _comment(row: models.Comment) -> CommentEntry:
    return CommentEntry(
        id=row.id,
        language=row.language,
        rating=row.rating,
        created=row.created,
        author=row.author,
        title=row.title,
        text=row.text,
        is_long=row.is_long,
        user_id=row.username,
        is_verified=row.is_verified,
    )


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
    things = partial(things_on_page, shown, found.comments, found.counts, site=site_of(request))
    others = (*READ_BESIDE, HIGHLIGHTS) if is_front else READ_BESIDE
    return show_page(
        request,
        pager,
        asked,
        found.page,
        feed=lambda: comments_feed(listing["heading"], listing["comments"]),
        templates=("comments/product.html" if is_own else "comments/lists/list.html", FRAGMENT),
        context=lambda: {
            "product": shown,
            "trail": (*shown.trail, shown),
            "listing": listing,
            "total": counts.of(chosen),
            "highlights": find_highlights(product_id) if is_front else None,
            "image_url": urljoin(site_of(request), shown.image),
            "voted": frozenset(),
            "explain": lambda: replace(explain_page(found, None), other=others),
            "structured_data": json_ld({"@graph": things()}) if is_front else "",
        },
    )


PREFIX = "/sql"

urlpatterns = [
    path("", include("config.urls")),
    path("sql/products/<id:product_id>/", product),
    path("sql/products/<id:product_id>/comments/<str:languages>/<str:ratings>/", comments),
]
