"""Pages of a product's comments, and the page of one comment."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from http import HTTPStatus
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template import Engine
from django.utils.cache import (
    add_never_cache_headers,
    get_conditional_response,
    patch_vary_headers,
)
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from comments.filters import ANY, BadFilter, CommentFilter
from comments.host import COMMENTS, NO_SUCH_PRODUCT, NoSuchProduct
from comments.lists.listing import REMEMBER, list_url, pager_of
from comments.lists.orders import CommentOrder, at_month
from comments.lists.page import (
    SHOWN,
    CommentsPage,
    CommentsRequest,
    read_comment_page,
    read_comments_page,
)
from comments.lists.recent import recently_written
from comments.lists.search_listing import search_in
from comments.moderation.listing import staff_tools
from comments.users import user_id_of, visitor_of
from comments.web.forms import NO_SUCH_COMMENT, missing_as_404
from dynapages.calls import clock, current_meter
from dynapages.django.access import public
from dynapages.django.middleware import is_personal
from dynapages.django.paging import (
    Pager,
    format_of,
    note_list,
    render_page,
    show_page,
    site_of,
    wants_explanation,
    wants_partial,
)
from dynapages.django.refusals import Refusal
from dynapages.lists import PageRequest, explain_reads

FIRST_PAGE_ONLY = gettext_noop(
    "A product's own page is the first one: the others are those of a list."
)
NOT_SHOWN = gettext_noop("“shown” is a number from 0 to %(most)s.")
NOT_BY_RATING = gettext_noop("A search is sorted by time: newest or oldest first.")
SOURCES = ("py", "html", "jinja", "mo")
"""The suffixes of files that decide what a page says."""


@require_safe
@public
def product(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show a product with its comments in the visitor's language (QP2)."""
    if {"after", "before", "month"} & request.GET.keys():
        raise Refusal(_(FIRST_PAGE_ONLY), first_url=list_url(product_id, CommentFilter()))
    all_languages = _wants_all_languages(request)
    accepted = ""
    if not all_languages:
        accepted = request.headers.get("Accept-Language", "")
    return _show(
        request,
        CommentsRequest(
            None,
            PageRequest(settings.PAGE_SIZE),
            product_id=product_id,
            accept_language=accepted,
            all_languages=all_languages,
            is_whole=not wants_partial(request),
            visitor=visitor_of(request),
            recent=_recently_written(request),
            site=site_of(request),
        ),
    )


@require_safe
@public
def comments(request: HttpRequest, product_id: str, languages: str, ratings: str) -> HttpResponse:
    """Show a product's comments in any set of languages and ratings, in any order."""
    try:
        chosen = CommentFilter.parse(languages, ratings)
        order = CommentOrder.parse(request.GET.get("order", CommentOrder.NEWEST))
    except BadFilter as error:
        first_url = list_url(product_id, CommentFilter())
        raise Refusal(str(error), first_url=first_url) from error
    if REMEMBER in request.GET:
        return _remember_languages(_canonical_url(request, product_id, chosen, order), chosen)
    is_filter_canonical = (languages, ratings) == (chosen.languages_in_url, chosen.ratings_in_url)
    # One list has one URL, for caches and for search engines.
    if not is_filter_canonical or not _is_query_canonical(request, order):
        return redirect(_canonical_url(request, product_id, chosen, order), permanent=True)
    search = None
    if "q" in request.GET:
        search = search_in(request)
    if search and not order.is_by_time:
        first_url = list_url(product_id, chosen, search=search)
        raise Refusal(_(NOT_BY_RATING), first_url=first_url)
    if search and search.refused and (wants_partial(request) or format_of(request)):
        raise Refusal(search.refused)
    pager = pager_of(product_id, chosen, order, search)
    shown = _shown(request, pager)
    return _show(
        request,
        CommentsRequest(
            chosen,
            _page_request(request, pager, order, size=settings.PAGE_SIZE - shown),
            product_id=product_id,
            order=order,
            is_whole=False,
            visitor=visitor_of(request),
            recent=_recently_written(request),
            shown=shown,
            month=request.GET.get("month", ""),
            all_languages=_wants_all_languages(request),
            search=search,
        ),
    )


