"""The page of what was given up, for staff: what the worker was to do, and could not."""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from operator import attrgetter

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.refusals import Refusal
from dynapages.django.work import queue_named, queues
from dynapages.process import pool
from dynapages.work import Queue, worker

MOST_SHOWN = 100
"""Of each queue, those that were given up first."""
_SORT_KEY = re.compile(r"[0-9TZ:.-]{27}#[0-9a-f]{16}")
"""Of an item of a queue: a moment and a random part."""
RETRY, DISCARD = "retry", "discard"


@dataclass(frozen=True, slots=True)
class GivenUp:
    """What a row of the page shows; not the payload, which may name somebody."""

    queue: str
    id: str
    kind: str
    owed_at: datetime
    given_up_at: datetime
    attempts: int
    failure: str


def _read_given_up(_request: HttpRequest, _visitor: Visitor) -> list[GivenUp]:
    """Read what all queues have given up, in one round; what was given up first comes first."""
    rows: list[GivenUp] = []
    for rows_of_queue in pool().map(_rows_of, queues()):
        rows += rows_of_queue
    return sorted(rows, key=attrgetter("given_up_at"))


def _rows_of(queue: Queue) -> list[GivenUp]:
    rows = []
    for dead in islice(queue.dead(), MOST_SHOWN):
        row = GivenUp(
            queue=queue.name,
            id=dead.sort_key,
            kind=dead.kind,
            owed_at=dead.owed_at,
            given_up_at=dead.moment,
            attempts=dead.attempts,
            failure=dead.failure,
        )
        rows.append(row)
    return rows


@require_safe
@prefetch(_read_given_up, staff_only)
def given_up(request: HttpRequest, rows: list[GivenUp]) -> HttpResponse:
    """Show what was given up, each with buttons to try it again and to discard it."""
    return render(request, "work/given_up.html", {"rows": rows})


@require_POST
@staff_only
def decide(request: HttpRequest) -> HttpResponse:
    """Have something that was given up tried again at once, or discard it; return to the page.

    Raises Refusal for what no form of the page sends.
    """
    # Each of these is a button's own value: what differs was sent by hand.
    queue = queue_named(request.POST.get("queue", ""))
    sort_key = request.POST.get("id", "")
    decision = request.POST.get("decision", "")
    if queue is None or not _SORT_KEY.fullmatch(sort_key) or decision not in {RETRY, DISCARD}:
        raise Refusal(_("Choose what to do on the page of what was given up."))
    dead = queue.find_dead(sort_key)
    if dead is None:
        messages.info(request, _("Somebody else has decided on this already."))
    elif decision == DISCARD:
        queue.discard(dead)
        messages.success(request, _("Discarded: it will not be done."))
    else:
        again = queue.retry(dead)
        if again:
            worker().wake(again)
        messages.success(request, _("It is being tried again."))
    return redirect("work")
