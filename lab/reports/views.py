"""The page of the comparison lab."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain_reads
from lab.reports.descriptions import DESCRIPTIONS
from lab.reports.page import lab_view
from lab.reports.storage import find_stored


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """Show the figures of the last run of ``manage.py compare``; before it, only descriptions."""
    figures = find_stored()
    context = {
        "lab": lab_view(figures) if figures else None,
        "described": DESCRIPTIONS.values(),
        "explanation": explain_reads(current_meter()),
    }
    return render(request, "lab/lab.html", context)
