from concurrent.futures import ThreadPoolExecutor
from html import unescape
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comments.search import words
from comments.search.words import (
    LONGEST_SEARCH,
    LONGEST_WORD,
    MOST_STEMS,
    MOST_WORDS,
    BadSearch,
    indexed_stems,
    marked,
    parse_search,
    stems_of,
)

LANGUAGES = st.sampled_from(
    ["de", "en", "fr", "ja", "pt-br", "ru", "th", "tr", "yi", "zh", "xx", ""]
)
TEXTS = st.text(st.characters(), max_size=60) | st.text(
    st.sampled_from("Aaä\u0308ßİiﬁ½①_-'/&<>\x00\ud800❤\ufe0f1๑ กิำ 東京バｶﾞー々"), max_size=40
)


@pytest.fixture
def common(monkeypatch):
    """The stems that are common in each language; none are until a test adds some."""
    lists = {}
    monkeypatch.setattr(words, "_common", lambda language: frozenset(lists.get(language, ())))
    return lists


class TestStemsOf:
    @pytest.mark.parametrize(
        ("language", "text", "stems"),
        [
            ("en", "Batteries charged, battery charging", ("batteri", "charg")),
            ("de", "Größe und GROESSE", ("gross", "und")),
            ("pt-br", "baterias", ("bat",)),
            ("ru", "телефоны телефон", ("телефон",)),
            ("is", "Rafhlöður", ("rafhlöður",)),
        ],
    )
    def test_are_those_of_the_language(self, common, language, text, stems):
        assert stems_of(text, language) == stems

    @pytest.mark.parametrize(
        ("text", "stems"),
        [
            ("cafe\u0301 CAFÉ", ("café",)),
            ("\uff21\uff22\uff11 ab1", ("ab1",)),
            ("don't_stop", ("don", "t", "stop")),
            ("ok ❤\ufe0f 1\ufe0f\u20e3 👍🏽", ("ok", "1")),
            ("İi", ("ii",)),
            ("हिन्दी में", ("हिन्दी", "में")),
            ("… !? \x00\ud800", ()),
            ("", ()),
        ],
    )
    def test_are_runs_of_folded_letters_marks_and_digits(self, text, stems):
        assert stems_of(text, "xx") == stems

    @pytest.mark.parametrize(
        ("text", "stems"),
        [
            ("電池の持ち", ("電池", "池の", "の持", "持ち")),
            ("ｶﾞｲﾄﾞ ガイド", ("ガイ", "イド")),
            ("USBは東京", ("usb", "は東", "東京")),
            ("東", ("東",)),
            ("กินข้าว฿", ("กิน", "นข้", "ข้า", "าว")),
        ],
    )
    def test_are_pairs_of_characters_in_scripts_without_spaces(self, common, text, stems):
        assert stems_of(text, "en") == stems

    def test_leave_out_common_ones_of_the_language(self, common):
        common["en"] = ["the"]
        assert stems_of("The pan", "en") == ("pan",)
        assert stems_of("The pan", "de") == ("the", "pan")

    @given(TEXTS, LANGUAGES)
    def test_are_short_and_of_letters_marks_and_digits(self, text, language):
        for stem in stems_of(text, language):
            assert 0 < len(stem) <= 2 * LONGEST_WORD
            assert all(category(one)[0] in "LMN" for one in stem)

    def test_are_the_same_in_several_threads(self):
        texts = [f"charging batteries works{number}" for number in range(50)] * 20
        with ThreadPoolExecutor(4) as threads:
            found = threads.map(lambda text: stems_of(text, "en"), texts)
        assert [*found] == [stems_of(text, "en") for text in texts]

    @pytest.mark.parametrize("one", ["a", "a ", "東", "a\u0301\u0323", "\u0323", "!", "\ud800"])
    def test_of_200_000_characters_are_found(self, one):
        assert len(stems_of(one * (200_000 // len(one)), "de")) <= 1


class TestIndexedStems:
    def test_are_the_first_of_title_and_body(self, common):
        body = " ".join(f"w{number}" for number in range(100))
        stems = indexed_stems("Title w5", body, "en")
        assert stems[:3] == ("titl", "w5", "w0")
        assert len(stems) == MOST_STEMS


class TestParseSearch:
    def test_keeps_the_text_with_its_blanks_collapsed(self):
        assert parse_search("  Akku \x00 leer\n").text == "Akku leer"

    def test_finds_different_words_as_typed(self):
        assert parse_search("Akku leer AKKU").words == ("Akku", "leer")

    def test_has_no_words_where_there_is_only_punctuation(self):
        assert parse_search("?! …").words == ()

    def test_counts_pairs_of_characters_as_words(self):
        assert len(parse_search("電池の持ちが悪い").words) == 7

    def test_refuses_too_many_words(self):
        fits = " ".join("abcdefgh"[:MOST_WORDS])
        assert len(parse_search(fits).words) == MOST_WORDS
        with pytest.raises(BadSearch, match="at most 8 words"):
            parse_search(f"{fits} i")

    def test_refuses_too_many_characters(self):
        assert parse_search("a" * LONGEST_SEARCH)
        with pytest.raises(BadSearch, match="at most 200 characters"):
            parse_search("a" * (LONGEST_SEARCH + 1))


class TestASearch:
    def test_tells_which_words_are_common_in_a_language(self, common):
        common["en"] = ["the"]
        search = parse_search("The pans")
        assert (search.stems("en"), search.common("en")) == (("pan",), ("The",))
        assert (search.stems("nl"), search.common("nl")) == (("the", "pan"), ())

    @given(TEXTS, TEXTS, TEXTS, LANGUAGES)
    def test_has_stems_that_a_text_with_its_words_has(self, before, text, after, language):
        try:
            search = parse_search(text)
        except BadSearch:
            return
        around = f"{before} {' … '.join(search.words)} {after}"
        assert {*search.stems(language)} <= {*stems_of(around, language)}
        assert {*search.stems(language)} == {*stems_of(search.text, language)}


class TestMarked:
    def test_marks_words_with_one_of_the_stems(self):
        assert marked("Charged & charging", {"charg"}, "en") == (
            "<mark>Charged</mark> &amp; <mark>charging</mark>"
        )

    def test_marks_overlapping_pairs_as_one(self):
        assert marked("の電池が", {"電池", "池が"}, "ja") == "の<mark>電池が</mark>"

    def test_marks_words_whose_folded_form_is_longer(self):
        assert marked("ßß ﬁ x", {"fi"}, "xx") == "ßß <mark>ﬁ</mark> x"

    def test_marks_common_words_that_are_named(self, common):
        common["en"] = ["the"]
        assert marked("the", {"the"}, "en") == "<mark>the</mark>"

    def test_escapes_what_is_found(self):
        assert marked("<b>&", {"b"}, "en") == "&lt;<mark>b</mark>&gt;&amp;"

    @given(TEXTS, LANGUAGES)
    def test_keeps_the_text(self, text, language):
        html = marked(text, {*stems_of(text, language)}, language)
        assert unescape(html.replace("<mark>", "").replace("</mark>", "")) == text
