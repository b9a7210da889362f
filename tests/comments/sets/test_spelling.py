"""Sets of comments, spelled as the seed spells them, by names or by masks."""

import pytest

from comments.sets.copies import partition, rating_sets


class TestByNames:
    @pytest.mark.parametrize(
        ("language", "ratings", "spelled"),
        [
            (None, (), "PRODUCT#42/~/~"),
            ("en", (), "PRODUCT#42/en/~"),
            ("en", [1], "PRODUCT#42/en/1"),
            ("en", [1, 2, 5], "PRODUCT#42/en/1.2.5"),
            (None, [1, 2, 5], "PRODUCT#42/~/1.2.5"),
        ],
    )
    def test_spells_the_sets_of_the_seed(self, language, ratings, spelled):
        assert partition("42", language, ratings) == spelled

    def test_does_not_mind_the_order_nor_repetitions(self):
        assert partition("42", None, [5, 1, 5]) == "PRODUCT#42/~/1.5"

    def test_all_five_ratings_are_any(self):
        assert partition("42", "en", {1, 2, 3, 4, 5}) == "PRODUCT#42/en/~"


class TestByMasks:
    @pytest.fixture(autouse=True)
    def masks(self, settings):
        settings.COMMENT_SETS_KEY_FORMAT = "masks"

    @pytest.mark.parametrize(
        ("ratings", "spelled"), [([1], "1"), ([5], "16"), ([1, 5], "17"), ([1, 2, 5], "19")]
    )
    def test_each_rating_is_a_bit(self, ratings, spelled):
        assert partition("42", "en", ratings) == f"PRODUCT#42/en/{spelled}"

    @pytest.mark.parametrize("ratings", [(), (1, 2, 3, 4, 5)])
    def test_the_full_set_is_spelled_as_by_names(self, ratings):
        assert partition("42", None, ratings) == "PRODUCT#42/~/~"


class TestRatingSets:
    @pytest.mark.parametrize("rating", [1, 2, 3, 4, 5])
    def test_are_the_sixteen_that_contain_the_rating(self, rating):
        sets = rating_sets(rating)
        assert len(set(sets)) == 16
        assert all(rating in chosen and list(chosen) == sorted(set(chosen)) for chosen in sets)
