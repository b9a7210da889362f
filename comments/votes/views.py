"""The button to find a comment helpful."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from comments.store.comments import NoSuchComment, OwnComment
from comments.votes.services import take_back, vote
from comments.web.rate_limits import check_rate_limit
from dynamo.calls import clock
from dynamo.web.paging import wants_partial
from dynamo.web.refusals import Refusal
from shop.web.access import back, signed_in

GONE = gettext_lazy("There is no such comment. It may have been deleted.")


@require_POST
@signed_in
def vote_comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Cast a vote that a comment is helpful, or (``helpful=no``) take it back."""
    is_helpful = request.POST.get("helpful") != "no"
    check_rate_limit(request, now=clock.now())
    write = vote if is_helpful else take_back
    try:
        votes = write(comment_id=comment_id, username=request.user.get_username())
    except NoSuchComment as error:
        raise Http404(GONE) from error
    except OwnComment as error:
        raise Refusal(str(error)) from error
    if not wants_partial(request):
        return back(request, default=reverse("comment", args=[comment_id]))
    context = {
        "comment": {"id": comment_id},
        "is_user": True,
        "has_voted": is_helpful,
        "helpful": votes,
        "said": _("You find this comment helpful.")
        if is_helpful
        else _("Your vote is taken back."),
    }
    return render(request, "comments/votes/_helpful.html", context)
