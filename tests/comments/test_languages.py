"""Which language a visitor's browser asks for (QP2)."""

import pytest

from comments.languages import is_language, language_name, preferred_language

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


class TestIsLanguage:
    def test_knows_the_two_letter_codes(self):
        assert all(map(is_language, ("da", "de", "en", "is", "ja", "ru", "zu")))

    @pytest.mark.parametrize("code", ["", "us", "jp", "dk", "DE", "deu", "~", "d"])
    def test_knows_no_others(self, code):
        assert not is_language(code)


class TestLanguageName:
    def test_is_short_and_english(self):
        names = [language_name(code) for code in ("de", "es", "ja")]
        assert names == ["German", "Spanish", "Japanese"]

    def test_of_an_unknown_code_is_the_code(self):
        assert language_name("xx") == "xx"
