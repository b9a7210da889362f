"""The activity log, for staff."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain
from dynamo.web.partials import render_list
from dynamo.web.refusals import Refusal
from shop.activity.entries import Kind
from shop.activity.filters import BadActivityFilter, parse_kinds
from shop.activity.listing import activity_listing, activity_pager
from shop.activity.queries import PLAN, list_activity, products_in
from shop.web.access import staff_only


@require_safe
@staff_only
def activity(request: HttpRequest) -> HttpResponse:
    """Show what happened to orders and comments, newest first (P3)."""
    kinds = _kinds(request)
    pager = activity_pager(kinds)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found = list_activity(kinds, asked, now=timezone.now())
    if pager.overshot(found.page, asked):
        return redirect(pager.first_url)
    context = {
        "listing": activity_listing(
            kinds, found, products=products_in(found.entries), request=asked
        ),
        "explanation": explain(found.page, plan=PLAN, meter=current_meter()),
    }
    return render_list(
        request, "shop/activity/activity.html", "shop/activity/_activity.html", context
    )


def _kinds(request: HttpRequest) -> tuple[Kind, ...]:
    try:
        return parse_kinds(request.GET.getlist("kind"))
    except BadActivityFilter as error:
        raise Refusal(str(error), first_url=reverse("activity")) from error
