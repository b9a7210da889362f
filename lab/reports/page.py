"""The page ``/lab/``: the figures of the last run, each design's beside its description."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dynamo.calls.meter import current_meter
from dynamo.lists.explain import explain_reads, prices
from dynamo.lists.runs import parse_timestamp
from dynamo.web.paging import in_dollars
from lab.reports.descriptions import DESCRIPTIONS, Description, anchor_of
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
    context = {
        "figures": run,
        "is_own": own is not None,
        "taken": parse_timestamp(str(run["taken_at"])) if run else None,
        "subjects": list(_subjects(figures)) if figures else (),
        "described": DESCRIPTIONS.values(),
        "explanation": explain_reads(current_meter()),
    }
    return render(request, "lab/lab.html", context)


@dataclass(frozen=True, slots=True)
class Amount:
    """Capacity units, the length of their bar, of 100, and what a million times cost."""

    units: float
    bar: int
    price: str


@dataclass(frozen=True, slots=True)
class DesignView:
    """A design, its description, and its figures.

    ``rows`` are its readings, each with the length of its bar, on the logarithmic scale of its
    subject. ``reads`` are the dearest page of each question, ``write`` is its first write.
    """

    anchor: str
    description: Description
    rows: Sequence[tuple[Facts, int]]
    reads: Sequence[Amount]
    write: Amount | None
    writings: Sequence[Facts]


@dataclass(frozen=True, slots=True)
class SubjectView:
    """What was compared on the same data; ``action`` is what was written.

    ``least`` are the units of a bar without length, ``most`` those of one of full length.
    """

    anchor: str
    heading: str
    question: str
    data: str
    questions: Facts
    designs: Sequence[DesignView]
    action: Value
    most: float
    least: float = LEAST_UNITS


def _subjects(figures: Results) -> Iterator[SubjectView]:
    """Prepare figures for the page; subjects that have no description are left out."""
    for name in figures.names("part"):
        found, described = figures.where(part=name), DESCRIPTIONS.get(name)
        designs = found.names("reader")
        if described is None or not described.designs.keys() >= set(designs):
            continue
        most = max(found.numbers("capacity_units"))
        questions = {str(row.list): row.value for row in found if row.metric == "about"}
        views = [
            _design(found, described.designs[one], name=one, questions=questions, most=most)
            for one in designs
        ]
        yield SubjectView(
            anchor=anchor_of(name),
            heading=described.heading,
            question=described.question,
            data=str(found.value("data")),
            questions=questions,
            designs=views,
            action=next((one["action"] for view in views for one in view.writings), ""),
            most=most,
        )


def _design(
    subject: Results, description: Description, *, name: str, questions: Facts, most: float
) -> DesignView:
    found = subject.where(reader=name)
    readings = [
        {
            "question": asked,
            "page": page,
            "pages": subject.where(list=asked).value("pages"),
            **of_page.facts(),
        }
        for (asked, page), of_page in found.by("list", "page").items()
        if isinstance(asked, str) and isinstance(page, int)
    ]
    writings = [
        {"action": str(action), **of_write.facts()}
        for (action,), of_write in found.where(page=None).by("list").items()
    ]
    written = found.where(page=None).numbers("capacity_units")
    return DesignView(
        anchor=f"{anchor_of(subject[0].part)}-{anchor_of(name)}",
        description=description,
        rows=[(one, _bar(float(one["capacity_units"]), most=most)) for one in readings],
        reads=[
            _amount(
                max(found.where(list=asked).numbers("capacity_units"), default=0.0),
                *(prices().reads, most),
            )
            for asked in questions
        ],
        write=_amount(written[0], prices().writes, most) if written else None,
        writings=writings,
    )


def _amount(units: float, price: Callable[[float], float], most: float) -> Amount:
    return Amount(units, _bar(units, most=most), in_dollars(price(units)))


def _bar(units: float, *, most: float) -> int:
    if units <= LEAST_UNITS or most <= LEAST_UNITS:
        return 0
    return round(FULL * log(units / LEAST_UNITS) / log(most / LEAST_UNITS))
