"""What is done with comments is in the activity log, once, with who did it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from comments.items import NewComment
from comments.posting.services import add_comment
from comments.profiles.queries import ids_written_by
from shop.activity.recording import LOG
from tests.support.activity.making import whole_log
from tests.support.chance import unique
from tests.support.clock import this_month
from tests.support.comments.loading import load
from tests.support.comments.threads import made_comment
from tests.support.comments.writers import WORDS, made_product, new_url

HIDE = {"decision": "hide", "seen": "LISTED.1.0"}


@pytest.fixture(autouse=True)
def log(own_log):
    own_log(this_month())


def told() -> list[tuple[str, ...]]:
    """What was done, by whom, the change; oldest first."""
    return [(e.kind.name, e.action.name, e.who, e.was, e.became) for e in whole_log()[::-1]]


class TestAnAuthor:
    def test_posts_once_however_often_the_form_is_sent(self, ann):
        product_id = made_product()
        form = {**ann.open_form(product_id), **WORDS, "rating": "4"}
        for _ in range(2):
            assert ann.send(new_url(product_id), form).status_code == 302
        (entry,) = whole_log()
        assert told() == [("COMMENT", "POSTED", ann.username, "", "4")]
        assert (entry.subject, entry.about) == (*ids_written_by(ann.username), product_id)

    def test_edits(self, ann):
        stored = ann.write(made_product(), rating="4")
        url = f"/comments/edit/{stored.comment.id}/"
        form = {"version": "1", "title": "", "body": "Worse.", "language": "en"}
        for _ in range(2):
            ann.send(url, {**form, "rating": "2"})
        assert told()[1:] == [("COMMENT", "EDITED", ann.username, "4", "2")]

    def test_deletes(self, ann):
        stored = ann.write(made_product())
        for _ in range(2):
            ann.send(f"/comments/delete/{stored.comment.id}/")
        assert told()[1:] == [("COMMENT", "DELETED", ann.username, "", "")]


class TestStaff:
    """“Twice” is the same form sent again: it is told once."""

    @pytest.mark.parametrize(
        ("what", "forms", "expected"),
        [
            ("decide", [HIDE, HIDE], [("HIDDEN", "LISTED", "HIDDEN")]),
            (
                "decide",
                [HIDE, {"decision": "restore", "seen": "HIDDEN.1.0"}],
                [("HIDDEN", "LISTED", "HIDDEN"), ("RESTORED", "HIDDEN", "LISTED")],
            ),
            (
                "feature",
                [{"featured": each} for each in ("yes", "yes", "no", "no")],
                [("PICKED",), ("UNPICKED",)],
            ),
            (
                "reply",
                [{"text": "Thanks.", "version": "0"}, {"delete": "yes"}, {"delete": "yes"}],
                [("REPLIED",), ("REPLY_DELETED",)],
            ),
            ("decide", [{"decision": "hide", "seen": "LISTED.7.0"}], []),
        ],
        ids=["hide twice", "restore", "pick", "reply", "refused"],
    )
    def test_is_told_of_what_they_do(self, sam, what, forms, expected):
        url = f"/staff/comments/{what}/{made_comment().id}/"
        for form in forms:
            sam.send(url, form)
        assert [line[:3] for line in told()] == [
            ("MODERATION", action, sam.username) for action, *_ in expected
        ]
        assert [line[3:] for line in told() if what == "decide"] == [
            tuple(change) for _, *change in expected if what == "decide"
        ]

    def test_keep_what_was_reported(self, sam, ann):
        comment = made_comment()
        ann.send(f"/comments/report/{comment.id}/", {"reason": "spam"})
        form = {"decision": "keep", "seen": "REPORTED.1.1"}
        sam.send(f"/staff/comments/decide/{comment.id}/", form)
        assert told() == [("MODERATION", "KEPT", sam.username, "REPORTED", "LISTED")]

    @pytest.mark.parametrize(
        ("held_for", "decision", "seen", "told_of"),
        [
            (None, "hide", "LISTED.1.0", ("RESTORED", "HIDDEN", "LISTED")),
            ("words", "publish", "HELD.1.0", ("UNDECIDED", "LISTED", "HELD")),
            ("words", "reject", "HELD.1.0", ("UNDECIDED", "HIDDEN", "HELD")),
        ],
        ids=["hide", "publish", "reject"],
    )
    def test_take_a_decision_back(self, sam, held_for, decision, seen, told_of):
        comment = replace(made_comment(), id=unique("decided"))
        add_comment(comment, held_for=held_for)
        url = f"/staff/comments/decide/{comment.id}/"
        shown = sam.post(url, {"decision": decision, "seen": seen})
        form = shown.page.one("li", class_="message").one("form")
        sam.send(form["action"], {"undo": form.one("input", name="undo")["value"]})
        verb, was, became = told_of
        assert told()[-1] == ("MODERATION", verb, sam.username, was, became)
        assert len(told()) == 2

    def test_take_back_that_they_kept_a_comment(self, sam, ann):
        comment = made_comment()
        ann.send(f"/comments/report/{comment.id}/", {"reason": "spam"})
        url = f"/staff/comments/decide/{comment.id}/"
        shown = sam.post(url, {"decision": "keep", "seen": "REPORTED.1.1"})
        form = shown.page.one("li", class_="message").one("form")
        sam.send(form["action"], {"undo": form.one("input", name="undo")["value"]})
        assert told()[-1] == ("MODERATION", "UNDECIDED", sam.username, "LISTED", "REPORTED")

    def test_ban_a_word_as_a_topic_and_allow_it_again(self, sam):
        product_id = made_product()
        url = f"/staff/products/{product_id}/topics/"
        for _ in range(2):
            sam.send(url, {"ban": "product", "word": "battery", "language": "en"})
        for _ in range(2):
            sam.send(url, {"allow": "en/batteri", "of": "product"})
        sam.send(url, {"ban": "all", "word": "battery", "language": "en"})
        assert told() == [
            ("MODERATION", "TOPIC_BANNED", sam.username, "", ""),
            ("MODERATION", "TOPIC_ALLOWED", sam.username, "", ""),
            ("MODERATION", "TOPIC_BANNED", sam.username, "", ""),
        ]
        entries = whole_log()[::-1]
        assert {entry.subject for entry in entries} == {"batteri (en)"}
        assert [entry.about for entry in entries] == [product_id, product_id, ""]
        page = sam.get("/staff/activity/?kind=MODERATION").page
        rows = page.all("li", data_action="TOPIC_BANNED")
        assert (
            rows[0].all("p")[0].text == f"{sam.username} banned the word “batteri (en)” as a topic"
        )
        (link,) = rows[1].all("a")
        assert link["href"] == f"/products/{product_id}/"

    def test_delete_a_comment_on_its_own_page(self, sam):
        sam.send(f"/comments/delete/{made_comment().id}/")
        assert told() == [("MODERATION", "DELETED", sam.username, "LISTED", "")]


class TestCommands:
    def test_are_told_without_a_user(self, capsys):
        comment_id = made_comment().id
        for decision in ("hide", "delete", "delete"):
            call_command("moderate", comment_id, decision)
        hidden = ("MODERATION", "HIDDEN", "", "LISTED", "HIDDEN")
        assert told() == [hidden, ("MODERATION", "DELETED", "", "HIDDEN", "")]


class TestImports:
    def test_are_not_told(self, fresh):
        moment = datetime.now(UTC)
        load([NewComment(fresh("c"), fresh("p"), "en", 5, moment, body="Imported.")])
        assert len(LOG) == 0
        assert told() == []
