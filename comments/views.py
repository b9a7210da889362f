"""Pages of a product's comments."""

from collections.abc import Callable
from functools import lru_cache, partial
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
from comments.host import COMMENTS
from comments.lists.listing import REMEMBER, list_url, pager_of
from comments.lists.orders import HELPFUL, CommentOrder, at_month
from comments.lists.page import SHOWN, CommentsRequest, read_comment_page, read_comments_page
from comments.lists.recent import recently_written
from comments.lists.search_listing import search_asked
from comments.moderation.listing import staff_tools
from comments.users import user_id_of, visitor_of
from comments.web.forms import NO_SUCH_COMMENT, missing_as_404
from dynapages.calls import clock, current_meter
from dynapages.django.access import is_personal, public
from dynapages.django.formats import format_asked
from dynapages.django.paging import (
    Pager,
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


@require_safe
@public
def product(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show a product with its comments in the visitor's language (QP2)."""
    if {"after", "before", "month"} & request.GET.keys():
        raise Refusal(_(FIRST_PAGE_ONLY), first_url=list_url(product_id, CommentFilter()))
    all_languages = _wants_all_languages(request)
    accepted = "" if all_languages else request.headers.get("Accept-Language", "")
    return _show(
        request,
        CommentsRequest(
            product_id,
            PageRequest(settings.PAGE_SIZE),
            accept_language=accepted,
            all_languages=all_languages,
            is_whole=not wants_partial(request),
            visitor=visitor_of(request),
            recent=recently_written(request.session, now=clock.now()),
            site=site_of(request),
        ),
    )


@require_safe
@public
def comments(request: HttpRequest, product_id: str, languages: str, ratings: str) -> HttpResponse:
    """Show a product's comments in any set of languages and ratings, in any order."""
    if request.GET.get("order") == HELPFUL:
        return redirect("comments:most_helpful", product_id)
    try:
        chosen = CommentFilter.parse(languages, ratings)
        order = CommentOrder.parse(request.GET.get("order", CommentOrder.NEWEST))
    except BadFilter as error:
        first_url = list_url(product_id, CommentFilter())
        raise Refusal(str(error), first_url=first_url) from error
    if REMEMBER in request.GET:
        return _remember_languages(_canonical_url(request, product_id, chosen, order), chosen)
    search = search_asked(request)
    spelled = (languages, ratings) == (chosen.languages_spelled, chosen.ratings_spelled)
    is_blank = "q" in request.GET and not request.GET["q"].strip()
    if not spelled or request.GET.getlist("order") != ([order] if order.query else []) or is_blank:
        return redirect(_canonical_url(request, product_id, chosen, order), permanent=True)
    if search and order.is_by_rating:
        first_url = list_url(product_id, chosen, search=search)
        raise Refusal(_(NOT_BY_RATING), first_url=first_url)
    if search and search.refused and (wants_partial(request) or format_asked(request.META)):
        raise Refusal(search.refused)
    pager = pager_of(product_id, chosen, order, search)
    shown = _shown(request, pager)
    return _show(
        request,
        CommentsRequest(
            product_id,
            _requested(request, pager, order, size=settings.PAGE_SIZE - shown),
            chosen,
            order,
            is_whole=False,
            visitor=visitor_of(request),
            recent=recently_written(request.session, now=clock.now()),
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
    is_recent = comment_id in recently_written(request.session, now=clock.now())
    with missing_as_404():
        found, about, has_voted = read_comment_page(
            comment_id, visitor=visitor_of(request), is_recent=is_recent
        )
    is_own = bool(found.user_id) and found.user_id == user_id_of(request.user)
    if found.is_hidden and not (is_own or request.user.is_staff):
        raise Http404(NO_SUCH_COMMENT)
    context = {
        "canonical_url": "" if found.is_hidden else f"{site_of(request)}{found.url}",
        "comment": found,
        "product": about,
        "is_own": is_own,
        "has_voted": has_voted,
        "tools": staff_tools(found) if request.user.is_staff else None,
        "explain": partial(explain_reads, current_meter()),
    }
    return render_page(request, "comments/comment.html", context)


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
    for name in ("order", REMEMBER, *([] if request.GET.get("q", "").strip() else ["q", "hidden"])):
        others.pop(name, None)
    url, query = list_url(product_id, chosen, order), others.urlencode()
    joint = "&" if order.query else "?"
    return f"{url}{joint}{query}" if query else url


def _remember_languages(url: str, chosen: CommentFilter) -> HttpResponse:
    """Lead to a list, and remember on other products' pages whether it is of all languages."""
    response, name = redirect(url), COMMENTS["LANGUAGES_COOKIE"]
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


def _show(request: HttpRequest, wanted: CommentsRequest) -> HttpResponse:
    with missing_as_404():
        page = read_comments_page(wanted)
    whole = "comments/product.html" if wanted.chosen is None else "comments/lists/list.html"
    pager = page.pager
    note_list(pager, wanted.request, page.found.plan.name)
    render_page = partial(
        show_page,
        request,
        pager,
        wanted.request,
        page.found.page,
        templates=(whole, "comments/lists/_comments.html"),
        context=page.context,
        feed=page.feed,
    )
    if wanted.search and wanted.search.refused:
        response = render_page()
        response.status_code = HTTPStatus.BAD_REQUEST
        return response
    response = _unless_known(request, page.facts, render_page)
    if wanted.search:
        patch_vary_headers(response, ("HX-Trigger",))  # see `SearchRequest.is_typed`
    return response


def _unless_known(
    request: HttpRequest, data: object, render: Callable[[], HttpResponse]
) -> HttpResponse:
    """Answer 304 if the visitor has the page of the same ``data``, else render it with an ETag.

    ``data`` must have a ``repr`` that differs where its page does. A page for one visitor, or of
    one read, has no ETag.
    """
    if is_personal(request) or wants_explanation(request):
        return render()
    form = format_asked(request.META) or wants_partial(request)
    basis = f"{_release_digest()} {get_language()} {form} {data!r}"
    etag = f'W/"{blake2b(basis.encode(), digest_size=12).hexdigest()}"'
    known = get_conditional_response(request, etag=etag)
    response = known or render()
    response["ETag"] = etag
    return response


@lru_cache(maxsize=1)
def _release_digest() -> str:
    """Return a digest of the project's apps and templates: a new release has new pages."""
    installed = (app.path for app in apps.get_app_configs() if not app.name.startswith("django."))
    library = Path(apps.get_app_config("dynapages").path).parent
    folders = {library, *map(Path, [*Engine.get_default().dirs, *installed])}
    suffixes = ("py", "html", "mo")
    sources = {one for folder in folders for each in suffixes for one in folder.rglob(f"*.{each}")}
    contents = b"".join(path.read_bytes() for path in sorted(sources))
    return blake2b(contents, digest_size=8).hexdigest()
