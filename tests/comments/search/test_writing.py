"""The postings of comments follow every change of these, whatever ends a write too early."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import timedelta
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comments.data.writer import BulkWriter
from comments.erasure.user_data import TRACES
from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists.search_queries import SearchRequest, search_comments
from comments.moderation.services import Decision, NotAsSeen, carry_out
from comments.posting.services import (
    CommentExists,
    CommentGone,
    add_comment,
    delete_comment,
    edit_comment,
)
from comments.replies.services import delete_reply, find_reply, reply_to
from comments.search.integrity import word_differences
from comments.search.models import TABLE
from comments.search.pending import PENDING
from comments.search.postings import postings_of
from comments.search.words import parse_search
from comments.search.writer import CHANGES, WordWriter
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import read_counts
from comments.store.states import State
from comments.store.writing import QUEUE
from comments.testing.work import later
from comments.votes.services import cast_vote
from dynapages.calls import Batches, Pool
from dynapages.django.options import Progress
from dynapages.items import Item, item_bytes
from dynapages.lists import PageRequest, id_at
from dynapages.process import client
from dynapages.upkeep import erase, every_item
from dynapages.work import worker
from tests.support.chance import examples
from tests.support.comments.options import comments_set
from tests.support.comments.spying import spied
from tests.support.comments.truth import START, written
from tests.support.work import finish_what_waits, forget_what_waits, waiting_now, work_off

pytestmark = [pytest.mark.usefixtures("searchable"), pytest.mark.real_engine]


class Crash(BaseException):
    """The process dies here."""


def key_of(posting: Item) -> tuple[str, str]:
    return posting["pk"]["S"], posting["o"]["S"]


def sorted_sets(posting: Item) -> Item:
    return {**posting, "w": {"BS": sorted(posting["w"]["BS"])}}


def stored(*ids: str) -> dict[tuple[str, str], Item]:
    """Return all postings of these comments, by a Scan."""
    return {
        key_of(item): sorted_sets(item)
        for item in every_item(client(), TABLE)
        if not item["pk"]["S"].startswith((CHANGES, PENDING)) and id_at(item["o"]["S"]) in ids
    }


def changes() -> list[Item]:
    """Return the unfinished changes and their marks."""
    found = every_item(client(), TABLE)
    return [item for item in found if item["pk"]["S"].startswith((CHANGES, PENDING))]


def marks(product_id: str) -> list[Item]:
    return [item for item in changes() if item["pk"]["S"] == f"{PENDING}{product_id}"]


def derived(*ids: str) -> dict[tuple[str, str], Item]:
    """Return what the postings should be, by the comments as they are stored."""
    found = {}
    for comment_id in ids:
        with suppress(NoSuchComment):
            comment = load_comment(comment_id)
            body = comment.comment.body if comment.has_long_body else None
            for posting in postings_of(comment.item, body):
                found[key_of(posting)] = sorted_sets(posting)
    return found


def ids_with(words: str, product_id: str) -> list[str]:
    """Return the comments of a product that anybody finds by these words."""
    wanted, counts = SearchRequest(parse_search(words)), read_counts(product_id)
    found = search_comments(product_id, wanted, CommentFilter(), PageRequest(20), counts=counts)
    return [comment.id for comment in found.comments]


def assert_exact(*ids: str) -> None:
    finish_what_waits()
    assert stored(*ids) == derived(*ids)
    assert changes() == []


@pytest.fixture
def comment(fresh) -> NewComment:
    return written(
        fresh("product"), id=fresh("comment"), title="Battery", body="It died within weeks."
    )


class TestPostings:
    def test_are_there_when_a_post_returns(self, comment):
        add_comment(comment)
        assert f"PRODUCT#{comment.product_id}/w3/en/batteri" in {pk for pk, _ in stored(comment.id)}
        assert_exact(comment.id)

    def test_are_of_the_whole_text(self, comment):
        long = replace(comment, body="word " * 200 + "chrysanthemum")
        add_comment(long)
        assert any("chrysanthemum" in pk for pk, _ in stored(long.id))

    def test_move_where_only_staff_read_while_a_comment_is_hidden(self, comment):
        add_comment(comment)
        carry_out(Decision.HIDE, comment_id=comment.id, now=START)
        assert {pk[:7] for pk, _ in stored(comment.id)} == {"HIDDEN#"}
        carry_out(Decision.RESTORE, comment_id=comment.id, now=START)
        assert {pk[:8] for pk, _ in stored(comment.id)} == {"PRODUCT#"}
        assert_exact(comment.id)

    def test_show_the_reply(self, comment):
        add_comment(comment)
        reply_to(comment_id=comment.id, text="Sorry!", user_id="sam", seen=None, now=START)
        assert {posting["y"]["M"]["x"]["S"] for posting in stored(comment.id).values()} == {
            "Sorry!"
        }

    def test_are_not_written_for_a_vote(self, comment):
        add_comment(comment)
        with spied() as requests:
            cast_vote(comment_id=comment.id, user_id="somebody")
        assert not any(TABLE in str(request.parameters) for request in requests)

    def test_are_not_written_where_comments_cannot_be_searched(self, comment):
        with comments_set(SEARCH=False), spied() as requests:
            add_comment(comment)
            edit_comment(load_comment(comment.id), now=START, title="Changed")
            delete_comment(comment.id)
        assert not any(TABLE in str(request.parameters) for request in requests)

    def test_take_one_call_behind_the_commit_and_two_that_nobody_waits_for(self, comment):
        finish_what_waits()  # of other tests
        with spied() as requests:
            add_comment(comment)
        about = [request for request in requests if TABLE in str(request.parameters)]
        assert [each.operation for each in about] == ["TransactWriteItems", "BatchWriteItem"]
        (batch,) = about[1].parameters["RequestItems"].values()
        assert len(batch) == len(stored(comment.id))
        with spied() as requests:
            finish_what_waits()
        assert [each.operation for each in requests] == ["TransactWriteItems"]
        assert [owed for owed in QUEUE.waiting() if comment.id in str(owed.payload)] == []

    def test_are_marked_as_unfinished_for_two_seconds_behind_the_last_one(
        self, comment, monkeypatch
    ):
        finish_what_waits()  # of other tests
        began = time.monotonic()
        monkeypatch.setattr("dynapages.work.workers.time.monotonic", lambda: began)
        add_comment(comment)
        assert [mark["o"]["S"].split("#")[0] for mark in marks(comment.product_id)] == [comment.id]
        monkeypatch.setattr("dynapages.work.workers.time.monotonic", lambda: began + 1.99)
        assert worker().flush(seconds=0) is False
        assert marks(comment.product_id)
        monkeypatch.setattr("dynapages.work.workers.time.monotonic", lambda: began + 2.01)
        assert worker().flush(seconds=1)
        assert marks(comment.product_id) == []

    def test_have_marks_of_at_most_120_bytes_without_names_and_words(self, comment, fresh):
        long = replace(comment, id="😀" * 128, author=fresh("author"), user_id=fresh("user"))
        add_comment(long)
        (mark,) = marks(comment.product_id)
        assert item_bytes(mark) <= 120
        assert mark.keys() == {"pk", "o"}
        assert_exact(long.id)


@contextmanager
def dying(before_call: int) -> Iterator[None]:
    """Die before the nth call to the table of words after a commit, or before the next read."""
    left = [before_call]

    def or_die(original):
        def call(*arguments, **parameters):
            left[0] -= 1
            if left[0] == 0:
                raise Crash
            return original(*arguments, **parameters)

        return call

    with (
        patch.object(WordWriter, "_write", or_die(WordWriter._write)),
        patch.object(Batches, "put", or_die(Batches.put)),
        patch.object(WordWriter, "read", or_die(WordWriter.read)),
        patch.object(WordWriter, "close", or_die(WordWriter.close)),
        suppress(Crash),
    ):
        yield
    forget_what_waits()


CALLS = range(1, 5)


class TestAProcessThatDies:
    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize(
        "write",
        [
            lambda one: add_comment(replace(one, id=f"{one.id}-2")),
            lambda one: edit_comment(load_comment(one.id), now=START, title="Charger"),
            lambda one: carry_out(Decision.HIDE, comment_id=one.id, now=START),
            lambda one: delete_comment(one.id),
        ],
        ids=["post", "edit", "hide", "delete"],
    )
    def test_leaves_what_any_other_process_finishes(self, comment, write, call):
        add_comment(comment)
        finish_what_waits()
        with dying(call):
            write(comment)
        assert changes() != []
        assert worker().look([QUEUE]).done == 0, "others may be at work"
        assert work_off() > 0
        assert_exact(comment.id, f"{comment.id}-2")

    @pytest.mark.parametrize("long", ["", "😀" * 100], ids=["short id", "long id"])
    def test_leaves_searches_true(self, comment, long):
        """Marks name comments by their ids, or by digests of long ones."""
        comment = replace(
            comment, id=f"{comment.id}{long}", product_id=f"{comment.product_id:p<99}"
        )
        with dying(1):
            add_comment(comment)
        assert ids_with("battery", comment.product_id) == [comment.id]
        work_off()
        with dying(1):
            edit_comment(load_comment(comment.id), now=START, title="Charger")
        assert ids_with("battery", comment.product_id) == []
        assert ids_with("charger", comment.product_id) == [comment.id]
        work_off()
        with dying(1):
            delete_comment(comment.id)
        assert ids_with("charger", comment.product_id) == []
        delete_comment(comment.id)
        work_off()
        assert_exact(comment.id)

    def test_leaves_what_the_integrity_check_finds_and_mends(self, comment):
        with dying(1):
            add_comment(comment)
        with later():
            assert next(word_differences()).kind == "change"
            for difference in word_differences():
                assert difference.repair
                difference.repair()
        assert_exact(comment.id)

    def test_while_it_deletes_is_made_up_for_by_the_same_deletion(self, comment):
        add_comment(comment)
        with dying(1):
            delete_comment(comment.id)
        assert stored(comment.id)
        delete_comment(comment.id)
        assert stored(comment.id) == {}
        finish_what_waits()
        assert marks(comment.product_id), "the first attempt may be writing still"
        work_off()
        assert_exact(comment.id)
        assert waiting_now() == []


class TestEditorsAtOnce:
    @pytest.mark.parametrize("dies", [False, True])
    @pytest.mark.parametrize("titles", [["Second"], ["Second", "Third"]])
    def test_leave_what_the_last_one_wrote(self, comment, titles, dies):
        """Each of the others edits just before the first one writes, which dies after the last."""
        add_comment(comment)
        write, others, is_first = WordWriter._write, [*titles], [True]

        def overtaken(self, writes):
            if not (is_first and others):
                return write(self, writes)
            is_first.clear()  # what follows is another editor's
            edit_comment(load_comment(comment.id), now=START, title=others.pop(0))
            is_first.append(True)
            applied = write(self, writes)
            if dies and not others:
                raise Crash
            return applied

        with patch.object(WordWriter, "_write", overtaken), suppress(Crash):
            edit_comment(load_comment(comment.id), now=START, title="First")
        assert others == []
        work_off()
        assert_exact(comment.id)


class TestAnImport:
    @pytest.fixture
    def many(self, fresh, comment):
        ids = [fresh("many") for _ in range(30)]
        return [replace(comment, id=one, title=f"title {n}") for n, one in enumerate(ids)]

    def writer(self) -> BulkWriter:
        return BulkWriter(Batches(client(), Pool(1)))

    def test_writes_postings_with_one_change_for_a_transaction(self, many):
        finish_what_waits()
        self.writer().write(many)
        change, mark = sorted(changes(), key=lambda item: item["pk"]["S"])
        assert change["pk"]["S"].startswith(CHANGES)
        assert mark["pk"]["S"].startswith(PENDING)
        assert_exact(*(one.id for one in many))

    def test_replaces_those_of_older_versions(self, many):
        self.writer().write(many)
        newer = [
            replace(one, body="Altogether different", created_at=START + timedelta(days=1))
            for one in many
        ]
        self.writer().write(newer)
        assert_exact(*(one.id for one in many))

    def test_that_was_killed_is_made_up_for_by_the_next_one(self, many):
        with dying(1):
            self.writer().write(many)
        writer = self.writer()
        writer.write(many)
        assert writer.finish(Progress(shown=False)) == 0
        assert_exact(*(one.id for one in many))


class TestErasingAUser:
    @pytest.mark.parametrize("dies", [False, True])
    def test_takes_the_postings_of_their_comments_away(self, comment, fresh, dies):
        name = fresh("user")
        add_comment(replace(comment, author=name, user_id=name))
        with dying(1) if dies else nullcontext():
            erase(TRACES, name)
        erase(TRACES, name)
        finish_what_waits()
        assert stored(comment.id) == {}
        assert name not in str([*every_item(client(), TABLE)])


class TestTheCheck:
    def test_fills_the_table_of_a_site_that_switches_over(self, comment):
        with comments_set(SEARCH=False):
            add_comment(comment)
        found = [d for d in word_differences() if comment.id in d.subject]
        assert [difference.kind for difference in found] == ["words"]
        for difference in found:
            assert difference.repair
            assert difference.repair()
        assert_exact(comment.id)
        assert [d for d in word_differences() if comment.id in d.subject] == []

    @pytest.mark.parametrize("damage", ["missing", "stale", "orphaned"])
    def test_finds_and_mends(self, comment, damage):
        add_comment(comment)
        posting = next(iter(stored(comment.id).values()))
        if damage == "missing":
            key = {name: posting[name] for name in ("pk", "o")}
            client().delete_item(TableName=TABLE, Key=key)
        else:
            wrong = (
                {"t": {"S": "stale"}}
                if damage == "stale"
                else {"pk": {"S": f"PRODUCT#{comment.product_id}/w3/en/stray"}}
            )
            client().put_item(TableName=TABLE, Item={**posting, **wrong})
        (difference,) = [d for d in word_differences() if comment.id in d.subject]
        assert difference.repair
        assert difference.repair()
        assert_exact(comment.id)

    def test_takes_postings_of_comments_that_are_gone_away(self, comment):
        add_comment(comment)
        with comments_set(SEARCH=False):
            delete_comment(comment.id)
        for difference in word_differences():
            assert difference.repair
            difference.repair()
        assert_exact(comment.id)


steps = st.lists(
    st.tuples(
        st.sampled_from(["post", "edit", "hide", "restore", "delete", "reply", "unreply", "hold"]),
        st.sampled_from("ab"),
        st.sampled_from(["red lamp", "blue lamp", "", "red " + "very long text " * 40]),
        st.none() | st.integers(1, 4),
    ),
    max_size=8,
)


@given(history=steps)
@settings(
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
def test_postings_are_those_of_the_comments_after_any_history(fresh, history):
    product = fresh("product")
    ids = {one: fresh("any") for one in "ab"}
    for step, one, text, call in history:
        dies = dying(call) if call else nullcontext()
        with suppress(NoSuchComment, NotAsSeen), dies:
            take(step, ids[one], product, text)
    work_off()
    assert_exact(*ids.values())


def take(step: str, comment_id: str, product: str, text: str) -> None:
    new = NewComment(comment_id, product, "en", 4, START, title="Title", body=text)
    if step in {"post", "hold"}:
        with suppress(CommentExists, CommentGone):
            add_comment(new, held_for="gate" if step == "hold" else None)
    elif step == "edit":
        edit_comment(load_comment(comment_id), now=START, body=text, language="de")
    elif step == "hide":
        carry_out(Decision.HIDE, comment_id=comment_id, now=START)
    elif step == "restore":
        decision = Decision.RESTORE
        if load_comment(comment_id).state is State.HELD:
            decision = Decision.PUBLISH
        carry_out(decision, comment_id=comment_id, now=START)
    elif step == "delete":
        delete_comment(comment_id)
    elif step == "reply":
        seen = find_reply(comment_id)
        reply_to(comment_id=comment_id, text=text or "Hm", user_id="sam", seen=seen, now=START)
    else:
        delete_reply(comment_id)
