"""What people do with comments by the pages: post, vote, report and moderate."""

import re

import pytest

from comments.testing import make_comment
from sample_project.pages import fields_in, ids_in, text_of

LAMP = "/reviews/products/lamp/"
NEW = f"{LAMP}comments/new/"
WORDS = {"rating": "4", "title": "Bright", "body": "It is bright and warm.", "language": "en"}
QUEUE = "/reviews/staff/comments/"


def posted(browser):
    """Post a comment by the form, and return its id."""
    answer = browser.post(NEW, {**fields_in(text_of(browser, NEW), NEW), **WORDS})
    assert answer.status_code == 302, answer.content.decode()
    return re.search(r"[0-9A-Z]{26}", answer["Location"])[0]


def decide(staff, comment_id, decision, *, queue):
    """Decide on a comment by the form of a queue."""
    url = f"{QUEUE}decide/{comment_id}/"
    fields = fields_in(text_of(staff, queue), url)
    assert staff.post(url, {**fields, "decision": decision}).status_code == 302


class TestPosting:
    def test_needs_somebody_who_is_signed_in(self, tables, visitor):
        assert visitor.get(NEW)["Location"].startswith("/accounts/login/?next=")

    def test_puts_the_comment_into_its_list(self, signed_in, visitor):
        comment_id = posted(signed_in("ann"))
        page = text_of(visitor, LAMP)
        assert ids_in(page) == [comment_id]
        assert "It is bright and warm." in page
        assert "ann" in page

    def test_marks_what_a_buyer_writes(self, signed_in, visitor):
        posted(signed_in("buyer"))
        assert "Verified purchase" in text_of(visitor, LAMP)

    def test_is_heard_of(self, signed_in, comment_signals):
        comment_id = posted(signed_in("ann"))
        assert [sent.name for sent in comment_signals] == ["comment_posted"]
        assert comment_signals[0].arguments["comment_id"] == comment_id


class TestAVote:
    def test_counts_for_the_order_by_votes(self, signed_in, visitor):
        older, newer = make_comment("lamp"), make_comment("lamp")
        assert ids_in(text_of(visitor, LAMP)) == [newer.id, older.id]
        vote = {"helpful": "yes", "next": LAMP}
        answer = signed_in("ann").post(f"/reviews/comments/vote/{older.id}/", vote)
        assert answer.status_code == 302
        page = text_of(visitor, f"{LAMP}comments/~/~/?order=helpful")
        assert ids_in(page) == [older.id, newer.id]


class TestModeration:
    def test_hides_what_was_reported(self, signed_in, visitor, staff):
        comment = make_comment("lamp")
        report = f"/reviews/comments/report/{comment.id}/"
        reader = signed_in("ann")
        fields = fields_in(text_of(reader, report), report)
        assert reader.post(report, {**fields, "reason": "spam"}).status_code == 302
        decide(staff, comment.id, "hide", queue=QUEUE)
        assert visitor.get(f"/reviews/comments/{comment.id}/").status_code == 404
        assert ids_in(text_of(visitor, LAMP)) == []

    def test_publishes_what_a_gate_has_held(self, signed_in, visitor, staff, settings):
        settings.COMMENTS = {**settings.COMMENTS, "GATE": "comments.gates.hold_first"}
        comment_id = posted(signed_in("ann"))
        assert ids_in(text_of(visitor, LAMP)) == []
        decide(staff, comment_id, "publish", queue=f"{QUEUE}held/")
        assert ids_in(text_of(visitor, LAMP)) == [comment_id]

    @pytest.mark.parametrize("path", ["", "held/", "hidden/"])
    def test_is_for_staff_alone(self, signed_in, visitor, path):
        assert visitor.get(f"{QUEUE}{path}").status_code == 302
        assert signed_in("ann").get(f"{QUEUE}{path}").status_code == 404
