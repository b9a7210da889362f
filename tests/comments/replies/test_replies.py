"""The shop replies to a comment, once; replies come with imports, too."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from comments import keys
from comments.data.changes import VerdictCounts
from comments.data.rows import CommentParser
from comments.data.shapes import Shape
from comments.data.writer import BulkWriter
from comments.erasure.user_data import comments_listed_in, delete_signature
from comments.filters import CommentFilter
from comments.items import UNKNOWN_REPLY, NewComment, NewReply
from comments.lists.queries import list_comments
from comments.models import Comment
from comments.posting.services import delete_comment, edit_comment
from comments.replies.services import (
    LONGEST_REPLY,
    Reply,
    ReplyChanged,
    delete_reply,
    find_reply,
    reply_to,
)
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import read_counts
from dynapages.calls import Batches, metered
from dynapages.django.options import Progress
from dynapages.files.records import Record, Rejected
from dynapages.lists import PageRequest
from dynapages.process import client, pool
from tests.support.comments.browsing import visit
from tests.support.comments.deciding import hide
from tests.support.comments.threads import NOW, differences, differing, mended, spoil
from tests.support.comments.truth import START
from tests.support.comments.writers import someone

pytestmark = pytest.mark.usefixtures("few_items")
THANKS = NewReply("Thank you!", START)


def reply(comment: NewComment, text: str = "Thank you!", user_id: str = "sam") -> None:
    """Reply, or change the reply there is, by a user whose name is another word than the id."""
    seen, name = find_reply(comment.id), f"{user_id} of the shop"
    reply_to(comment_id=comment.id, text=text, user_id=user_id, author=name, seen=seen, now=NOW)


def reply_to_it(comment: NewComment) -> Reply:
    found = find_reply(comment.id)
    assert found
    return found


def text_of(comment: NewComment) -> str | None:
    found = find_reply(comment.id)
    return found.text if found else None


def listed(comment: NewComment) -> dict[str, str | None]:
    """The comments of the product's list, and the text of the reply to each."""
    page = list_comments(
        comment.product_id, CommentFilter(), PageRequest(20), counts=read_counts(comment.product_id)
    )
    return {each.id: each.reply.text if each.reply else None for each in page.comments}


def imported(*comments: NewComment) -> VerdictCounts:
    writer = BulkWriter(Batches(client(), pool()))
    outcome = writer.write(comments)
    writer.finish(Progress(shown=False))
    return outcome


class TestReplying:
    def test_is_shown_beneath_the_comment_and_can_be_changed(self, comment):
        reply(comment)
        assert listed(comment) == {comment.id: "Thank you!"}
        found = reply_to_it(comment)
        assert (found.user_id, found.author) == ("sam", "sam of the shop")
        assert (found.replied, found.edited) == (NOW, None)
        reply(comment, "Thank you very much!", user_id="tom")
        found = reply_to_it(comment)
        assert (found.user_id, found.author) == ("sam", "sam of the shop")
        assert (found.text, found.edited) == ("Thank you very much!", NOW)

    def test_to_what_is_hidden_or_gone_is_refused(self, comment):
        hide(comment_id=comment.id, now=NOW)
        with pytest.raises(NoSuchComment):
            reply(comment)
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            reply(comment)
        assert differing(comment) == []

    def test_stays_when_the_comment_is_edited_and_goes_with_it(self, comment):
        stored = load_comment(comment.id)
        reply(comment)
        edit_comment(stored, now=NOW, rating=1)
        assert listed(comment) == {comment.id: "Thank you!"}
        delete_comment(comment.id)
        assert text_of(comment) is None
        assert differing(comment) == []


@pytest.mark.real_engine
class TestTwoOfStaffAtOnce:
    def test_change_it_from_the_same_version_once(self, comment):
        reply(comment)
        seen = find_reply(comment.id)

        def change(number: int) -> bool:
            try:
                reply_to(comment_id=comment.id, text=str(number), user_id="sam", seen=seen, now=NOW)
            except ReplyChanged:
                return False
            return True

        with ThreadPoolExecutor(8) as threads:
            assert sum(threads.map(change, range(8))) == 1
        assert differing(comment) == []


class TestTheNameOnAReply:
    def test_finds_the_comment_for_as_long_as_the_reply_is_there(self, comment):
        """It is that of who replied, not of who changed it."""
        sam, sue = (someone(name, is_staff=True).username for name in ("sam", "sue"))
        for text, user_id in (("Thank you!", sam), ("Thanks!", sue)):
            reply(comment, text, user_id=user_id)
            assert list(comments_listed_in(keys.replier(sam))) == [comment.id]
        assert list(comments_listed_in(keys.replier(sue))) == []
        delete_reply(comment.id)
        assert list(comments_listed_in(keys.replier(sam))) == []

    def test_comes_off_and_does_not_come_back_by_a_change_under_way(self, comment):
        reply(comment)
        seen = find_reply(comment.id)
        for user_id, signed in (("sue", True), ("sam", False), ("sam", False)):
            delete_signature(comment_id=comment.id, user_id=user_id)
            found = reply_to_it(comment)
            by = ("sam", "sam of the shop") if signed else ("", "")
            assert (found.text, found.user_id, found.author) == ("Thank you!", *by)
        assert differing(comment) == []
        with pytest.raises(ReplyChanged):
            reply_to(comment_id=comment.id, text="Thanks!", user_id="sue", seen=seen, now=NOW)
        reply(comment, "Thanks!", user_id="sue")
        found = reply_to_it(comment)
        assert (found.text, found.user_id, found.author) == ("Thanks!", "", "")


