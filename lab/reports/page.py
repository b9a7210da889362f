"""The page ``/lab/``: the figures of the last run, each design's beside its description."""

import bz2
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from math import log
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_noop, override
from django.views.decorators.http import require_safe
from pynamodb.attributes import BinaryAttribute

from comments.filters import language_name
from comments.host import COMMENTS
from dynapages.calls import current_meter, labelled_calls
from dynapages.django.paging import grouped, render_page
from dynapages.lists import explain_reads, parse_timestamp, prices
from lab.reports.results import RUN, Results, Value
from lab.reports.verdicts import SIZES, VIEWS, DesignCost, judge
from shop import keys
from shop.models import ShopItem

ENGLISH = "en"
ANY_MODEL = "any"


@dataclass(frozen=True, slots=True)
class Description:
    """A design's title, three sentences, and its page and heading in the documentation.

    ``used_by`` is the read model of the site that has it, or ``any`` of them; empty where none has.
    ``because`` tells why it has one that is not the cheapest. A design that ``reads_table`` reads
    all of it for each page.
    """

    title: str
    text: str
    document: str
    used_by: str = ""
    because: str = ""
    reads_table: bool = False

    @property
    def is_used_here(self) -> bool:
        """Whether this shop reads its lists so."""
        return self.used_by in {ANY_MODEL, COMMENTS["READ_MODEL"]}


@dataclass(frozen=True, slots=True)
class SubjectDescription:
    """What is compared: a heading, the question, and the designs by their names."""

    heading: str
    question: str
    designs: Mapping[str, Description]


@lru_cache(maxsize=8)
def describe_subjects(language: str = ENGLISH) -> Mapping[str, SubjectDescription]:
    """Return all descriptions in a language, by the names of the subjects that are measured.

    They are a template, ``lab/designs.txt``, because that is where gettext finds sentences.
    """
    with override(language):
        found = tomllib.loads(render_to_string("lab/designs.txt"))
    return {
        name: SubjectDescription(
            one["heading"],
            one["question"],
            {design: Description(**about) for design, about in one["designs"].items()},
        )
        for name, one in found.items()
    }


def anchor_of(name: str) -> str:
    """Return a subject's or design's name as file names and anchors have it."""
    return name.replace(" ", "-")


LABEL = "figures"
PUBLISHED = Path("lab", "figures.jsonl")
"""Below ``docs``."""


class StoredFigures(ShopItem):
    """What the last run found: rows as JSON lines, compressed."""

    figures = BinaryAttribute(legacy_encoding=False)


def store(figures: Results) -> None:
    """Store figures in the place of those of the run before."""
    compressed = bz2.compress(figures.as_lines().encode())
    StoredFigures(pk=keys.LAB, sk=keys.LAB, figures=compressed).save()


def find_stored() -> Results | None:
    """Return the figures of the last run.

    None where there was none, or only one of a version whose figures had another shape.
    """
    with labelled_calls(LABEL):
        try:
            stored = StoredFigures.get(keys.LAB, keys.LAB)
        except StoredFigures.DoesNotExist:
            return None
    try:
        return Results.of_lines(bz2.decompress(stored.figures).decode())
    except (OSError, ValueError, TypeError):
        return None


@lru_cache(maxsize=1)
def find_published() -> Results | None:
    """Return the figures of the documentation; None where the site runs without it."""
    path = settings.BASE_DIR / "docs" / PUBLISHED
    return Results.of_lines(path.read_text()) if path.exists() else None


def publish(figures: Results, folder: Path) -> Path:
    """Write figures into the documentation in a folder; return the file."""
    path = folder / PUBLISHED
    path.write_text(figures.as_lines())
    return path


SENTENCES = (
    gettext_noop(
        "{} comments of the sample shop; the lists are those of one product, with {} of them."
    ),
    gettext_noop("{} star, in any language: {} of {}"),
    gettext_noop("{} star, in {}: {} of {}"),
    gettext_noop("{} stars, in any language: {} of {}"),
    gettext_noop("{} stars, in {}: {} of {}"),
    gettext_noop("{}, {}, {} or {} stars, in any language: {} of {}"),
    gettext_noop(
        "{} orders, made for this: {} of one customer, who is asked about, "
        "and {} open ones of others."
    ),
    gettext_noop("{} of the customer's {} orders"),
    gettext_noop("The same {} orders; sharded, each of {} open statuses lies in {} partitions."),
    gettext_noop("{} open orders"),
    gettext_noop("{} comments on one product, made for this, of {} letters on average."),
    gettext_noop("a page of the product's comments, of which it shows the first lines"),
    gettext_noop("a single comment by its id, with its whole text"),
    gettext_noop(
        "Other work was running (load average {} before the start): "
        "the times are distorted, the costs are not."
    ),
)
"""What a run stores in English, with places for its numbers and for the languages in quotes."""
_VALUE = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|“[^”]*”")


