"""What was acknowledged is true of a search as soon as it is true of the lists by index.

Each write meets each kind of failure and is sent again; then the lists of a visitor who is not
signed in are compared with the searches of the same visitor, on the page and by the API.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command

from comments.items import NewComment
from comments.moderation.services import Decision
from comments.search.integrity import word_differences
from comments.search.models import TABLE as WORDS_TABLE
from comments.search.models import WordItem
from comments.search.pending import MOST_MARKS, PENDING
from comments.search.writer import WordWriter
from comments.store.comments import StoredComment, load_comment
from comments.store.states import Revision
from dynapages.calls import OutOfTime
from dynapages.django.callers import Scope
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages.process import client
from dynapages.tables import create_missing
from dynapages.upkeep import every_item
from tests.support.comments.deciding import hide
from tests.support.comments.options import comments_set
from tests.support.comments.outage import connected, own_engine
from tests.support.comments.threads import NOW
from tests.support.comments.writers import (
    Writer,
    delete_url,
    edit_url,
    made_product,
    new_url,
    nobody,
    someone,
)
from tests.support.config.api import NOBODY, Program, program_of
from tests.support.work import finish_what_waits, forget_what_waits, waiting_now, work_off

pytestmark = pytest.mark.real_engine

OLD, NEW, REPLY = "Marmalade for breakfast.", "Charcoal for lunch.", "Umbrellas are sorry."
SEARCHED = ("marmalade", "charcoal", "breakfast", "lunch")
DONE = {200, 201, 204, 302}
AWAY = {503}
GONE = {404}
"""What an API says of a second deletion: it does not know who wrote what is no longer there."""


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture(scope="module")
def proxy(tables, engine_name) -> Iterator[FaultProxy]:
    """The site behind a proxy, on an engine of its own, with comments that can be searched."""
    with (
        comments_set(SEARCH=True),
        own_engine() as engine,
        FaultProxy(engine.endpoint_url, stall_seconds=0) as proxy,
        connected(proxy.endpoint_url),
    ):
        create_missing([WordItem], client=client())
        yield proxy


@pytest.fixture(autouse=True)
def no_faults(proxy):
    yield
    proxy.rules.clear()
    forget_what_waits()


@dataclass(frozen=True)
class Scene:
    """A product with a comment of alice's, which sam may decide on; ``form`` is of another one."""

    alice: Writer
    sam: Writer
    by_alice: Program
    by_sam: Program
    product_id: str
    stored: StoredComment
    form: dict[str, str]

    @property
    def comment(self) -> NewComment:
        return self.stored.comment


@pytest.fixture
def scene(proxy) -> Scene:
    alice, sam, product_id = someone("alice"), someone("sam", is_staff=True), made_product()
    stored = alice.has_written(product_id, body=OLD)
    form = alice.open_form(product_id)
    programs = program_of(alice.username), program_of(sam.username, Scope.STAFF)
    finish_what_waits()
    return Scene(alice, sam, *programs, product_id, stored, form)


CONTENT = {"rating": "4", "title": "Second", "language": "en", "body": NEW}
SAID = {"rating": 4, "title": "Second", "language": "en", "text": NEW}
Send = Callable[[], int]


def post_by_form(scene: Scene) -> Send:
    form = {**scene.form, **CONTENT}
    return lambda: scene.alice.send(new_url(scene.product_id), form).status_code


def post_by_api(scene: Scene) -> Send:
    url = f"/products/{scene.product_id}/comments"
    return lambda: scene.by_alice.post(url, SAID, once=scene.product_id).status_code


def edit_by_form(scene: Scene) -> Send:
    form = {**CONTENT, "version": "1"}
    return lambda: scene.alice.send(edit_url(scene.comment), form).status_code


def edit_by_api(scene: Scene) -> Send:
    body = {**SAID, "version": 1}
    return lambda: scene.by_alice.put(f"/comments/{scene.comment.id}", body).status_code


def delete_by_form(scene: Scene) -> Send:
    return lambda: scene.alice.send(delete_url(scene.comment)).status_code


def delete_by_api(scene: Scene) -> Send:
    return lambda: scene.by_alice.delete(f"/comments/{scene.comment.id}").status_code


def decide_by_form(scene: Scene, decision: Decision) -> Send:
    seen = str(Revision.of(load_comment(scene.comment.id).item))
    url, form = f"/staff/comments/decide/{scene.comment.id}/", {"decision": decision, "seen": seen}
    return lambda: scene.sam.send(url, form).status_code


def hide_by_form(scene: Scene) -> Send:
    return decide_by_form(scene, Decision.HIDE)


def hide_by_api(scene: Scene) -> Send:
    url, body = f"/decisions/{scene.comment.id}", {"decision": "hide"}
    return lambda: scene.by_sam.post(url, body).status_code


def hide_by_command(scene: Scene) -> Send:
    def run() -> int:
        try:
            call_command("moderate", scene.comment.id, "hide", stdout=StringIO())
        except CommandError:
            return 503
        return 200

    return run


