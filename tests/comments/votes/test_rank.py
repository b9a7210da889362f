"""A product's comments by helpful votes: ranked on their own items, and nothing else touched."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from comments.filters import CommentFilter
from comments.imports.writer import BulkWriter
from comments.integrity.comments import comment_differences
from comments.items import NewComment
from comments.keys import comment as comment_key
from comments.lists.queries import find_comment, list_comments
from comments.models import Comment
from comments.posting.services import EditLost, add_comment, delete_comment, edit_comment
from comments.rankings.queries import list_most_helpful
from comments.store.comments import load_comment
from comments.store.counts import counts_of
from comments.votes.services import refresh_comment, vote
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.lists.reader import PageRequest, Toward
from tests.support.comments.truth import START

pytestmark = pytest.mark.usefixtures("tables")
TABLE = Comment.Meta.table_name
NOW = START + timedelta(days=1)


@pytest.fixture
def comment(fresh):
    comment = NewComment(
        id=fresh("comment"),
        product_id=fresh("product"),
        language="en",
        rating=5,
        created_at=START,
        author="alice",
        title="Good",
        body="It works.",
    )
    add_comment(comment)
    return comment


def key_of(comment: NewComment) -> dict[str, Any]:
    value = {"S": comment_key(comment.id)}
    return {"pk": value, "sk": value}


def spoil(comment: NewComment, name: str, value: str) -> None:
    client().update_item(
        TableName=TABLE,
        Key=key_of(comment),
        UpdateExpression="SET #n = :v",
        ExpressionAttributeNames={"#n": name},
        ExpressionAttributeValues={":v": {"S": value}},
    )


def take_from_lists(comment: NewComment) -> None:
    """Take the list keys away, and forget the rank."""
    client().update_item(
        TableName=TABLE,
        Key=key_of(comment),
        UpdateExpression="REMOVE a, l, r, b",
    )


@contextmanager
def updates() -> Iterator[list[dict[str, Any]]]:
    """Return the capacity units of each UpdateItem of the block."""
    seen: list[dict[str, Any]] = []

    def note(parsed: dict[str, Any], **_: object) -> None:
        seen.append(parsed["ConsumedCapacity"])

    events = client().meta.events
    events.register("after-call.dynamodb.UpdateItem", note)
    try:
        yield seen
    finally:
        events.unregister("after-call.dynamodb.UpdateItem", note)


def ranked(product_id: str) -> list[tuple[str, int]]:
    page = list_most_helpful(product_id, PageRequest(100))
    return [(found.comment.id, found.helpful) for found in page.items]


def differing(comment: NewComment) -> list[str]:
    return [d.subject for d in comment_differences() if comment.id in d.subject]


class TestVotes:
    def test_rank_a_comment(self, comment):
        assert ranked(comment.product_id) == []
        assert refresh_comment(comment.id, tally=lambda: 3)
        assert ranked(comment.product_id) == [(comment.id, 3)]

    def test_order_comments_by_their_number(self, comment):
        for number in (9, 100, 11, 2):
            other = replace(comment, id=f"{comment.id}-{number}", rating=1, language="ja")
            add_comment(other)
            refresh_comment(other.id, tally=partial(int, number))
        assert [votes for _, votes in ranked(comment.product_id)] == [100, 11, 9, 2]

    def test_that_are_taken_back_take_it_out(self, comment):
        refresh_comment(comment.id, tally=lambda: 1)
        refresh_comment(comment.id, tally=lambda: 0)
        assert ranked(comment.product_id) == []

    def test_show_all_a_list_shows(self, comment):
        refresh_comment(comment.id, tally=lambda: 1)
        (found,) = list_most_helpful(comment.product_id, PageRequest(1)).items
        counts = counts_of(comment.product_id)
        found_newest = list_comments(
            comment.product_id, CommentFilter(), PageRequest(1), counts=counts
        )
        (listed,) = found_newest.comments
        assert replace(found.comment, product_id="") == replace(listed, product_id="")

    def test_of_a_comment_that_is_gone_rank_nothing(self, comment):
        delete_comment(comment.id)
        assert not refresh_comment(comment.id, tally=lambda: 3)
        assert not refresh_comment(f"{comment.id}-never", tally=lambda: 3)
        with pytest.raises(LookupError):
            find_comment(comment.id)

    @pytest.mark.real_engine
    def test_write_to_no_other_index(self, comment):
        with updates() as seen:
            refresh_comment(comment.id, tally=lambda: 3)
            refresh_comment(comment.id, tally=lambda: 4)
        indexes = [set(one.get("GlobalSecondaryIndexes", {})) for one in seen]
        assert indexes == [{"ranked"}, {"ranked"}]

    def test_read_late_never_replace_those_read_later(self, comment):
        """One voter reads a tally of 1; before that is stored, another votes and reads 2."""
        tally = [1]

        def read() -> int:
            votes = tally[0]
            if votes == 1:
                tally[0] = 2
                refresh_comment(comment.id, tally=lambda: 2)
            return votes

        refresh_comment(comment.id, tally=read)
        assert ranked(comment.product_id) == [(comment.id, 2)]


class TestRankedComment:
    @pytest.fixture(autouse=True)
    def votes(self, comment):
        for number in range(7):
            vote(comment_id=comment.id, username=f"user-{number}")

    def test_keeps_its_rank_when_it_is_edited(self, comment):
        edit_comment(load_comment(comment.id), now=NOW, rating=2, language="de", title="Worse")
        (found,) = list_most_helpful(comment.product_id, PageRequest(1)).items
        assert (found.helpful, found.comment.title, found.comment.rating) == (7, "Worse", 2)

    def test_can_be_edited_while_it_is_voted_on(self, comment):
        read = load_comment(comment.id)
        refresh_comment(comment.id, tally=lambda: 8)
        edited = edit_comment(read, now=NOW, title="Better")
        assert ranked(comment.product_id) == [(comment.id, 8)]
        assert edited.version == read.version + 1 == load_comment(comment.id).version

    def test_tells_a_lost_edit_all_the_same(self, comment):
        read = load_comment(comment.id)
        edit_comment(read, now=NOW, title="Mine")
        refresh_comment(comment.id, tally=lambda: 8)
        with pytest.raises(EditLost):
            edit_comment(read, now=NOW, title="Yours")

    def test_leaves_the_ranking_when_it_is_deleted(self, comment):
        delete_comment(comment.id)
        assert ranked(comment.product_id) == []

    def test_goes_with_a_newer_version_to_another_product(self, comment, fresh):
        newer = replace(comment, product_id=fresh("product"), created_at=NOW)
        BulkWriter(Batches(client(), pool())).write([newer])
        assert ranked(comment.product_id) == []
        assert ranked(newer.product_id) == [(comment.id, 7)]
        assert differing(comment) == []

    @pytest.mark.parametrize(("name", "value"), [("k", "RANK#HELPFUL#x"), ("p", "0000000007#x")])
    def test_whose_rank_is_spoilt_is_found_and_mended(self, comment, name, value):
        spoil(comment, name, value)
        (difference,) = [d for d in comment_differences() if comment.id in d.subject]
        assert difference.mend
        assert difference.mend()
        assert ranked(comment.product_id) == [(comment.id, 7)]

    def test_that_is_hidden_but_ranks_is_found_and_mended(self, comment):
        take_from_lists(comment)
        found = [d for d in comment_differences() if comment.id in d.subject]
        (difference,) = [d for d in found if d.kind == "rank"]
        assert difference.mend
        assert difference.mend()
        assert ranked(comment.product_id) == []
        assert not refresh_comment(comment.id, tally=lambda: 9)


class TestPages:
    @pytest.mark.parametrize("size", [1, 4, 30])
    def test_are_walked_there_and_back(self, comment, size):
        votes = {f"{comment.id}-{number}": number % 4 + 1 for number in range(13)}
        for comment_id, number in votes.items():
            add_comment(replace(comment, id=comment_id))
            refresh_comment(comment_id, tally=partial(int, number))
        expected = sorted(votes, key=lambda i: (votes[i], i), reverse=True)
        request, there = PageRequest(size), []
        while request:
            found = list_most_helpful(comment.product_id, request)
            there += [c.comment.id for c in found.items]
            last = found.page.entries[-1].position
            request = PageRequest(size, last) if found.page.has_next else None
        assert there == expected
        back = [c.comment.id for c in found.items]
        while found.page.has_previous:
            first = found.page.entries[0].position
            request = PageRequest(size, first, Toward.PREVIOUS)
            found = list_most_helpful(comment.product_id, request)
            back = [*(c.comment.id for c in found.items), *back]
        assert back == expected
