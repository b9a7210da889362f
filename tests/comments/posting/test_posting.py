"""A user posts a comment: once, at once, and with nothing lost when something is wrong."""

import gc
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from django.test import Client
from py3langid.langid import LanguageIdentifier

from comments.items import NewComment
from comments.posting import languages
from comments.posting.forms import FORM_LIVES, LONGEST_TEXT, LONGEST_TITLE
from comments.posting.languages import detect_language, load_model
from comments.posting.services import add_comment
from comments.profiles.queries import LOOKED_THROUGH, ids_written_by
from comments.store.comments import load_comment
from comments.store.counts import read_counts
from dynapages.calls import clock, metered
from dynapages.calls.clock import Clock
from dynapages.process import client
from shop.orders.items import NewLine
from tests.support.chance import unique
from tests.support.comments.browsing import HTMX, shown
from tests.support.comments.faulty import unreachable
from tests.support.comments.ranked import index_that_lags
from tests.support.comments.writers import (
    WORDS,
    delete_url,
    error_on,
    fields_of,
    load_older,
    made_product,
    new_url,
    nobody,
    someone,
)
from tests.support.orders.making import made_order, put

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]

OURS = {"Origin": "http://testserver"}


def total(product_id: str) -> int:
    return read_counts(product_id, consistent=True).total


class TestPosting:
    def test_leads_to_the_product_with_the_comment_on_it(self, alice, lamp):
        shown = alice.post(new_url(lamp), {**alice.open_form(lamp), **WORDS})
        (posted,) = shown.comment_ids
        anchor = f"comment-{posted}"
        assert shown.response.redirect_chain == [(f"/products/{lamp}/#{anchor}", 302)]
        assert shown.page.one(id=anchor)["tabindex"] == "-1"
        comment = load_comment(posted).comment
        assert (comment.author, comment.user_id) == (alice.username, alice.username)
        assert (comment.rating, comment.language, comment.title) == (5, "en", "Lovely")
        assert shown.page.one("li", class_="message").text == "Thank you! Your comment is posted."

    def test_keeps_the_lines_of_a_text_and_none_of_a_title(self, alice, lamp):
        comment = alice.write(lamp, title=" Two\r\n lines ", body="one\r\n\r\ntwo").comment
        assert (comment.title, comment.body) == ("Two lines", "one\n\ntwo")

    def test_with_htmx_loads_the_whole_page_anew(self, alice, lamp):
        form = {**alice.open_form(lamp), **WORDS}
        response = alice.send(new_url(lamp), form, htmx=True)
        (posted,) = ids_written_by(alice.username)
        assert response["HX-Redirect"] == f"/products/{lamp}/#comment-{posted}"

    def test_with_htmx_on_the_products_page_has_its_list_read_anew(self, alice, lamp):
        form, page = {**alice.open_form(lamp), **WORDS}, f"/products/{lamp}/"
        headers = {**HTMX, "HX-Current-URL": f"http://testserver{page}?x#y"}
        answer = shown(alice.browser.post(new_url(lamp), form, headers=headers))
        (posted,) = ids_written_by(alice.username)
        link = answer.page.one(id=answer.response["HX-Retarget"][1:])
        assert (link["hx-get"], link["hx-target"]) == (f"{page}#comment-{posted}", "#comments")
        assert alice.get(page, htmx=True).messages == ["Thank you! Your comment is posted."]

    def test_of_a_product_that_does_not_exist_is_not_there(self, alice):
        assert alice.get(new_url("no-such-product")).status == 404
        assert alice.send(new_url("no-such-product"), WORDS).status_code == 404


