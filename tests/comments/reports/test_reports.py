"""A user reports a comment, and it waits in the queue of what staff should look at."""

from datetime import timedelta

import pytest

from comments import keys
from comments.erasure.user_data import comments_listed_in, delete_report, delete_vote
from comments.items import NewComment
from comments.keys import report as report_key
from comments.models import Comment
from comments.moderation.listing import ModeratedComment
from comments.moderation.services import hide, keep
from comments.posting.services import delete_comment, edit_comment
from comments.reports.services import SHOWN_REPORTS, Reason, report_comment
from comments.store.comments import NoSuchComment, OwnComment, State, load_comment
from comments.votes.services import vote
from dynamo.calls.client import client
from dynamo.calls.meter import metered
from tests.support.comments.threads import NOW, differing, helpful, mended, moderated
from tests.support.comments.writers import someone

pytestmark = pytest.mark.usefixtures("few_items")
TABLE = Comment.Meta.table_name
SCRIPT = "<script>alert(1)</script>"


def report(comment: NewComment, username: str = "bob", text: str = "", days: int = 0) -> bool:
    now = NOW + timedelta(days=days)
    return report_comment(
        comment_id=comment.id, username=username, reason=Reason.SPAM, text=text, now=now
    )


def in_queue(comment: NewComment) -> ModeratedComment:
    queued = moderated(comment, State.REPORTED)
    assert queued
    return queued


def report_url(comment: NewComment) -> str:
    return f"/comments/report/{comment.id}/"


class TestReporting:
    def test_queues_the_comment_with_the_reason(self, comment):
        assert report(comment, text="It sells pills.")
        queued = in_queue(comment)
        assert (queued.product_id, queued.report_count) == (comment.product_id, 1)
        (told,) = queued.reports
        assert (told.username, told.reason, told.text, told.reported) == (
            "bob",
            Reason.SPAM,
            "It sells pills.",
            NOW,
        )

    def test_again_by_the_same_user_changes_nothing(self, comment):
        assert report(comment, text="first")
        assert not report(comment, text="second", days=1)
        queued = in_queue(comment)
        assert (queued.report_count, queued.reports[0].text) == (1, "first")
        assert differing(comment) == []

    def test_by_others_leaves_it_where_it_waits(self, comment):
        for days, username in enumerate(["bob", "cat", "dan"]):
            report(comment, username, days=days)
        queued = in_queue(comment)
        assert (queued.waiting_since, queued.report_count) == (NOW, 3)

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
        assert meter.capacity_units() == 8.0


class TestTraces:
    """What a user left at others' comments is found by the user, and taken away."""

    def test_of_votes_and_reports_are_found_and_deleted(self, comment, fresh):
        bob = fresh("bob")
        vote(comment_id=comment.id, username=bob)
        report(comment, bob)
        assert left_by(bob) == [[comment.id], [comment.id]]
        for _ in range(2):
            delete_vote(comment_id=comment.id, username=bob)
            delete_report(comment_id=comment.id, username=bob)
        assert left_by(bob) == [[], []]
        assert helpful(comment) == []
        queued = in_queue(comment)
        assert (queued.report_count, queued.reports) == (0, ())
        assert differing(comment) == []

    def test_that_do_not_add_up_are_found_and_mended(self, comment):
        report(comment)
        key = {"pk": {"S": f"COMMENT#{comment.id}"}, "sk": {"S": report_key("bob")}}
        client().delete_item(TableName=TABLE, Key=key)
        (difference,) = mended(comment)
        assert (difference.kind, difference.stored, difference.expected) == (
            "marks",
            "nr: 1",
            "nr: 0",
        )


class TestForm:
    def test_reports_and_leads_back_to_the_comment(self, comment, bob):
        shown = bob.post(report_url(comment), {"reason": "spam", "text": SCRIPT})
        assert shown.response.redirect_chain == [(f"/comments/{comment.id}/", 302)]
        assert "The shop will look at this comment" in shown.page.one("li", class_="message").text
        queued = in_queue(comment)
        assert queued.reports[0].text == SCRIPT

    def test_shows_in_the_queue_what_was_typed_as_text(self, comment, bob):
        bob.post(report_url(comment), {"reason": "spam", "text": SCRIPT})
        page = someone("sam", is_staff=True).browser.get("/staff/comments/").content.decode()
        assert SCRIPT not in page

    def test_is_a_fragment_for_htmx(self, comment, bob):
        assert bob.get(report_url(comment), htmx=True).page.elements[0].tag == "form"
        response = bob.send(report_url(comment), {"reason": "other"}, htmx=True)
        assert "The shop will look at this comment" in response.content.decode()

    def test_says_that_it_was_reported_before(self, comment, bob):
        for _ in range(2):
            shown = bob.post(report_url(comment), {"reason": "spam"})
        assert "reported this comment before" in shown.page.one("li", class_="message").text

    def test_refuses_other_reasons_and_long_texts(self, comment, bob):
        for wrong in ({"reason": "boring"}, {"reason": "spam", "text": "x" * 1_001}):
            assert bob.post(report_url(comment), wrong).page.all(class_="errorlist")
        assert moderated(comment, State.REPORTED) is None


def left_by(username: str) -> list[list[str]]:
    partitions = keys.voter(username), keys.reporter(username)
    return [list(comments_listed_in(partition)) for partition in partitions]
