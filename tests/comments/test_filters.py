"""A filter as a value: how it is spelled, and what its toggles lead to."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from comments.filters import (
    MOST_LANGUAGES,
    BadFilter,
    CommentFilter,
    preferred_language,
)
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
        spelled = CommentFilter.parse(chosen.languages_in_url, chosen.ratings_in_url)
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
        assert (chosen.languages_in_url, chosen.ratings_in_url) == canonical

    @pytest.mark.parametrize(
        "languages",
        ["", ".", "de.", ".de", "xx", "us", "eng", "german", "de,en", "de-AT", "~.de", "~~", "d",
         "de.xx", "de en", "İS", "\uff44\uff45", "\0", "de\n"],
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
    def test_makes_the_fifth_one_any(self):
        assert CommentFilter.of(ratings=[1, 2, 3, 4]).toggle_rating(5) == CommentFilter()

    @given(filters, st.integers(1, 5))
    def test_changes_whether_it_is_chosen_and_no_other(self, chosen, rating):
        assume(len({*chosen.ratings, rating}) < 5)
        assert {*chosen.toggle_rating(rating).ratings} == {*chosen.ratings} ^ {rating}


WRITTEN = ("de", "en", "ja", "pt")


class TestPreferredLanguage:
    @pytest.mark.parametrize(
        ("header", "language"),
        [
            ("de", "de"),
            ("DE", "de"),
            ("de-AT", "de"),
            ("pt-BR,pt;q=0.9,en;q=0.8", "pt"),
            ("fr, en;q=0.5, de;q=0.9", "de"),
            ("en;q=0.7, ja;q=0.8", "ja"),
            ("fr-CA, fr;q=0.8, en-GB;q=0.6", "en"),
            ("zh-Hant-TW, ja-JP;q=0.1", "ja"),
            ("de, *;q=0.5", "de"),
        ],
    )
    def test_is_the_first_there_are_comments_in(self, header, language):
        assert preferred_language(header, among=WRITTEN) == language

    @pytest.mark.parametrize(
        "header",
        ["", "*", "fr", "fr, *;q=0.1, de;q=0.05", "klingon", "xx-YY", "en;q=2", "en;q=nonsense",
         ";;;", ",", "de\u00e4", "e", "i-klingon"],
    )  # fmt: skip
    def test_is_none_where_no_such_language_is_asked_for(self, header):
        assert preferred_language(header, among=WRITTEN) is None

    def test_is_not_one_the_visitor_rules_out(self):
        assert preferred_language("fr, de;q=0", among=WRITTEN) is None
        assert preferred_language("*;q=0, en;q=0.1", among=WRITTEN) == "en"

    def test_survives_a_header_of_any_length(self):
        assert preferred_language("de" * 5_000, among=WRITTEN) is None
        assert preferred_language("xx," * 5_000 + "de", among=WRITTEN) is None

    def test_is_a_language_even_when_the_product_has_something_else_listed(self):
        assert preferred_language("tlh", among=("tlh",)) is None
