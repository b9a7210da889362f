"""The page of a user's comments, and these as data."""

from functools import partial

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from comments.host import Product
from comments.lists.entries import CommentEntry, entry_of
from comments.lists.feeds import comments_feed
from comments.lists.recent import Recent, recently_written, with_recent
from comments.profiles.queries import PLAN, is_written_by, read_profile, with_products
from comments.users import (
    author_name,
    display_name_of,
    find_user,
    nameless,
    user_id_in,
    user_id_of,
    visitor_of,
)
from dynapages.calls import clock
from dynapages.django.access import public
from dynapages.django.formats import AtomFeed
from dynapages.django.paging import Pager, show_page
from dynapages.lists import PageRequest, PageResult

NOBODY = gettext_lazy("There is no such user.")


@require_safe
@public
def profile(request: HttpRequest, user_slug: str) -> HttpResponse:
    """Show a user's comments, newest first; hidden ones to the user and to staff alone."""
    user_id = user_id_in(user_slug)
    if not user_id:
        raise Http404(NOBODY)
    url = reverse("comments:profile", args=[user_slug])
    pager = Pager(url, f"profile/{user_id}", canonical=url)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found, recent = read_profile(
        user_id,
        asked,
        visitor=visitor_of(request),
        recent=recently_written(request.session, now=clock.now()),
    )
    is_own = user_id_of(request.user) == user_id
    sees_hidden = is_own or request.user.is_staff
    written = partial(_written, user_id, asked, found=found, recent=recent, sees_hidden=sees_hidden)

    def context() -> dict[str, object]:
        owner, shown = written()
        return {
            "heading": _heading(owner),
            "owner": owner,
            "user_slug": user_slug,
            "is_own": is_own,
            "written": shown,
        }

    def feed() -> AtomFeed:
        owner, shown = written()
        return _feed(_heading(owner), shown)

    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("comments/profiles/profile.html", "comments/profiles/_profile.html"),
        context=context,
        plan=PLAN,
        hides=lambda entry: not sees_hidden and entry_of(entry.item).is_hidden,
        feed=feed,
    )


def require_user_of(
    found: PageResult[CommentEntry], asked: PageRequest, user_id: str
) -> AbstractBaseUser | None:
    """Read the user of a list that is empty. Raises Http404 where there is none.

    There may never have been one of this id, or it is of one who was erased.
    """
    if found.items or not asked.is_first:
        return None
    user = find_user(user_id)
    if user is None:
        raise Http404(NOBODY)
    return user


def _heading(owner: str) -> str:
    return _("Comments by %(owner)s") % {"owner": owner}


def _feed(heading: str, written: list[tuple[CommentEntry, Product]]) -> AtomFeed:
    names = {product.id: product.name for _comment, product in written}
    return comments_feed(heading, [comment for comment, _product in written], names)


def _written(
    user_id: str,
    asked: PageRequest,
    *,
    found: PageResult[CommentEntry],
    recent: Recent,
    sees_hidden: bool,
) -> tuple[str, list[tuple[CommentEntry, Product]]]:
    """Return what the page calls the user, as the newest comment on it does, and the comments."""
    user = require_user_of(found, asked, user_id)
    comments = with_recent(
        found.items,
        recent,
        page=found.page,
        belongs=lambda item: is_written_by(user_id, item),
    )
    shown = with_products(c for c in comments if sees_hidden or not c.is_hidden)
    if shown:
        newest, _product = shown[0]
        return author_name(newest), shown
    user = user or find_user(user_id)
    return (display_name_of(user) if user else "") or nameless(), shown
