"""The plan for a list under the read model ``sets``, and how it is chosen."""

from typing import Any

import pytest
from django.test import override_settings

from comments.filters import RATINGS, CommentFilter
from comments.indexes.access_patterns import ListPlan
from comments.indexes.planner import NoSuchPlan
from comments.lists.queries import read_model
from comments.store.counts import ProductCounts

COUNTS = ProductCounts(
    {(language, rating): 100 * weight for language, weight in (("en", 6), ("de", 3), ("ja", 1))
     for rating in RATINGS}
)  # fmt: skip
INDEXES = ("all", "by_language", "by_rating", "by_language_and_rating")


@pytest.fixture(autouse=True)
def _sets():
    with override_settings(COMMENTS_READ_MODEL="sets"):
        yield


def planned(
    languages: str = "~", ratings: str = "~", counts: ProductCounts = COUNTS, **options: Any
) -> ListPlan:
    chosen = CommentFilter.parse(languages, ratings)
    return read_model().plan_list("42", chosen, counts, needed=21, **options)


def partitions(plan: ListPlan) -> list[str]:
    return [run.partition for run in plan.runs]


class TestThePlan:
    @pytest.mark.parametrize(
        ("languages", "ratings", "read"),
        [
            ("~", "~", ["PRODUCT#42/~/~"]),
            ("en", "~", ["PRODUCT#42/en/~"]),
            ("~", "1.2.5", ["PRODUCT#42/~/1.2.5"]),
            ("en", "1.2.3.4", ["PRODUCT#42/en/1.2.3.4"]),
            ("de.en", "4.5", ["PRODUCT#42/de/4.5", "PRODUCT#42/en/4.5"]),
        ],
    )
    def test_reads_one_set_for_each_language(self, languages, ratings, read):
        plan = planned(languages, ratings)
        assert (plan.name, partitions(plan)) == ("sets", read)
        assert partitions(planned(languages, ratings, ProductCounts({}))) == read

    def test_spells_sets_as_the_table_does(self, settings):
        settings.COMMENT_SETS_KEY_FORMAT = "masks"
        assert partitions(planned("en", "1.2.5")) == ["PRODUCT#42/en/19"]

    def test_asks_of_one_set_what_the_page_needs(self):
        assert planned("~", "1.2.5").first_reads == (21,)

    def test_asks_of_several_sets_about_their_shares(self):
        of_german, of_english = planned("de.en").first_reads
        assert 7 <= of_german < of_english <= 21

    def test_drops_nothing_and_needs_no_fallback(self):
        plan = planned("en", "1.2.3.4")
        assert plan.fallback is None
        assert not any(run.keep for run in plan.runs)

    def test_is_expected_to_cost_less_than_many_partitions(self):
        plan = planned("de.en", "1.2.3.5")
        prices = {other.plan: other.estimated_capacity_units for other in plan.alternatives}
        assert set(prices) == set(INDEXES)
        assert plan.estimated_capacity_units < prices["by_language_and_rating"]


class TestWhereFewUnitsAreLeft:
    def test_one_set_of_any_language_is_read_and_filtered(self):
        plan = planned("de.en.ja", "4.5", most_units=1.0)
        assert partitions(plan) == ["PRODUCT#42/~/4.5"]
        assert [one_of.values for run in plan.runs for one_of in run.keep] == [
            ({"S": "de"}, {"S": "en"}, {"S": "ja"})
        ]

    def test_that_holds_where_nothing_is_counted(self):
        none = ProductCounts({})
        assert partitions(planned("de.en.ja", "4.5", none, most_units=1.0)) == ["PRODUCT#42/~/4.5"]

    def test_the_set_of_one_language_is_read_as_ever(self):
        assert partitions(planned("de", "4.5", most_units=0.5)) == ["PRODUCT#42/de/4.5"]

    def test_sets_are_read_each_if_that_leaves_enough(self):
        assert len(partitions(planned("de.en.ja", most_units=4.0))) == 3

    def test_sets_are_read_each_where_one_of_any_language_would_cost_more(self):
        rare = ProductCounts({("en", 5): 3_000, ("de", 5): 30, ("ja", 5): 30, ("fr", 5): 30})
        assert len(partitions(planned("de.fr.ja", counts=rare, most_units=2.0))) == 3
        assert len(partitions(planned("de.fr.ja", counts=rare, most_units=1.9))) == 1


class TestAnEmptySet:
    counts = ProductCounts({("en", 5): 100, ("en", 1): 3})

    def test_is_not_read_but_named(self):
        plan = planned("de.en", "1.2", self.counts)
        assert partitions(plan) == ["PRODUCT#42/en/1.2"]
        assert [run.partition for run in plan.empty_partitions] == ["PRODUCT#42/de/1.2"]

    def test_of_any_language_is_named_too(self):
        plan = planned("~", "2", self.counts)
        assert plan.runs == ()
        assert [run.partition for run in plan.empty_partitions] == ["PRODUCT#42/~/2"]


class TestAForcedPlan:
    def test_may_be_any_index(self):
        assert planned("en", forced="by_rating").name == "by_rating"

    def test_may_be_the_sets(self):
        assert planned("en", forced="sets").name == "sets"

    def test_that_there_is_not_names_those_there_are(self):
        with pytest.raises(NoSuchPlan, match="by_language_and_rating, sets"):
            planned(forced="magic")

    def test_of_sets_there_is_not_without_them(self):
        with override_settings(COMMENTS_READ_MODEL="indexes"), pytest.raises(NoSuchPlan):
            planned(forced="sets")
