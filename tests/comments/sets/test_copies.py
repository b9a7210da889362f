"""A comment's primary item and its copies, what a record asks for, and plans of lists."""

from itertools import combinations
from typing import Any

import pytest

from comments.filters import RATINGS, CommentFilter
from comments.indexes.planner import ListPlan, NoSuchPlan
from comments.lists.queries import read_model
from comments.sets.copies import (
    UnreadableRecord,
    copies_of,
    name_of,
    partition,
    primary_of,
    writes_for,
)
from comments.store.counts import ProductCounts
from tests.support.comments.options import comments_set
from tests.support.sets.items import by_sort_key, comment_item, primary_item, record

SETS = [set(chosen) for size in range(1, 6) for chosen in combinations((1, 2, 3, 4, 5), size)]


class TestThePrimary:
    def test_has_what_lists_show_and_no_key_of_another_index(self):
        comment = comment_item()
        primary = primary_of(comment)
        assert set(primary) == {"pk", "sk", "o", "g", "s", "n", "u", "t", "x"}
        assert all(primary[name] == comment[name] for name in set(primary) - {"sk"})

    def test_there_is_none_of_a_hidden_comment(self):
        hidden = {name: value for name, value in comment_item().items() if name not in "alrb"}
        assert primary_of(hidden | {"h": {"S": "42"}}) is None


class TestTheCopies:
    @pytest.mark.parametrize("rating", [1, 3, 5])
    def test_are_in_every_set_that_lists_the_comment_and_in_no_other(self, rating):
        primary = primary_item(product_id="42", language="en", rating=rating)
        listing = [sorted(chosen) for chosen in SETS if rating in chosen]
        spelled = ["~" if len(chosen) == 5 else ".".join(map(str, chosen)) for chosen in listing]
        expected = {f"PRODUCT#42/{language}/{s}" for language in ("~", "en") for s in spelled}
        assert set(by_sort_key([primary, *copies_of(primary)])) == expected

    def test_differ_from_the_primary_by_their_set_and_the_mark_alone(self):
        primary = primary_item()
        for copy in copies_of(primary):
            assert copy == primary | {"sk": copy["sk"], "auto": {"BOOL": True}}

    def test_keep_a_product_id_with_slashes_whole(self):
        primary = primary_item(product_id="a/~/b")
        assert primary["sk"] == {"S": "PRODUCT#a/~/b/~/~"}
        assert "PRODUCT#a/~/b/en/5" in by_sort_key(copies_of(primary))


class TestKeys:
    @pytest.mark.parametrize(
        ("language", "ratings", "name", "mask"),
        [
            (None, (), "~/~", "~/~"),
            ("en", [1], "en/1", "en/1"),
            ("en", [5, 1, 2], "en/1.2.5", "en/19"),
            (None, [5, 1, 5], "~/1.5", "~/17"),
            ("en", {1, 2, 3, 4, 5}, "en/~", "en/~"),
        ],
    )
    def test_name_the_ratings_or_have_a_bit_for_each(self, language, ratings, name, mask, settings):
        assert partition("42", language, ratings) == f"PRODUCT#42/{name}"
        settings.COMMENTS = {**settings.COMMENTS, "SETS_KEY_FORMAT": "masks"}
        assert partition("42", language, ratings) == f"PRODUCT#42/{mask}"


def names(primary):
    return {name_of(copy) for copy in copies_of(primary)}


class TestAPrimaryThatSomebodySpoiled:
    @pytest.mark.parametrize(
        "spoiled",
        [{"s": {"N": "9"}}, {"s": {"S": "five"}}, {"g": {"NULL": True}}],
        ids=["rating", "type", "language"],
    )
    def test_asks_for_no_copies_but_for_the_end_of_those_it_had(self, spoiled):
        before = primary_item()
        writes = writes_for(record(before, before | spoiled))
        assert (writes.puts, writes.deletes) == ({}, names(before))


class TestARecordThatTellsTooLittle:
    @pytest.mark.parametrize("image", ["OldImage", "NewImage"])
    def test_is_refused_rather_than_leave_copies_behind(self, image):
        told = record(primary_item(rating=5), primary_item(rating=4))
        del told["dynamodb"][image]
        with pytest.raises(UnreadableRecord, match="NEW_AND_OLD_IMAGES"):
            writes_for(told)


COUNTS = ProductCounts(
    {(language, rating): 100 * weight for language, weight in (("en", 6), ("de", 3), ("ja", 1))
     for rating in RATINGS}
)  # fmt: skip
PLANS_BY_INDEX = ("all", "by_language", "by_rating", "by_language_and_rating")


@pytest.fixture(autouse=True)
def _sets():
    with comments_set(READ_MODEL="sets"):
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

    def test_asks_of_several_sets_about_their_shares(self):
        of_german, of_english = planned("de.en").first_reads
        assert 7 <= of_german < of_english <= 21

    def test_is_expected_to_cost_less_than_many_partitions(self):
        plan = planned("de.en", "1.2.3.5")
        prices = {
            other.plan: other.estimated_capacity_units for other in plan.compare().alternatives
        }
        assert set(prices) == set(PLANS_BY_INDEX)
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


class TestAForcedPlan:
    def test_that_there_is_not_names_those_there_are(self):
        with pytest.raises(NoSuchPlan, match="by_language_and_rating, sets"):
            planned(forced="magic")

    def test_of_sets_there_is_not_without_them(self):
        with (
            comments_set(READ_MODEL="indexes"),
            pytest.raises(NoSuchPlan),
        ):
            planned(forced="sets")
