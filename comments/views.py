"""Pages of a product's comments."""

from dataclasses import replace
from functools import partial
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from comments.filters import BadFilter, CommentFilter
from comments.lists.explain import explain_page
from comments.lists.headings import heading_of
from comments.lists.listing import (
    comment_data,
    comments_feed,
    list_url,
    listing_of,
    pager_of,
)
from comments.lists.months import at_month
from comments.lists.orders import CommentOrder
from comments.lists.page import (
    CommentsPage,
    PageWanted,
    read_comment_page,
    read_comments_page,
)
from comments.lists.queries import CommentEntry, WholeComment
from comments.lists.read_your_writes import in_list, recently_written, with_recent
from comments.lists.structured_data import things_on_page
from comments.moderation.staff_tools import staff_tools
from comments.store.comments import NoSuchComment
from dynamo.calls import clock
from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain_reads
from dynamo.lists.reader import PageRequest, Toward
from dynamo.web.addresses import site_of
from dynamo.web.paging import ListData, Pager, note_list, show_page
from dynamo.web.partials import wants_partial
from dynamo.web.refusals import Refusal
from dynamo.web.structured_data import json_ld
from shop.catalogue.lookup import NO_SUCH_PRODUCT
from shop.catalogue.queries import NoSuchProduct
from shop.web.access import visitor_of
from shop.web.caching import public, unless_known

FIRST_PAGE_ONLY = gettext_noop(
    "A product's own page is the first one: the others are those of a list."
)
SHOWN = "shown"
NOT_SHOWN = gettext_noop("“shown” is a number from 0 to %(most)s.")
NO_SUCH_COMMENT = gettext_noop("There is no such comment. It may have been deleted.")


