"""Signals of comments: each is sent once, after the write, whoever wrote."""

import logging
import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.dispatch import Signal

from comments import signals
from comments.erasure.user_data import delete_written
from comments.items import NewComment
from comments.store.comments import NoSuchComment, load_comment
from comments.store.states import State
from comments.testing import SentSignal, sent_signals
from tests.support.comments.options import comments_set
from tests.support.comments.threads import made_comment
from tests.support.comments.truth import START
from tests.support.comments.writers import (
    WORDS,
    Writer,
    delete_url,
    edit_url,
    made_product,
    new_url,
)
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")
NAMES = {signal: name for name, signal in vars(signals).items() if isinstance(signal, Signal)}
INSTALLING = PROJECT / "docs" / "installing.md"
CHAPTER = INSTALLING.read_text().partition("\n## Signals\n")[2].partition("\n## ")[0]
Sent = list[SentSignal]


@pytest.fixture
def sent() -> Iterator[Sent]:
    with sent_signals() as found:
        yield found


def names(sent: Sent) -> list[str]:
    return [name for name, _ in sent]


def edited(writer: Writer, comment: NewComment, **changes: str) -> None:
    version = str(load_comment(comment.id).version)
    response = writer.send(edit_url(comment), {**WORDS, "version": version, **changes})
    assert response.status_code == 302


class TestAnAuthor:
    def test_posts_once_however_often_the_form_is_sent(self, sent, ann):
        product_id = made_product()
        form = {**ann.open_form(product_id), **WORDS}
        for _ in range(2):
            ann.send(new_url(product_id), form)
        ((name, told),) = sent
        assert (name, told["by"], told["was"]) == ("comment_posted", ann.username, None)
        assert told["comment"] == load_comment(told["comment_id"]).comment
        assert told["moment"] == told["comment"].created_at

    def test_edits_once_with_the_words_of_before(self, sent, ann):
        comment = ann.has_written(made_product()).comment
        form = {**WORDS, "version": "1", "body": "Dim."}
        for _ in range(2):
            ann.send(edit_url(comment), form)
        _, (name, told) = sent
        assert (name, told["by"], told["state"]) == ("comment_edited", ann.username, State.LISTED)
        assert (told["before"].body, told["comment"].body) == (WORDS["body"], "Dim.")

    def test_deletes_once(self, sent, ann):
        comment = ann.has_written(made_product()).comment
        for _ in range(2):
            ann.send(delete_url(comment))
        _, (name, told) = sent
        assert (name, told["by"], told["was"]) == ("comment_deleted", ann.username, State.LISTED)
        assert told["comment"] == comment


class TestAReader:
    def test_votes_and_takes_the_vote_back(self, sent, ann):
        comment = made_comment()
        for helpful in ("yes", "yes", "no", "no"):
            ann.send(f"/comments/vote/{comment.id}/", {"helpful": helpful})
        assert names(sent) == ["vote_cast"] * 2
        assert [told["is_helpful"] for _, told in sent] == [True, False]
        assert {(told["by"], told["comment_id"]) for _, told in sent} == {
            (ann.username, comment.id)
        }

    def test_reports_once(self, sent, ann):
        comment = made_comment()
        for _ in range(2):
            ann.send(f"/comments/report/{comment.id}/", {"reason": "spam", "text": "Buy!"})
        ((name, told),) = sent
        assert (name, told["reason"], told["text"]) == ("comment_reported", "spam", "Buy!")


class TestStaff:
    @pytest.mark.parametrize(
        ("what", "forms", "expected"),
        [
            ("decide", [{"decision": "hide"}] * 2, ["comment_hidden"]),
            (
                "decide",
                [{"decision": "hide"}, {"decision": "restore", "seen": "HIDDEN.1.0"}],
                ["comment_hidden", "comment_restored"],
            ),
            ("decide", [{"decision": "hide", "seen": "LISTED.9.0"}], []),
            ("feature", [{"featured": "yes"}] * 2, ["comment_picked"]),
            (
                "reply",
                [{"text": "Thanks.", "version": "0"}] * 2 + [{"delete": "yes"}] * 2,
                ["reply_owes", *["comment_replied"] * 2],
            ),
        ],
        ids=["hide", "restore", "not as seen", "pick", "reply"],
    )
    def test_are_told_once_of_each_decision(self, sent, sam, what, forms, expected):
        comment = made_comment()
        for form in forms:
            sam.send(f"/staff/comments/{what}/{comment.id}/", form)
        assert names(sent) == expected
        assert {told["by"] for _, told in sent} <= {sam.username}

    def test_dismiss_reports(self, sent, sam, ann):
        comment = made_comment()
        ann.send(f"/comments/report/{comment.id}/", {"reason": "spam"})
        form = {"decision": "keep", "seen": "REPORTED.1.1"}
        sam.send(f"/staff/comments/decide/{comment.id}/", form)
        assert names(sent) == ["comment_reported", "comment_kept"]


class TestACommand:
    def test_sends_without_a_user(self, sent):
        comment = made_comment()
        for _ in range(2):
            call_command("moderate", comment.id, "hide", stdout=StringIO())
        assert [(name, told["by"]) for name, told in sent] == [("comment_hidden", "")]

    def test_that_erases_a_user_tells_of_each_comment(self, sent, ann):
        comment = ann.has_written(made_product()).comment
        delete_written(ann.username, comment.id)
        assert names(sent) == ["comment_posted", "comment_deleted"]


