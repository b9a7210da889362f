"""The page of a search: its field, words, marks, sentences, limits, formats, and who sees what."""

import json
import re
import shlex
from dataclasses import replace
from datetime import timedelta
from html import unescape
from io import StringIO
from urllib.parse import urldefrag, urlencode

import pytest
from django.core.management import call_command

from comments.lists import search_plans
from comments.search.words import LONGEST_SEARCH, MOST_WORDS, VERSION
from comments.votes.services import cast_vote
from dynapages.django.callers import Scope
from tests.support.comments.browsing import HTMX, Shown, follow, with_explanation
from tests.support.comments.options import comments_set
from tests.support.comments.searched import load_searched, searching
from tests.support.comments.truth import START, written
from tests.support.comments.writers import nobody, someone
from tests.support.config.api import NOBODY, problem_of, program_of

pytestmark = pytest.mark.real_engine

BODIES = (
    "Der Akku ist leer.",
    "Akku & <b>Kabel</b>, gut.",
    "Das Display ist gut.",
    "Akku leer, Kabel gut, Display neu.",
)

CODE = re.compile(r'<pre class="explanation-code"><code>(.*?)</code>', re.DOTALL)
ODD = ("!!! ??? …", "🦊", "\x00\x07", "٪", "a\u200db" * 9, "ﷺ 日本語 Ωmega")


@pytest.fixture(scope="module", autouse=True)
def search(tables, engine_name):
    with searching(engine_name):
        yield


@pytest.fixture
def product(fresh):
    """A product with four German comments and an English one, the last written the newest."""
    product_id = fresh("searched")
    german = [
        written(
            product_id,
            id=f"{product_id}-{number}",
            language="de",
            created_at=START + timedelta(minutes=number),
            body=body,
        )
        for number, body in enumerate(BODIES)
    ]
    load_searched([*german, replace(german[0], id=f"{product_id}-en", language="en")])
    return product_id


def url_of(product_id: str, words: str, chosen: str = "de/~", **more: str) -> str:
    return f"/products/{product_id}/comments/{chosen}/?{urlencode({'q': words, **more})}"


def asked(product_id: str, words: str, chosen: str = "de/~", **more: str) -> Shown:
    return nobody().get(url_of(product_id, words, chosen, **more))


def numbers(shown: Shown) -> list[str]:
    return [one.rpartition("-")[2] for one in shown.comment_ids]


