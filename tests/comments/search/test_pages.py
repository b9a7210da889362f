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

from comments.search.words import LONGEST_SEARCH, MOST_WORDS
from dynapages.django.access import Scope
from tests.support.comments.browsing import HTMX, Shown, with_explanation
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
        assert keys == {f"PRODUCT#{product}/w2/de/{stem}" for stem in ("akku", "leer")}
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

    def test_counts_nothing_beside_its_filters(self, product):
        assert not asked(product, "akku").page.all(class_="toggle-count")

    def test_is_not_for_search_engines(self, product):
        page = asked(product, "akku", "~/~").page
        assert page.one("meta", name="robots")["content"] == "noindex, follow"
        assert not page.all("link", rel="canonical")

    def test_begins_at_a_month(self, product):
        shown = asked(product, "akku", month="2026-11")
        assert numbers(shown) == ["3", "1", "0"]


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

    def test_of_too_much_is_whole_however_often_it_is_asked_for(self, product):
        response = nobody().browser.get(url_of(product, "x" * 201))
        assert "ETag" not in response

    def test_of_an_empty_field_leads_to_the_list(self, product):
        response = nobody().browser.get(url_of(product, "  "))
        assert response["Location"] == f"/products/{product}/comments/de/~/"


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
        assert answer["total"] is None
        assert NOBODY.get(answer["next"]).json()["total"] == 2

    @pytest.mark.parametrize(
        ("query", "told"),
        [
            ("q=w+1+2+3+4+5+6+7+8", "Search for at most 8 words."),
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
        assert queries == [f"PRODUCT#{product}/w2/de/{stem}" for stem in ("akku", "leer")]
        assert "A page of a search costs 12 capacity units at most" in shown.page.text


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
