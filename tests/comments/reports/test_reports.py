"""A user reports a comment, and it waits in the queue of what staff should look at."""

from datetime import timedelta

import pytest

from comments.items import NewComment
from comments.keys import report as report_key
from comments.models import Comment
from comments.moderation.queries import ModeratedComment
from comments.posting.services import delete_comment, edit_comment
from comments.reports.services import SHOWN_REPORTS, Reason, report_comment
from comments.store.comments import NoSuchComment, OwnComment, load_comment
from comments.store.states import State
from dynapages.calls import metered
from dynapages.process import client
from tests.support.comments.deciding import hide, keep
from tests.support.comments.threads import NOW, differing, mended, moderated

pytestmark = pytest.mark.usefixtures("few_items")
SCRIPT = "<script>alert(1)</script>"


def report(comment: NewComment, user_id: str = "bob", text: str = "", days: int = 0) -> bool:
    now = NOW + timedelta(days=days)
    return report_comment(
        comment_id=comment.id, user_id=user_id, reason=Reason.SPAM, text=text, now=now
    )


def in_queue(comment: NewComment) -> ModeratedComment:
    queued = moderated(comment, State.REPORTED)
    assert queued
    return queued


class TestReporting:
    def test_queues_the_comment_with_the_reason_once_for_each_user(self, comment):
        assert report(comment, text="It sells pills.")
        assert not report(comment, text="second", days=1)
        queued = in_queue(comment)
        assert (queued.product_id, queued.report_count) == (comment.product_id, 1)
        (told,) = queued.reports
        assert (told.user_id, told.reason) == ("bob", Reason.SPAM)
        assert (told.text, told.reported) == ("It sells pills.", NOW)
        report(comment, "cat", days=2)
        queued = in_queue(comment)
        assert (queued.waiting_since, queued.report_count) == (NOW, 2)
        assert differing(comment) == []

    def test_shows_the_first_reports_and_counts_the_others(self, comment):
        for number in range(SHOWN_REPORTS + 2):
            report(comment, f"user-{number:02}")
        queued = in_queue(comment)
        assert (len(queued.reports), queued.reports_not_shown) == (SHOWN_REPORTS, 2)

    def test_of_ones_own_comment_is_refused(self, comment):
        with pytest.raises(OwnComment):
            report(comment, "ann")

    def test_of_a_comment_that_is_hidden_or_gone_is_refused(self, comment):
        hide(comment_id=comment.id, now=NOW)
        with pytest.raises(NoSuchComment):
            report(comment)
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            report(comment)
        assert differing(comment) == []

    def test_survives_an_edit(self, comment):
        stored = load_comment(comment.id)
        report(comment)
        edit_comment(stored, now=NOW, rating=1, title="Bad")
        queued = in_queue(comment)
        assert (queued.title, queued.rating) == ("Bad", 1)
        assert differing(comment) == []

    def test_after_it_was_kept_queues_it_anew(self, comment):
        report(comment)
        keep(comment_id=comment.id)
        assert not report(comment)
        assert moderated(comment, State.REPORTED) is None
        report(comment, "cat", days=5)
        queued = in_queue(comment)
        assert (queued.report_count, queued.waiting_since) == (2, NOW + timedelta(days=5))
        assert differing(comment) == []

    @pytest.mark.real_engine
    def test_takes_eight_units(self, comment):
        with metered() as meter:
            report(comment)
        assert meter.units == 8.0


def test_reports_that_do_not_add_up_are_found_and_mended(comment):
    report(comment)
    key = {"pk": {"S": f"COMMENT#{comment.id}"}, "sk": {"S": report_key("bob")}}
    client().delete_item(TableName=Comment.Meta.table_name, Key=key)
    (difference,) = mended(comment)
    assert (difference.stored, difference.expected) == ("nr: 1", "nr: 0")


def test_the_form_reports_once_what_staff_see_as_it_was_typed(comment, bob, sam):
    for told in ("The shop will look at this comment", "already reported this comment"):
        shown = bob.post(f"/comments/report/{comment.id}/", {"reason": "spam", "text": SCRIPT})
        assert shown.response.redirect_chain == [(f"/comments/{comment.id}/", 302)]
        assert told in shown.page.one("li", class_="message").text
    assert in_queue(comment).reports[0].text == SCRIPT
    assert SCRIPT not in sam.browser.get("/staff/comments/").content.decode()


@pytest.mark.parametrize("wrong", [{"reason": "boring"}, {"reason": "spam", "text": "x" * 1_001}])
def test_the_form_refuses_other_reasons_and_long_texts(comment, bob, wrong):
    assert bob.post(f"/comments/report/{comment.id}/", wrong).page.all(class_="errorlist")
    assert moderated(comment, State.REPORTED) is None
