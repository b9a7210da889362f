"""The page of the comparison lab."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain_reads
from lab.designs.descriptions import DESCRIPTIONS
from lab.designs.keeping import find_kept
from lab.designs.page import lab_view


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """Show what the last run of ``manage.py compare`` found, to everyone; before, only words."""
    figures = find_kept()
    context = {
        "lab": lab_view(figures) if figures else None,
        "described": DESCRIPTIONS.values(),
        "explanation": explain_reads(current_meter()),
    }
    return render(request, "lab/lab.html", context)