class TestThePageOfASearch:
    def test_shows_the_comments_with_all_words_newest_first(self, product):
        assert numbers(asked(product, "leer AKKU")) == ["3", "0"]

    def test_shows_them_oldest_first(self, product):
        url = f"/products/{product}/comments/de/~/?order=oldest&q=akku+leer"
        assert numbers(nobody().get(url)) == ["0", "3"]

    def test_marks_what_was_found_and_nothing_else(self, product):
        marks = [one.text for one in asked(product, "akku leer").page.all("mark")]
        assert marks == ["Akku", "leer", "Akku", "leer"]

    def test_escapes_the_text_around_the_marks(self, product):
        content = asked(product, "kabel").response.content.decode()
        assert "&amp; &lt;b&gt;<mark>Kabel</mark>&lt;/b&gt;" in content

    def test_says_all_that_there_are_only_at_the_end_of_the_list(self, product, settings):
        settings.PAGE_SIZE = 1
        first = asked(product, "akku leer")
        assert first.page.one(class_="extent").text == "1 of more than 1"
        last = nobody().get(first.older)
        assert last.page.one(class_="extent").text == "2 of 2"
        assert numbers(nobody().get(last.newer)) == ["3"]

    def test_refuses_a_token_of_another_search(self, product, settings):
        settings.PAGE_SIZE = 1
        older = asked(product, "akku leer").older
        assert nobody().get(older.replace("leer", "gut")).status == 400

    def test_keeps_the_words_in_the_field_and_in_all_links(self, product):
        shown = asked(product, "akku leer")
        assert shown.page.one("input", id="search-words")["value"] == "akku leer"
        assert shown.toggle("rating", "5")["href"].endswith("/de/5/?q=akku+leer#comments")
        assert shown.page.one(id="comments")["data-address"].endswith("?q=akku+leer")
        hidden = [one["value"] for one in shown.page.all("input", name="q", type="hidden")]
        assert set(hidden) == {"akku leer"}

    def test_is_explained_by_the_command_too(self, product):
        words = ("--languages", "de", "--search", "akku leer", "--json")
        call_command(
            "explain", "comments", "--product", product, *words, stdout=(out := StringIO())
        )
        explained = json.loads(out.getvalue())
        keys = {query["key"] for query in explained["queries"]}
        assert keys == {f"PRODUCT#{product}/{VERSION}/de/{stem}" for stem in ("akku", "leer")}
        assert explained["items_returned"] == len(numbers(asked(product, "akku leer")))

    def test_tells_programs_how_to_read_the_same_page(self, product, settings):
        settings.PAGE_SIZE = 1
        first = asked(product, "akku leer")
        for url in (url_of(product, "akku leer"), urldefrag(first.older).url):
            page = nobody().get(with_explanation(url))
            command, python = map(unescape, CODE.findall(page.response.content.decode()))
            call_command(*shlex.split(command)[2:], "--json", stdout=(out := StringIO()))
            assert json.loads(out.getvalue())["items_returned"] == 1
            exec(python, names := {})  # noqa: S102 - what is under test
            assert [one.id for one in names["page"].comments] == page.comment_ids

    def test_takes_away_each_word_by_its_chip(self, product):
        chips = asked(product, "akku leer").page.one(class_="chips").all("a", class_="chip")
        assert [chip["aria-label"] for chip in chips][:2] == [
            "Remove the word “akku”",
            "Remove the word “leer”",
        ]
        assert chips[0]["href"].endswith("?q=leer#comments")

    def test_offers_the_orders_by_time_only(self, product):
        options = asked(product, "akku").page.one("select", name="order").all("option")
        assert [one["value"] for one in options] == ["newest", "oldest"]
        url = f"/products/{product}/comments/de/~/?order=highest&q=akku"
        assert nobody().get(url).status == 400

    def test_is_asked_for_without_an_order_it_does_not_have(self, product):
        for order, sent in (("oldest", ["oldest"]), ("highest", []), ("helpful", [])):
            page = nobody().get(f"/products/{product}/comments/de/~/?order={order}").page
            fields = page.one("form", class_="list-search").all("input", name="order")
            assert [field["value"] for field in fields] == sent

    def test_does_not_know_the_votes(self, product):
        cast_vote(comment_id=f"{product}-0", user_id="bob")
        assert "Helpful · 1" in nobody().get(f"/products/{product}/comments/de/~/").page.text
        found = asked(product, "Akku")
        assert f"{product}-0" in found.comment_ids
        assert "Helpful · 1" not in found.page.text

    def test_is_not_for_search_engines(self, product):
        page = asked(product, "akku", "~/~").page
        assert page.one("meta", name="robots")["content"] == "noindex, follow"
        assert not page.all("link", rel="canonical")

    def test_begins_at_a_month(self, product):
        shown = asked(product, "akku", month="2026-11")
        assert numbers(shown) == ["3", "1", "0"]


class TestTheNumbersBesideItsFilters:
    def numbers_of(self, shown: Shown, kind: str) -> dict[str, str]:
        """The numbers of the toggles of a kind by value, without those that have none."""
        toggles = [*shown.page.all("a", data_toggle=f"all-{kind}s")]
        toggles += shown.page.all("a", data_toggle=kind)
        return {
            toggle["data-value"]: count.text
            for toggle in toggles
            for count in toggle.all(class_="toggle-count")
        }

    def reasons(self, shown: Shown) -> list[str]:
        filters = shown.page.one(class_="filters")
        return [one.text for one in filters.all("p", class_="quiet")]

    def test_are_those_of_what_is_found_where_all_of_it_is_on_the_page(self, product):
        shown = asked(product, "akku leer", "~/~")
        assert self.numbers_of(shown, "language") == {"~": "3", "de": "2", "en": "1"}
        ratings = {"~": "3", "5": "0", "4": "3", "3": "0", "2": "0", "1": "0"}
        assert self.numbers_of(shown, "rating") == ratings
        assert self.reasons(shown) == []

    def test_are_not_there_of_what_a_chosen_value_leaves_out(self, product):
        shown = asked(product, "akku leer", "de/~")
        assert self.numbers_of(shown, "language") == {}
        assert self.numbers_of(shown, "rating")["~"] == "2"
        assert self.reasons(shown) == ["Not counted, as languages are chosen."]
        shown = asked(product, "akku leer", "~/4")
        assert self.numbers_of(shown, "language") == {"~": "3", "de": "2", "en": "1"}
        assert self.numbers_of(shown, "rating") == {}
        assert self.reasons(shown) == ["Not counted, as ratings are chosen."]

    def test_are_not_there_where_the_search_has_more_pages(self, product, settings):
        settings.PAGE_SIZE = 2
        first = asked(product, "akku leer", "~/~")
        for shown in (first, nobody().get(first.older)):
            assert not shown.page.all(class_="toggle-count")
            assert self.reasons(shown) == ["Not counted, as the search has more pages."] * 2

    def test_are_not_there_of_a_language_that_is_not_searched(self, product):
        shown = asked(product, "der", "~/~")
        assert self.numbers_of(shown, "language") == {"~": "1", "en": "1"}

    def test_are_not_there_of_a_search_that_was_not_made(self, product):
        shown = asked(product, "!!!", "~/~")
        assert not shown.page.all(class_="toggle-count")
        assert self.reasons(shown) == ["Not counted for this search."] * 2

    def test_are_not_those_of_another_answer_to_the_same_search(self, product):
        before = self.numbers_of(asked(product, "akku leer", "~/~"), "language")
        more = written(product, id=f"{product}-more", language="de", body="Akku leer")
        load_searched([more])
        after = self.numbers_of(asked(product, "akku leer", "~/~"), "language")
        assert (before["de"], after["de"]) == ("2", "3")


