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
from dynapages.django.csv_lists import CsvPage, csv_response
from dynapages.django.paging import ListResult, show_page
from dynapages.django.refusals import Refusal
from dynapages.lists import PageRequest, PageResult, timestamp
from shop.activity.entries import LogEntry
from shop.activity.filters import ActivityFilter, activity_pager
from shop.activity.listing import activity_row, list_context
from shop.activity.queries import PLAN, list_activity, within_limit
from shop.days import BadListFilter, url_without_blanks

CSV_COLUMNS = ("moment", "kind", "action", "who", "subject", "about", "was", "became")
ActivityResult = ListResult[ActivityFilter, PageResult[LogEntry]]


def _read(request: HttpRequest, _visitor: Visitor) -> ActivityResult:
    """Read the page of the log that the URL asks for, while the visitor is looked up."""
    chosen = _filter(request)
    page_request = activity_pager(chosen).requested(request.GET, size=settings.PAGE_SIZE)
    page_request = within_limit(page_request, chosen.kinds)
    result = list_activity(chosen.kinds, page_request, days=chosen.days, now=clock.now())
    return ListResult(chosen, page_request, result)


@require_safe
@prefetch(_read, staff_only)
def activity(request: HttpRequest, read: ActivityResult) -> HttpResponse:
    """Show what happened to orders and comments, newest first (P3)."""
    url = url_without_blanks(request)
    if url:
        return redirect(url)
    return show_page(
        request,
        activity_pager(read.filter),
        read.page_request,
        read.result.page,
        templates=("shop/activity/activity.html", "shop/activity/_activity.html"),
        context=lambda: _context(read.filter, read.result),
        plan=PLAN,
    )


@require_safe
@staff_only
def activity_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Answer with the log of the chosen kinds and days, as far as it is kept, as CSV."""
    chosen = _filter(request)
    # One moment for all pages of the file, so that its months stay the same.
    now = clock.now()

    def read_rows(page_request: PageRequest) -> CsvPage:
        """Read a page of the file's rows."""
        result = list_activity(chosen.kinds, page_request, days=chosen.days, now=now)
        return PageResult(tuple(_csv_row(entry) for entry in result.items), result.page)

    return csv_response("activity", CSV_COLUMNS, read_rows)


def _csv_row(entry: LogEntry) -> tuple[object, ...]:
    """Return the cells of an entry, one for each of `CSV_COLUMNS`."""
    return (
        timestamp(entry.moment),
        entry.kind.value,
        entry.action.name,
        entry.who,
        entry.subject,
        entry.about,
        entry.was,
        entry.became,
    )


def _context(chosen: ActivityFilter, result: PageResult[LogEntry]) -> dict[str, Any]:
    """Build what the template shows of a page of the log."""
    return {
        "heading": _("Activity"),
        "rows": [activity_row(entry) for entry in result.items],
        "reads_on": result.page.cut_at is not None,
        **list_context(chosen, today=clock.now().date()),
    }


def _filter(request: HttpRequest) -> ActivityFilter:
    """Return what the URL narrows the log to. Raises Refusal."""
    query = request.GET
    try:
        return ActivityFilter.parse(
            kinds=query.getlist("kind"), since=query.get("from", ""), until=query.get("to", "")
        )
    except BadListFilter as error:
        raise Refusal(str(error), first_url=reverse("activity")) from error
