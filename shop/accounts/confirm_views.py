"""The page behind a link that confirms an e-mail address."""

from http import HTTPStatus

from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dynamo.web.addresses import site_of
from shop.accounts.confirming import Confirmed, confirm, in_token
from shop.accounts.letters import queue_letter
from shop.accounts.services import StaleAccount
from shop.web.security_log import log_event

TEMPLATE = "shop/accounts/confirm_email.html"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_email(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether an address is to be confirmed, because mail programs follow links; confirm it."""
    try:
        username, address = in_token(token)
    except BadSignature:
        return _refused(request)
    if request.method != "POST":
        context = {"may_confirm": True, "username": username, "address": address}
        return render(request, TEMPLATE, context | {"heading": _("Is this your address?")})
    try:
        confirmed = confirm(username, address)
    except StaleAccount as error:
        return _answer(request, str(error), status=HTTPStatus.CONFLICT)
    if confirmed is None:
        return _refused(request)
    if not confirmed.is_news:
        return _answer(request, _("Your address is confirmed already"))
    _tell(request, username, confirmed)
    return _answer(request, _("Your address is confirmed"))


def _tell(request: HttpRequest, username: str, confirmed: Confirmed) -> None:
    log_event("email-confirmed", user=username, request=request)
    if confirmed.given_up:
        queue_letter("moved", username, site_of(request), given_up=confirmed.given_up)


def _refused(request: HttpRequest) -> HttpResponse:
    return _answer(
        request,
        _("This link no longer works"),
        about=_("It is too old, or another address or a new password was chosen since."),
    )


def _answer(
    request: HttpRequest, heading: str, *, about: str = "", status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    return render(request, TEMPLATE, {"heading": heading, "about": about}, status=status)
