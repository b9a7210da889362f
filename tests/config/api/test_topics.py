"""Topics of a product by the API: what its page shows of them, with the lists behind them."""

import pytest

from dynapages.calls import metered
from tests.support.comments.topical import MADE_AT, Word, put_topics, with_topics
from tests.support.comments.writers import made_product
from tests.support.config.api import NOBODY, problem_of

pytestmark = pytest.mark.usefixtures("tables")
ENGLISH = (Word("battery", 483, 63), Word("wheels", 60, 60))
GERMAN = (Word("Größe", 47, 6),)


@pytest.fixture
def lamp():
    """A product with topics in two languages, and one in which nothing was found."""
    return put_topics(made_product(), {"en": ENGLISH, "de": GERMAN, "fr": ()})


def topics_of(product_id: str):
    with with_topics():
        return NOBODY.get(f"/products/{product_id}/topics")


class TestTopics:
    def test_are_those_of_each_language_the_one_with_most_comments_first(self, lamp):
        languages = topics_of(lamp).json()["languages"]
        assert [one["language"] for one in languages] == ["en", "de"]
        assert [one["comments"] for one in languages] == [102, 101]
        assert {one["made_at"] for one in languages} == {f"{MADE_AT:%Y-%m-%dT%H:%M:%S.%fZ}"}

    def test_say_how_many_comments_have_a_word_and_where_they_are(self, lamp):
        (topic,) = topics_of(lamp).json()["languages"][1]["topics"]
        assert topic == {
            "word": "Größe",
            "comments": 47,
            "good": 6,
            "percent_happy": 13,
            "url": f"/products/{lamp}/comments/de/~/?q=Gr%C3%B6%C3%9Fe",
            "api_url": f"/api/v1/products/{lamp}/comments?language=de&q=Gr%C3%B6%C3%9Fe",
        }

    def test_are_none_where_none_were_made(self):
        assert topics_of(made_product()).json() == {"languages": []}

    def test_are_none_in_a_shop_without_topics(self, lamp):
        assert NOBODY.get(f"/products/{lamp}/topics").json() == {"languages": []}

    def test_of_an_unknown_product_are_refused(self, fresh):
        answer = topics_of(fresh("nothing"))
        assert answer.json()["code"] == "no-such-product"
        assert problem_of(answer)[0] == 404

    @pytest.mark.real_engine
    def test_cost_half_a_unit_besides_the_product_in_its_round(self, lamp):
        topics_of(lamp)
        with metered() as meter:
            topics_of(lamp)
        assert (meter.calls, meter.rounds, meter.units) == (2, 1, 1)
