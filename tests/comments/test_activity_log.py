"""What is done with comments is in the activity log, once, with who did it."""

from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from comments.items import NewComment
from shop.activity.recording import LOG
from tests.support.activity.making import whole_log
from tests.support.clock import this_month
from tests.support.comments.loading import load
from tests.support.comments.threads import made_comment
from tests.support.comments.writers import WORDS, made_product, new_url, someone


@pytest.fixture(autouse=True)
def log(own_log):
    own_log(this_month())


@pytest.fixture
def ann():
    return someone("ann")


@pytest.fixture
def sam():
    return someone("sam", is_staff=True)


def told() -> list[tuple[str, ...]]:
    """What was done, by whom, the change; oldest first."""
    return [(e.kind.name, e.action.name, e.who, e.was, e.became) for e in whole_log()[::-1]]


class TestAnAuthor:
    def test_posts(self, ann):
        stored = ann.write(made_product(), rating="4")
        (entry,) = whole_log()
        assert told() == [("COMMENT", "POSTED", ann.username, "", "4")]
        assert (entry.subject, entry.about) == (stored.comment.id, stored.comment.product_id)

    def test_posts_once_however_often_the_form_is_sent(self, ann):
        product_id = made_product()
        form = {**ann.open_form(product_id), **WORDS}
        for _ in range(2):
            assert ann.send(new_url(product_id), form).status_code == 302
        assert len(told()) == 1

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
    @pytest.mark.parametrize(
        ("decision", "expected"),
        [
            ("hide", ("HIDDEN", "LISTED", "HIDDEN")),
            ("delete", ("DELETED", "LISTED", "")),
        ],
    )
    def test_decide(self, sam, decision, expected):
        comment = made_comment()
        form = {"decision": decision, "seen": "LISTED.1.0"}
        for _ in range(2):
            sam.send(f"/staff/comments/decide/{comment.id}/", form)
        action, was, became = expected
        assert told() == [("MODERATION", action, sam.username, was, became)]

    def test_restore_what_is_hidden(self, sam):
        comment = made_comment()
        url = f"/staff/comments/decide/{comment.id}/"
        sam.send(url, {"decision": "hide", "seen": "LISTED.1.0"})
        sam.send(url, {"decision": "restore", "seen": "HIDDEN.1.0"})
        assert told()[1:] == [("MODERATION", "RESTORED", sam.username, "HIDDEN", "LISTED")]

    def test_keep_what_was_reported(self, sam, ann):
        comment = made_comment()
        ann.send(f"/comments/report/{comment.id}/", {"reason": "spam"})
        form = {"decision": "keep", "seen": "REPORTED.1.1"}
        sam.send(f"/staff/comments/decide/{comment.id}/", form)
        assert told() == [("MODERATION", "KEPT", sam.username, "REPORTED", "LISTED")]

    def test_delete_a_comment_on_its_own_page(self, sam):
        sam.send(f"/comments/delete/{made_comment().id}/")
        assert told() == [("MODERATION", "DELETED", sam.username, "", "")]

    def test_pick_and_take_the_pick_back(self, sam):
        url = f"/staff/comments/feature/{made_comment().id}/"
        for featured in ("yes", "yes", "no", "no"):
            sam.send(url, {"featured": featured})
        assert [line[:3] for line in told()] == [
            ("MODERATION", "PICKED", sam.username),
            ("MODERATION", "UNPICKED", sam.username),
        ]

    def test_reply_and_delete_the_reply(self, sam):
        url = f"/staff/comments/reply/{made_comment().id}/"
        for fields in ({"text": "Thanks.", "version": "0"}, {"delete": "yes"}, {"delete": "yes"}):
            sam.send(url, fields)
        assert [line[:3] for line in told()] == [
            ("MODERATION", "REPLIED", sam.username),
            ("MODERATION", "REPLY_DELETED", sam.username),
        ]

    def test_refused_are_not_told(self, sam):
        comment = made_comment()
        form = {"decision": "hide", "seen": "LISTED.7.0"}
        sam.send(f"/staff/comments/decide/{comment.id}/", form)
        assert told() == []


class TestCommands:
    def test_that_decide_are_told_without_a_user(self, capsys):
        call_command("moderate", made_comment().id, "hide")
        assert told() == [("MODERATION", "HIDDEN", "", "LISTED", "HIDDEN")]

    def test_that_delete_are_told_without_a_user(self, capsys):
        comment_id = made_comment().id
        for _ in range(2):
            call_command("moderate", comment_id, "delete")
        assert told() == [("MODERATION", "DELETED", "", "LISTED", "")]


class TestImports:
    def test_are_not_told(self, fresh):
        moment = datetime.now(UTC)
        load([NewComment(fresh("c"), fresh("p"), "en", 5, moment, body="Imported.")])
        assert len(LOG) == 0
        assert told() == []
