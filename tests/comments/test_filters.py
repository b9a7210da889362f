"""A filter as a value: how it is spelled, and what its toggles lead to."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from comments.filters import MOST_LANGUAGES, BadFilter, CommentFilter
from tests.support.comments.truth import LANGUAGES

ALPHA_2 = ("aa", "ab", "ae", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be")
filters = st.builds(
    CommentFilter.of,
    st.sets(st.sampled_from(LANGUAGES), max_size=MOST_LANGUAGES),
    st.sets(st.integers(1, 5)),
)


class TestSpelling:
    @given(filters)
    def test_is_read_back_as_the_same_filter(self, chosen):
        spelled = CommentFilter.parse(chosen.languages_spelled, chosen.ratings_spelled)
        assert spelled == chosen

    @pytest.mark.parametrize(
        ("languages", "ratings", "canonical"),
        [
            ("~", "~", ("~", "~")),
            ("de.en", "1.2.5", ("de.en", "1.2.5")),
            ("en.de", "5.2.1", ("de.en", "1.2.5")),
            ("EN.De", "~", ("de.en", "~")),
            ("en.en", "3.3", ("en", "3")),
            ("~", "1.2.3.4.5", ("~", "~")),
            ("ja", "5.4.3.2.1.1", ("ja", "~")),
        ],
    )
    def test_has_one_canonical_form(self, languages, ratings, canonical):
        chosen = CommentFilter.parse(languages, ratings)
        assert (chosen.languages_spelled, chosen.ratings_spelled) == canonical

    @pytest.mark.parametrize(
        "languages",
        ["", ".", "de.", ".de", "xx", "eng", "german", "de,en", "de-AT", "~.de", "~~", "d", "de.xx",
         "de en", "İS", "\uff44\uff45", "\0", "de\n"],
    )  # fmt: skip
    def test_refuses_what_is_no_language(self, languages):
        with pytest.raises(BadFilter, match="ISO 639-1"):
            CommentFilter.parse(languages, "~")

    @pytest.mark.parametrize(
        "ratings",
        ["", ".", "0", "6", "-1", "1.", "1.0", "01", "+1", " 1", "five", "1,2", "٣", "1_1"],
    )
    def test_refuses_what_is_no_rating(self, ratings):
        with pytest.raises(BadFilter, match="1, 2, 3, 4 and 5"):
            CommentFilter.parse("~", ratings)

    def test_refuses_more_languages_than_a_page_may_query(self):
        codes = [*ALPHA_2, *LANGUAGES]
        assert CommentFilter.of(codes[:MOST_LANGUAGES]).languages
        with pytest.raises(BadFilter, match=f"at most {MOST_LANGUAGES}"):
            CommentFilter.parse(".".join(codes[: MOST_LANGUAGES + 1]), "~")


class TestTogglingARating:
    @pytest.mark.parametrize("rating", [1, 2, 3, 4, 5])
    def test_chooses_it_alone_from_any(self, rating):
        assert CommentFilter().toggle_rating(rating).ratings == (rating,)

    def test_leads_from_the_last_one_back_to_any(self):
        assert CommentFilter.of(ratings=[2]).toggle_rating(2) == CommentFilter()

    def test_makes_the_fifth_one_any(self):
        assert CommentFilter.of(ratings=[1, 2, 3, 4]).toggle_rating(5) == CommentFilter()

    @given(filters, st.integers(1, 5))
    def test_changes_whether_it_is_chosen_and_no_other(self, chosen, rating):
        assume(len({*chosen.ratings, rating}) < 5)
        assert {*chosen.toggle_rating(rating).ratings} == {*chosen.ratings} ^ {rating}

    @given(filters, st.integers(1, 5))
    def test_leaves_the_languages_alone(self, chosen, rating):
        assert chosen.toggle_rating(rating).languages == chosen.languages


class TestTogglingALanguage:
    def test_chooses_it_alone_from_any(self):
        assert CommentFilter().toggle_language("de").languages == ("de",)

    def test_adds_a_further_one_in_order(self):
        assert CommentFilter.of(["en"]).toggle_language("de").languages == ("de", "en")

    def test_leads_from_the_last_one_back_to_any(self):
        assert CommentFilter.of(["de"]).toggle_language("de") == CommentFilter()

    @given(filters, st.sampled_from(LANGUAGES))
    def test_twice_changes_nothing(self, chosen, language):
        assert chosen.toggle_language(language).toggle_language(language) == chosen