def restore_by_form(scene: Scene) -> Send:
    hide(comment_id=scene.comment.id, now=NOW)
    finish_what_waits()
    return decide_by_form(scene, Decision.RESTORE)


def publish_by_form(scene: Scene) -> Send:
    edited = {**CONTENT, "version": "1"}
    with comments_set(SEARCH=True, GATE="comments.gates.hold_all"):
        assert scene.alice.send(edit_url(scene.comment), edited).status_code == 302
    finish_what_waits()
    return decide_by_form(scene, Decision.PUBLISH)


def reply_by_form(scene: Scene) -> Send:
    url, form = f"/staff/comments/reply/{scene.comment.id}/", {"text": REPLY, "version": "0"}
    return lambda: scene.sam.send(url, form).status_code


def reply_by_api(scene: Scene) -> Send:
    url, body = f"/replies/{scene.comment.id}", {"text": REPLY, "version": 0}
    return lambda: scene.by_sam.put(url, body).status_code


def delete_reply_by_api(scene: Scene) -> Send:
    url = f"/replies/{scene.comment.id}"
    assert scene.by_sam.put(url, {"text": REPLY, "version": 0}).status_code == 200
    finish_what_waits()
    return lambda: scene.by_sam.delete(url).status_code


WRITES = [
    post_by_form,
    post_by_api,
    edit_by_form,
    edit_by_api,
    delete_by_form,
    delete_by_api,
    hide_by_form,
    hide_by_api,
    hide_by_command,
    restore_by_form,
    publish_by_form,
    reply_by_form,
    reply_by_api,
    delete_reply_by_api,
]


def lose_answers(proxy: FaultProxy, send: Send) -> int:
    """Lose the answers of transactions that change comments, at every attempt."""
    rule = Rule("reset after", operation="TransactWriteItems", when=_changes_words)
    proxy.rules.append(rule)
    status = send()
    proxy.rules.remove(rule)
    assert rule.fired
    return status


def _changes_words(request: dict[str, object]) -> bool:
    return PENDING in str(request)


def throttle_postings(proxy: FaultProxy, send: Send) -> int:
    """Throttle all batches of postings, from now on."""
    proxy.rules.append(Rule("throttled", operation="BatchWriteItem", table=WORDS_TABLE))
    return send()


def time_postings_out(proxy: FaultProxy, send: Send) -> int:
    """Answer no batch of postings, from now on."""
    proxy.rules.append(Rule("stalled", operation="BatchWriteItem", table=WORDS_TABLE))
    return send()


def spend_the_time(_proxy: FaultProxy, send: Send) -> int:
    """Have the request's time spent when the change is committed."""
    with patch.object(WordWriter, "write", side_effect=OutOfTime):
        return send()


def kill(_proxy: FaultProxy, send: Send) -> int:
    """Kill the process behind the commit."""
    with patch.object(WordWriter, "write", side_effect=Killed), suppress(Killed):
        return send()
    forget_what_waits()
    return 503


FAILURES = [lose_answers, throttle_postings, time_postings_out, spend_the_time, kill]


def found_by_index(product_id: str) -> dict[str, str]:
    """What a visitor reads of each comment in the list by index: all of its text."""
    return listed(f"/products/{product_id}/comments/en/~/")


def listed(url: str) -> dict[str, str]:
    page = nobody().get(url).page
    return {
        element["data-comment-id"]: "".join(element.text.split())  # marks divide words
        for element in page.all(data_comment_id=True)
    }


def by_program(product_id: str, query: str = "") -> dict[str, str]:
    answer = NOBODY.get(f"/products/{product_id}/comments?language=en{query}").json()
    return {
        item["id"]: f"{item['title']} {item['text']} {item['reply']}" for item in answer["items"]
    }


def assert_searches_are_true(product_id: str) -> None:
    """Compare searches with lists by index: the same comments, and the same texts."""
    for found, search in (
        (found_by_index(product_id), f"/products/{product_id}/comments/en/~/?q="),
        (by_program(product_id), ""),
    ):
        for word in SEARCHED:
            with_word = {one: text for one, text in found.items() if word in text.casefold()}
            if search:
                assert listed(search + word) == with_word, word
            else:
                assert by_program(product_id, f"&q={word}") == with_word, word


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("write", WRITES)
def test_searches_say_what_lists_say_whatever_failed(proxy, scene, write, failure):
    send = write(scene)
    status = failure(proxy, send)
    assert status in DONE | AWAY
    assert_searches_are_true(scene.product_id)
    again = send()
    assert again in DONE | (GONE if write is delete_by_api else set())
    assert_searches_are_true(scene.product_id)

    proxy.rules.clear()
    work_off()
    assert_searches_are_true(scene.product_id)
    assert [*word_differences()] == []
    assert waiting_now() == []


