"""The page of the comparison lab."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain_reads
from dynamo.lists.places import parse_timestamp
from lab.reports.descriptions import DESCRIPTIONS
from lab.reports.page import subjects_of
from lab.reports.storage import find_published, find_stored


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """Show the figures of the last run of ``manage.py compare``; before it, those of the docs."""
    own = find_stored()
    figures = own or find_published()
    context = {
        "figures": figures,
        "is_own": own is not None,
        "taken": parse_timestamp(figures.taken_at) if figures else None,
        "subjects": subjects_of(figures) if figures else (),
        "described": DESCRIPTIONS.values(),
        "explanation": explain_reads(current_meter()),
    }
    return render(request, "lab/lab.html", context)
