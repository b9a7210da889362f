"""The page of a search, and the suggestions for one."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from tests.support.catalogue.searching import made_stem, put_named
from tests.support.comments.browsing import HTMX, Shown, follow, visit
from tests.support.comments.writers import someone
from tests.support.config.api import NOBODY, problem_of
from tests.support.markup import Element, read_markup

pytestmark = pytest.mark.usefixtures("tables")
PUBLIC = {"public", "max-age=0", "s-maxage=30"}


@pytest.fixture(scope="module")
def stem(tables):
    """A word of 45 products."""
    stem = made_stem()
    put_named(*(f"Tea {stem} {number:02}" for number in range(45)))
    return stem


def url(typed: str, **more: str) -> str:
    return f"/search/?{urlencode({'q': typed, **more})}"


def names(shown: Shown) -> list[str]:
    return [one.text for one in shown.page.all(class_="tile-name")]


def field(page: Element) -> Element:
    return page.one("form", class_="product-search").one("input", id="product-search")


class TestThePage:
    def test_is_walked_by_its_links_there_and_back(self, stem):
        there = list(follow(url(f"te {stem}"), "older"))
        back = list(follow(there[-2].older, "newer"))
        every = [f"Tea {stem} {number:02}" for number in range(45)]
        assert [name for shown in there for name in names(shown)] == every
        assert [name for shown in reversed(back) for name in names(shown)] == every
        assert (there[0].newer, there[-1].older, back[-1].newer) == (None, None, None)

    def test_keeps_what_was_typed_on_every_page(self, stem):
        for shown in follow(url(f'TE {stem} "'), "older"):
            assert shown.page.one("h1").text == f'Products for “TE {stem} "”'
            assert field(shown.page)["value"] == f'TE {stem} "'

    def test_leads_on_by_the_word_that_leads(self, stem):
        shown = visit(url(f"te {stem}"))
        leading, other = ("te", stem) if "by=te&" in (shown.older or "") else (stem, "te")
        assert [f"by={leading}&" in (link or "") for link in (shown.older, shown.last)] == [
            True
        ] * 2
        token = (shown.older or "").partition("after=")[2]
        assert visit(f"{url(f'te {stem}')}&by={other}&after={token}").status == 400
        assert visit(url(f"te {stem}", by="another")).older == shown.older
        assert names(visit(url(stem, by="another"))) == names(visit(url(stem)))

    def test_is_for_no_search_engine(self, stem):
        assert visit(url(stem)).page.one("meta", name="robots")["content"] == "noindex, follow"
        assert "Disallow: /search/" in Client().get("/robots.txt").content.decode()

    def test_offers_the_categories_where_nothing_is_found(self):
        page = visit(url("nothing-at-all")).page
        assert "No product's name has these words." in page.one(class_="empty").text
        assert "/categories/" in [link["href"] for link in page.one("main").all("a")]

    @pytest.mark.parametrize(
        "typed",
        ["🙂", "!?", "\0", "\x1b[0m", "\u200b", "<script>", "عربي", "日本 кот ab", "%", "q" * 200],
    )
    def test_answers_whatever_is_typed(self, typed):
        shown = visit(url(typed))
        assert shown.status == 200
        assert names(shown) == []

    @pytest.mark.parametrize("typed", ["", "   ", "🙂", "!?", "\0"])
    def test_of_a_program_needs_a_word(self, typed):
        refused = problem_of(NOBODY.get(f"/search?{urlencode({'q': typed})}"))
        assert refused == (400, "Write at least one word, of letters or digits.")

    @pytest.mark.parametrize("typed", ["", "   "])
    def test_asks_for_words_without_any(self, typed):
        shown = visit(url(typed))
        assert (shown.status, shown.page.one("h1").text) == (200, "Search products")

    @pytest.mark.parametrize(
        ("typed", "told"), [("a b c d e f g h i", "8 words"), ("q" * 201, "200 characters")]
    )
    def test_refuses_what_is_too_long_and_keeps_it(self, typed, told):
        shown = visit(url(typed))
        assert shown.status == 400
        assert told in shown.page.one(role="alert").text
        assert field(shown.page)["value"] == typed
        status, sentence = problem_of(NOBODY.get(f"/search?{urlencode({'q': typed})}"))
        assert (status, told.partition(" ")[0] in sentence) == (400, True)

    def test_takes_no_token_of_another_search(self, stem):
        token = (visit(url(stem)).older or "").partition("after=")[2]
        assert visit(f"{url(stem)}&after={token}").status == 200
        assert visit(f"{url(f'{stem} tea')}&after={token}").status == 400

    def test_has_the_same_products_in_the_api(self, stem):
        first = NOBODY.get(f"/search?q={stem}").json()
        assert [one["name"] for one in first["items"]][:2] == [f"Tea {stem} 00", f"Tea {stem} 01"]
        assert NOBODY.get(first["next"]).json()["items"][0]["name"][-2:] == "20"

    def test_says_how_it_was_read(self, stem):
        explanation = visit(f"{url(f'te {stem}')}&explain=1").response.context["explanation"]
        read = {query.key.partition(" from ")[0] for query in explanation.queries}
        assert read == {"NAMES#te", f"NAMES#{stem[:2]}"}
        assert sum(query.items_returned for query in explanation.queries) == 20


class TestTheField:
    def test_is_in_the_header_of_every_page(self):
        for path in ("/", "/categories/", "/nowhere/"):
            form = visit(path).page.one("header", class_="site-header").one("form")
            assert (form["action"], form["method"]) == ("/search/", "get")

    def test_is_for_orders_where_staff_see_it(self):
        page = read_markup(someone("sam", is_staff=True).browser.get("/").content.decode())
        assert [form["action"] for form in page.all("form", role="search")] == ["/staff/find/"]

    def test_has_what_was_typed_and_is_the_only_one_on_the_page_of_a_search(self, stem):
        for browser in (Client(), someone("sam", is_staff=True).browser):
            page = read_markup(browser.get(url(stem)).content.decode())
            assert len(page.all("form", role="search")) == 1
            assert field(page.one("header", class_="site-header"))["value"] == stem


class TestSuggestions:
    def shown(self, typed: str) -> Element:
        answer = Client().get(f"/search/suggestions/?{urlencode({'q': typed})}", headers=HTMX)
        assert answer.status_code == 200
        return read_markup(answer.content.decode()).one(role="listbox")

    def test_are_the_first_products(self, stem):
        options = self.shown(stem).all(role="option")
        assert [one.all("span")[0].text for one in options] == [
            f"Tea {stem} 0{n}" for n in range(8)
        ]
        assert all(one["href"].startswith("/products/") for one in options)
        assert len({one["id"] for one in options}) == len(options)

    @pytest.mark.parametrize("typed", ["", "🙂", "a b c d e f g h i", "q" * 201, "nothing-at-all"])
    def test_are_none_for_what_finds_nothing(self, typed):
        assert self.shown(typed).all(role="option") == []

    def test_lead_to_the_page_without_a_script(self, stem):
        answer = Client().get(f"/search/suggestions/?q={stem}")
        assert (answer.status_code, answer["Location"]) == (302, url(stem))
        assert "HX-Request" in answer["Vary"]

    def test_are_kept_by_caches_as_other_pages_are(self, stem):
        path = f"/search/suggestions/?q={stem}"
        answer = Client().get(path, headers=HTMX)
        assert set(answer["Cache-Control"].split(", ")) == PUBLIC
        assert {"HX-Request", "Cookie", "Accept-Language"} <= set(answer["Vary"].split(", "))
