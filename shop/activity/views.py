"""The activity log, for staff."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dynamo.calls import clock
from dynamo.lists.reader import PageRequest, PageResult
from dynamo.lists.runs import timestamp
from dynamo.web.formats import CsvPage, csv_response
from dynamo.web.paging import ListRequest, show_page
from dynamo.web.refusals import Refusal
from shop.activity.entries import BadActivityFilter, Kind, LogEntry, parse_kinds
from shop.activity.listing import (
    PLAN,
    activity_pager,
    activity_row,
    activity_url,
    all_kinds,
    kind_toggles,
    list_activity,
    products_in,
)
from shop.web.access import prefetch, staff_only
from shop.web.visitor import Visitor

COLUMNS = ("moment", "kind", "action", "who", "subject", "about", "was", "became")
Asked = ListRequest[Sequence[Kind], PageResult[LogEntry]]


def _read(request: HttpRequest, _visitor: Visitor) -> Asked:
    kinds = _kinds(request)
    asked = activity_pager(kinds).requested(request.GET, size=settings.PAGE_SIZE)
    return ListRequest(kinds, asked, list_activity(kinds, asked, now=clock.now()))


@require_safe
@prefetch(_read, staff_only)
def activity(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Show what happened to orders and comments, newest first (P3)."""
    kinds, found = asked.chosen, asked.result
    return show_page(
        request,
        activity_pager(kinds),
        asked.page,
        found.page,
        templates=("shop/activity/activity.html", "shop/activity/_activity.html"),
        context=lambda: _context(kinds, found.items),
        plan=PLAN,
    )


@require_safe
@staff_only
def activity_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Answer with the log of the chosen kinds, as far as it is kept, as CSV."""
    kinds, now = _kinds(request), clock.now()

    def read(asked: PageRequest) -> CsvPage:
        found = list_activity(kinds, asked, now=now)
        return PageResult(tuple(map(_row, found.items)), found.page)

    return csv_response("activity", COLUMNS, read)


def _row(entry: LogEntry) -> tuple[object, ...]:
    return (
        *(timestamp(entry.moment), entry.kind.value, entry.action.name, entry.who),
        *(entry.subject, entry.about, entry.was, entry.became),
    )


def _context(kinds: Sequence[Kind], entries: Sequence[LogEntry]) -> dict[str, Any]:
    products = products_in(entries)
    return {
        "heading": _("Activity"),
        "csv_url": activity_url(kinds, name="activity_csv"),
        "rows": [activity_row(entry, products) for entry in entries],
        "tabs": kind_toggles(kinds),
        "all_kinds": all_kinds(kinds),
    }


def _kinds(request: HttpRequest) -> tuple[Kind, ...]:
    try:
        return parse_kinds(request.GET.getlist("kind"))
    except BadActivityFilter as error:
        raise Refusal(str(error), first_url=reverse("activity")) from error
