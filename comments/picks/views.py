"""The button with which staff pick a comment for its product's page."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from comments.activity_log import moderated
from comments.picks.services import feature, unfeature
from comments.store.comments import NoSuchComment
from comments.web.rate_limits import check_staff_rate_limit
from dynamo.calls import clock
from dynamo.web.partials import notify, wants_partial
from shop.activity.entries import LogVerb
from shop.web.access import staff_only

GONE = gettext_lazy("There is no such comment. It may have been deleted or hidden.")


@require_POST
@staff_only
def feature_comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Pick a comment for its product's page, or (``featured=no``) take that back."""
    is_pick, now = request.POST.get("featured") != "no", clock.now()
    check_staff_rate_limit(request, now=now)
    try:
        is_new = (feature if is_pick else unfeature)(comment_id)
    except NoSuchComment as error:
        raise Http404(GONE) from error
    if is_new:
        action = LogVerb.PICKED if is_pick else LogVerb.UNPICKED
        moderated(action, comment_id=comment_id, who=request.user.get_username(), at=now)
    said = _("The comment is picked.") if is_pick else _("The comment is no longer picked.")
    if not wants_partial(request):
        messages.success(request, said)
        return redirect(reverse("comment", args=[comment_id]))
    context = {"comment": {"id": comment_id, "is_pick": is_pick}}
    return notify(render(request, "comments/picks/_pick_button.html", context), said)
