"""The plan of a search: its groups of languages, the postings that are read first, and how many."""

import pytest

from comments.filters import CommentFilter
from comments.lists.orders import CommentOrder
from comments.lists.rarest_stems import RAREST, Rarest
from comments.lists.search_plans import (
    FIRST_READS,
    LEAST_READ,
    MOST_QUERIES,
    SearchPlan,
)
from comments.search.words import VERSION, parse_search
from comments.store.counts import ProductCounts
from dynapages.lists import HIGHEST, Position
from tests.support.comments.options import comments_set

LANGUAGES = ("cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "pl", "pt", "ru")
MORE = (*LANGUAGES, "el", "et", "eu", "ga", "hy", "id", "lt", "lv", "nb", "ro", "sl", "sv", "uk")
EIGHT_WORDS = "akku leer kabel display top neu gut billig"
ANY = CommentFilter()


def plan_of(words, languages, *, numbers=None, chosen=ANY, **more):
    counts = ProductCounts({(one, 5): (numbers or {}).get(one, 9) for one in languages})
    return SearchPlan("p", parse_search(words), chosen, counts=counts, **more)


def partitions(plan, number=0):
    return [run.partition for run in plan.of_group(number, 21).runs]


class TestTheFirstReads:
    def test_are_a_page_of_a_word_that_is_alone(self):
        plan = plan_of("akku", ["de"]).of_group(0, 21)
        assert plan.first_reads == (21,)
        assert plan.runs[0].keep == ()

    def test_are_a_little_of_each_of_several_words(self):
        plan = plan_of("akku leer kabel", ["de"])
        stems = ("kabel", "akku", "leer")
        assert partitions(plan) == [f"PRODUCT#p/{VERSION}/de/{stem}" for stem in stems]
        assert plan.of_group(0, 21).first_reads == (16, 16, 16)

    @pytest.mark.parametrize("with_hidden", [False, True])
    @pytest.mark.parametrize("with_older", [False, True])
    @pytest.mark.parametrize("words", ["akku", EIGHT_WORDS])
    @pytest.mark.parametrize("number", [1, 5, 13, 26])
    def test_are_few_queries_in_many_languages(self, words, number, with_hidden, with_older):
        with comments_set(SEARCH_OLDER=with_older):
            plan = plan_of(words, MORE[:number], with_hidden=with_hidden)
            assert plan.searched == tuple(sorted(MORE[:number]))
            for group in range(len(plan.groups)):
                first = plan.of_group(group, 21)
                assert len(first.runs) <= MOST_QUERIES
                assert sum(first.first_reads) <= FIRST_READS

    def test_are_most_of_the_languages_with_the_most_comments(self):
        plan = plan_of("akku", ["de", "en", "is"], numbers={"de": 75, "en": 25, "is": 1})
        assert plan.of_group(0, 21).first_reads == (21, 11, LEAST_READ)

    def test_are_alike_in_languages_that_are_not_counted(self):
        chosen = CommentFilter.of(["de", "en"])
        plan = plan_of("akku leer", [], chosen=chosen)
        assert plan.of_group(0, 21).first_reads == (12, 12, 12, 12)

    def test_are_of_both_versions_while_older_postings_are_in_the_table(self):
        with comments_set(SEARCH_OLDER=True):
            assert partitions(plan_of("akku", ["de"])) == [
                f"PRODUCT#p/{VERSION}/de/akku",
                "PRODUCT#p/w2/de/akku",
            ]


class TestGroups:
    def test_are_of_sixteen_languages_those_with_the_most_comments_first(self):
        plan = plan_of("akku", MORE, numbers={"uk": 900, "sv": 100})
        assert plan.searched[:3] == ("uk", "sv", "cs")
        assert [len(group) for group in plan.groups] == [16, 10]

    def test_have_half_as_many_languages_with_hidden_comments(self):
        plan = plan_of("akku", MORE, with_hidden=True)
        assert [len(group) for group in plan.groups] == [8, 8, 8, 2]

    def test_stay_while_single_comments_are_written(self):
        plan = plan_of("akku", MORE, numbers=dict.fromkeys(MORE, 10))
        later = plan_of("akku", MORE, numbers=dict.fromkeys(MORE, 10) | {"uk": 13})
        assert plan.groups == later.groups

    def test_leave_out_languages_in_which_all_words_are_common(self):
        plan = plan_of("the", ("de", "en"))
        assert (plan.searched, plan.common) == (("de",), ("en",))

    @pytest.mark.parametrize("order", [CommentOrder.NEWEST, CommentOrder.OLDEST])
    def test_are_sections_in_the_order_of_reading(self, order):
        plan = plan_of("akku", MORE, order=order)
        first, second = (plan.section(number) for number in (0, 1))
        assert (first < second) is (order is CommentOrder.OLDEST)
        assert {run.section for run in plan.of_group(1, 21).runs} == {second}

    def test_have_no_sections_where_there_is_one(self):
        plan = plan_of("akku", LANGUAGES)
        assert (plan.section(0), plan.sections) == ("", {})


class TestAPosition:
    grouped, whole = plan_of("akku", MORE), plan_of("akku", LANGUAGES)
    place = "2026-11-20T09:30:00.000000Z#c"

    def test_of_a_list_that_had_no_groups_is_in_the_first_one(self):
        placed = self.grouped.placed(Position(self.place))
        assert placed == Position(self.grouped.section(0) + self.place)
        assert self.grouped.placed(Position("2026-11" + HIGHEST)).place.startswith("g")

    def test_of_a_list_that_had_groups_is_one_without(self):
        position = Position(self.grouped.section(1) + self.place)
        assert self.whole.placed(position) == Position(self.place)

    @pytest.mark.parametrize("place", [HIGHEST, ""])
    def test_at_an_edge_stays_there(self, place):
        assert self.grouped.placed(Position(place)) == Position(place)
        assert self.whole.placed(Position(place)) == Position(place)


class TestTheRarestStem:
    @pytest.fixture
    def remembered(self):
        plan = plan_of("akku kabel", ["de"])
        (key,) = {plan._key(stem_set) for stem_set in plan._stem_sets(("de",))}
        RAREST.note(key, Rarest(f"PRODUCT#p/{VERSION}/de/akku", 2.5))
        yield plan
        RAREST.forget(key)

    def test_is_read_alone_as_far_as_it_is_expected_to_be_needed(self, remembered):
        assert partitions(remembered) == [f"PRODUCT#p/{VERSION}/de/akku"]
        assert remembered.of_group(0, 21).first_reads == (53,)

    def test_is_that_of_the_same_search_alone(self, remembered):
        assert len(partitions(plan_of("akku display", ["de"]))) == 2
        chosen = CommentFilter.of([], [5])
        assert len(partitions(plan_of("akku kabel", ["de"], chosen=chosen))) == 2
