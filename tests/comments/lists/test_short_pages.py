"""A page that is short because its units were spent says how far its reading came."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import parse_qs, urldefrag, urlencode, urlsplit

import pytest
from django.utils.translation import override

from comments.items import NewComment
from comments.lists import queries, search_queries
from comments.lists.listing import progress_of
from comments.lists.orders import CommentOrder
from comments.lists.queries import reached_at
from dynapages.lists import HIGHEST, Page, Position, Toward
from tests.support.comments.browsing import Shown
from tests.support.comments.loading import load
from tests.support.comments.searched import load_searched, searching
from tests.support.comments.truth import written
from tests.support.comments.writers import nobody
from tests.support.config.api import NOBODY

MOMENT = "2024-03-09T08:07:06.000005Z"
MOST_PAGES = 100


def short_page(place: str | None, toward: Toward = Toward.NEXT) -> Page:
    """A page without comments that was cut at a place, or was not."""
    cut_at = None if place is None else Position(place)
    return Page(
        entries=(),
        has_next=True,
        has_previous=True,
        rounds=1,
        reads=(),
        cut_at=cut_at,
        toward=toward,
    )


class TestWhereAReadingStopped:
    @pytest.mark.parametrize("section", ["", "g000/", "g998/"])
    def test_is_the_moment_of_its_place(self, section):
        reached = datetime(2024, 3, 9, 8, 7, 6, 5, tzinfo=UTC)
        assert reached_at(short_page(f"{section}{MOMENT}#an/id")) == reached

    @pytest.mark.parametrize(
        "place",
        [None, "", HIGHEST, "2024-03", f"2024-03{HIGHEST}", "g000/", f"g000/{HIGHEST}"],
    )
    def test_is_not_known_at_an_edge(self, place):
        assert reached_at(short_page(place)) is None

    def test_is_not_known_in_a_list_by_rating(self):
        assert reached_at(short_page(f"5/{MOMENT}#id")) is None


class TestTheSentence:
    def say(
        self,
        *,
        place: str = f"{MOMENT}#id",
        order: CommentOrder = CommentOrder.NEWEST,
        toward: Toward = Toward.NEXT,
        number: int = 3,
        is_search: bool = True,
    ) -> str:
        page = short_page(place, toward)
        return progress_of(page, order, number=number, is_search=is_search)

    def test_of_a_search_says_from_which_side_it_comes(self):
        oldest, back = CommentOrder.OLDEST, Toward.PREVIOUS
        assert self.say() == "Searched back to March 2024; 3 so far."
        assert self.say(order=oldest) == "Searched up to March 2024; 3 so far."
        assert self.say(toward=back) == "Searched up to March 2024; 3 so far."
        assert self.say(order=oldest, toward=back) == "Searched back to March 2024; 3 so far."

    def test_of_another_list_counts_its_matches(self):
        said = [self.say(is_search=False, number=number) for number in (0, 1, 3)]
        assert said == [
            "Read back to March 2024; no match so far.",
            "Read back to March 2024; 1 match so far.",
            "Read back to March 2024; 3 matches so far.",
        ]
        up = self.say(is_search=False, order=CommentOrder.OLDEST)
        assert up == "Read up to March 2024; 3 matches so far."

    def test_has_no_month_where_none_is_known(self):
        by_rating = self.say(place=f"4/{MOMENT}#id", order=CommentOrder.HIGHEST, is_search=False)
        assert by_rating == "Not read to the end yet; 3 matches so far."
        assert self.say(place=HIGHEST, number=0) == "Not searched to the end yet; none so far."

    def test_is_there_in_german(self):
        with override("de"):
            assert self.say() == "Zurück bis März 2024 gesucht; bisher 3 gefunden."


RARE = (20, 30, 59)
"""Numbers of the comments that are looked for."""


def of_months(product_id: str, rare_language: str = "en") -> list[NewComment]:
    """Sixty comments, one a month, with one of two words; three have both, and few stars."""
    comments = []
    for number in range(60):
        is_rare = number in RARE
        comment = written(
            product_id,
            id=f"{product_id}-{number:02}",
            language=rare_language if is_rare else "en",
            rating=1 + number % 2 if is_rare else 5,
            created_at=datetime(2020 + number // 12, number % 12 + 1, 15, tzinfo=UTC),
            body="alpha beta" if is_rare else ("alpha", "beta")[number % 2],
        )
        comments.append(comment)
    return comments


@contextmanager
def little_to_spend(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have a page read some items and end."""
    with monkeypatch.context() as patch:
        patch.setattr(search_queries, "MOST_UNITS", 3.0)
        patch.setattr(queries, "MOST_UNITS", 2.0)
        patch.setattr(queries, "MOST_UNITS_OF_AN_ITEM", 0.0)
        yield


@pytest.fixture(scope="module", autouse=True)
def search(tables, engine_name):
    with searching(engine_name):
        yield


@pytest.fixture
def product(fresh, monkeypatch):
    product_id = fresh("short")
    load_searched(of_months(product_id))
    with little_to_spend(monkeypatch):
        yield product_id


SEARCH = "~/~/?q=alpha+beta"


