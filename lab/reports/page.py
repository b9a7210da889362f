"""The page ``/lab/``: the figures of the last run, each design's beside its description."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import log

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain_reads, prices
from dynamo.lists.runs import parse_timestamp
from dynamo.web.paging import in_dollars
from lab.reports.descriptions import (
    ENGLISH,
    Description,
    SubjectDescription,
    anchor_of,
    describe_subjects,
)
from lab.reports.results import RUN, Results, Value
from lab.reports.storage import find_published, find_stored

LEAST_UNITS = 0.25
"""Capacity units of a bar without length: half of what the cheapest read costs."""
FULL = 100
Facts = Mapping[str, Value]
"""Values by their metrics, and the name and page of what they are about."""


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """Show the figures of the last run of ``manage.py compare``; before it, those of the docs."""
    own = find_stored()
    figures = own or find_published()
    run = figures.where(part=RUN).facts() if figures else {}
    described = describe_subjects(get_language() or ENGLISH)
    context = {
        "figures": run,
        "is_own": own is not None,
        "taken": parse_timestamp(str(run["taken_at"])) if run else None,
        "subjects": list(_subjects(figures, described)) if figures else (),
        "described": described.values(),
        "explanation": explain_reads(current_meter()),
    }
    return render(request, "lab/lab.html", context)


@dataclass(frozen=True, slots=True)
class Amount:
    """Capacity units, the length of their bar, of 100, and what a million times cost."""

    units: float
    bar: int
    price: str


def _subjects(
    figures: Results, descriptions: Mapping[str, SubjectDescription]
) -> Iterator[dict[str, object]]:
    """Prepare figures for the page; subjects that have no description are left out.

    ``least`` are the units of a bar without length, ``most`` those of one of full length, on the
    logarithmic scale of the subject. ``action`` is what was written.
    """
    for name in figures.names("part"):
        found, described = figures.where(part=name), descriptions.get(name)
        designs = found.names("reader")
        if described is None or not described.designs.keys() >= set(designs):
            continue
        most = max(found.numbers("capacity_units"))
        questions = {str(row.list): row.value for row in found.where(metric="about")}
        yield {
            "anchor": anchor_of(name),
            "heading": described.heading,
            "question": described.question,
            "data": found.value("data"),
            "questions": questions,
            "designs": [
                _design(found, described.designs[one], name=one, questions=questions, most=most)
                for one in designs
            ],
            "action": next(iter(_writes(found).names("list")), ""),
            "least": LEAST_UNITS,
            "most": most,
        }


def _writes(found: Results) -> Results:
    return Results(row for row in found.where(page=None) if row.reader is not None)


def _design(
    subject: Results, description: Description, *, name: str, questions: Facts, most: float
) -> dict[str, object]:
    """Return a design's figures.

    ``rows`` are its readings, each with the length of its bar. ``reads`` are the dearest page of
    each question, ``write`` is its first write.
    """
    found = subject.where(reader=name)
    readings = [
        (
            {
                "question": asked,
                "page": page,
                "pages": subject.where(list=asked).value("pages"),
                **of_page.facts(),
            },
            _bar(of_page.number("capacity_units"), most=most),
        )
        for (asked, page), of_page in found.by("list", "page").items()
        if page is not None
    ]
    written = _writes(found)
    units, reads = written.numbers("capacity_units"), prices().reads
    dearest = (found.where(list=asked).numbers("capacity_units") for asked in questions)
    return {
        "anchor": f"{anchor_of(subject[0].part)}-{anchor_of(name)}",
        "description": description,
        "rows": readings,
        "reads": [_amount(max(of_pages, default=0.0), reads, most) for of_pages in dearest],
        "write": _amount(units[0], prices().writes, most) if units else None,
        "writings": [
            {"action": action, **of_write.facts()}
            for (action,), of_write in written.by("list").items()
        ],
    }


def _amount(units: float, price: Callable[[float], float], most: float) -> Amount:
    return Amount(units, _bar(units, most=most), in_dollars(price(units)))


def _bar(units: float, *, most: float) -> int:
    if units <= LEAST_UNITS or most <= LEAST_UNITS:
        return 0
    return round(FULL * log(units / LEAST_UNITS) / log(most / LEAST_UNITS))
