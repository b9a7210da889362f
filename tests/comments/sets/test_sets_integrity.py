"""What is wrong with the copies is found, and mended: missing, stale and orphaned ones."""

import json
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from comments import keys
from comments.data.writer import BulkWriter
from comments.items import NewComment
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.sets.copies import Name
from comments.sets.integrity import set_differences
from comments.store.comments import load_comment
from dynapages.calls import Batches, Pool
from dynapages.process import client
from dynapages.upkeep import Difference
from tests.support.comments.options import comments_set
from tests.support.comments.read_models import fill
from tests.support.comments.spying import spied
from tests.support.comments.truth import START, written
from tests.support.sets.stored import delete, expected_items, put, stored_items

# It compares whole tables, which are the module's own on a real engine alone.
pytestmark = [pytest.mark.usefixtures("streamed"), pytest.mark.real_engine]


@pytest.fixture
def comment(fresh):
    """A comment with its 32 items."""
    comment = written(fresh("product"), id=fresh("comment"), rating=5, title="Good")
    add_comment(comment)
    fill([comment.id])
    return comment


def found(*comments: NewComment) -> list[Difference]:
    return [d for d in set_differences() if any(c.id in d.subject for c in comments)]


def mend(*comments: NewComment) -> None:
    assert all(difference.repair and difference.repair() for difference in found(*comments))


def kinds(comment: NewComment) -> list[str]:
    return [difference.kind for difference in found(comment)]


def name(comment: NewComment, chosen: str) -> Name:
    return keys.comment(comment.id), f"{keys.PRODUCT_PREFIX}{comment.product_id}/{chosen}"


def assert_right(comment: NewComment) -> None:
    assert found(comment) == []
    assert stored_items(comment.id) == expected_items(comment.id)


@pytest.fixture
def without_following():
    """A site that reads its lists by the indexes, and lets the sets be."""
    with comments_set(READ_MODEL="indexes"):
        yield


def lose(comment: NewComment) -> None:
    delete(name(comment, "en/1.5"))
    delete(name(comment, "~/5"))


def spoil(comment: NewComment) -> None:
    put({**stored_items(comment.id)[name(comment, "en/5")], "t": {"S": "What it said before"}})


def put_too_many(comment: NewComment) -> None:
    item = stored_items(comment.id)[name(comment, "en/5")]
    put({**item, "sk": {"S": name(comment, "de/5")[1]}})


class TestCopies:
    @pytest.mark.parametrize(
        ("damage", "kind", "stored", "expected"),
        [
            (lose, "missing copies", "none", "/en/1.5, "),
            (spoil, "stale copies", "/en/5", "what the comment says"),
            (put_too_many, "orphaned copies", "/de/5", "none"),
        ],
    )
    def test_that_are_wrong_are_found_and_mended(self, comment, damage, kind, stored, expected):
        damage(comment)
        (difference,) = found(comment)
        assert difference.kind == kind
        assert stored in difference.stored
        assert expected in difference.expected
        mend(comment)
        assert_right(comment)

    def test_that_are_right_are_not_written_again(self, comment):
        delete(name(comment, "en/5"))
        (difference,) = found(comment)
        with spied() as requests:
            assert difference.repair
            assert difference.repair()
        written = [r.parameters["RequestItems"] for r in requests if "Write" in r.operation]
        assert sum(len(puts) for one in written for puts in one.values()) == 1

    @pytest.mark.parametrize(
        ("is_engine", "written_by"), [(True, "TransactWriteItems"), (False, "BatchWriteItem")]
    )
    def test_that_an_import_left_to_the_stream_are_written_for_many_comments_at_once(
        self, fresh, settings, is_engine, written_by
    ):
        settings.DYNAMODB_IS_AN_ENGINE = is_engine
        comments = [written(fresh("product"), id=fresh("comment")) for _ in range(3)]
        for comment in comments:
            add_comment(comment)
        (difference,) = found(*comments)
        assert (difference.kind, difference.expected) == ("missing copies", "93 copies")
        with spied() as requests:
            assert difference.repair
            assert difference.repair()
        assert {request.operation for request in requests} == {"BatchGetItem", written_by}
        for comment in comments:
            assert_right(comment)


