"""What a project without templates of its own shows of how a page was read."""

from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import RequestFactory, override_settings

from dynapages import django as library
from dynapages.calls import Meter, metered
from dynapages.calls.meter import Call
from dynapages.django.paging import render_page
from dynapages.lists import Explanation, Total
from tests.support.markup import Element, read_markup

READ = Explanation(
    plan="notes",
    queries=(),
    rounds=1,
    items_returned=3,
    items_read=5,
    capacity_units=1.5,
    mean_item_bytes=None,
    total=Total(calls=1, rounds=1, capacity_units=1.5),
)
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [Path(library.__file__).parent / "templates"],
    }
]


@pytest.fixture(autouse=True)
def templates_of_the_library():
    with override_settings(TEMPLATES=TEMPLATES):
        yield


def answer(query: str = "") -> HttpResponse:
    request = RequestFactory().get(f"/notes/{query}")
    return render_page(request, "dynapages/explanation.html", {"explain": lambda: READ})


def shown(query: str = "") -> Element:
    return read_markup(answer(query).content.decode()).one("p", class_="explanation")


class TestAPage:
    def test_has_its_units_and_a_link_to_how_it_was_read(self):
        with metered() as meter:
            note(meter)
            link = shown("?after=x").one("a")
        assert link.text == "Capacity units: 2.5"
        assert link["href"] == "/notes/?after=x&explain=1#explanation"

    def test_without_a_meter_has_the_units_of_its_list(self):
        assert shown().one("a").text == "Capacity units: 1.5"

    def test_says_in_a_line_how_it_was_read_when_asked(self):
        assert shown("?explain=1").text == READ.summary
        assert answer("?explain=1")["Cache-Control"] == "private, no-store"


def note(meter: Meter) -> None:
    meter.log.append(Call("Query", "notes", None, "list", 2.5, 5, "x"))
