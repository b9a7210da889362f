"""What a page tells from the counts: what each click would show, and where the page lies."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from shop.catalogue.services import ensure_products
from tests.support.comments.browsing import HTMX, Shown, visit, with_explanation
from tests.support.comments.loading import load
from tests.support.comments.miscounting import settle
from tests.support.comments.truth import START, numbered_comments, written

pytestmark = pytest.mark.usefixtures("tables")

SPREAD = {("en", 5): 25, ("en", 1): 3, ("de", 5): 4, ("de", 2): 6, ("ja", 5): 1}
"""How many comments the product ``faceted`` has."""
PLANS = ["all", "by_language", "by_rating", "by_language_and_rating"]


@pytest.fixture(scope="module")
def faceted(tables):
    kinds = [kind for kind, number in SPREAD.items() for _ in range(number)]
    load(
        written(
            "faceted",
            id=f"faceted-{number}",
            language=language,
            rating=rating,
            created_at=START + timedelta(minutes=number),
        )
        for number, (language, rating) in enumerate(kinds)
    )
    return "faceted"


def shown_list(product_id: str, languages: str = "~", ratings: str = "~") -> Shown:
    return visit(f"/products/{product_id}/comments/{languages}/{ratings}/")


def explained_list(product_id: str, languages: str = "~", ratings: str = "~") -> Shown:
    return visit(with_explanation(f"/products/{product_id}/comments/{languages}/{ratings}/"))


def counts_of_toggles(shown: Shown, kind: str) -> dict[str, str]:
    toggles = shown.page.all("a", data_toggle=kind)
    return {toggle["data-value"]: toggle.one(class_="toggle-count").text for toggle in toggles}


def dashed(text: str) -> str:
    return text.replace("\N{EN DASH}", "-")


class TestTheCountOfAToggle:
    def test_of_a_language_keeps_the_ratings(self, faceted):
        shown = shown_list(faceted, ratings="1.2")
        assert counts_of_toggles(shown, "language") == {"en": "3", "de": "6", "ja": "0"}

    def test_of_a_rating_keeps_the_languages(self, faceted):
        shown = shown_list(faceted, languages="de")
        counts = counts_of_toggles(shown, "rating")
        assert counts == {"5": "4", "4": "0", "3": "0", "2": "6", "1": "0"}

    def test_does_not_depend_on_the_other_values_of_its_own_filter(self, faceted):
        alone, together = shown_list(faceted, "de"), shown_list(faceted, "de.en", "~")
        for kind in ("language", "all-languages"):
            assert counts_of_toggles(alone, kind) == counts_of_toggles(together, kind)

    def test_of_any_language_or_rating_keeps_the_other_filter(self, faceted):
        shown = shown_list(faceted, "de", "5")
        assert counts_of_toggles(shown, "all-languages") == {"~": "30"}
        assert counts_of_toggles(shown, "all-ratings") == {"~": "10"}

    def test_is_said_with_what_is_counted(self, faceted):
        shown = shown_list(faceted)
        assert shown.toggle("language", "en").text == "English 28 comments"
        assert shown.toggle("language", "ja").text == "Japanese 1 comment"


class TestAToggleThatWouldGiveNothing:
    def test_says_so_in_words_and_looks(self, faceted):
        toggle = shown_list(faceted, "ja").toggle("rating", "4")
        assert toggle.text.endswith("none")
        assert "toggle-nothing" in toggle["class"].split()
        assert toggle.one(class_="toggle-count")["aria-hidden"] == "true"


class TestTheHistogram:
    def test_is_drawn_against_its_longest_bar(self, faceted):
        bars = shown_list(faceted, "de.en").page.one(class_="histogram").all("svg")
        assert [[rect["width"] for rect in bar.all("rect")] for bar in bars] == [
            ["29"], [], [], ["6"], ["3"],
        ]  # fmt: skip
        assert {(bar["aria-hidden"], bar["viewbox"]) for bar in bars} == {("true", "0 0 29 1")}

    def test_says_each_bar_in_words(self, faceted):
        shown = shown_list(faceted)
        assert shown.toggle("rating", "5").text == "5 ★ 5 stars, 30 comments"
        assert shown.toggle("rating", "1").text == "1 ★ 1 star, 3 comments"
        assert shown.toggle("rating", "3").text == "3 ★ 3 stars, 0 none"


class TestTheExtent:
    def extent(self, shown: Shown) -> str:
        return dashed(shown.page.one(class_="extent").text)

    def test_is_exact_on_the_first_and_the_last_page_and_about_between(self, faceted):
        first = shown_list(faceted)
        second = visit(first.older)
        found = [self.extent(page) for page in (first, second, visit(second.newer))]
        assert found == ["1-20 of 39", "21-39 of 39", "1-20 of 39"]
        assert self.extent(visit(first.last)) == "20-39 of 39"

    def test_in_front_of_the_last_page_is_about(self, fresh):
        product_id = fresh("product")
        load(numbered_comments(product_id, count=70))
        page = visit(visit(shown_list(product_id).last).newer)
        assert self.extent(page) == "31-50 of 70"
        assert self.extent(visit(page.older)) == "51-70 of 70"

    def test_is_of_the_filtered_list(self, faceted):
        assert self.extent(shown_list(faceted, "de", "2")) == "6 in all"

    def test_does_not_repeat_a_count_that_the_page_refutes(self, fresh):
        product_id = fresh("product")
        load(
            written(product_id, id=f"{product_id}-{n}", created_at=START + timedelta(minutes=n))
            for n in range(25)
        )
        settle(product_id, {"en.4": 7})
        assert self.extent(shown_list(product_id)) == "1-20 of more than 20"
        assert self.extent(visit(shown_list(product_id).older)) == "21-25 of 25"
        assert self.extent(visit(shown_list(product_id).last)) == "20 in all"

    def test_is_what_a_new_list_is_announced_by(self, faceted):
        shown = visit(f"/products/{faceted}/comments/de/~/", **HTMX)
        announced = dashed(shown.page.one(id="comments")["data-announce"])
        assert announced == "Comments in German: 10 in all"


class TestTheAverageRating:
    @pytest.mark.parametrize(("languages", "ratings"), [("~", "~"), ("de", "~"), ("ja", "1")])
    def test_is_of_all_comments_whatever_is_filtered(self, faceted, languages, ratings):
        average = shown_list(faceted, languages, ratings).page.one(class_="average")
        assert average.text == "4.2 of 5 from 39 comments"
        assert average.one("rect", class_="stars-on")["width"] == "4.23"

    def test_of_one_comment_is_from_one_comment(self, fresh):
        product_id = fresh("product")
        load([written(product_id, rating=2)])
        assert shown_list(product_id).page.one(class_="average").text == "2.0 of 5 from 1 comment"

    def test_is_rounded_half_upwards(self, fresh):
        product_id = fresh("product")
        ratings = enumerate((4, 4, 4, 5))
        load([written(product_id, id=f"{product_id}-{n}", rating=rating) for n, rating in ratings])
        assert shown_list(product_id).page.one(class_="average-figure").text == "4.3"


def test_a_page_without_comments_has_no_average_and_no_plans(fresh):
    product_id = fresh("product")
    ensure_products(product_ids=[product_id])
    page = explained_list(product_id).page
    assert (page.all(class_="average"), page.all("table", class_="ledger-plans")) == ([], [])


class TestThePlansOfAPage:
    def rows(self, shown: Shown) -> dict[str, list[str]]:
        rows = shown.page.one("table", class_="ledger-plans").one("tbody").all("tr")
        return {row.one("code").text: [cell.text for cell in row.all("td")] for row in rows}

    def test_are_all_four_and_the_mix_the_chosen_one_with_its_cost(self, faceted):
        shown = explained_list(faceted, "de.en", "1.5")
        rows = self.rows(shown)
        chosen = (
            shown.page.one("table", class_="ledger-plans")
            .one("tr", class_="chosen")
            .one("code")
            .text
        )
        assert sorted(rows) == sorted([*PLANS, "mixed"])
        assert float(rows[chosen][1]) > 0
        assert {cells[1] for plan, cells in rows.items() if plan != chosen} == {"not read"}

    def test_have_a_dash_for_an_estimate_without_bounds(self, faceted):
        rows = self.rows(explained_list(faceted, "ja", "2"))
        assert rows["all"] == ["— without bounds", "not read"]

    def test_have_estimates_that_json_can_say(self, faceted):
        out = StringIO()
        options = ("--product", faceted, "--languages", "ja", "--ratings", "2")
        for plan in PLANS:
            call_command("explain", "comments", *options, "--plan", plan, "--json", stdout=out)
            figures = json.loads(out.getvalue(), parse_constant=pytest.fail)
            out.truncate(out.seek(0))
            assert len(figures["alternatives"]) == 3

    @pytest.mark.real_engine
    def test_tell_of_a_fall_back_in_mid_page(self, fresh):
        product_id = fresh("product")
        recent_fives = [5] * 60
        load(
            written(
                product_id,
                id=f"{product_id}-{number}",
                rating=rating,
                created_at=START - timedelta(minutes=number),
            )
            for number, rating in enumerate(recent_fives + [1, 2, 3, 4] * 60)
        )
        shown = explained_list(product_id, ratings="1.2.3.4")
        assert "exact plan read the rest" in shown.page.one(class_="explanation-turn").text
        page = explained_list(product_id, ratings="5").page
        assert page.all(class_="explanation-turn") == []


class TestThePageOfAComment:
    def test_says_what_was_read_for_it(self, faceted):
        shown = visit(with_explanation("/comments/faceted-0/"))
        details = shown.page.one("details", id="explanation")
        names = [row.one("th").text for row in details.one("tbody").all("tr")]
        assert names == ["comment", "product"]
        assert "2 calls" in details.one(class_="explanation-summary").text
