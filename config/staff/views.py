"""The overview of staff, and the page of a customer."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from comments.users import profile_url
from config.staff.charts import average_text, charts_of
from config.staff.customers import Customer, read_customer, require_known, statuses_of
from config.staff.overview import Overview, read_overview, waiting_in
from dynapages.calls import clock
from dynapages.django.access import Visitor, prefetch, staff_only
from shop.activity.day_counts import DayCount
from shop.activity.filters import ActivityFilter, activity_url
from shop.days import DAY, Days


def _read_overview(_request: HttpRequest, _visitor: Visitor) -> Overview:
    return read_overview(clock.now())


@require_safe
@prefetch(_read_overview, staff_only)
def overview(request: HttpRequest, read: Overview) -> HttpResponse:
    """Show what waits, the last days in charts and as a table, and where else staff go."""
    context = {
        "waiting": waiting_in(read, clock.now()),
        "requests": read.requests,
        "charts": charts_of(read.days),
        "first_day": read.days[0].day,
        "last_day": read.days[-1].day,
        "days": [(day, _url_of(day), average_text(day.average)) for day in reversed(read.days)],
    }
    return render(request, "staff/overview.html", context)


def _url_of(count: DayCount) -> str:
    """Return the address of what the activity log has of a day."""
    return activity_url(ActivityFilter(days=Days(count.day, count.day + DAY)))


def _read_customer(_request: HttpRequest, _visitor: Visitor, username: str) -> Customer:
    return read_customer(username)


@require_safe
@prefetch(_read_customer, staff_only)
def customer(request: HttpRequest, read: Customer, username: str) -> HttpResponse:
    """Show a customer's newest orders and comments, with links to all of them."""
    require_known(read)
    context = {
        "owner": username,
        "orders": read.newest_orders,
        "order_count": read.order_count,
        "statuses": statuses_of(read),
        "orders_url": reverse("staff_customer_orders", args=[username]),
        "written": read.newest_comments,
        "comment_count": read.comment_count,
        "comments_url": profile_url(username),
    }
    return render(request, "staff/customer.html", context)