class TestAnImport:
    @pytest.mark.parametrize("is_asked", [False, True])
    def test_sends_only_if_it_is_asked_to(self, sent, tmp_path, fresh, is_asked):
        file, comment_id = tmp_path / "comments.csv", fresh("imported")
        for stars in (4, 4, 5):  # the second time, nothing is written
            row = f"{comment_id},any,en,{stars},{START:%Y-%m-%dT%H:%M:%SZ},Bo,Good,Text"
            file.write_text(f"id,product_id,language,rating,created_at,author,title,body\n{row}")
            options = {"signals": is_asked, "product_id": "lamp-of-signals"}
            call_command("import_comments", file, json=True, stdout=StringIO(), **options)
        assert names(sent) == (["comment_posted", "comment_edited"] if is_asked else [])


class TestAReceiverThatRaises:
    def test_is_logged_and_the_visitor_has_the_answer(self, ann, caplog):
        def receive(**_: object) -> None:
            raise ZeroDivisionError

        signals.comment_posted.connect(receive)
        try:
            with caplog.at_level(logging.ERROR, logger="django.dispatch"):
                comment = ann.write(made_product()).comment
        finally:
            signals.comment_posted.disconnect(receive)
        assert "ZeroDivisionError" in caplog.text or "receive" in caplog.text
        assert load_comment(comment.id).comment == comment

    def test_finds_the_write_committed(self, ann):
        found: list[NewComment] = []

        def receive(comment_id: str, **_: object) -> None:
            found.append(load_comment(comment_id).comment)

        signals.comment_posted.connect(receive)
        try:
            comment = ann.has_written(made_product()).comment
        finally:
            signals.comment_posted.disconnect(receive)
        assert found == [comment]


def test_nothing_is_sent_of_samples(sent):
    with signals.unannounced():
        comment = made_comment()
        call_command("moderate", comment.id, "delete", stdout=StringIO())
    assert sent == []
    with pytest.raises(NoSuchComment):
        load_comment(comment.id)


class TestTheDocument:
    def test_tells_of_every_signal(self):
        told = re.findall(r"^\| `(\w+)` \|", CHAPTER, re.MULTILINE)
        assert sorted(told) == sorted([*NAMES.values(), "order_moved", "order_placed"])

    def test_has_a_receiver_that_runs(self, ann, capsys):
        receiver, _ = self.blocks()
        namespace: dict[str, Any] = {}
        exec(receiver, namespace)  # noqa: S102 - the project's own example
        try:
            comment = ann.has_written(made_product()).comment
        finally:
            signals.comment_posted.disconnect(namespace["thank"])
        out = capsys.readouterr().out
        assert out == f"{ann.username} gave product {comment.product_id} 5 stars\n"

    def test_has_a_handler_of_the_stream_that_runs(self, capsys):
        _, handler = self.blocks()
        namespace: dict[str, Any] = {}
        exec(handler, namespace)  # noqa: S102 - the project's own example
        item = load_comment(made_comment().id).item
        change = {"Keys": {"pk": item["pk"], "sk": item["sk"]}, "NewImage": item}
        vote = {"Keys": {"pk": item["pk"], "sk": {"S": "VOTE#ann"}}, "NewImage": {}}
        images = [change, {**change, "OldImage": item}, vote]
        namespace["handler"]({"Records": [{"dynamodb": one} for one in images]}, None)
        assert capsys.readouterr().out == f"{item['o']['S'].partition('#')[2]} is in its lists\n"

    def blocks(self) -> list[str]:
        return re.findall(r"```python\n(.*?)```", CHAPTER, re.DOTALL)


class TestAHeldComment:
    @pytest.fixture(autouse=True)
    def gate(self):
        with comments_set(GATE="comments.gates.hold_all"):
            yield

    def test_is_posted_when_staff_publish_it(self, sent, ann, sam):
        comment = ann.has_written(made_product()).comment
        form = {"decision": "publish", "seen": "HELD.1.0"}
        for _ in range(2):
            sam.send(f"/staff/comments/decide/{comment.id}/", form)
        assert names(sent) == ["comment_held", "comment_posted"]
        assert sent[0][1]["reason"] == "every comment"
        assert (sent[1][1]["by"], sent[1][1]["was"]) == (sam.username, State.HELD)

    def test_is_hidden_when_staff_reject_it(self, sent, ann, sam):
        comment = ann.has_written(made_product()).comment
        form = {"decision": "reject", "seen": "HELD.1.0"}
        sam.send(f"/staff/comments/decide/{comment.id}/", form)
        assert names(sent) == ["comment_held", "comment_hidden"]

    def test_is_told_of_when_its_author_edits_it(self, sent, ann):
        comment = ann.has_written(made_product()).comment
        edited(ann, comment, body="Other words.")
        assert names(sent) == ["comment_held", "comment_edited"]
        assert sent[1][1]["state"] is State.HELD

    def test_is_posted_when_the_gate_lets_an_edit_pass(self, sent, ann):
        comment = ann.has_written(made_product()).comment
        with comments_set(GATE=()):
            edited(ann, comment, body="Other words.")
        assert names(sent) == ["comment_held", "comment_edited", "comment_posted"]