class TestASecondComment:
    def test_is_offered_the_first_to_edit_before_anything_is_typed(self, alice, lamp):
        first = alice.has_written(lamp).comment
        for htmx in (False, True):
            shown = alice.get(new_url(lamp), htmx=htmx)
            place = shown.page.one(class_="written-before")
            day = f"{first.created_at.day} {first.created_at:%b %Y}"
            assert place.text.startswith(f"You reviewed this on {day} .")
            links = [link["href"] for link in place.all("a")]
            another = f"{new_url(lamp)}?another=yes"
            assert links == [f"/comments/edit/{first.id}/", another, f"/products/{lamp}/"]
            assert shown.page.all("form", id="comment-form") == []

    def test_is_written_all_the_same_if_wanted(self, alice, lamp):
        alice.has_written(lamp)
        form = fields_of(alice.get(f"{new_url(lamp)}?another=yes"))
        assert alice.send(new_url(lamp), {**form, **WORDS}).status_code == 302
        assert total(lamp) == 2

    def test_is_not_thought_of_for_another_product_or_user_or_once_it_is_deleted(self, alice, lamp):
        alice.has_written(made_product())
        someone("bob").has_written(lamp)
        alice.send(delete_url(alice.has_written(lamp).comment))
        assert fields_of(alice.get(new_url(lamp)))["form_id"]

    def test_is_known_at_once_though_the_index_lags(self, alice, lamp):
        alice.write(lamp)
        alice.has_written(made_product())
        with patch("comments.profiles.queries.LOOKED_THROUGH", 1):
            assert alice.get(new_url(lamp)).page.one(class_="written-before")

    def test_is_looked_for_among_so_many_of_the_user_in_the_round_of_the_product(self, alice, lamp):
        alice.has_written(lamp)
        with metered() as meter:
            alice.get(new_url(lamp))
        assert (meter.calls, meter.rounds) == (3, 2)
        for _ in range(LOOKED_THROUGH):
            alice.has_written(made_product())
        with metered() as meter:
            assert alice.get(new_url(lamp)).page.one("form", id="comment-form")
        assert meter.units <= 8


class TestTheSameFormSentAgain:
    def test_with_other_words_becomes_an_edit_beside_what_was_posted(self, alice, lamp):
        form = {**alice.open_form(lamp), **WORDS}
        alice.send(new_url(lamp), form)
        shown = alice.post(new_url(lamp), {**form, "title": "Dim"})
        assert shown.status == 409
        assert "Lovely" in shown.page.one(class_="theirs").text
        (posted,) = ids_written_by(alice.username)
        assert shown.page.one("form", id="comment-form")["action"] == f"/comments/edit/{posted}/"
        assert fields_of(shown)["title"] == "Dim"
        assert total(lamp) == 1

    def test_after_the_comment_was_deleted_does_not_bring_it_back(self, alice, lamp):
        form = {**alice.open_form(lamp), **WORDS}
        alice.send(new_url(lamp), form)
        (posted,) = ids_written_by(alice.username)
        alice.send(delete_url(load_comment(posted).comment))
        assert alice.send(new_url(lamp), form).status_code == 404
        assert total(lamp) == 0

    def test_by_somebody_else_posts_nothing_but_gives_a_form_of_their_own(self, alice, lamp):
        form = {**alice.open_form(lamp), **WORDS}
        alice.send(new_url(lamp), form)
        bob = someone("bob")
        shown = bob.post(new_url(lamp), {**form, "title": "Mine now"})
        assert shown.status == 422
        assert fields_of(shown)["title"] == "Mine now"
        assert bob.send(new_url(lamp), fields_of(shown)).status_code == 302
        assert total(lamp) == 2

    def test_for_another_product_posts_nothing(self, alice, lamp):
        form = {**alice.open_form(lamp), **WORDS}
        other = made_product()
        assert alice.send(new_url(other), form).status_code == 422
        assert total(other) == 0

    def test_after_a_day_asks_to_send_a_new_one(self, alice, lamp):
        late = datetime.now(UTC) + FORM_LIVES + timedelta(minutes=1)
        form = {**alice.open_form(lamp), **WORDS}
        with patch("django.core.signing.time.time", return_value=late.timestamp()):
            shown = alice.post(new_url(lamp), form)
        assert shown.status == 422
        assert "too old" in error_on(shown)
        assert fields_of(shown)["form_id"] != form["form_id"]