def test_a_long_reply_is_an_excerpt_in_lists_that_leads_to_the_whole(comment):
    reply(comment, "Thank you very much. " * 100)
    assert (listed(comment)[comment.id] or "")[-1] == "…"
    page = visit(f"/products/{comment.product_id}/").page
    link = page.one(class_="reply").one("a")
    assert link["href"] == f"/comments/{comment.id}/#shop-reply"
    whole = visit(f"/comments/{comment.id}/").page.one(class_="reply")
    assert whole.text.count("Thank you very much.") == 100


@pytest.mark.real_engine
def test_a_reply_is_a_write_to_every_list(comment):
    for text in ("One", "Two"):
        with metered() as meter:
            reply(comment, text)
        writes = [call for call in meter.log if "Transact" in call.operation]
        assert sum(call.capacity_units for call in writes) == 10.0


class TestImportedReplies:
    @pytest.fixture
    def row(self, comment):
        """A comment of a file, with a reply."""
        return replace(comment, id=f"{comment.id}-row", user_id="", reply=THANKS)

    def test_are_shown_and_again_write_nothing(self, row):
        assert imported(row).new == 1
        found = reply_to_it(row)
        assert (found.text, found.author, found.replied) == ("Thank you!", "", START)
        assert listed(row)[row.id] == "Thank you!"
        assert imported(row) == VerdictCounts(unchanged=1)
        assert differing(row) == []

    @pytest.mark.parametrize("changes", [{}, {"created_at": NOW}], ids=["the same row", "a newer"])
    def test_go_when_the_row_that_wins_has_none(self, row, changes):
        imported(row)
        without = replace(row, reply=None, **changes)
        assert imported(without).replaced == 1
        assert (text_of(row), listed(row)[row.id]) == (None, None)
        assert imported(without) == VerdictCounts(unchanged=1)
        assert differing(row) == []

    def test_stay_when_a_file_says_nothing_of_replies(self, row):
        imported(row)
        assert imported(replace(row, reply=UNKNOWN_REPLY)) == VerdictCounts(unchanged=1)
        assert imported(replace(row, reply=UNKNOWN_REPLY, created_at=NOW)).replaced == 1
        assert text_of(row) == "Thank you!"
        assert differing(row) == []

    @pytest.mark.parametrize("reply", [None, NewReply("Older")])
    def test_of_superseded_rows_have_no_effect(self, row, reply):
        imported(row)
        older = replace(row, reply=reply, created_at=START - timedelta(days=1))
        assert imported(older) == VerdictCounts(superseded=1)
        assert text_of(row) == "Thank you!"

    @pytest.mark.parametrize("is_deletion", [False, True])
    def test_are_left_alone_once_they_are_staffs(self, row, is_deletion):
        imported(row)
        delete_reply(row.id) if is_deletion else reply(row, "Ours")
        for same in (row, replace(row, reply=None)):
            assert imported(same) == VerdictCounts(unchanged=1)
        assert imported(replace(row, created_at=NOW, rating=1, reply=None)).replaced == 1
        assert text_of(row) == (None if is_deletion else "Ours")
        assert differing(row) == []

    def test_are_put_with_long_bodies_in_transactions_that_fit(self, row):
        rows = [replace(row, id=f"{row.id}-{n}", body="long " * 400) for n in range(120)]
        assert imported(*rows).new == 120
        assert {text_of(each) for each in rows} == {"Thank you!"}


REPLY_OF_2023 = datetime(2023, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ({}, UNKNOWN_REPLY),
        ({"replied_at": "2023-01-02"}, UNKNOWN_REPLY),
        ({"reply": None}, None),
        ({"reply": "", "replied_at": "2023-01-02"}, None),
        ({"reply": " \n"}, None),
        ({"reply": "Hi"}, NewReply("Hi")),
        ({"reply": "Hi", "replied_at": "2023-01-02"}, NewReply("Hi", REPLY_OF_2023)),
        ({"reply": "x" * (LONGEST_REPLY + 1)}, "reply has 4,001 characters, more than 4,000"),
        ({"reply": "Hi", "replied_at": "soon"}, "replied_at: “soon” is no date"),
    ],
)
def test_a_row_may_have_a_reply_or_say_nothing_of_it(values, read):
    row = {"id": "1", "language": "en", "rating": "5", "created_at": "2023-01-01", **values}
    found = CommentParser(Shape().under("p"), NOW).read(Record(2, row))
    if isinstance(found, Rejected):
        assert found.reason.startswith(read)
    else:
        assert found.reply == read


class TestIntegrity:
    def test_finds_a_reply_that_its_author_would_not_be_found_by(self, comment):
        reply(comment)
        spoil(comment, "c", {"S": "REPLIER#sue"}, sort_key="REPLY")
        (difference,) = differences(comment)
        assert (difference.stored, difference.expected) == ("REPLIER#sue", "REPLIER#sam")

    def test_finds_and_mends_a_reply_the_comment_does_not_tell_of(self, comment):
        reply(comment)
        key = {"pk": {"S": f"COMMENT#{comment.id}"}, "sk": {"S": "REPLY"}}
        client().delete_item(TableName=Comment.Meta.table_name, Key=key)
        assert len(mended(comment)) == 1
        assert listed(comment) == {comment.id: None}
