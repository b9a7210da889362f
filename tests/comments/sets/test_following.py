"""The primary item is written with its comment: by every write that changes what a list shows."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest

from comments.data.writer import BulkWriter
from comments.integrity.comments import comment_differences
from comments.items import NewComment, NewReply
from comments.models import Comment
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.replies.services import delete_reply, find_reply, reply_to
from comments.sets.copies import is_primary, primary_actions
from comments.sets.models import TABLE
from comments.store.comments import NoSuchComment, load_comment
from comments.votes.services import cast_vote
from dynapages.calls import Batches, Pool
from dynapages.items import Item
from dynapages.process import client
from tests.support.comments.deciding import feature, hide, restore
from tests.support.comments.faulty import before_the_next_transaction
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.spying import spied
from tests.support.comments.threads import NOW, spoil
from tests.support.comments.writers import made_product
from tests.support.sets.items import comment_item
from tests.support.sets.stored import expected_items, stored_items

pytestmark = pytest.mark.usefixtures("followed")

LONG = "A long story, told at length. " * 60


def primaries(items: dict[tuple[str, str], Item]) -> list[Item]:
    return [item for item in items.values() if is_primary(item)]


def assert_followed(comment: NewComment) -> None:
    """The primary stored is the one that the comment asks for; no stream has been read."""
    assert primaries(stored_items(comment.id)) == primaries(expected_items(comment.id))


def edit(comment: NewComment, **what: object) -> None:
    edit_comment(load_comment(comment.id), now=NOW, **what)


def reply(comment: NewComment, text: str = "Thank you!") -> None:
    seen = find_reply(comment.id)
    reply_to(comment_id=comment.id, text=text, user_id="sam", seen=seen, now=NOW)


def imported(comment: NewComment, **what: object) -> None:
    load([replace(comment, created_at=NOW, **what)])  # type: ignore[arg-type] # a test's


WRITES: dict[str, Callable[[NewComment], object]] = {
    "an edit of its rating": lambda c: edit(c, rating=2),
    "an edit of its language": lambda c: edit(c, language="de"),
    "an edit of its words": lambda c: edit(c, title="Other", body="Words"),
    "an edit that makes it long": lambda c: edit(c, body=LONG),
    "a decision to hide it": lambda c: hide(comment_id=c.id, now=NOW),
    "a decision to restore it": lambda c: restore(comment_id=c.id),
    "a reply": reply,
    "a reply that is deleted": lambda c: delete_reply(c.id),
    "a vote": lambda c: cast_vote(comment_id=c.id, user_id="bob"),
    "a pick": lambda c: feature(c.id),
    "an import": lambda c: imported(c, rating=1),
    "an import with a reply": lambda c: imported(c, reply=NewReply("Thanks")),
    "an import that moves it": lambda c: imported(c, product_id=made_product()),
}


class TestThePrimary:
    def test_is_there_as_soon_as_the_comment_is(self, comment):
        assert len(primaries(stored_items(comment.id))) == 1
        assert_followed(comment)

    @pytest.mark.parametrize("write", WRITES)
    def test_follows(self, comment, write):
        if "restore" in write:
            hide(comment_id=comment.id, now=NOW)
        WRITES[write](comment)
        assert_followed(comment)

    @pytest.mark.parametrize("seed", range(2))
    def test_follows_writes_in_any_order(self, comment, seed):
        random = Random(seed)
        for write in random.choices(list(WRITES), k=12):
            with suppress(NoSuchComment):  # hidden ones are neither replied to nor voted on
                WRITES[write](comment)
            assert_followed(comment)

    def test_goes_with_the_comment(self, comment):
        delete_comment(comment.id, now=NOW)
        assert primaries(stored_items(comment.id)) == []

    def test_of_many_comments_comes_with_their_import(self):
        first = NewComment("", made_product(), "en", 5, NOW, body=LONG)
        comments = [replace(first, id=f"{first.product_id}-{n}") for n in range(120)]
        BulkWriter(Batches(client(), Pool(1))).write(comments)
        for comment in comments[::40]:
            assert_followed(comment)

    def test_comes_back_with_the_next_edit_if_it_was_lost(self, comment):
        lose_primary(comment)
        edit(comment, rating=3)
        assert_followed(comment)


class TestTwoWritesAtOnce:
    def test_of_an_edit_and_a_reply_leave_both(self, comment):
        with before_the_next_transaction(lambda: reply(comment)):
            edit(comment, rating=1)
        assert load_comment(comment.id).item[Comment.reply.attr_name]["M"]["x"] == {
            "S": "Thank you!"
        }
        assert_followed(comment)

    def test_of_a_reply_and_an_edit_leave_both(self, comment):
        with before_the_next_transaction(lambda: edit(comment, rating=1)):
            reply(comment)
        assert load_comment(comment.id).comment.rating == 1
        assert_followed(comment)

    def test_of_a_reply_to_what_is_hidden_meanwhile_refuse_the_reply(self, comment):
        with (
            before_the_next_transaction(lambda: hide(comment_id=comment.id, now=NOW)),
            pytest.raises(NoSuchComment),
        ):
            reply(comment)
        assert_followed(comment)


class TestMending:
    def test_what_a_comment_says_mends_its_primary(self, comment):
        reply(comment)
        spoil(comment, Comment.reply.attr_name, {"M": {"x": {"S": "Another reply."}}})
        mend(comment)
        assert_followed(comment)

    def test_a_place_mends_the_primary(self, comment):
        lose_primary(comment)
        wrong = comment_item("another")[Comment.place.attr_name]
        spoil(comment, Comment.place.attr_name, wrong)
        mend(comment)
        assert load_comment(comment.id).comment == comment
        assert_followed(comment)


class TestTheOtherReadModel:
    def test_writes_what_it_always_wrote(self, comment):
        with (
            comments_set(READ_MODEL="indexes"),
            spied() as asked,
        ):
            add_comment(replace(comment, id=f"{comment.id}-2"))
            reply(comment)
            hide(comment_id=comment.id, now=NOW)
        (posted, replied, hidden) = [
            {next(iter(each.values()))["TableName"] for each in one.parameters["TransactItems"]}
            for one in asked
            if one.operation == "TransactWriteItems"
        ]
        assert posted == replied == hidden == {Comment.Meta.table_name}


class TestFollowing:
    def test_asks_for_nothing_when_nothing_shown_changes(self, settings):
        settings.COMMENTS = {**settings.COMMENTS, "READ_MODEL": "sets"}
        before = comment_item()
        assert primary_actions(before, {**before, Comment.reports.attr_name: {"N": "1"}}) == []


def lose_primary(comment: NewComment) -> None:
    (lost,) = primaries(stored_items(comment.id))
    key = {name: lost[name] for name in ("pk", "sk")}
    client().delete_item(TableName=TABLE, Key=key)


def mend(comment: NewComment) -> None:
    for difference in comment_differences():
        if comment.id in f"{difference.subject} {difference.expected}" and difference.repair:
            assert difference.repair()