class TestAFormWithMistakes:
    @pytest.mark.parametrize(
        ("said", "sentence"),
        [
            ({"rating": ""}, "Choose one to five stars."),
            ({"rating": "1.5"}, "Choose one to five stars."),
            ({"title": "t" * (LONGEST_TITLE + 1)}, "121 characters: 1 too many."),
            ({"body": "t" * (LONGEST_TEXT + 1)}, "5,001 characters: 1 too many."),
            ({"body": "a\0b"}, "Null characters are not allowed."),
            ({"language": "xx"}, "Choose a language from the list."),
            ({"form_id": "forged:1:2"}, "This form is too old"),
        ],
    )
    def test_says_what_is_wrong_and_keeps_what_was_typed(self, alice, lamp, said, sentence):
        shown = alice.post(new_url(lamp), {**alice.open_form(lamp), **WORDS, **said})
        assert shown.status == 422
        assert sentence in error_on(shown)
        kept, fields = {**WORDS, **said}, fields_of(shown)
        assert (fields["title"], fields["body"]) == (kept["title"], kept["body"])
        assert total(lamp) == 0

    def test_still_names_the_product(self, alice, lamp):
        heading = alice.get(new_url(lamp)).page.one("h1").text
        shown = alice.post(new_url(lamp), {**alice.open_form(lamp), **WORDS, "rating": ""})
        assert shown.page.one("h1").text == heading != "Your comment"

    def test_takes_a_text_of_the_greatest_length_with_its_line_ends(self, alice, lamp):
        text = "\r\n".join(["x" * 99] * 50)
        assert len(alice.write(lamp, body=text).comment.body) == 4_999


class TestTheLanguage:
    def test_is_found_out_from_the_text(self, alice, lamp):
        body = "Die Lampe ist schön hell und kam pünktlich an."
        assert alice.write(lamp, body=body, title="", language="").comment.language == "de"

    def test_that_was_chosen_stands(self, alice, lamp):
        body = "Die Lampe ist schön hell und kam pünktlich an."
        assert alice.write(lamp, body=body, language="nl").comment.language == "nl"

    def test_of_a_text_that_does_not_tell_is_the_visitors(self, lamp):
        alice = someone("alice", HTTP_ACCEPT_LANGUAGE="pt-BR,pt;q=0.9")
        assert alice.write(lamp, title="", body="5 *", language="").comment.language == "pt"

    def test_is_shown_before_the_form_is_sent(self, alice):
        typed = {"title": "", "body": "La lampe est arrivée cassée, quel dommage."}
        response = alice.send("/languages/detect/", typed, htmx=True)
        assert response.content.decode() == "Detected: French"

    def test_is_not_told_to_visitors_who_keep_their_page(self):
        for browser in (nobody().browser, Client(enforce_csrf_checks=True)):
            assert browser.post("/languages/detect/", WORDS, headers=OURS).status_code == 204

    def test_keeps_silent_while_the_database_is_away(self, alice):
        with unreachable():
            assert alice.send("/languages/detect/", WORDS, htmx=True).status_code == 204


class TestTheBadge:
    def test_is_given_to_who_has_bought(self, alice, lamp):
        put(made_order(alice.username, lines=[NewLine(lamp, "Lamp", 1, 100)]))
        assert alice.write(lamp).comment.verified
        shown = alice.get(f"/products/{lamp}/comments/~/~/")
        assert shown.page.one("span", class_="badge").text == "Verified purchase"

    def test_is_not_given_to_who_has_not(self, alice, lamp):
        put(made_order(someone("bob").username, lines=[NewLine(lamp, "Lamp", 1, 100)]))
        assert not alice.write(lamp).comment.verified
        assert not alice.get(f"/products/{lamp}/comments/~/~/").page.all(class_="badge")

    def test_does_not_come_with_a_later_purchase(self, alice, lamp):
        comment = alice.write(lamp).comment
        put(made_order(alice.username, lines=[NewLine(lamp, "Lamp", 1, 100)]))
        assert not load_comment(comment.id).comment.verified


