"""Ratings as files write them: no DynamoDB."""

from decimal import Decimal

import pytest

from comments.data.ratings import Scale, exact_rating, rating_map, scale_of
from dynapages.files.columns import BadMapping
from dynapages.files.records import RowRefused

OF_TEN = Scale(Decimal(0), Decimal(10))


def rating(text: str, scale: Scale | None = None, mapped: str = "", decimal: str = "") -> Decimal:
    ratings = rating_map(mapped) if mapped else {}
    return exact_rating(text, scale or Scale(), ratings, decimal or None)


def reason(text: str, scale: Scale | None = None, mapped: str = "", decimal: str = "") -> str:
    with pytest.raises(RowRefused) as refused:
        rating(text, scale, mapped, decimal)
    return str(refused.value)


class TestARatingInWords:
    @pytest.mark.parametrize(
        "four",
        [
            "4",
            "4.0",
            "4,0",
            "4/5",
            "4 / 5",
            "4.0/5.0",
            "4.0 out of 5 stars",
            "Rated 4 out of 5",
            "4 of 5",
            "4,0 von 5 Sternen",
            "4 de 5 estrellas",
            "4,0 de 5 estrelas",
            "4 sur 5",
            "4,0 sur 5\u00a0étoiles",
            "4,0 sur 5 e\u0301toiles",
            "4,0 su 5 stelle",
            "4,0 van 5 sterren",
            "4,0 av 5 stjärnor",
            "4,0 z 5 gwiazdek",
            "5 y\u0131ld\u0131z üzerinden 4,0",
            "5つ星のうち4.0",
            "4.0 颗星\uff0c最多 5 颗星",
            "4.0 من 5 نجوم",
            "FOUR",
            "four stars",
            "4 Stars",
            "4 Sterne",
            "4★",
            "★★★★☆",
            "★★★★",
            "⭐⭐⭐⭐",
            "⭐\ufe0f⭐\ufe0f ⭐\ufe0f⭐\ufe0f",
        ],
    )
    def test_is_read_where_only_one_reading_is_possible(self, four):
        assert rating(four) == 4

    @pytest.mark.parametrize(
        "text", ["4½", "4½ stars", "★★★★½", "★★★★⯪", "4.5/5", "4,5 von 5 Sternen"]
    )
    def test_may_have_half_a_star(self, text):
        assert rating(text) == Decimal("4.5")

    @pytest.mark.parametrize(
        "text", ["0/5", "6/5", "6 stars", "☆☆☆☆☆", "★★★★★★", "½", "0 out of 5 stars"]
    )
    def test_is_of_the_scale(self, text):
        assert reason(text) == f"rating: “{text}” is no number from 1 to 5"

    @pytest.mark.parametrize("text", ["8/10", "8 out of 10", "8.0 von 10.0"])
    def test_out_of_another_number_needs_the_scale(self, text):
        assert reason(text) == (
            f"rating: “{text}” is out of 10, and not on a scale from 1 to 5: --rating-scale 0..10 "
            f"or 1..10 says which one it is on"
        )
        assert rating(text, OF_TEN) == Decimal("4.2")
        assert rating(text, scale_of("1..10")) == 1 + 7 * Decimal(4) / 9

    @pytest.mark.parametrize("text", ["★★☆", "80/100", "4/5 "])
    def test_on_another_scale_than_the_option_says_is_none(self, text):
        assert "not on a scale from 0 to 10" in reason(text.strip(), OF_TEN)

    def test_has_decimals_behind_the_mark_that_is_given(self):
        assert rating("4,5 von 5", decimal=",") == Decimal("4.5")
        assert "is no number" in reason("4.5 von 5", decimal=",")

    @pytest.mark.parametrize(
        "text",
        [
            "true",
            "up",
            "Recommended",
            "STAR_RATING_UNSPEC",
            "4 of 5 apples",
            "4.0.0",
            "4 5",
            "\u0665",
            "5e0",
            "4☆★",
            "5" + " " * 100 + "x",
        ],
    )
    def test_that_is_none_is_rejected_with_the_option_that_helps(self, text):
        assert reason(text) == (
            f"rating: “{text[:20]}” is no number from 1 to 5: --rating-map true=5,false=1 says "
            f"what words mean"
        )

    def test_that_is_missing_is_rejected_with_the_options_that_help(self):
        assert reason("") == (
            "rating is missing: --set rating=5 gives one, --skip rating= skips the row"
        )


class TestTheMap:
    @pytest.mark.parametrize("text", ["true", " True ", "TRUE"])
    def test_compares_in_any_case_without_blanks_at_the_ends(self, text):
        assert rating(text, mapped="True=5,false=1") == 5

    @pytest.mark.parametrize("text", ["0", "0.0", "0,0"])
    def test_compares_numbers_however_they_are_written(self, text):
        assert rating(text, mapped="1=5,0=1") == 1
        assert rating(text, mapped="0.0=2") == 2

    def test_goes_before_the_scale_and_before_words(self):
        assert rating("10", OF_TEN, mapped="10=1") == 1
        assert rating("five", mapped="five=4") == 4

    def test_leaves_other_ratings_as_they_are(self):
        assert rating("4 stars", mapped="up=5") == 4
        assert "“down”" in reason("down", mapped="up=5")

    @pytest.mark.parametrize("bad", ["up=6", "up=0", "up=4.5", "up=x", "up", "=5", "up=1,UP=2"])
    def test_is_of_words_and_ratings_from_1_to_5(self, bad):
        with pytest.raises(BadMapping):
            rating_map(bad)
