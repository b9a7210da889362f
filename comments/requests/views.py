"""The page on which a user chooses whether to be asked for reviews by e-mail."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from comments.requests.links import YES, choice_token, user_id_of_choice
from comments.requests.queries import is_muted
from comments.requests.services import choose
from comments.users import find_user, user_id_of
from dynapages.calls import clock
from dynapages.django.access import signed_in

WANTED = "wanted"
"""The field that says what is chosen: ``yes`` to be asked."""


@require_safe
@signed_in
def own_choice(request: HttpRequest) -> HttpResponse:
    """Show whether the signed-in user is asked for reviews; a form changes that."""
    user_id = user_id_of(request.user)
    return _show_choice(request, choice_token(user_id), is_asked=not is_muted(user_id))


@csrf_exempt  # mail programs send it, without a session (RFC 8058): what is signed is enough
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def choice_by_token(request: HttpRequest, token: str) -> HttpResponse:
    """Show whether a user is asked for reviews; a form changes that (``wanted=yes``)."""
    user_id = user_id_of_choice(token)
    # Nothing is stored about somebody whose data was erased.
    if find_user(user_id) is None:
        raise Http404(_("This link is no longer valid"))
    if request.method != "POST":
        return _show_choice(request, token, is_asked=not is_muted(user_id))
    is_asked = request.POST.get(WANTED) == YES
    choose(user_id, is_muted=not is_asked, now=clock.now())
    return _show_choice(request, token, is_asked=is_asked)


def _show_choice(request: HttpRequest, token: str, *, is_asked: bool) -> HttpResponse:
    context = {"token": token, "is_asked": is_asked}
    response = render(request, "comments/requests/choice.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response