class TestWhatWasJustWritten:
    def test_is_shown_at_the_top_although_the_index_lags(self, alice, lamp):
        load_older(lamp, count=25)
        mine = alice.write(lamp).comment.id
        with index_that_lags(missing={mine}):
            shown = alice.get(f"/products/{lamp}/comments/~/~/")
        assert shown.comment_ids[0] == mine
        assert len(shown.comment_ids) == 21

    def test_is_on_the_first_page_alone(self, alice, lamp):
        load_older(lamp, count=25)
        mine = alice.write(lamp).comment.id
        with index_that_lags(missing={mine}):
            first = alice.get(f"/products/{lamp}/comments/~/~/")
            second = alice.get(first.older)
            back = alice.get(second.newer)
        assert mine not in second.comment_ids
        assert back.comment_ids == first.comment_ids

    def test_is_not_in_lists_that_it_does_not_match(self, alice, lamp):
        mine = alice.write(lamp, rating="2", language="en").comment.id
        assert mine not in alice.get(f"/products/{lamp}/comments/de/~/").comment_ids
        assert mine not in alice.get(f"/products/{lamp}/comments/~/5/").comment_ids
        assert mine not in alice.get(f"/products/{made_product()}/").comment_ids

    def test_is_on_the_products_own_page_in_whatever_language(self, lamp):
        load_older(lamp, count=3)
        alice = someone("alice", HTTP_ACCEPT_LANGUAGE="en")
        mine = alice.write(lamp, language="de").comment.id
        assert alice.get(f"/products/{lamp}/").comment_ids[0] == mine

    def test_is_first_whichever_server_wrote_the_others(self, alice, lamp, monkeypatch):
        earlier = datetime.now(UTC) - timedelta(seconds=10)
        words = {"language": "en", "rating": 5, "created_at": earlier, "body": "Words"}
        add_comment(NewComment(id=unique("comment"), product_id=lamp, **words))
        monkeypatch.setattr(clock, "process_clock", Clock(local=lambda: time.time() - 300))
        client().list_tables()  # as a server has done since its start
        mine = alice.write(lamp).comment.id
        assert alice.get(f"/products/{lamp}/").comment_ids[0] == mine

    def test_is_read_strongly_for_a_minute_and_for_its_writer_alone(self, alice, lamp):
        alice.write(lamp)
        url, later = f"/products/{lamp}/?explain=1", datetime.now(UTC) + timedelta(seconds=61)
        assert "just written" in alice.get(url).page.text
        assert "just written" not in someone("bob").get(url).page.text
        with patch("comments.views.clock.now", return_value=later):
            assert "just written" not in alice.get(url).page.text


@pytest.fixture
def loads(monkeypatch):
    """The files from which a model was loaded."""
    files: list[str] = []
    load_file = LanguageIdentifier.from_model_file

    def note(file: str, *args: Any, **how: Any) -> LanguageIdentifier:
        files.append(file)
        return load_file(file, *args, **how)

    monkeypatch.setattr(LanguageIdentifier, "from_model_file", note)
    languages._load.cache_clear()
    return files


def test_the_model_is_loaded_once_however_many_need_it_at_once(loads):
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(detect_language, ["Bright and warm."] * 4)] == ["en"] * 4
    assert len(loads) == 1


def test_the_model_has_its_table_of_probabilities_once():
    referents = gc.get_referents(load_model())
    within = [each for held in referents if isinstance(held, tuple) for each in held]
    tables = [each for each in (*referents, *within) if isinstance(each, np.ndarray)]
    assert len({id(table) for table in tables if table.ndim == 2}) == 1
