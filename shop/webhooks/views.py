"""The page of the webhooks, for staff: all there are, and a form for a new one."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dynapages.calls import clock
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.security_log import log_event
from shop.webhooks.forms import WebhookForm
from shop.webhooks.known import Webhook, list_webhooks
from shop.webhooks.owing import owe_test
from shop.webhooks.services import (
    WebhookRefused,
    create_webhook,
    delete_webhook,
    find_webhook,
)


def _read(_request: HttpRequest, _visitor: Visitor) -> list[Webhook]:
    return list_webhooks()


@require_http_methods(["GET", "HEAD", "POST"])
@prefetch(_read, staff_only)
def webhooks(request: HttpRequest, stored: list[Webhook]) -> HttpResponse:
    """Show all webhooks, or create one: its secret is on the answer alone."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"form": form, "webhooks": stored}
    if not form.is_bound:
        return render(request, "shop/webhooks/webhooks.html", context)
    if form.is_valid():
        try:
            made = create_webhook(**form.cleaned_data, now=clock.now())
        except WebhookRefused as error:
            form.add_error(None, str(error))
        else:
            user = request.user.get_username()
            log_event("webhook-made", user=user, request=request, webhook=made.webhook.id)
            context = {
                "form": WebhookForm(),
                "webhooks": [*stored, made.webhook],
                "made": made,
            }
            return render(request, "shop/webhooks/webhooks.html", context)
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    return render(request, "shop/webhooks/webhooks.html", context, status=status)


@require_POST
@staff_only
def delete(request: HttpRequest, webhook_id: str) -> HttpResponse:
    """Delete a webhook, and return to the page of all."""
    if delete_webhook(webhook_id):
        user = request.user.get_username()
        log_event("webhook-deleted", user=user, request=request, webhook=webhook_id)
        messages.success(request, _("The webhook is deleted."))
    else:
        messages.info(request, _("This webhook was deleted already."))
    return redirect("webhooks")


@require_POST
@staff_only
def send_test(request: HttpRequest, webhook_id: str) -> HttpResponse:
    """Have a test event sent to a webhook, and return to the page of all."""
    if find_webhook(webhook_id) is None:
        messages.info(request, _("This webhook was deleted already."))
    else:
        owe_test(webhook_id, now=clock.now())
        messages.success(request, _("The test event is on its way."))
    return redirect("webhooks")
