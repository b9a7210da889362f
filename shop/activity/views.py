"""The activity log, for staff."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dynapages.calls import clock
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.formats import CsvPage, csv_response
from dynapages.django.paging import ListResult, show_page
from dynapages.django.refusals import Refusal
from dynapages.lists import PageRequest, PageResult, timestamp
from shop.activity.entries import LogEntry
from shop.activity.listing import (
    PLAN,
    ActivityFilter,
    activity_pager,
    activity_row,
    list_activity,
    list_context,
    within_limit,
)
from shop.days import BadListFilter, url_without_blanks

COLUMNS = ("moment", "kind", "action", "who", "subject", "about", "was", "became")
Asked = ListResult[ActivityFilter, PageResult[LogEntry]]


def _read(request: HttpRequest, _visitor: Visitor) -> Asked:
    chosen = _filter(request)
    asked = activity_pager(chosen).requested(request.GET, size=settings.PAGE_SIZE)
    asked = within_limit(asked, chosen.kinds)
    found = list_activity(chosen.kinds, asked, days=chosen.days, now=clock.now())
    return ListResult(chosen, asked, found)


@require_safe
@prefetch(_read, staff_only)
def activity(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Show what happened to orders and comments, newest first (P3)."""
    chosen, found = asked.filter, asked.result
    if url := url_without_blanks(request):
        return redirect(url)
    return show_page(
        request,
        activity_pager(chosen),
        asked.page_request,
        found.page,
        templates=("shop/activity/activity.html", "shop/activity/_activity.html"),
        context=lambda: _context(chosen, found),
        plan=PLAN,
    )


@require_safe
@staff_only
def activity_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Answer with the log of the chosen kinds and days, as far as it is kept, as CSV."""
    chosen, now = _filter(request), clock.now()

    def read(asked: PageRequest) -> CsvPage:
        found = list_activity(chosen.kinds, asked, days=chosen.days, now=now)
        return PageResult(tuple(map(_row, found.items)), found.page)

    return csv_response("activity", COLUMNS, read)


def _row(entry: LogEntry) -> tuple[object, ...]:
    return (
        *(timestamp(entry.moment), entry.kind.value, entry.action.name, entry.who),
        *(entry.subject, entry.about, entry.was, entry.became),
    )


def _context(chosen: ActivityFilter, found: PageResult[LogEntry]) -> dict[str, Any]:
    return {
        "heading": _("Activity"),
        "rows": [activity_row(entry) for entry in found.items],
        "reads_on": found.page.cut_at is not None,
        **list_context(chosen),
    }


def _filter(request: HttpRequest) -> ActivityFilter:
    query = request.GET
    try:
        return ActivityFilter.parse(
            kinds=query.getlist("kind"), since=query.get("from", ""), until=query.get("to", "")
        )
    except BadListFilter as error:
        raise Refusal(str(error), first_url=reverse("activity")) from error