@pytest.fixture
def filtered(fresh, monkeypatch):
    """The address of a list whose comments are read with a filter, as queries of them cost more."""
    product_id = fresh("filtered")
    made = of_months(product_id, rare_language="de")
    german = [comment for comment in made if comment.language == "de"]
    french = [replace(comment, id=f"{comment.id}-fr", language="fr") for comment in german]
    load([*made, *french])
    with little_to_spend(monkeypatch):
        yield f"/products/{product_id}/comments/de.fr/1.2/"


def link_on(shown: Shown) -> str | None:
    """The link of a short page that leads on, None where the page is not short."""
    found = shown.page.all(class_="reads-on")
    if not found:
        return None
    (link,) = found[0].all("a")
    return urldefrag(link["href"]).url


def walked(url: str) -> list[Shown]:
    """The page at an address and those that its links lead on to, without a script."""
    pages = []
    next_url: str | None = url
    while next_url and len(pages) < MOST_PAGES:
        pages.append(nobody().get(next_url))
        next_url = link_on(pages[-1])
    return pages


def month_in(sentence: str) -> datetime:
    """The month of a sentence such as ``Searched up to March 2024; 3 so far.``"""
    name = sentence.removeprefix("Searched up to ").partition(";")[0]
    return datetime.strptime(f"{name} +0000", "%B %Y %z")


@pytest.mark.real_engine
class TestAShortPage:
    def test_of_a_search_says_how_far_it_came_and_leads_on_without_a_script(self, product):
        *short, last = walked(f"/products/{product}/comments/{SEARCH}")
        assert short
        for shown in short:
            number = str(len(shown.comment_ids) or "none")
            pattern = rf"Searched back to \w+ 202\d; {number} so far\. Search on"
            assert re.fullmatch(pattern, shown.page.one(class_="reads-on").text)
            assert link_on(shown) == shown.older
        found = [one for page in [*short, last] for one in page.comment_ids]
        assert found == [f"{product}-{number:02}" for number in reversed(RARE)]

    def test_of_a_filter_says_it_as_well(self, filtered):
        *short, last = walked(filtered)
        assert short
        for shown in short:
            pattern = r"Read back to \w+ 202\d; (no|\d+) match(es)? so far\. Read on"
            assert re.fullmatch(pattern, shown.page.one(class_="reads-on").text)
        assert len([one for page in [*short, last] for one in page.comment_ids]) == 2 * len(RARE)

    def test_says_it_to_those_who_hear_the_page(self, product):
        shown = nobody().get(f"/products/{product}/comments/{SEARCH}")
        sentence = shown.page.one(class_="reads-on").text.removesuffix(" Search on")
        assert shown.page.one(id="comments")["data-announce"].endswith(f". {sentence}")

    def test_comes_nearer_to_the_end_from_page_to_page(self, product):
        url = f"/products/{product}/comments/{SEARCH}&order=oldest"
        *short, _last = walked(url)
        months = [month_in(shown.page.one(class_="reads-on").text) for shown in short]
        assert months == sorted(months)
        assert len({*months}) > 1

    def test_leads_back_where_it_was_read_back(self, product):
        url = f"/products/{product}/comments/{SEARCH}&before=end"
        *short, _first = walked(url)
        assert all(link_on(shown) == shown.newer for shown in short)
        assert "Searched up to " in short[0].page.one(class_="reads-on").text

    def test_counts_those_that_it_had_before_it_read_on(self, product):
        url = f"/products/{product}/comments/{SEARCH}"
        first = nobody().get(url)
        reads_on = first.page.one(class_="reads-on")["hx-get"]
        assert parse_qs(urlsplit(reads_on).query)["shown"] == [str(len(first.comment_ids))]
        second = nobody().get(reads_on, htmx=True)
        number = len(first.comment_ids) + len(second.comment_ids)
        assert f"; {number or 'none'} so far." in second.page.one(class_="reads-on").text

    @pytest.mark.parametrize("shown", ["20", "-1", "+1", "٣", "x", ""])
    def test_is_refused_another_number_than_a_page_can_have(self, product, shown):
        """Of the 20 comments of a page one at least is missing, where it reads on."""
        page = nobody().get(f"/products/{product}/comments/{SEARCH}&shown={shown}", htmx=True)
        assert page.status == 400
        assert "“shown” is a number from 0 to 19." in page.page.text

    def test_says_it_by_the_api_as_well(self, product):
        answer = NOBODY.get(f"/products/{product}/comments?{urlencode({'q': 'alpha beta'})}").json()
        reached = []
        while answer["next"]:
            assert answer["total"] is None
            reached.append(answer["reached"])
            answer = NOBODY.get(answer["next"]).json()
        assert reached == sorted({*reached}, reverse=True)
        assert (answer["reached"], answer["items"], answer["total"]) == (None, [], len(RARE))
        assert reached[0].endswith("-15T00:00:00.000000Z")


class TestAFullPage:
    def test_says_nothing_of_how_far_it_came(self, fresh):
        product_id = fresh("full")
        load(of_months(product_id))
        shown = nobody().get(f"/products/{product_id}/comments/~/5/")
        assert not shown.page.all(class_="reads-on")
        answer = NOBODY.get(f"/products/{product_id}/comments?rating=5").json()
        assert (answer["reached"], len(answer["items"])) == (None, 20)
