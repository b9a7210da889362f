"""The page of a user's comments, and these as data."""

from functools import partial

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from comments.host import Product, user_exists
from comments.lists.listing import comments_feed
from comments.lists.queries import CommentEntry, Recent, entry_of, recently_written, with_recent
from comments.profiles.queries import PLAN, is_written_by, read_profile, with_products
from dynapages.calls import clock
from dynapages.django.access import public, visitor_of
from dynapages.django.formats import AtomFeed
from dynapages.django.paging import Pager, show_page
from dynapages.lists import PageRequest, PageResult

NOBODY = gettext_lazy("There is no user of this name.")


@require_safe
@public
def profile(request: HttpRequest, username: str) -> HttpResponse:
    """Show a user's comments, newest first; hidden ones to the user and to staff alone."""
    url = reverse("comments:profile", args=[username])
    pager = Pager(url, f"profile/{username}", canonical=url)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found, recent = read_profile(
        username,
        asked,
        visitor=visitor_of(request),
        recent=recently_written(request.session, now=clock.now()),
    )
    is_own = request.user.get_username() == username
    sees_hidden = is_own or request.user.is_staff
    written = partial(
        _written, username, asked, found=found, recent=recent, sees_hidden=sees_hidden
    )
    heading = _("Comments by %(owner)s") % {"owner": username}
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
        hides=lambda entry: not sees_hidden and entry_of(entry.item).is_hidden,
        feed=lambda: _feed(heading, written()),
    )


def require_user_of(found: PageResult[CommentEntry], asked: PageRequest, username: str) -> None:
    """Raise Http404 where an empty list is not that of a user.

    There may be none of this name any more, or only the name of one who was erased.
    """
    if not found.items and asked.is_first and not user_exists(username):
        raise Http404(NOBODY)


def _feed(heading: str, written: list[tuple[CommentEntry, Product]]) -> AtomFeed:
    names = {product.id: product.name for _comment, product in written}
    return comments_feed(heading, [comment for comment, _product in written], names)


def _written(
    username: str,
    asked: PageRequest,
    *,
    found: PageResult[CommentEntry],
    recent: Recent,
    sees_hidden: bool,
) -> list[tuple[CommentEntry, Product]]:
    require_user_of(found, asked, username)
    comments = with_recent(
        found.items,
        recent,
        page=found.page,
        request=asked,
        belongs=lambda item: is_written_by(username, item),
    )
    return with_products(c for c in comments if sees_hidden or not c.is_hidden)
