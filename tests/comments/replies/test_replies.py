"""The shop replies to a comment, once; replies come with imports, too."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from comments import keys
from comments.erasure.user_data import comments_listed_in, delete_signature
from comments.filters import CommentFilter
from comments.imports.rows import CommentParser
from comments.imports.shape import Shape
from comments.imports.writer import BulkWriter, VerdictCounts
from comments.items import UNSAID, NewComment, NewReply
from comments.lists.queries import list_comments
from comments.models import Comment
from comments.moderation.services import hide
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
from comments.store.counts import counts_of
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.calls.meter import metered
from dynamo.files.records import Record, Rejected
from dynamo.lists.reader import PageRequest
from dynamo.upkeep.pace import Progress
from tests.support.comments.browsing import visit
from tests.support.comments.threads import NOW, differences, differing, mended, spoil
from tests.support.comments.truth import START
from tests.support.comments.writers import Writer, someone

pytestmark = pytest.mark.usefixtures("few_items")
THANKS = NewReply("Thank you!", START)


def reply(comment: NewComment, text: str = "Thank you!", author: str = "sam") -> None:
    """Reply, or change the reply there is."""
    seen = find_reply(comment.id)
    reply_to(comment_id=comment.id, text=text, author=author, seen=seen, now=NOW)


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
        comment.product_id, CommentFilter(), PageRequest(20), counts=counts_of(comment.product_id)
    )
    return {each.id: each.reply.text if each.reply else None for each in page.comments}


def imported(*comments: NewComment) -> VerdictCounts:
    writer = BulkWriter(Batches(client(), pool()))
    outcome = writer.write(comments)
    writer.rank_products(Progress(shown=False))
    return outcome


class TestReplying:
    def test_is_shown_beneath_the_comment(self, comment):
        reply(comment)
        found = reply_to_it(comment)
        assert (found.text, found.author, found.replied, found.edited) == (
            "Thank you!",
            "sam",
            NOW,
            None,
        )
        assert listed(comment) == {comment.id: "Thank you!"}
        assert differing(comment) == []

    def test_can_be_changed_and_says_so(self, comment):
        reply(comment)
        reply(comment, "Thank you very much!", author="tom")
        found = reply_to_it(comment)
        assert (found.text, found.author, found.edited) == ("Thank you very much!", "sam", NOW)

    def test_is_deleted_once_and_for_all(self, comment):
        reply(comment)
        for _ in range(2):
            delete_reply(comment.id)
        assert listed(comment) == {comment.id: None}
        assert differing(comment) == []

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
                reply_to(comment_id=comment.id, text=str(number), author="sam", seen=seen, now=NOW)
            except ReplyChanged:
                return False
            return True

        with ThreadPoolExecutor(8) as threads:
            assert sum(threads.map(change, range(8))) == 1
        assert differing(comment) == []


class TestTheNameOnAReply:
    def test_finds_the_comment_for_as_long_as_the_reply_is_there(self, comment):
        sam = someone("sam", is_staff=True).username
        for text in ("Thank you!", "Thanks!"):
            reply(comment, text, author=sam)
            assert list(comments_listed_in(keys.replier(sam))) == [comment.id]
        delete_reply(comment.id)
        assert list(comments_listed_in(keys.replier(sam))) == []

    def test_is_that_of_who_replied_not_of_who_changed_it(self, comment):
        sam, sue = (someone(name, is_staff=True).username for name in ("sam", "sue"))
        reply(comment, author=sam)
        reply(comment, "Thanks!", author=sue)
        found = [list(comments_listed_in(keys.replier(name))) for name in (sam, sue)]
        assert found == [[comment.id], []]

    def test_comes_off_and_leaves_the_reply(self, comment):
        reply(comment)
        for _ in ("once", "again"):
            delete_signature(comment_id=comment.id, username="sam")
            found = reply_to_it(comment)
            assert (found.text, found.author, found.version) == ("Thank you!", "", 2)
        assert differing(comment) == []

    def test_of_somebody_else_stays(self, comment):
        reply(comment)
        delete_signature(comment_id=comment.id, username="sue")
        found = reply_to_it(comment)
        assert found.author == "sam"

    def test_does_not_come_back_by_a_change_under_way(self, comment):
        reply(comment)
        seen = find_reply(comment.id)
        delete_signature(comment_id=comment.id, username="sam")
        with pytest.raises(ReplyChanged):
            reply_to(comment_id=comment.id, text="Thanks!", author="sue", seen=seen, now=NOW)
        reply(comment, "Thanks!", author="sue")
        found = reply_to_it(comment)
        assert (found.text, found.author) == ("Thanks!", "")


class TestInLists:
    def test_a_long_reply_is_an_excerpt_that_leads_to_the_whole(self, comment):
        reply(comment, "Thank you very much. " * 100)
        assert (listed(comment)[comment.id] or "")[-1] == "…"
        page = visit(f"/products/{comment.product_id}/").page
        link = page.one(class_="reply").one("a")
        assert link["href"] == f"/comments/{comment.id}/#shop-reply"
        whole = visit(f"/comments/{comment.id}/").page.one(class_="reply")
        assert whole.text.count("Thank you very much.") == 100


@pytest.mark.real_engine
class TestCapacity:
    def test_of_a_list_is_the_same_with_replies(self, comment):
        reply(comment)
        with metered() as meter:
            listed(comment)
        assert [call.operation for call in meter.calls] == ["BatchGetItem", "Query"]

    def test_of_a_reply_is_a_write_to_every_list(self, comment):
        units = []
        for text in ("One", "Two"):
            with metered() as meter:
                reply(comment, text)
            units.append(sum(c.capacity_units for c in meter.calls if "Transact" in c.operation))
        assert units == [10.0, 10.0]


class TestImportedReplies:
    @pytest.fixture
    def row(self, comment):
        """A comment of a file, with a reply."""
        return replace(comment, id=f"{comment.id}-row", username="", reply=THANKS)

    def test_are_shown(self, row):
        assert imported(row).new == 1
        found = reply_to_it(row)
        assert (found.text, found.author, found.replied) == ("Thank you!", "", START)
        assert listed(row)[row.id] == "Thank you!"
        assert differing(row) == []

    def test_again_write_nothing(self, row):
        imported(row)
        assert imported(row) == VerdictCounts(unchanged=1)

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
        assert imported(replace(row, reply=UNSAID)) == VerdictCounts(unchanged=1)
        assert imported(replace(row, reply=UNSAID, created_at=NOW)).replaced == 1
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


class TestRowsWithReplies:
    def read(self, values: Mapping[str, str]) -> NewComment | Rejected:
        row = {
            "id": "1",
            "product_id": "p",
            "language": "en",
            "rating": "5",
            "created_at": "2023-01-01",
            **values,
        }
        return CommentParser(Shape(), NOW).read(Record(2, row))

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ({}, UNSAID),
            ({"replied_at": "2023-01-02"}, UNSAID),
            ({"reply": "", "replied_at": "2023-01-02"}, None),
            ({"reply": " \n"}, None),
            ({"reply": "Hi"}, NewReply("Hi")),
            (
                {"reply": "Hi", "replied_at": "2023-01-02"},
                NewReply("Hi", datetime(2023, 1, 2, tzinfo=UTC)),
            ),
        ],
    )
    def test_are_read(self, values, expected):
        read = self.read(values)
        assert isinstance(read, NewComment)
        assert read.reply == expected

    def test_of_json_say_nothing_of_a_reply_without_its_key(self):
        reading = CommentParser(Shape().under("p"), NOW)
        row = {"id": "1", "language": "en", "rating": 5, "created_at": "2023-01-01"}
        for values, said in ((row, UNSAID), ({**row, "reply": None}, None)):
            read = reading.read(Record(2, values))
            assert isinstance(read, NewComment)
            assert read.reply is said

    @pytest.mark.parametrize(
        ("values", "reason"),
        [
            ({"reply": "x" * (LONGEST_REPLY + 1)}, "reply has 4,001 characters"),
            ({"reply": "Hi", "replied_at": "soon"}, "replied_at: “soon” is no date"),
        ],
    )
    def test_are_rejected_with_a_reason(self, values, reason):
        read = self.read(values)
        assert isinstance(read, Rejected)
        assert reason in read.reason


class TestPages:
    def reply_form(self, sam: Writer, comment: NewComment) -> tuple[str, dict[str, str]]:
        form = sam.get(f"/comments/{comment.id}/").page.one("form", class_="reply-form")
        return form["action"], {"version": form.one("input", name="version")["value"]}

    def test_show_the_reply_to_everybody(self, sam, comment):
        url, fields = self.reply_form(sam, comment)
        sam.post(url, {**fields, "text": "<b>Thank</b> you!"})
        for page in (f"/comments/{comment.id}/", f"/products/{comment.product_id}/"):
            assert "<b>Thank</b> you!" in someone("bob").get(page).page.one(class_="reply").text

    def test_refuse_an_empty_one_and_delete_on_demand(self, sam, comment):
        reply(comment)
        url, fields = self.reply_form(sam, comment)
        assert sam.post(url, {**fields, "text": " "}).status == 422
        assert text_of(comment) == "Thank you!"
        assert sam.post(url, {"delete": "yes"}).status == 200
        assert text_of(comment) is None


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
