"""The page behind a link that confirms an e-mail address."""

from http import HTTPStatus

from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from shop.accounts.confirming import confirm, in_token
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
        return _answer(request, "That link no longer works")
    if request.method != "POST":
        context = {"may_confirm": True, "username": username, "address": address}
        return render(request, TEMPLATE, context | {"heading": "Is this your address?"})
    try:
        is_confirmed = confirm(username, address)
    except StaleAccount as error:
        return _answer(request, str(error), status=HTTPStatus.CONFLICT)
    if not is_confirmed:
        return _answer(request, "That link no longer works")
    log_event("email-confirmed", user=username, request=request)
    return _answer(request, "Your address is confirmed")


def _answer(
    request: HttpRequest, heading: str, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    return render(request, TEMPLATE, {"heading": heading}, status=status)
