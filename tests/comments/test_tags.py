"""The tags for pages of a project: what they show of a product, and what that costs."""

import pytest
from django.template import Context, Template
from django.utils.translation import override

from dynapages.calls import metered
from tests.support.comments.faulty import unreachable
from tests.support.comments.loading import load
from tests.support.comments.topical import Word, put_topics, with_topics
from tests.support.comments.truth import numbered_comments
from tests.support.markup import read_markup

pytestmark = pytest.mark.usefixtures("tables")

AVERAGE = "{% average_of product %}"
NEWEST = "{% comments_of product size=3 %}"
TOPICS = "{% topics_of product %}"


def rendered(tag, product):
    return Template("{% load comments %}" + tag).render(Context({"product": product})).strip()


@pytest.fixture
def lamp(fresh):
    """A product with seven comments; its id."""
    product_id = fresh("lamp")
    load(numbered_comments(product_id, count=7))
    return product_id


class TestAverage:
    def test_leads_to_the_list_and_costs_one_call(self, lamp):
        with metered() as meter:
            shown = rendered(AVERAGE, lamp)
        assert f'href="/products/{lamp}/comments/~/~/#comments">7 comments</a>' in shown
        assert meter.calls == 1

    def test_shows_nothing_of_a_product_without_comments(self, fresh):
        assert rendered(AVERAGE, fresh("empty")) == ""

    def test_shows_nothing_while_the_database_is_away(self, lamp):
        with unreachable():
            assert rendered(AVERAGE, lamp) == ""


class TestNewestComments:
    def test_are_as_many_as_asked_for_and_cost_one_call(self, lamp):
        with metered() as meter:
            shown = read_markup(rendered(NEWEST, lamp))
        newest = [one.id for one in reversed(numbered_comments(lamp, count=7))]
        assert [one["data-pick-id"] for one in shown.all(data_pick_id=True)] == newest[:3]
        assert meter.calls == 1

    def test_take_the_numbers_of_an_sql_database_for_ids(self):
        load(numbered_comments("4711", count=1))
        assert "/products/4711/comments/~/~/" in rendered(NEWEST, 4711)

    def test_are_a_link_to_write_one_while_the_database_is_away(self, lamp):
        with unreachable():
            shown = rendered(NEWEST, lamp)
        assert f"/products/{lamp}/comments/new/" in shown
        assert "/comments/~/~/" not in shown


class TestTopics:
    @pytest.fixture
    def lamp(self, fresh):
        """A product with topics in two languages, most comments in English; its id."""
        english = [Word("battery", 483, 63), Word("light", 90, 80)]
        return put_topics(fresh("lamp"), {"en": english, "de": [Word("Akku", 47, 6)]})

    def test_lead_to_the_comments_with_each_word_and_cost_one_call(self, lamp):
        with with_topics(), metered() as meter:
            shown = read_markup(rendered(TOPICS, lamp))
        links = [chip["href"] for chip in shown.all("a", class_="chip")]
        assert links[0] == f"/products/{lamp}/comments/en/~/?q=battery#comments"
        assert meter.calls == 1

    @pytest.mark.real_engine
    def test_cost_half_a_unit(self, lamp):
        with with_topics(), metered() as meter:
            rendered(TOPICS, lamp)
        assert meter.units == 0.5

    @pytest.mark.parametrize(("language", "word"), [("en", "battery"), ("de-at", "Akku")])
    def test_begin_with_those_in_the_language_of_the_page(self, lamp, language, word):
        with with_topics(), override(language):
            shown = read_markup(rendered(TOPICS, lamp))
        assert shown.all("a", class_="chip")[0].text.startswith(word)

    def test_show_nothing_of_a_product_without_any(self, fresh):
        with with_topics():
            assert rendered(TOPICS, fresh("empty")) == ""

    def test_show_nothing_and_read_nothing_where_the_project_has_none(self, lamp):
        with metered() as meter:
            assert rendered(TOPICS, lamp) == ""
        assert meter.calls == 0

    def test_show_nothing_while_the_database_is_away(self, lamp):
        with with_topics(), unreachable():
            assert rendered(TOPICS, lamp) == ""
