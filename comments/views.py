"""Pages of a product's comments."""

from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from comments.filters import BadFilter, CommentFilter
from comments.languages import preferred_language
from comments.lists.explain import explain_page
from comments.lists.listing import list_url, listing_of, pager_of
from comments.lists.queries import (
    CommentEntry,
    CommentPage,
    Highlights,
    WholeComment,
    find_comment,
    find_highlights,
    list_comments,
    with_replies,
)
from comments.lists.read_your_writes import in_list, recently_written, with_recent
from comments.moderation.staff_tools import staff_tools
from comments.store.comments import NoSuchComment
from comments.store.counts import ProductCounts, counts_of
from comments.votes.views import vote_on, voted_by
from dynamo.calls.meter import current_meter, labelled_calls
from dynamo.lists.explain import explain_reads
from dynamo.lists.reader import PageRequest
from dynamo.web.paging import show_page
from dynamo.web.partials import wants_partial
from dynamo.web.refusals import Refusal
from shop.catalogue.lookup import product_or_404
from shop.catalogue.queries import Product

NO_SUCH_COMMENT = "There is no such comment. It may have been deleted."


@require_safe
def product(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show a product with its comments in the visitor's language (QP2)."""
    counts = _counts(product_id)
    accepted = request.headers.get("Accept-Language", "")
    preferred = preferred_language(accepted, among=counts.languages)
    chosen = CommentFilter.of([preferred] if preferred else [])
    asked = pager_of(product_id, chosen).requested(request.GET, size=settings.PAGE_SIZE)
    page = CommentsPage(product_id, chosen, asked, counts, is_default=preferred is not None)
    response = _show(request, page)
    patch_vary_headers(response, ("Accept-Language",))
    return response


@require_safe
def comments(request: HttpRequest, product_id: str, languages: str, ratings: str) -> HttpResponse:
    """Show a product's comments in any set of languages and ratings."""
    try:
        chosen = CommentFilter.parse(languages, ratings)
    except BadFilter as error:
        first_url = list_url(product_id, CommentFilter())
        raise Refusal(str(error), first_url=first_url) from error
    if (languages, ratings) != (chosen.languages_spelled, chosen.ratings_spelled):
        query = request.META["QUERY_STRING"]
        url = list_url(product_id, chosen)
        return redirect(f"{url}?{query}" if query else url, permanent=True)
    asked = pager_of(product_id, chosen).requested(request.GET, size=settings.PAGE_SIZE)
    return _show(request, CommentsPage(product_id, chosen, asked, _counts(product_id)))


@require_safe
def comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Show one comment with its whole text (AP4); a hidden one to its author and staff alone."""
    is_recent = comment_id in recently_written(request.session, now=timezone.now())
    try:
        with labelled_calls("comment"):
            found = find_comment(comment_id, consistent=is_recent)
    except NoSuchComment as error:
        raise Http404(NO_SUCH_COMMENT) from error
    if found.is_hidden and not _sees_hidden(request, found):
        raise Http404(NO_SUCH_COMMENT)
    (found,) = with_replies([found])
    context = {
        "comment": found,
        "product": product_or_404(found.product_id),
        "voted": vote_on(request, comment_id),
        "tools": staff_tools(found) if request.user.is_staff else None,
        "explanation": explain_reads(current_meter()),
    }
    return render(request, "comments/comment.html", context)


def _sees_hidden(request: HttpRequest, found: WholeComment) -> bool:
    is_own = bool(found.username) and found.username == request.user.get_username()
    return is_own or request.user.is_staff


@dataclass(frozen=True, slots=True)
class CommentsPage:
    """Which page of which list is shown, with the product's counts."""

    product_id: str
    chosen: CommentFilter
    asked: PageRequest
    counts: ProductCounts
    is_default: bool = False


def _show(request: HttpRequest, page: CommentsPage) -> HttpResponse:
    shop_product = product_or_404(page.product_id)
    found = list_comments(page.product_id, page.chosen, page.asked, counts=page.counts)
    return show_page(
        request,
        pager_of(page.product_id, page.chosen),
        page.asked,
        found.page,
        templates=("comments/product.html", "comments/lists/_comments.html"),
        context=lambda: _context(request, page, shop_product, found),
    )


def _context(
    request: HttpRequest, page: CommentsPage, product: Product, found: CommentPage
) -> dict[str, Any]:
    found = replace(found, comments=_with_recent(request, page, found))
    context: dict[str, Any] = {
        "product": product,
        "listing": listing_of(
            page.product_id,
            page.chosen,
            found,
            counts=page.counts,
            is_default_language=page.is_default,
        ),
        "voted": voted_by(request, page.product_id),
    }
    if not wants_partial(request):
        context["highlights"] = _highlights(page)
        if product.unit_price is not None:
            context["basket_add_url"] = reverse("basket_add")
    return context | {"explanation": explain_page(found, current_meter())}


def _with_recent(
    request: HttpRequest, page: CommentsPage, found: CommentPage
) -> tuple[CommentEntry, ...]:
    is_chosen = not page.is_default or page.asked.position is not None
    belongs = in_list(page.product_id, page.chosen if is_chosen else CommentFilter())
    return with_recent(
        found.comments,
        recently_written(request.session, now=timezone.now()),
        page=found.page,
        request=page.asked,
        belongs=belongs,
    )


def _highlights(page: CommentsPage) -> Highlights:
    language = page.chosen.languages[0] if len(page.chosen.languages) == 1 else None
    with labelled_calls("highlights"):
        return find_highlights(page.product_id, language)


def _counts(product_id: str) -> ProductCounts:
    with labelled_calls("counts"):
        return counts_of(product_id)
