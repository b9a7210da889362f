"""A project's own card of a comment and own toggles, as docs/installing.md has them."""

import pytest
from django.core.checks import run_checks
from django.test import Client

from tests.support.comments.own_base import own_base
from tests.support.comments.writers import made_product, someone
from tests.support.documented_code import follow
from tests.support.markup import Element, read_markup

pytestmark = pytest.mark.usefixtures("tables")

HOSTILE = "<script>alert('1')</script> & \"quotes\""


@pytest.fixture(scope="module", autouse=True)
def templates(tmp_path_factory):
    """The base of the project, with what the chapter on templates says beside it."""
    project = tmp_path_factory.mktemp("project")
    follow("installing.md", project, since="\n## Templates\n", until="\nFour tags")
    folder = project / "mysite" / "templates"
    with own_base(folder):
        yield folder


@pytest.fixture(scope="module")
def product(tables):
    product_id = made_product()
    alice = someone("alice")
    alice.has_written(product_id, title=HOSTILE, body=f"{HOSTILE}\n\nAgain.", language="en")
    someone("bob").has_written(product_id, rating="2", title="", language="de")
    return product_id


@pytest.fixture
def page(product) -> Element:
    return read_page(f"/products/{product}/comments/~/~/")


def read_page(address: str, **headers: str) -> Element:
    answer = Client(headers=headers).get(address)
    assert answer.status_code == 200
    return read_markup(answer.content.decode())


class TestTheProjectsCard:
    def test_stands_in_the_place_of_the_apps(self, page):
        headings = [card.one("h3").text for card in page.all("article", class_="comment")]
        assert headings == ["Comment", HOSTILE]
        assert page.all("footer") == []

    def test_has_escaped_what_is_written(self, page):
        card = page.all("article", class_="comment")[1]
        assert [paragraph.text for paragraph in card.all("p")][1:] == [HOSTILE, "Again."]
        assert card.all("script") == []

    def test_is_in_the_language_of_the_page(self, product):
        german = read_page(f"/products/{product}/comments/~/~/", accept_language="de")
        assert "2 von 5 Sternen" in german.all("article", class_="comment")[0].text

    def test_is_that_of_a_product_page_and_of_a_profile_too(self, product):
        page = read_page(f"/products/{product}/")
        assert len(page.all("article", class_="comment")) == 2
        assert page.all("footer") == []

    def test_leads_to_the_page_of_the_comment(self, page):
        link = page.all("article", class_="comment")[0].one("a")
        assert "2 of 5 stars" in read_page(link["href"]).one("main").text


class TestTheProjectsWordsAboutReviews:
    def test_stand_below_what_the_app_says(self, product):
        page = read_page(f"/products/{product}/comments/about/")
        headings = [heading.text for heading in page.one("article").all("h2")]
        assert headings[0] == "Who writes"
        assert headings[-1] == "Free samples"


class TestTheProjectsToggles:
    def test_stand_in_the_place_of_the_apps(self, page):
        ratings, languages = page.all(class_="toggles")
        said = [toggle.text for toggle in ratings.all("a")]
        assert said == [
            "All ratings (2)",
            "5 stars (1)",
            "4 stars (0)",
            "3 stars (0)",
            "2 stars (1)",
            "1 star (0)",
        ]
        assert languages.all("a")[0].text == "All languages (2)"
        assert page.all("svg", class_="bar") == []

    def test_lead_to_lists(self, page):
        ratings, _languages = page.all(class_="toggles")
        (two,) = [toggle for toggle in ratings.all("a") if toggle.text == "2 stars (1)"]
        filtered = read_page(two["href"])
        assert len(filtered.all("article", class_="comment")) == 1
        pressed = filtered.all("a", class_="toggle", aria_pressed="true")
        assert "2 stars (1)" in [toggle.text for toggle in pressed]


def test_the_check_says_nothing_of_them():
    assert "dynapages.templates" not in {message.id for message in run_checks()}


def test_the_check_names_a_file_of_the_old_name(templates):
    (templates / "comments/lists/_comment.html").write_text("")
    assert "dynapages.templates" in {message.id for message in run_checks()}
