"""The page of the API's keys, for staff."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dynapages.calls import clock
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.security_log import log_event
from shop.api_keys.services import ApiKey, list_keys, revoke_key


def _read(_request: HttpRequest, _visitor: Visitor) -> list[ApiKey]:
    return list_keys()


@require_safe
@prefetch(_read, staff_only)
def api_keys(request: HttpRequest, keys: list[ApiKey]) -> HttpResponse:
    """Show all keys, without their secrets.

    A key is made by ``manage.py create_api_key``, as pages may be kept and copied.
    """
    return render(request, "shop/api_keys/api_keys.html", {"keys": keys})


@require_POST
@staff_only
def revoke(request: HttpRequest, key_id: str) -> HttpResponse:
    """Revoke a key, and return to the page of all.

    Programs that show it are refused from then on, in some processes about a second later.
    """
    if revoke_key(key_id, now=clock.now()):
        user = request.user.get_username()
        log_event("api-key-revoked", user=user, request=request, key=key_id)
        messages.success(request, _("The key is revoked."))
    else:
        messages.info(request, _("This key was revoked already."))
    return redirect("api_keys")
