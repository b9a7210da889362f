"""The page of a user's comments."""

from dataclasses import dataclass

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
from comments.lists.recent import recently_written, with_recent
from comments.profiles.queries import (
    PLAN,
    Profile,
    is_written_by,
    read_profile,
    with_products,
)
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
from dynapages.items import Item
from dynapages.lists import Entry, PageRequest, PageResult

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
    page_request = pager.requested(request.GET, size=settings.PAGE_SIZE)
    read = read_profile(
        user_id,
        page_request,
        visitor=visitor_of(request),
        recent=recently_written(request.session, now=clock.now()),
    )
    is_own = user_id_of(request.user) == user_id
    sees_hidden = is_own or request.user.is_staff

    def context() -> dict[str, object]:
        shown = _shown_profile(user_id, page_request, read, sees_hidden=sees_hidden)
        return {
            "heading": shown.heading,
            "owner": shown.owner,
            "user_slug": user_slug,
            "is_own": is_own,
            "written": shown.comments,
        }

    def feed() -> AtomFeed:
        return _shown_profile(user_id, page_request, read, sees_hidden=sees_hidden).feed()

    def hides(entry: Entry) -> bool:
        return not sees_hidden and entry_of(entry.item).is_hidden

    return show_page(
        request,
        pager,
        page_request,
        read.comments.page,
        templates=("comments/profiles/profile.html", "comments/profiles/_profile.html"),
        context=context,
        plan=PLAN,
        hides=hides,
        feed=feed,
    )


def require_user_of(
    comments: PageResult[CommentEntry], page_request: PageRequest, user_id: str
) -> AbstractBaseUser | None:
    """Read the user of a list that is empty, None of another. Raises Http404 where there is none.

    There may never have been one of this id, or it is of one who was erased.
    """
    if comments.items or not page_request.is_first:
        return None
    user = find_user(user_id)
    if user is None:
        raise Http404(NOBODY)
    return user


@dataclass(frozen=True, slots=True)
class _ShownProfile:
    """What the page calls its user, and the comments that its visitor sees, with their products."""

    owner: str
    comments: list[tuple[CommentEntry, Product]]

    @property
    def heading(self) -> str:
        return _("Comments by %(owner)s") % {"owner": self.owner}

    def feed(self) -> AtomFeed:
        """Return the comments as a feed."""
        names: dict[str, str] = {}
        comments: list[CommentEntry] = []
        for comment, product in self.comments:
            comments.append(comment)
            names[product.id] = product.name
        return comments_feed(self.heading, comments, names)


def _shown_profile(
    user_id: str, page_request: PageRequest, read: Profile, *, sees_hidden: bool
) -> _ShownProfile:
    """Read what is missing to show a profile: products, and the user where no comment is shown.

    Raises Http404 where there is no such user.
    """
    user = require_user_of(read.comments, page_request, user_id)

    def belongs(item: Item) -> bool:
        return is_written_by(user_id, item)

    comments = with_recent(
        read.comments.items, read.recent, page=read.comments.page, belongs=belongs
    )
    # The visitor's own comments may be hidden: only they and staff see these.
    shown = with_products(each for each in comments if sees_hidden or not each.is_hidden)
    if shown:
        newest, _product = shown[0]
        return _ShownProfile(author_name(newest), shown)
    # No comment says how its author is called.
    user = user or find_user(user_id)
    name = ""
    if user is not None:
        name = display_name_of(user)
    return _ShownProfile(name or nameless(), shown)