def in_own_words(stored: Value) -> SafeString:
    """Return a sentence that a run stored, in the visitor's language; else marked as English."""
    pattern = _VALUE.sub("{}", str(stored))
    if pattern not in SENTENCES:
        return format_html('<span lang="en">{}</span>', stored)
    values = [_localized(value) for value in _VALUE.findall(str(stored))]
    return format_html("{}", gettext(pattern).format(*values))


def _localized(value: str) -> str:
    number = value.replace(",", "")
    if number.isdecimal():
        return grouped(int(number))
    return grouped(float(number)) if number[:1].isdecimal() else language_name(value.strip("“”"))


LEAST_UNITS = 0.25
"""Capacity units of a bar without length: half of what the cheapest read costs."""
FULL = 100


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """Show the figures of the last run of ``manage.py compare``; before it, those of the docs."""
    own = find_stored()
    figures = own or find_published()
    run = figures.where(part=RUN).facts() if figures else {}
    described = describe_subjects(get_language() or ENGLISH)
    context = {
        "figures": run,
        "warning": in_own_words(run["warning"]) if run.get("warning") else "",
        "is_own": own is not None,
        "taken": parse_timestamp(str(run["taken_at"])) if run else None,
        "subjects": list(_subjects(figures, described)) if figures else (),
        "described": described.values(),
        "sizes": SIZES,
        "views": VIEWS,
        "prices": prices(),
        "explain": partial(explain_reads, current_meter()),
    }
    return render_page(request, "lab/lab.html", context)


def _subjects(
    figures: Results, descriptions: Mapping[str, SubjectDescription]
) -> Iterator[dict[str, object]]:
    """Prepare figures for the page; subjects that have no description are left out."""
    for name in figures.names("part"):
        found, described = figures.where(part=name), descriptions.get(name)
        designs = found.names("reader")
        if described is None or not described.designs.keys() >= set(designs):
            continue
        most = max(found.numbers("capacity_units"))
        prepared = [_design(found, described.designs[one], name=one, most=most) for one in designs]
        verdict = judge([design["cost"] for design in prepared])
        yield {
            "anchor": anchor_of(name),
            "heading": described.heading,
            "question": described.question,
            "data": in_own_words(found.value("data")),
            "questions": {
                str(row.list): in_own_words(row.value) for row in found.where(metric="about")
            },
            "designs": prepared,
            "verdict": verdict,
        }


def _design(
    subject: Results, description: Description, *, name: str, most: float
) -> dict[str, Any]:
    """Return a design's figures.

    ``rows`` are its readings, each with the length of its bar, which is full for the ``most``
    units. ``sizes`` are what its most expensive page costs in tables of these sizes.
    """
    found = subject.where(reader=name)
    pages = {at: rows for at, rows in found.by("list", "page").items() if at[1] is not None}
    dearest = max(pages.values(), key=_units, default=Results())
    written = found.where(page=None)
    cost = DesignCost(
        description.title,
        read_units=_units(dearest),
        items_read=dearest.number("items_read"),
        write_units=_units(written),
        reads_table=description.reads_table,
    )
    return {
        "anchor": f"{anchor_of(subject[0].part)}-{anchor_of(name)}",
        "description": description,
        "cost": cost,
        "sizes": [cost.at(items) for items in SIZES],
        "rows": [
            (
                {
                    "question": asked,
                    "page": page,
                    "pages": subject.where(list=asked).value("pages"),
                    **rows.facts(),
                },
                _bar(_units(rows), most=most),
            )
            for (asked, page), rows in pages.items()
        ],
        "writings": [
            {"action": action, **rows.facts()} for (action,), rows in written.by("list").items()
        ],
    }


def _units(rows: Results) -> float:
    return rows.number("capacity_units")


def _bar(units: float, *, most: float) -> int:
    if units <= LEAST_UNITS or most <= LEAST_UNITS:
        return 0
    return round(FULL * log(units / LEAST_UNITS) / log(most / LEAST_UNITS))