class TestWhatIsSaid:
    def test_of_nothing_found(self, product):
        empty = asked(product, "fahrrad").page.one(class_="empty")
        assert empty.text == "No comments with “fahrrad”. Clear the search Try all languages"
        assert empty.all("a")[0]["href"].endswith("/comments/de/~/#comments")

    def test_of_common_words_that_were_left_out(self, product):
        shown = asked(product, "der akku")
        assert numbers(shown) == ["3", "1", "0"]
        assert "Left out, as many comments have it: “der” (German)." in shown.page.text

    def test_of_only_common_words(self, product):
        shown = asked(product, "der ist")
        assert shown.status == 200
        assert "These words are in too many comments. Add a rarer one." in shown.page.text

    def test_of_languages_in_which_all_words_are_common(self, product):
        shown = asked(product, "der", "~/~")
        sentence = "Not searched, as all of these words are common there: German."
        assert sentence in shown.page.text

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            ("akku 👍", "Left out, as it has no letters or digits: “👍”."),
            ("akku 👍 & 👍", "Left out, as they have no letters or digits: “👍”, “&”."),
            ("电", "“电” is one character: search for it together with the one beside it."),
            (
                "akku 电 池",
                "“电”, “池” are single: search for each together with the character beside it.",
            ),
        ],
    )
    def test_of_parts_that_are_not_looked_for(self, product, words, sentence):
        shown = asked(product, words)
        assert sentence in shown.page.text
        assert "There is no word" not in shown.page.text

    @pytest.mark.parametrize("words", ODD)
    def test_of_anything_is_an_answer(self, product, words):
        assert asked(product, words).status == 200
        assert asked(product, words, "~/~").status == 200

    def test_of_nothing_but_punctuation(self, product):
        shown = asked(product, "!!!")
        assert "There is no word to search for: use letters or digits." in shown.page.text
        assert not shown.comment_ids

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (" ".join(f"w{n}" for n in range(MOST_WORDS + 1)), "Search for at most 8 words."),
            ("x" * (LONGEST_SEARCH + 1), "Search for at most 200 characters."),
        ],
    )
    def test_of_too_much_and_keeps_it_in_the_field(self, product, words, sentence):
        shown = asked(product, words)
        assert shown.status == 400
        assert sentence in shown.page.text
        assert shown.page.one("input", id="search-words")["value"] == words
        by_htmx = nobody().get(url_of(product, words), htmx=True)
        assert by_htmx.status == 400
        assert by_htmx.page.text.startswith(sentence)

    def test_of_too_much_is_decided_without_blanks_in_a_row(self, product):
        assert asked(product, "akku" + " " * 200 + "leer").status == 200

    def test_of_too_much_is_whole_however_often_it_is_asked_for(self, product):
        response = nobody().browser.get(url_of(product, "x" * 201))
        assert "ETag" not in response

    def test_of_an_empty_field_leads_to_the_list(self, product):
        response = nobody().browser.get(url_of(product, "  "))
        assert response["Location"] == f"/products/{product}/comments/de/~/"


LANGUAGES = ("cs", "da", "de", "en", "es", "et", "eu", "fi", "fr", "ga", "hu", "hy", "id", "it")
OTHERS = ("lt", "nl", "pl", "pt", "ro", "sv")


