"""What the forms of the site and the writes of its API cost: no more than the docs' tables say."""

import re
from collections.abc import Iterable, Iterator, Mapping

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from dynapages.calls import metered
from tests.support.config.api import operations
from tests.support.costs import Costs
from tests.support.forms import by_api
from tests.support.forms.cast import Cast
from tests.support.forms.every_form import FORMS, PAGES
from tests.support.project import PROJECT

pytestmark = [pytest.mark.usefixtures("searched"), pytest.mark.real_engine]

HEADING = "What each form costs"
TABLES = ("writing.md", "orders.md", "accounts.md")
ROW = re.compile(
    r"^\| (?P<name>[^|]+) \| (\d+) \| (\d+) \| ([\d.]+) \| (\d+) \| (\d+) \| ([\d.]+) \|$",
    re.MULTILINE,
)


def documented() -> Mapping[str, tuple[Costs, Costs]]:
    """The rows of the tables: what the first write of a minute costs, and the second."""
    rows = {}
    for name in TABLES:
        text = (PROJECT / "docs" / name).read_text().partition(f" {HEADING}\n")[2]
        for row, *numbers in ROW.findall(text.partition("\n## ")[0]):
            first, second = numbers[:3], numbers[3:]
            rows[row] = _costs(*first), _costs(*second)
    return rows


def _costs(calls: str, rounds: str, units: str) -> Costs:
    return Costs(int(calls), int(rounds), float(units))


def measured(name: str) -> tuple[Costs, Costs]:
    """What a form costs that somebody sends as their first of the minute, and as their second.

    A process that has sent it before knows what it remembers.
    """
    _send_twice(name)
    first, second = _send_twice(name)
    return first, second


def _send_twice(name: str) -> list[Costs]:
    cast, found = Cast(), []
    for form in [FORMS[name](cast) for _ in range(2)]:
        with metered() as meter:
            answer = form.send()
        assert answer.status_code in {200, 201, 204, 302}, answer.content.decode()[:2_000]
        found.append(Costs.of(meter))
    return found


class TestAForm:
    @pytest.mark.parametrize("name", FORMS)
    def test_costs_no_more_than_its_line_says(self, name):
        found = measured(name)
        print(f"\n{name}: {found}")  # noqa: T201 - shown with -s, to write the tables
        for of_form, said in zip(found, documented()[name], strict=True):
            assert of_form.calls <= said.calls, of_form
            assert of_form.rounds <= said.rounds, of_form
            assert of_form.units <= said.units, of_form

    def test_of_the_tables_is_sent(self):
        assert documented().keys() == FORMS.keys()


NOT_MEASURED = frozenset({"set_language", "checkout"})
"""Views of forms that write nothing; a search for pickup points costs what its page does."""
ANYTHING = re.compile(r"<[^>]+>")
PLACE = re.compile(r"{[^}]+}")
"""What varies in an address of a page, and of the API."""


def pages_below(
    patterns: Iterable[URLPattern | URLResolver], before: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the address and the name of each page, with an ``x`` for each part that varies."""
    for each in patterns:
        address = before + ANYTHING.sub("x", str(each.pattern))
        if isinstance(each, URLResolver):
            yield from pages_below(each.url_patterns, address)
        elif each.name:
            yield address, each.name


def pages_with_forms() -> set[str]:
    """The names of the pages that take a POST: the others answer 405."""
    found = set()
    for address, name in pages_below(get_resolver().url_patterns):
        browser = Cast().staff.browser
        if not address.startswith("api") and browser.post(f"/{address}").status_code != 405:
            found.add(name)
    return found


class TestEveryWrite:
    """What is added to the site is measured, too."""

    def test_of_the_pages_is_measured(self):
        measured = {
            resolve(form(Cast()).path.partition("?")[0]).url_name for form in PAGES.values()
        }
        assert pages_with_forms() - measured - NOT_MEASURED == set()

    def test_of_the_api_is_measured(self):
        cast = Cast()
        sent = [call(cast) for call in by_api.CALLS.values()]
        addresses = [f"{method} {address}" for _, method, address, _ in sent]
        missing = [
            operation
            for operation in operations()
            if not operation.startswith("GET ")
            and not any(re.fullmatch(PLACE.sub(".+", operation), each) for each in addresses)
        ]
        assert missing == []
