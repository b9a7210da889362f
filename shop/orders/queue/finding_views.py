"""The search of staff for an order or a customer."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from shop.orders.queue.finding import find_order_or_customers
from shop.web.access import staff_only


@require_safe
@staff_only
def find(request: HttpRequest) -> HttpResponse:
    """Lead to the order or the customer that was typed; show a choice, or that there is none."""
    typed = request.GET.get("q", "").strip()
    found = find_order_or_customers(typed)
    if found.order_id:
        return redirect("order", found.order_id)
    if len(found.usernames) == 1:
        return redirect("staff_customer_orders", found.usernames[0])
    context = {"typed": typed, "usernames": found.usernames}
    return render(request, "shop/orders/queue/find.html", context)