@pytest.fixture(scope="module")
def in_many_languages(search):
    """Two comments in each of fourteen languages, and one in each of six others."""
    numbered = [(code, number) for code in LANGUAGES for number in range(2)]
    numbered += [(code, 0) for code in OTHERS]
    comments = [
        written(
            "polyglot",
            id=f"polyglot-{code}-{number}",
            language=code,
            created_at=START + timedelta(days=40 * number),
            body="akku",
        )
        for code, number in numbered
    ]
    load_searched(comments)
    return "polyglot"


class TestASearchInMoreLanguagesThanAPageReads:
    """The first group has the fourteen languages with two comments, and two of the others."""

    def test_says_which_languages_come_behind(self, in_many_languages):
        shown = asked(in_many_languages, "akku", "~/~")
        sentence = "Comments in Polish, Portuguese, Romanian and Swedish come behind these."
        assert sentence in shown.page.text
        assert "languages with more comments" not in shown.page.text

    def test_says_where_the_others_begin(self, in_many_languages):
        *_, last = follow(url_of(in_many_languages, "akku", "~/~"), "older")
        sentence = (
            "Comments in Polish, Portuguese, Romanian and Swedish come behind those in languages "
            "with more comments."
        )
        assert sentence in last.page.text
        assert "come behind these" not in last.page.text

    def test_names_few_and_the_number_of_the_rest(self, in_many_languages, monkeypatch):
        monkeypatch.setattr(search_plans, "MOST_QUERIES", 14)
        shown = asked(in_many_languages, "akku", "~/~")
        sentence = "Comments in Lithuanian, Dutch, Polish and 3 more languages come behind these."
        assert sentence in shown.page.text

    def test_has_no_months_to_begin_at(self, in_many_languages):
        assert not asked(in_many_languages, "akku", "~/~").page.all("select", name="month")
        assert asked(in_many_languages, "akku", "de.sv/~").page.all("select", name="month")

    def test_has_neither_number_nor_total_before_its_end(self, in_many_languages):
        *others, last = follow(url_of(in_many_languages, "akku", "~/~"), "older")
        assert others
        for shown in others:
            extent = shown.page.one(id="extent").text
            assert "more than" in extent or extent.endswith("shown")
        number = len(LANGUAGES) * 2 + len(OTHERS)
        assert last.page.one(id="extent").text.endswith(f"of {number}")
        answer = NOBODY.get(f"/products/{in_many_languages}/comments?q=akku").json()
        while answer["next"]:
            assert answer["total"] is None
            answer = NOBODY.get(answer["next"]).json()
        assert answer["total"] == number

    def test_is_named_by_the_api(self, in_many_languages):
        answer = NOBODY.get(f"/products/{in_many_languages}/comments?q=akku").json()
        assert answer["search"]["languages"] == [*LANGUAGES, *OTHERS[:2]]
        assert answer["search"]["languages_to_come"] == [*OTHERS[2:]]
        while answer["next"]:
            answer = NOBODY.get(answer["next"]).json()
        assert answer["search"]["languages"] == [*LANGUAGES, *OTHERS]
        assert answer["search"]["languages_to_come"] == []


class TestWhatIsRemembered:
    def test_is_known_to_the_browser_that_has_it(self, product):
        visitor, url = nobody(), url_of(product, "akku leer")
        etag = visitor.browser.get(url)["ETag"]
        assert visitor.browser.get(url, headers={"If-None-Match": etag}).status_code == 304

    def test_is_apart_for_the_field_that_is_typed_into(self, product):
        visitor, url = nobody(), url_of(product, "akku leer")
        by_chip = visitor.browser.get(url, headers=HTMX)
        by_field = visitor.browser.get(url, headers={**HTMX, "HX-Trigger": "search-words"})
        assert "hx-preserve" not in by_chip.content.decode()
        assert "hx-preserve" in by_field.content.decode()
        assert "HX-Trigger" in by_chip["Vary"]


