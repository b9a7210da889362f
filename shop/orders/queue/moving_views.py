"""Moves of many orders at once: those that were selected, or all of a status in steps."""

from collections.abc import Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dynamo.calls import clock
from dynamo.web.partials import render_list, wants_partial
from dynamo.web.refusals import Refusal
from shop.order_status import FORWARD, Move
from shop.orders.counts import queue_lengths
from shop.orders.moving import Moved, move_orders
from shop.orders.queue.listing import all_context, length_of, queue_pager
from shop.orders.queue.steps import move_page
from shop.orders.queue.views import queue_filter
from shop.web.access import staff_only
from shop.web.next_url import path_of_next

MOST_DIGITS = 9


@require_POST
@staff_only
def move_selected(request: HttpRequest) -> HttpResponse:
    """Move the selected orders, each on its own, and tell the outcome of each."""
    move = _move(request.POST.get("move", ""))
    order_ids = request.POST.getlist("order")
    if len(order_ids) > settings.PAGE_SIZE:
        raise Refusal(_("Select at most %(most)s orders.") % {"most": settings.PAGE_SIZE})
    results = move_orders(
        order_ids=order_ids,
        source=move.source,
        target=move.target,
        who=request.user.get_username(),
        now=clock.now(),
    )
    context = {
        **_outcomes(move, results),
        "back_url": path_of_next(request, default=reverse("staff_orders")),
    }
    pages = ("shop/orders/queue/moved.html", "shop/orders/queue/_moved.html")
    return render_list(request, *pages, context)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def move_all(request: HttpRequest) -> HttpResponse:
    """Ask before all orders of a status are moved; each POST moves a page of them."""
    chosen = queue_filter(request)
    context = all_context(chosen, None)
    if context is None:
        sentence = _("Choose one status of the queue to move all its orders.")
        raise Refusal(sentence, first_url=reverse("staff_orders"))
    if request.method != "POST":
        context |= {"count": length_of(chosen, queue_lengths()), "passed": None, "results": ()}
        return render(request, "shop/orders/queue/all.html", context)
    pager = queue_pager(chosen)
    asked = pager.requested(request.POST, size=settings.PAGE_SIZE)
    who = request.user.get_username()
    done = move_page(chosen, asked, move=context["move"], who=who, now=clock.now())
    entries = done.page.entries
    passed = entries[-1].position.ordinal or 0 if entries else 0
    context |= {
        **_outcomes(context["move"], done.results),
        "count": _number(request.POST.get("count", "")),
        "passed": passed,
        "start": passed - len(done.results) + 1,
        "after": pager.token_behind(done.page) if done.page.has_next else None,
    }
    page = "_step.html" if wants_partial(request) else "all.html"
    return render(request, f"shop/orders/queue/{page}", context)


def _move(target: str) -> Move:
    for move in FORWARD:
        if move.target == target:
            return move
    allowed = ", ".join(move.target.value for move in FORWARD)
    sentence = _("You cannot move several orders to “%(status)s”: choose from %(allowed)s.")
    raise Refusal(sentence % {"status": target, "allowed": allowed})


def _outcomes(move: Move, results: Sequence[Moved]) -> dict[str, object]:
    moved = sum(not result.refusal for result in results)
    return {"move": move, "results": results, "moved": moved, "status": move.target.in_words}


def _number(text: str) -> int | None:
    """Return the count that the first page showed, for the progress alone."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None
