"""The button to find a comment helpful, and the vote of a visitor who signs in for it."""

from datetime import datetime, timedelta
from urllib.parse import urldefrag, urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from comments.store.comments import OwnComment
from comments.users import user_id_of
from comments.votes.services import cast_vote_on, read_comment, withdraw_vote_on
from comments.web.forms import missing_as_404
from comments.web.rate_limits import check_rate_limit, write_counted_meanwhile
from dynapages.calls import clock
from dynapages.django.access import Visitor, prefetch
from dynapages.django.jinja import render_jinja
from dynapages.django.next_page import back, path_of_next, with_next
from dynapages.django.paging import anchor_of, wants_partial
from dynapages.django.refusals import Refusal
from dynapages.items import Item

HELPFUL = gettext_lazy("You find this comment helpful.")
PENDING = "vote"
"""In a session: the comment whose button a visitor pressed without being signed in, and when."""
PENDING_FOR = timedelta(hours=1)
"""How long a visitor may take to sign in, or to create an account."""


def is_of_this_site(request: HttpRequest) -> bool:
    """Return whether a page of this site sent the request, which no other site can pretend."""
    site = request.headers.get("Sec-Fetch-Site")
    if site:
        return site == "same-origin"
    # Older browsers name the page they come from, unless it forbids that.
    page_url, hosts = request.headers.get("Referer", ""), {request.get_host()}
    return url_has_allowed_host_and_scheme(page_url, hosts, require_https=request.is_secure())


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def vote_comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Cast a vote that a comment is helpful, or (``helpful=no``) take it back.

    A GET is the button of a visitor who is not signed in, and then the way back from signing in.
    """
    if request.method == "POST":
        return _vote(request, comment_id)
    return _vote_signed_in(request, comment_id)


def _vote_signed_in(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Ask a visitor to sign in, and cast the vote of one who has done so since.

    Only a link of a page of this site makes a vote pending: no other site can have one cast.
    """
    now = clock.now()
    if not request.user.is_authenticated:
        return _ask_to_sign_in(request, comment_id, now=now)
    if _is_pending(request, comment_id, now=now):
        try:
            with write_counted_meanwhile(request, user_id_of(request.user)):
                comment = read_comment(comment_id)
            _change_vote(request, comment_id, comment, is_helpful=True)
        except Refusal as error:
            messages.warning(request, str(error))
        else:
            messages.success(request, HELPFUL)
    default = reverse("comments:comment", args=[comment_id])
    page_url = urldefrag(path_of_next(request, default=default)).url
    return redirect(f"{page_url}#{anchor_of('comment', comment_id)}")


def _ask_to_sign_in(request: HttpRequest, comment_id: str, *, now: datetime) -> HttpResponse:
    """Lead to the page to sign in, and from there back to the vote."""
    comment_url = reverse("comments:comment", args=[comment_id])
    sign_in_url = resolve_url(settings.LOGIN_URL)
    if not is_of_this_site(request):
        return redirect(with_next(sign_in_url, comment_url))
    request.session[PENDING] = [comment_id, int(now.timestamp())]
    referring = urlsplit(request.headers.get("Referer", ""))
    page_url = referring._replace(scheme="", netloc="").geturl() or comment_url
    vote_url = with_next(reverse("comments:vote_comment", args=[comment_id]), page_url)
    return redirect(with_next(sign_in_url, vote_url))


def _is_pending(request: HttpRequest, comment_id: str, *, now: datetime) -> bool:
    """Return whether a vote for the comment waits to be cast; it does so once."""
    # Once: going back to the page must not vote again.
    pending, since = request.session.pop(PENDING, ("", 0))
    is_in_time = now.timestamp() - int(since) <= PENDING_FOR.total_seconds()
    return is_in_time and str(pending) == comment_id


def _change_vote(
    request: HttpRequest, comment_id: str, comment: Item, *, is_helpful: bool
) -> int | None:
    """Cast the user's vote, or withdraw it; return the number of votes, None if it is not known."""
    user_id = user_id_of(request.user)
    try:
        with missing_as_404():
            if is_helpful:
                return cast_vote_on(comment, comment_id=comment_id, user_id=user_id)
            return withdraw_vote_on(comment, comment_id=comment_id, user_id=user_id)
    except OwnComment as error:
        raise Refusal(str(error)) from error


def _read_comment(_request: HttpRequest, _visitor: Visitor, comment_id: str) -> Item:
    return read_comment(comment_id)


@prefetch(_read_comment)
def _vote(request: HttpRequest, comment: Item, comment_id: str) -> HttpResponse:
    """Cast or withdraw a vote, and show the button with its new state."""
    is_helpful = request.POST.get("helpful") != "no"
    check_rate_limit(request)
    votes = _change_vote(request, comment_id, comment, is_helpful=is_helpful)
    if not wants_partial(request):
        return back(request, default=reverse("comments:comment", args=[comment_id]))
    context = {
        "comment": {"id": comment_id},
        "has_voted": is_helpful,
        "helpful": votes,
        "said": HELPFUL if is_helpful else _("Vote removed."),
    }
    return HttpResponse(render_jinja("comments/votes/voted.jinja", context))
