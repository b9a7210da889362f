import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from unicodedata import category, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comments.search import words
from comments.search.words import (
    LONGEST_SEARCH,
    LONGEST_WORD,
    MOST_STEMS,
    MOST_WORDS,
    OLDER,
    BadSearch,
    Search,
    indexed_stems,
    marked,
    parse_search,
    stems_of,
)

QUOTE, APOSTROPHE = "\u2019", "\u02bc"
SIGNS = f"\\-\u2010\u2011&'{QUOTE}{APOSTROPHE}"
LANGUAGES = st.sampled_from(
    ["ar", "de", "en", "fr", "he", "ja", "ko", "pt-br", "ru", "th", "tr", "yi", "zh", "xx", ""]
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
            ("is", "Rafhlöður", ("rafhlodur",)),
        ],
    )
    def test_are_those_of_the_language(self, common, language, text, stems):
        assert stems_of(text, language) == stems

    @pytest.mark.parametrize(
        ("text", "stems"),
        [
            ("cafe\u0301 CAFÉ cafe", ("cafe",)),
            ("\uff21\uff22\uff11 ab1", ("ab1",)),
            ("can_open", ("can", "open")),
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
            ("東、京 2個 ดี", ("2",)),
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


class TestAccents:
    @pytest.mark.parametrize(
        ("language", "with_accents", "without"),
        [
            ("da", "Køb på blåbær", "kob pa blabaer"),
            ("de", "Straße Größe über", "STRASSE Grosse uber"),
            ("el", "μπαταρία ΠΟΙΌΤΗΤΑ", "μπαταρια ποιοτητα"),
            ("es", "canción teléfono podría", "cancion telefono podria"),
            ("fr", "déçu cœur très cassée", "decu coeur tres cassee"),
            ("hu", "árvíztűrő akkumulátorból", "arvizturo akkumulatorbol"),
            ("it", "perché qualità funzionerà", "perche qualita funzionera"),
            ("pl", "Żółta łódka słabe", "zolta lodka slabe"),
            ("pt", "não recomendação", "nao recomendacao"),
            ("ru", "Ёлка ещё", "елка еще"),
            ("tr", "İstanbul \u0131ş\u0131k kötü", "ISTANBUL isik kotu"),
            ("vi", "giao hàng chậm đường", "giao hang cham duong"),
            ("he", "שָׁלוֹם", "שלום"),
            ("ar", "شُكْرًا جزيـــلا", "شكرا جزيلا"),
            ("xx", "naïve þorn Ħal ﬁancée", "naive thorn hal fiancee"),
        ],
    )
    def test_are_folded(self, common, language, with_accents, without):
        assert stems_of(with_accents, language) == stems_of(without, language)
        assert len(stems_of(without, language)) == len(without.split())

    @given(
        st.text(st.sampled_from("aàãåçéèiíñoóöõuúüyýšžțąęăőű cdelmnrst"), max_size=30),
        st.sampled_from(["cs", "de", "es", "fi", "fr", "hu", "it", "pl", "pt", "ro", "tr", "xx"]),
    )
    def test_are_folded_in_any_word_of_any_language(self, text, language):
        plain = "".join(one for one in normalize("NFD", text) if category(one) != "Mn")
        assert stems_of(text, language) == stems_of(plain, language)

    @pytest.mark.parametrize(
        "text", ["й и", "ї \u0456", "हिन्दी हनद", "ガツ カツ", "ดีมา ดมา", "각 가"]
    )
    def test_are_kept_where_they_are_vowels_or_make_other_letters(self, text):
        one, other = text.split()
        assert stems_of(one, "xx") != stems_of(other, "xx")

    @pytest.mark.parametrize(
        ("language", "forms"),
        [
            ("ca", "informació informacions"),
            ("cs", "desetinný desetinného desetinných"),
            ("de", "Größe größer"),
            ("es", "canción canciones"),
            ("es", "tener tenía tenían tenéis"),
            ("es", "necesario necesaria"),
            ("fr", "cassé cassée cassées casser"),
            ("hu", "karakter karakterből karakternél"),
            ("it", "funzionare funzionerà funzionano"),
            ("it", "positivo positività"),
            ("lt", "slaptažodis slaptažodžio"),
            ("pl", "znak znaków"),
            ("pt", "recomendação recomendações recomendar recomendável"),
            ("pt", "excelência excelente"),
            ("ro", "comandă comanda"),
            ("tr", "\u0131ş\u0131k \u0131ş\u0131klar"),
            ("tr", "sayfa sayfadaki sayfalarda"),
        ],
    )
    def test_do_not_part_the_forms_of_a_word(self, common, language, forms):
        assert len(stems_of(forms, language)) == 1


class TestParticles:
    @pytest.mark.parametrize(
        ("language", "noun", "others"),
        [
            ("ko", "배터리", "배터리가 배터리는 배터리를 배터리에서 배터리에서는 배터리만으로도"),
            ("ko", "고양이", "고양이가 고양이를 고양이의"),
            ("he", "סוללה", "הסוללה והסוללה שהסוללה ושהסוללה"),
            ("he", "הזמנה", "ההזמנה וההזמנה"),
            ("ar", "بطارية", "البطارية والبطارية بالبطارية للبطارية وللبطارية بطاريات البطاريات"),
            ("ar", "شاشة", "الشاشة والشاشة فالشاشة كالشاشة للشاشة"),
        ],
    )
    def test_are_taken_off(self, language, noun, others):
        assert len(stems_of(f"{noun} {others}", language)) == 1

    @pytest.mark.parametrize(
        ("language", "text"),
        [("ko", "속도 속"), ("he", "הבד בד"), ("ar", "الله لله"), ("yi", "הויז ויז")],
    )
    def test_are_left_where_the_rest_would_be_too_short_or_in_other_languages(self, language, text):
        assert len(stems_of(text, language)) == 2


class TestJoinedWords:
    @pytest.mark.parametrize(
        ("language", "text", "joined"),
        [
            ("en", "WH-1000XM4", "wh1000xm4"),
            ("en", "an e-bike, e\u2010bike, e\u2011bike", "ebike"),
            ("en", "don't DON\u2019T don\u02bct", "dont"),
            ("en", "AT&T", "att"),
            ("de", "Corona-Warn-App", "coronawarnapp"),
            ("fr", "l'arc-en-ciel", "arcenciel"),
            ("uk", f"м{QUOTE}яка м'яка м{APOSTROPHE}яка", "мяка"),
        ],
    )
    def test_have_a_stem_together_behind_all_others(self, common, language, text, joined):
        *words, last = stems_of(f"{text} end", language)
        assert stems_of(joined, language) == (last,)
        assert "end" in words

    @pytest.mark.parametrize(
        ("language", "text"),
        [
            ("fr", "l'aspirateur j\u2019ai"),
            ("it", "l'ottima un'altra"),
            ("ca", "l'aigua"),
            ("en", "on - off, black -white, and/or, one--two, a_b"),
            ("en", "the children's"),
            ("en", "2024-01-31 10-12"),
            ("en", "one-two-three-four-five"),
            ("zh", "电池-屏幕"),
        ],
    )
    def test_have_none_in_elisions_numbers_long_chains_and_scripts_without_spaces(
        self, common, language, text
    ):
        apart = re.sub("[-'\u2019_/]", " ", text)
        assert stems_of(text, language) == stems_of(apart, language)

    def test_leave_the_room_of_a_comment_to_its_words(self, common):
        body = "e-bike " + " ".join(f"w{number}" for number in range(MOST_STEMS))
        stems = indexed_stems("", body, "en")
        assert len(stems) == MOST_STEMS
        assert "ebik" not in stems

    def test_are_not_looked_for_by_searches_with_the_sign(self, common):
        assert parse_search("USB-C").stems("en") == ("usb", "c")
        assert parse_search("l'aspirateur").words == ("l", "aspirateur")


class TestTheOlderVersion:
    """What a site has postings of until they are written anew."""

    @pytest.mark.parametrize(
        ("language", "text", "stems"),
        [
            ("fr", "Très déçu: l\u2019écran", ("tres", "déçu", "l", "écran")),
            ("pt", "Não recomendação", ("recomend",)),
            ("en", "The WH-1000XM4, don't", ("wh", "1000xm4", "don")),
            ("he", "הסוללה", ("הסוללה",)),
            ("ko", "배터리가", ("배터리가",)),
            ("zh", "东\uff0c西电池", ("东", "西电", "电池")),
            ("uk", f"м{APOSTROPHE}яка", (f"м{APOSTROPHE}яка",)),
        ],
    )
    def test_is_as_it_was(self, language, text, stems):
        assert stems_of(text, language, OLDER) == stems
        assert indexed_stems("", text, language, OLDER) == stems

    def test_is_asked_for_by_the_words_of_a_search(self):
        search = parse_search("déçu 电 l'écran")
        assert search.stems("fr", OLDER) == ("déçu", "l", "écran")


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

    def test_takes_spellings_with_and_without_accents_for_one_word(self):
        assert parse_search("déçu decu").words == ("déçu",)

    def test_names_what_has_no_word_as_typed(self):
        search = parse_search("battery 👍 !!! & 👍 -- ok")
        assert search.words == ("battery", "ok")
        assert search.ignored == ("👍", "!!!", "&", "--")

    def test_names_single_characters_of_scripts_without_spaces(self):
        search = parse_search("电 battery 2個 👍傘 电")
        assert search.words == ("battery", "2")
        assert search.alone == ("电", "個", "傘")
        assert search.ignored == ()

    def test_does_not_look_for_single_characters(self):
        search = parse_search("电 电池")
        assert search.words == ("电池",)
        assert search.stems("zh") == search.stems("zh", OLDER) == ("电池",)

    def test_names_nothing_where_all_are_words(self):
        assert parse_search("Akku leer") == Search("Akku leer", ("Akku", "leer"))

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
        apart = re.sub(f"[{SIGNS}]", " ", search.text)
        assert {*search.stems(language)} == {*stems_of(apart, language)}
        assert {*search.stems(language)} <= {*stems_of(search.text, language)}


class TestMarked:
    def test_marks_words_with_one_of_the_stems(self):
        assert marked("Charged & charging", {"charg"}, "en") == (
            "<mark>Charged</mark> &amp; <mark>charging</mark>"
        )

    def test_marks_overlapping_pairs_as_one(self):
        assert marked("の電池が", {"電池", "池が"}, "ja") == "の<mark>電池が</mark>"

    def test_marks_all_of_joined_words_that_were_looked_for_as_one(self):
        text = "My WH-1000XM4, and e-bike"
        assert marked(text, {"wh1000xm4"}, "en") == "My <mark>WH-1000XM4</mark>, and e-bike"
        assert marked(text, {"bike"}, "en") == "My WH-1000XM4, and e-<mark>bike</mark>"
        assert marked(text, {"wh1000xm4", "wh", "and"}, "en") == (
            "My <mark>WH-1000XM4</mark>, <mark>and</mark> e-bike"
        )
        assert marked("Hop-on-off tour", {"hoponoff", "on"}, "xx") == (
            "<mark>Hop-on-off</mark> tour"
        )

    def test_marks_words_with_particles_as_a_whole(self):
        assert marked("배터리가", {"배터리"}, "ko") == "<mark>배터리가</mark>"

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