@require_safe
@public
def product(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show a product with its comments in the visitor's language (QP2)."""
    if {"after", "before", "month"} & request.GET.keys():
        raise Refusal(_(FIRST_PAGE_ONLY), first_url=list_url(product_id, CommentFilter()))
    return _show(
        request,
        PageWanted(
            product_id,
            PageRequest(settings.PAGE_SIZE),
            accept_language=request.headers.get("Accept-Language", ""),
            is_whole=not wants_partial(request),
            visitor=visitor_of(request),
            recent=recently_written(request.session, now=clock.now()),
        ),
    )


@require_safe
@public
def comments(request: HttpRequest, product_id: str, languages: str, ratings: str) -> HttpResponse:
    """Show a product's comments in any set of languages and ratings, in any order.

    The product is shown in brief.
    """
    try:
        chosen = CommentFilter.parse(languages, ratings)
        order = CommentOrder.parse(request.GET.get("order", CommentOrder.NEWEST))
    except BadFilter as error:
        first_url = list_url(product_id, CommentFilter())
        raise Refusal(str(error), first_url=first_url) from error
    spelled = (languages, ratings) == (chosen.languages_spelled, chosen.ratings_spelled)
    if not spelled or request.GET.getlist("order") != order.spelled:
        return redirect(_canonical_url(request, product_id, chosen, order), permanent=True)
    pager = pager_of(product_id, chosen, order)
    shown = _shown(request, pager)
    return _show(
        request,
        PageWanted(
            product_id,
            _requested(request, pager, order, size=settings.PAGE_SIZE - shown),
            chosen,
            order,
            is_whole=False,
            visitor=visitor_of(request),
            recent=recently_written(request.session, now=clock.now()),
        ),
        shown=shown,
    )


@require_safe
@public
def comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Show one comment with its whole text (AP4); a hidden one to its author and staff alone."""
    is_recent = comment_id in recently_written(request.session, now=clock.now())
    try:
        page = read_comment_page(comment_id, visitor=visitor_of(request), is_recent=is_recent)
    except NoSuchComment as error:
        raise Http404(_(NO_SUCH_COMMENT)) from error
    except NoSuchProduct as error:
        raise Http404(_(NO_SUCH_PRODUCT)) from error
    found = page.comment
    if found.is_hidden and not _sees_hidden(request, found):
        raise Http404(_(NO_SUCH_COMMENT))
    context = {
        "canonical_url": "" if found.is_hidden else f"{site_of(request)}{found.url}",
        "comment": found,
        "product": page.product,
        "is_own": _is_own(request, found),
        "has_voted": bool(page.voted),
        "tools": staff_tools(found) if request.user.is_staff else None,
        "explanation": explain_reads(current_meter()),
    }
    return render(request, "comments/comment.html", context)


def _shown(request: HttpRequest, pager: Pager) -> int:
    """Return how many comments there are on a page that reads on by itself, to be filled."""
    shown = request.GET.get(SHOWN, "0") if wants_partial(request) else "0"
    if shown not in map(str, range(settings.PAGE_SIZE)):
        most = {"most": settings.PAGE_SIZE - 1}
        raise Refusal(_(NOT_SHOWN) % most, first_url=pager.first_url)
    return int(shown)


def _requested(
    request: HttpRequest, pager: Pager, order: CommentOrder, *, size: int
) -> PageRequest:
    asked, month = pager.requested(request.GET, size=size), request.GET.get("month")
    try:
        return asked if month is None else at_month(asked, month, order)
    except BadFilter as error:
        raise Refusal(str(error), first_url=pager.first_url) from error


def _canonical_url(
    request: HttpRequest, product_id: str, chosen: CommentFilter, order: CommentOrder
) -> str:
    """Return a list's URL with what else the request's query has."""
    others = request.GET.copy()
    others.pop("order", None)
    url, query = list_url(product_id, chosen, order), others.urlencode()
    joint = "&" if order.query else "?"
    return f"{url}{joint}{query}" if query else url


def _sees_hidden(request: HttpRequest, found: WholeComment) -> bool:
    return _is_own(request, found) or request.user.is_staff


def _is_own(request: HttpRequest, found: WholeComment) -> bool:
    return bool(found.username) and found.username == request.user.get_username()


def _show(request: HttpRequest, wanted: PageWanted, *, shown: int = 0) -> HttpResponse:
    try:
        page = read_comments_page(wanted)
    except NoSuchProduct as error:
        raise Http404(_(NO_SUCH_PRODUCT)) from error
    whole = "comments/product.html" if wanted.chosen is None else "comments/lists/list.html"
    pager = replace(pager_of(wanted.product_id, page.chosen, wanted.order), shown=shown)
    if wanted.chosen is None:
        pager = replace(pager, canonical=page.product.url)
    note_list(pager, wanted.request, page.found.plan.name)
    render_page = partial(
        show_page,
        request,
        pager,
        wanted.request,
        page.found.page,
        templates=(whole, "comments/lists/_comments.html"),
        context=lambda: {
            **_context(wanted, page, site=site_of(request)),
            **_reading_on(page, pager),
        },
        data=lambda: _data(wanted, page),
    )
    found = page.found
    counts = [sorted(some.items()) for some in (found.counts.cells, found.counts.months)]
    facts = (page.product, page.chosen, found.comments, counts, page.highlights)
    return unless_known(request, (*facts, found.page.next_position), render_page)


def _context(wanted: PageWanted, page: CommentsPage, *, site: str) -> dict[str, Any]:
    is_default = wanted.chosen is None and bool(page.chosen.languages)
    found = replace(page.found, comments=_with_recent(wanted, page))
    context: dict[str, Any] = {
        "product": page.product,
        "trail": [*page.product.trail, page.product],
        "listing": listing_of(
            wanted.product_id,
            page.chosen,
            found,
            order=wanted.order,
            is_default_language=is_default,
        ),
        "total": found.counts.of(page.chosen),
        "voted": page.voted,
        "highlights": page.highlights,
        "explanation": explain_page(found, current_meter()),
    }
    if page.product.unit_price is not None:
        context["basket_add_url"] = reverse("basket_add")
    if page.highlights:
        things = things_on_page(page.product, found.comments, found.counts, site=site)
        context["structured_data"] = json_ld({"@graph": things})
    return context


def _reading_on(page: CommentsPage, pager: Pager) -> dict[str, Any]:
    """Return what a page that is short of comments needs to be filled by htmx, call by call."""
    found = page.found.page
    if found.cut_at is None:
        return {"shown": pager.shown}
    back = found.toward is Toward.PREVIOUS
    url = pager.previous_url(found) if back else pager.next_url(found)
    in_all = pager.shown + len(found.entries)
    return {"shown": pager.shown, "reads_back": back, "reads_on_url": f"{url}&{SHOWN}={in_all}"}


def _data(wanted: PageWanted, page: CommentsPage) -> ListData:
    shown = _with_recent(wanted, page)
    items = [comment_data(comment, product_id=wanted.product_id) for comment in shown]
    heading = f"{heading_of(page.chosen)} · {page.product.name}"
    return ListData(
        items,
        total=page.found.counts.of(page.chosen),
        feed=partial(comments_feed, heading, shown),
    )


def _with_recent(wanted: PageWanted, page: CommentsPage) -> tuple[CommentEntry, ...]:
    # In the visitor's language, a comment just written in another one is shown as well.
    chosen = CommentFilter() if wanted.chosen is None else page.chosen
    return with_recent(
        page.found.comments,
        page.recent,
        page=page.found.page,
        request=wanted.request,
        belongs=in_list(wanted.product_id, chosen),
        order=wanted.order,
    )
