"""The page of a user's comments, and these as data."""

from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.http import require_http_methods, require_safe

from comments.host import Product, link_data, user_exists
from comments.lists.listing import comment_data, comments_feed
from comments.lists.queries import CommentEntry, Recent, recently_written, with_recent
from comments.profiles.queries import (
    PLAN,
    is_written_by,
    read_profile,
    with_products,
)
from comments.profiles.services import block_author, is_blocked, unblock_author
from comments.web.rate_limits import check_rate_limit
from dynapages.calls import clock
from dynapages.django.access import log_event, public, staff_only, visitor_of
from dynapages.django.paging import ListData, Pager, show_page
from dynapages.lists import PageRequest, PageResult

NOBODY = gettext_lazy("There is no user of this name.")


@require_safe
@public
def profile(request: HttpRequest, username: str) -> HttpResponse:
    """Show a user's comments, newest first; hidden ones to the user and to staff alone."""
    url = reverse("comments:profile", args=[username])
    pager = Pager(url, f"profile/{username}", canonical=url, has_feed=True)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found, recent = read_profile(
        username,
        asked,
        visitor=visitor_of(request),
        recent=recently_written(request.session, now=clock.now()),
    )
    written = partial(_written, request, username, asked, found=found, recent=recent)
    heading = _("Comments by %(owner)s") % {"owner": username}
    is_own = request.user.get_username() == username
    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("comments/profiles/profile.html", "comments/profiles/_profile.html"),
        context=lambda: {
            "heading": heading,
            "owner": username,
            "is_own": is_own,
            "written": written(),
        },
        plan=PLAN,
        data=lambda: _data(heading, written()),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def block(request: HttpRequest, username: str) -> HttpResponse:
    """Ask whether to block an author, and do so; or (``blocked=no``) end it."""
    if request.method != "POST":
        if not user_exists(username):
            raise Http404(NOBODY)
        context = {"owner": username, "is_blocked": is_blocked(username)}
        return render(request, "comments/profiles/block.html", context)
    now, is_block = clock.now(), request.POST.get("blocked") != "no"
    check_rate_limit(request, now=now, is_staff=True)
    if is_block:
        block_author(username, now=now)
    else:
        unblock_author(username)
    event = "author-blocked" if is_block else "author-unblocked"
    log_event(event, user=request.user.get_username(), request=request, author=username)
    messages.success(request, _(BLOCKED if is_block else UNBLOCKED))
    return redirect("comments:profile", username)


BLOCKED = gettext_noop("The author is blocked: new comments of theirs wait for the shop.")
UNBLOCKED = gettext_noop("The author is no longer blocked.")


def _data(heading: str, written: list[tuple[CommentEntry, Product]]) -> ListData:
    comments = [comment for comment, _product in written]
    names = {product.id: product.name for _comment, product in written}
    return ListData(
        [{**comment_data(comment), "product": link_data(product)} for comment, product in written],
        feed=partial(comments_feed, heading, comments, names),
    )


def _written(
    request: HttpRequest,
    username: str,
    asked: PageRequest,
    *,
    found: PageResult[CommentEntry],
    recent: Recent,
) -> list[tuple[CommentEntry, Product]]:
    # There may be none of this name any more, or only the name of one who was erased.
    if not found.items and asked.is_first and not user_exists(username):
        raise Http404(NOBODY)
    comments = with_recent(
        found.items,
        recent,
        page=found.page,
        request=asked,
        belongs=lambda item: is_written_by(username, item),
    )
    sees_hidden = request.user.get_username() == username or request.user.is_staff
    return with_products(c for c in comments if sees_hidden or not c.is_hidden)
