"""The page ``/lab/``: the figures of the last run, each design's next to its description."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from math import log
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_noop, override
from django.views.decorators.http import require_safe

from comments.filters import language_name
from comments.host import COMMENTS
from dynapages.calls import current_meter
from dynapages.django.paging import grouped, render_page
from dynapages.lists import explain_reads, parse_timestamp, prices
from lab.costs import SIZES, VIEWS_A_WRITE, WRITES, DesignCost, judge
from lab.figures import DesignFigures, Figures, SubjectFigures, find_published
from lab.stored_figures import find_stored

ENGLISH = "en"
ANY_MODEL = "any"
UNITS_WITHOUT_BAR = 0.25
"""Capacity units of a bar without length: half of what the cheapest read costs."""
FULL_BAR = 100

TRANSLATED_SENTENCES = (
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
)
"""What figures say in English, with {} for its numbers and for the languages in quotes."""
VALUE_IN_SENTENCE = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|“[^”]*”")


# Descriptions.


@dataclass(frozen=True, slots=True)
class Description:
    """A design's title, three sentences, and its page and heading in the documentation.

    ``used_by`` is the read model of the site that has it, or ``any`` of them; empty where none has.
    ``because`` is why it has one that is not the cheapest. A design that ``reads_table`` reads all
    of it for each page.
    """

    title: str
    text: str
    document: str
    used_by: str = ""
    because: str = ""
    reads_table: bool = False

    @property
    def is_of_this_shop(self) -> bool:
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
        subjects = tomllib.loads(render_to_string("lab/designs.txt"))
    described = {}
    for name, subject in subjects.items():
        designs = {design: Description(**words) for design, words in subject["designs"].items()}
        described[name] = SubjectDescription(subject["heading"], subject["question"], designs)
    return described


def translate_sentence(sentence: str) -> SafeString:
    """Return a sentence of the figures in the visitor's language; else marked as English."""
    # Figures are stored in English, once for all languages: only patterns are translated.
    pattern = VALUE_IN_SENTENCE.sub("{}", sentence)
    if pattern not in TRANSLATED_SENTENCES:
        return format_html('<span lang="en">{}</span>', sentence)
    values = [_localize(value) for value in VALUE_IN_SENTENCE.findall(sentence)]
    return format_html("{}", gettext(pattern).format(*values))


def _localize(value: str) -> str:
    """Format a number, or name a language in quotes, in the visitor's language."""
    number = value.replace(",", "")
    if number.isdecimal():
        return grouped(int(number))
    if number[:1].isdecimal():
        return grouped(float(number))
    return language_name(value.strip("“”"))


# The page.


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """Show the figures of the last run of ``manage.py compare``; before it, those of the docs."""
    # The site's own figures are of its own comments; those of the documents are always there.
    stored = find_stored()
    figures = stored or find_published()
    described = describe_subjects(get_language() or ENGLISH)
    context = {
        "figures": figures,
        "is_own": stored is not None,
        "taken": parse_timestamp(figures.taken_at) if figures else None,
        "subjects": list(_subjects(figures, described)) if figures else (),
        "described": described.values(),
        "sizes": SIZES,
        "views": VIEWS_A_WRITE,
        "writes": WRITES,
        "prices": prices(),
        "explain": partial(explain_reads, current_meter()),
    }
    return render_page(request, "lab/lab.html", context)


def _subjects(
    figures: Figures, descriptions: Mapping[str, SubjectDescription]
) -> Iterator[dict[str, object]]:
    """Yield the context of each subject; those that have no description are left out."""
    for subject in figures.subjects:
        described = descriptions.get(subject.name)
        if described is None or any(d.name not in described.designs for d in subject.designs):
            continue
        dearest = max(design.dearest_reading().capacity_units for design in subject.designs)
        designs = []
        for design in subject.designs:
            description = described.designs[design.name]
            designs.append(_design(subject, design, description, most_units=dearest))
        questions = {
            question.name: translate_sentence(question.about) for question in subject.questions
        }
        yield {
            "anchor": anchor_of(subject.name),
            "heading": described.heading,
            "question": described.question,
            "data": translate_sentence(subject.data),
            "questions": questions,
            "designs": designs,
            "verdict": judge([design["cost"] for design in designs]),
        }


def _design(
    subject: SubjectFigures, design: DesignFigures, description: Description, *, most_units: float
) -> dict[str, Any]:
    """Return the context of a design.

    ``readings`` are each with the number of its list's pages and the length of its bar, which is
    full for ``most_units``. ``sizes`` are what its dearest page costs in tables of these sizes.
    """
    # A visitor may open any page: designs are compared by their worst.
    dearest = design.dearest_reading()
    write_units = design.writings[0].capacity_units if design.writings else 0.0
    cost = DesignCost(
        description.title,
        read_units=dearest.capacity_units,
        items_read=dearest.items_read,
        write_units=write_units,
        reads_table=description.reads_table,
    )
    pages = {question.name: question.pages for question in subject.questions}
    readings = []
    for reading in design.readings:
        bar = _bar_length(reading.capacity_units, most_units=most_units)
        readings.append((reading, pages[reading.question], bar))
    return {
        "anchor": f"{anchor_of(subject.name)}-{anchor_of(design.name)}",
        "description": description,
        "cost": cost,
        "sizes": [cost.at_size(items) for items in SIZES],
        "readings": readings,
        "writings": design.writings,
    }


def anchor_of(name: str) -> str:
    """Return a subject's or design's name as anchors have it."""
    return name.replace(" ", "-")


def _bar_length(units: float, *, most_units: float) -> int:
    """Return the length of a bar on a logarithmic scale, 0 to `FULL_BAR`."""
    if units <= UNITS_WITHOUT_BAR or most_units <= UNITS_WITHOUT_BAR:
        return 0
    return round(FULL_BAR * log(units / UNITS_WITHOUT_BAR) / log(most_units / UNITS_WITHOUT_BAR))