@require_safe
@public
def comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Show one comment with its whole text (AP4); a hidden one to its author and staff alone."""
    is_recent = comment_id in _recently_written(request)
    with missing_as_404():
        page = read_comment_page(comment_id, visitor=visitor_of(request), is_recent=is_recent)
    comment = page.comment
    is_own = bool(comment.user_id) and comment.user_id == user_id_of(request.user)
    if comment.is_hidden and not (is_own or request.user.is_staff):
        raise Http404(NO_SUCH_COMMENT)
    canonical_url = ""
    if not comment.is_hidden:
        canonical_url = f"{site_of(request)}{comment.url}"
    tools = None
    if request.user.is_staff:
        tools = staff_tools(comment)
    context = {
        "canonical_url": canonical_url,
        "comment": comment,
        "product": page.product,
        "is_own": is_own,
        "has_voted": page.has_voted,
        "tools": tools,
        "explain": _explain_reads,
    }
    return render_page(request, "comments/comment.html", context)


def _explain_reads() -> object:
    return explain_reads(current_meter())


# What is asked for.


def _recently_written(request: HttpRequest) -> Sequence[str]:
    """Return the ids of what the visitor has just written; nothing for one without a session."""
    if request.session.is_empty():
        return ()
    return recently_written(request.session, now=clock.now())


def _is_query_canonical(request: HttpRequest, order: CommentOrder) -> bool:
    """Return whether the order is named where it is not the default one, and no search is blank."""
    named_orders: list[str] = []
    if order.query:
        named_orders = [order]
    if request.GET.getlist("order") != named_orders:
        return False
    return "q" not in request.GET or bool(request.GET["q"].strip())


def _canonical_url(
    request: HttpRequest, product_id: str, chosen: CommentFilter, order: CommentOrder
) -> str:
    """Return a list's URL with what else the request's query has."""
    others = request.GET.copy()
    others.pop("order", None)
    others.pop(REMEMBER, None)
    if not request.GET.get("q", "").strip():
        others.pop("q", None)
        # It says something of a search only.
        others.pop("hidden", None)
    url = list_url(product_id, chosen, order)
    if not others:
        return url
    joint = "&" if order.query else "?"
    return f"{url}{joint}{others.urlencode()}"


def _shown(request: HttpRequest, pager: Pager) -> int:
    """Return how many comments there are on a page that reads on by itself, to be filled."""
    shown = "0"
    if wants_partial(request):
        shown = request.GET.get(SHOWN, shown)
    # As text: `int` would accept other digits, blanks and signs as well.
    if shown not in map(str, range(settings.PAGE_SIZE)):
        most = {"most": settings.PAGE_SIZE - 1}
        raise Refusal(_(NOT_SHOWN) % most, first_url=pager.first_url)
    return int(shown)


def _page_request(
    request: HttpRequest, pager: Pager, order: CommentOrder, *, size: int
) -> PageRequest:
    """Return the page that is asked for, by a token or a month. Raises Refusal."""
    page_request = pager.requested(request.GET, size=size)
    month = request.GET.get("month")
    if month is None:
        return page_request
    try:
        return at_month(page_request, month, order)
    except BadFilter as error:
        raise Refusal(str(error), first_url=pager.first_url) from error


# Languages that are remembered.


def _remember_languages(url: str, chosen: CommentFilter) -> HttpResponse:
    """Lead to a list, and remember on other products' pages whether it is of all languages."""
    response = redirect(url)
    name = COMMENTS["LANGUAGES_COOKIE"]
    if chosen.languages:
        response.delete_cookie(name, samesite="Lax")
    else:
        response.set_cookie(
            name,
            ANY,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    add_never_cache_headers(response)
    return response


def _wants_all_languages(request: HttpRequest) -> bool:
    return request.COOKIES.get(COMMENTS["LANGUAGES_COOKIE"]) == ANY


# The answer.


def _show(request: HttpRequest, comments_request: CommentsRequest) -> HttpResponse:
    """Answer with a page of comments, or 304 where the visitor has it already."""
    try:
        page = read_comments_page(comments_request)
    except NoSuchProduct as error:
        raise Http404(NO_SUCH_PRODUCT) from error
    note_list(page.pager, comments_request.page_request, page.results.plan.name)

    def render() -> HttpResponse:
        return _rendered(request, page)

    search = comments_request.search
    if search and search.refused:
        response = render()
        response.status_code = HTTPStatus.BAD_REQUEST
        return response
    response = _unless_known(request, page.facts, render)
    # The answer differs where the field itself has sent the search: see `SearchRequest.is_typed`.
    if search:
        patch_vary_headers(response, ("HX-Trigger",))
    return response


def _rendered(request: HttpRequest, page: CommentsPage) -> HttpResponse:
    """Render a product's own page, or that of a list."""
    template = "comments/lists/list.html"
    # Only a product's own page has no filter of its URL.
    if page.request.filter is None:
        template = "comments/product.html"
    return show_page(
        request,
        page.pager,
        page.request.page_request,
        page.results.page,
        templates=(template, "comments/lists/_comments.html"),
        context=page.context,
        feed=page.feed,
    )


def _unless_known(
    request: HttpRequest, data: object, render: Callable[[], HttpResponse]
) -> HttpResponse:
    """Answer 304 if the visitor has the page of the same ``data``, else render it with an ETag.

    ``data`` must have a ``repr`` that differs where its page does. A page for one visitor, or of
    one read, has no ETag.
    """
    # What only this visitor gets is kept by no cache, and an explanation is of one reading.
    if is_personal(request) or wants_explanation(request):
        return render()
    form = format_of(request) or wants_partial(request)
    basis = f"{_release_digest()} {get_language()} {form} {data!r}"
    etag = f'W/"{blake2b(basis.encode(), digest_size=12).hexdigest()}"'
    response = get_conditional_response(request, etag=etag) or render()
    response["ETag"] = etag
    return response


@lru_cache(maxsize=1)
def _release_digest() -> str:
    """Return a digest of the project's apps and templates: a new release has new pages."""
    folders = {Path(folder) for folder in Engine.get_default().dirs}
    for app in apps.get_app_configs():
        if not app.name.startswith("django."):
            folders.add(Path(app.path))
    # The library's app is a folder of it.
    folders.add(Path(apps.get_app_config("dynapages").path).parent)
    sources: set[Path] = set()
    for folder in folders:
        for suffix in SOURCES:
            sources.update(folder.rglob(f"*.{suffix}"))
    contents = b"".join(path.read_bytes() for path in sorted(sources))
    return blake2b(contents, digest_size=8).hexdigest()