class TestWhileChangesAreUnfinished:
    def test_a_search_finds_what_has_no_postings_yet(self, proxy, scene):
        spend_the_time(proxy, post_by_form(scene))
        assert len(listed(search_of(scene, "charcoal"))) == 1

    def test_a_search_does_not_find_what_was_taken_back(self, proxy, scene):
        spend_the_time(proxy, hide_by_form(scene))
        assert listed(search_of(scene, "marmalade")) == {}

    def test_the_explanation_does_not_show_its_key_either(self, proxy, scene):
        spend_the_time(proxy, hide_by_form(scene))
        shown = nobody().get(search_of(scene, "marmalade", "&explain=1"))
        assert "1 item was read to show 0" in shown.page.text
        assert scene.comment.id not in shown.response.content.decode()

    def test_staff_who_ask_for_hidden_comments_find_them(self, proxy, scene):
        spend_the_time(proxy, hide_by_form(scene))
        shown = scene.sam.get(search_of(scene, "marmalade", "&hidden=1"))
        assert shown.comment_ids == [scene.comment.id]
        assert "Hidden by the shop" in shown.page.text

    def test_the_list_of_another_language_does_not_show_them(self, proxy, scene):
        spend_the_time(proxy, post_by_form(scene))
        url = f"/products/{scene.product_id}/comments/de/~/?q=charcoal"
        assert listed(url) == {}

    def test_a_page_has_a_total_where_it_has_the_whole_list(self, proxy, scene):
        spend_the_time(proxy, post_by_form(scene))
        url = f"/products/{scene.product_id}/comments?q=charcoal"
        assert NOBODY.get(url).json()["total"] == 1
        assert NOBODY.get(f"/products/{scene.product_id}/comments?q=marmalade").json()["total"] == 1

    def test_many_of_them_have_the_page_read_its_comments(self, proxy, scene):
        for number in range(MOST_MARKS + 1):
            scene.alice.has_written(scene.product_id, body=f"{NEW} {number}")
        spend_the_time(proxy, hide_by_form(scene))
        assert listed(search_of(scene, "marmalade")) == {}
        found = nobody().get(search_of(scene, "charcoal"))
        assert len(found.comment_ids) == MOST_MARKS + 1
        assert "being brought up to date" in found.page.text
        program = NOBODY.get(f"/products/{scene.product_id}/comments?q=charcoal")
        assert program.json()["total"] is None


def search_of(scene: Scene, word: str, more: str = "") -> str:
    return f"/products/{scene.product_id}/comments/en/~/?q={word}{more}"


class TestAnImportThatWasKilled:
    @pytest.fixture
    def file(self, scene, tmp_path):
        rows = [
            f"{scene.product_id}-{n},{scene.product_id},en,5,2026-11-01,Ann,Title,{NEW} {n}"
            for n in range(120)
        ]
        path = tmp_path / "comments.csv"
        header = "id,product_id,language,rating,created_at,author,title,body"
        path.write_text("\n".join([header, *rows]))
        return path

    def run(self, file, **options: object) -> str:
        call_command("import_comments", str(file), stdout=(out := StringIO()), **options)
        return out.getvalue()

    def test_is_finished_by_the_same_import_at_once(self, scene, file):
        with patch.object(WordWriter, "write", side_effect=Killed), suppress(Killed):
            self.run(file)
        forget_what_waits()
        written = [*found_by_index(scene.product_id)]
        assert len(written) > 1
        with patch("comments.data.writer.worker", Patient):
            self.run(file)
        found = [d.subject for d in word_differences() if scene.product_id in str(d)]
        assert found == []
        marks = [one for one in every_item(client(), WORDS_TABLE) if PENDING in one["pk"]["S"]]
        assert [mark for mark in marks if scene.product_id in mark["pk"]["S"]] == []

    def test_shows_in_searches_what_is_known_and_says_that_it_is_not_all(self, scene, file):
        with patch.object(WordWriter, "write", side_effect=Killed), suppress(Killed):
            self.run(file)
        forget_what_waits()
        shown = nobody().get(search_of(scene, "charcoal"))
        assert "being brought up to date" in shown.page.text

    def test_says_how_much_is_left_and_fails_where_it_cannot_be_finished(
        self, proxy, file, monkeypatch
    ):
        monkeypatch.setattr("comments.data.writer.CLOSING_SECONDS", 0.1)
        proxy.rules.append(Rule("throttled", operation="BatchWriteItem", table=WORDS_TABLE))
        proxy.rules.append(Rule("throttled", when=_puts_postings, operation="TransactWriteItems"))
        with pytest.raises(CommandError, match=r"changes are not finished"):
            self.run(file)


def _puts_postings(request: dict[str, object]) -> bool:
    """Whether it is a transaction of postings alone, as imports write them on an engine."""
    return "/w3/" in str(request) and PENDING not in str(request)


class Patient:
    """The worker of a command, whose waiting takes no time."""

    def flush(self, seconds: float) -> bool:
        del seconds
        finish_what_waits()
        return True