class TestPrimaries:
    def test_that_are_missing_are_made(self, comment):
        delete(name(comment, "~/~"))
        assert kinds(comment) == ["missing primary"]
        mend(comment)
        assert_right(comment)

    def test_that_say_something_else_are_replaced_with_their_copies(
        self, comment, without_following
    ):
        edit_comment(load_comment(comment.id), now=START, rating=2)
        assert set(kinds(comment)) == {
            "stale primary",
            "stale copies",
            "missing copies",
            "orphaned copies",
        }
        mend(comment)
        assert_right(comment)

    def test_of_a_comment_that_is_gone_are_deleted(self, comment, without_following):
        delete_comment(comment.id)
        assert set(kinds(comment)) == {"orphaned primary", "orphaned copies"}
        mend(comment)
        assert stored_items(comment.id) == {}

    def test_are_not_brought_back_when_the_comment_goes_meanwhile(self, comment):
        delete(name(comment, "~/~"))
        (difference,) = found(comment)
        delete_comment(comment.id)
        assert difference.repair
        assert difference.repair()
        assert stored_items(comment.id) == {}


class TestCommentsWithoutAnyItem:
    @pytest.fixture
    def many(self, fresh, without_following):
        """More than are built at once, written before anybody thought of sets."""
        one = NewComment("", fresh("product"), "en", 5, START)
        comments = [replace(one, id=fresh("old"), rating=1 + n % 5) for n in range(27)]
        BulkWriter(Batches(client(), Pool(1))).write(comments)
        return comments

    def test_are_built_as_they_are_when_it_comes_to_them(self, many):
        differences = [*set_differences()]
        assert {difference.kind for difference in differences} == {"sets"}
        delete_comment(many[0].id)
        edit_comment(load_comment(many[1].id), now=START, language="de")
        assert all(difference.repair and difference.repair() for difference in differences)
        assert stored_items(many[0].id) == {}
        assert found(*many) == []
        for comment in many[1:3]:
            assert stored_items(comment.id) == expected_items(comment.id)


class TestAnotherKeyFormat:
    def test_is_a_difference_of_all_copies_and_mended(self, comment, settings):
        settings.COMMENTS = {**settings.COMMENTS, "SETS_KEY_FORMAT": "masks"}
        assert set(kinds(comment)) == {"missing copies", "orphaned copies"}
        mend(comment)
        assert_right(comment)
        assert name(comment, "en/16") in stored_items(comment.id)
        settings.COMMENTS = {**settings.COMMENTS, "SETS_KEY_FORMAT": "names"}
        mend(comment)


class TestTheCommand:
    def run(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        out, code = StringIO(), 0
        try:
            call_command("check_integrity", "--json", *arguments, stdout=out)
        except SystemExit as end:
            code = int(end.code or 0)
        return code, json.loads(out.getvalue())

    def checked(self, *arguments: str) -> set[str]:
        return {row["check"] for row in self.run(*arguments)[1]["found"]}

    def test_finds_and_with_repair_mends(self, comment):
        delete(name(comment, "en/5"))
        assert self.run("--model", "sets")[0] == 1
        code, counts = self.run("--model", "sets", "--repair")
        assert (code, counts["left"]) == (0, 0)
        assert_right(comment)

    def test_checks_the_copies_where_the_site_reads_them(self, comment):
        delete(name(comment, "en/5"))
        assert "sets" in self.checked()
        with comments_set(READ_MODEL="indexes"):
            assert "sets" not in self.checked()
            assert "sets" in self.checked("--model", "sets")
        mend(comment)

    @pytest.mark.parametrize(("model", "said"), [("indexes", "is not sets"), ("sets", "create_t")])
    def test_says_in_one_line_why_there_is_no_table(self, model, said, monkeypatch):
        monkeypatch.setattr("comments.sets.integrity.TABLE", "there-is-no-such-table")
        with (
            comments_set(READ_MODEL=model),
            pytest.raises(CommandError, match=said),
        ):
            call_command("check_integrity", "--model", "sets")