class TestOtherForms:
    def test_the_api_has_the_comments_without_marks(self, product, settings):
        settings.PAGE_SIZE = 1
        answer = NOBODY.get(f"/products/{product}/comments?language=de&q=akku+leer").json()
        assert [one["text"] for one in answer["items"]] == [BODIES[3]]
        assert (answer["total"], answer["reached"]) == (None, None)
        assert NOBODY.get(answer["next"]).json()["total"] == 2

    def test_the_api_says_what_was_searched_for_and_where(self, product):
        answer = NOBODY.get(f"/products/{product}/comments?q=der+Akku+!!!+%F0%9F%91%8D+电").json()
        assert answer["search"] == {
            "words": ["der", "Akku"],
            "languages": ["de", "en"],
            "languages_to_come": [],
            "languages_left_out": [],
            "words_left_out": [{"word": "der", "language": "de"}],
            "ignored": ["!!!", "👍", "电"],
        }

    def test_the_api_says_in_which_languages_all_words_are_common(self, product):
        answer = NOBODY.get(f"/products/{product}/comments?q=der").json()
        assert answer["search"]["languages"] == ["en"]
        assert answer["search"]["languages_left_out"] == ["de"]
        assert answer["total"] == 1

    @pytest.mark.parametrize("words", ["der", "!!!", "电"])
    def test_the_api_has_no_total_of_a_search_that_was_not_made(self, product, words):
        answer = NOBODY.get(f"/products/{product}/comments?language=de&q={words}").json()
        assert (answer["items"], answer["total"], answer["next"]) == ([], None, None)

    @pytest.mark.parametrize("query", ["", "?q=", "?q=++"])
    def test_the_api_lists_all_comments_without_a_word(self, product, query):
        answer = NOBODY.get(f"/products/{product}/comments{query}").json()
        assert (len(answer["items"]), answer["total"], answer["search"]) == (5, 5, None)

    @pytest.mark.parametrize(
        ("query", "told"),
        [
            ("q=w+1+2+3+4+5+6+7+8", "Search for at most 8 words."),
            ("q=" + "x" * 201, "Search for at most 200 characters."),
            ("q=akku&order=highest", "A search is sorted by time: newest or oldest first."),
        ],
    )
    def test_the_api_says_what_is_wrong(self, product, query, told):
        assert problem_of(NOBODY.get(f"/products/{product}/comments?{query}")) == (400, told)

    def test_the_api_finds_hidden_comments_for_staff_who_ask_for_them(self, product):
        hidden = written(product, id=f"{product}-hidden", language="de", body="Akku leer!")
        load_searched([hidden], hidden=True)
        staff = program_of(someone("sam", is_staff=True).username, Scope.STAFF)
        url = f"/products/{product}/comments?q=akku+leer"
        assert hidden.id not in [one["id"] for one in staff.get(url).json()["items"]]
        found = staff.get(f"{url}&hidden=true").json()["items"]
        assert [one["id"] for one in found if one["is_hidden"]] == [hidden.id]

    def test_a_feed_has_the_comments(self, product):
        content = nobody().browser.get(url_of(product, "akku leer", format="atom")).content
        assert content.count(b"<entry") == 2

    def test_an_explanation_has_the_queries_and_their_plan(self, product):
        shown = asked(product, "akku leer", explain="1")
        queries = [
            row.text for row in shown.page.one(class_="ledger-queries").all("td", class_="key")
        ]
        assert queries == [f"PRODUCT#{product}/{VERSION}/de/{stem}" for stem in ("akku", "leer")]
        assert "A page with a search costs 12.5 capacity units at most" in shown.page.text


class TestWhoSeesWhat:
    @pytest.fixture
    def hidden(self, product):
        load_searched(
            [written(product, id=f"{product}-hidden", language="de", body="Akku leer!")],
            hidden=True,
        )

    def test_staff_find_hidden_comments_if_they_ask_for_them(self, product, hidden):
        sam = someone("sam", is_staff=True)
        assert numbers(sam.get(url_of(product, "akku leer"))) == ["3", "0"]
        shown = sam.get(url_of(product, "akku leer", hidden="1"))
        assert sorted(numbers(shown)) == ["0", "3", "hidden"]
        assert "Hidden by the shop" in shown.page.text
        assert "ETag" not in shown.response

    def test_others_do_not(self, product, hidden):
        for visitor in (nobody(), someone("alice")):
            assert numbers(visitor.get(url_of(product, "akku leer", hidden="1"))) == ["3", "0"]

    def test_a_writer_sees_the_own_comment_at_once_if_it_has_the_words(self, product):
        alice = someone("alice")
        alice.write(product, language="de", title="", body="Mein Akku war leer.")
        assert len(alice.get(url_of(product, "akku leer")).comment_ids) == 3
        assert numbers(alice.get(url_of(product, "kabel"))) == ["3", "1"]

    def test_a_writer_sees_a_long_one_by_its_last_words(self, product):
        alice = someone("alice")
        alice.write(product, language="de", title="", body="Gut. " * 100 + "Schraubenzieher")
        assert len(alice.get(url_of(product, "schraubenzieher")).comment_ids) == 1


class TestWithoutSearch:
    def test_there_is_no_field_and_the_words_are_ignored(self, product):
        with comments_set(SEARCH=False):
            shown = asked(product, "akku leer")
        assert not shown.page.all("input", id="search-words")
        assert len(shown.comment_ids) == 4
