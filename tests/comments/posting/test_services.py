"""Comments are added, edited and deleted with their counts, once each, and nothing is lost."""

from dataclasses import replace
from datetime import timedelta

import pytest

from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists.queries import find_comment
from comments.models import Comment
from comments.posting.services import (
    CommentExists,
    EditLost,
    add_comment,
    delete_comment,
    edit_comment,
)
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import Cell, counts_of
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.lists.reader import PageRequest
from tests.support.comments.conflicts import conflicts
from tests.support.comments.truth import START
from tests.support.comments.walking import ids_on, read_page

pytestmark = pytest.mark.usefixtures("tables")
NOW = START + timedelta(days=1)


@pytest.fixture
def comment(fresh):
    return NewComment(
        id=fresh("comment"),
        product_id=fresh("product"),
        language="en",
        rating=5,
        created_at=START,
        author="alice",
        title="Good",
        body="It works.",
    )


def cells(comment: NewComment) -> dict[Cell, int]:
    return dict(counts_of(comment.product_id, consistent=True).cells)


def listed(comment: NewComment, languages: str = "~", ratings: str = "~") -> list[str]:
    chosen = CommentFilter.parse(languages, ratings)
    return ids_on(read_page(comment.product_id, chosen, PageRequest(20)))


class TestAdding:
    def test_lists_and_counts_it(self, comment):
        add_comment(comment)
        assert listed(comment, "en", "5") == [comment.id]
        assert cells(comment) == {("en", 5): 1}

    def test_twice_counts_once(self, comment):
        add_comment(comment)
        add_comment(comment)
        assert cells(comment) == {("en", 5): 1}

    def test_refuses_an_id_that_is_taken(self, comment):
        add_comment(comment)
        with pytest.raises(CommentExists):
            add_comment(replace(comment, title="Something else"))
        assert find_comment(comment.id).title == "Good"

    def test_keeps_a_long_text_whole(self, comment):
        text = "Ünïcode 🦊 " * 500
        add_comment(replace(comment, body=text))
        assert find_comment(comment.id).body == text


class TestEditing:
    def test_moves_it_to_other_lists_with_its_counts(self, comment):
        add_comment(comment)
        edit_comment(load_comment(comment.id), now=NOW, rating=1, language="de")
        assert listed(comment, "de", "1") == [comment.id]
        assert listed(comment, "en") == []
        assert cells(comment) == {("de", 1): 1}

    def test_keeps_its_place_in_time(self, comment):
        add_comment(comment)
        edit_comment(load_comment(comment.id), now=NOW, title="Better")
        assert find_comment(comment.id).created == START

    def test_of_what_has_changed_meanwhile_is_told_with_how_it_is_now(self, comment):
        add_comment(comment)
        read = load_comment(comment.id)
        edit_comment(read, now=NOW, title="Mine")
        with pytest.raises(EditLost) as lost:
            edit_comment(read, now=NOW, title="Yours")
        assert lost.value.stored.comment.title == "Mine"

    def test_that_changes_nothing_writes_nothing(self, comment):
        add_comment(comment)
        read = load_comment(comment.id)
        assert edit_comment(read, now=NOW, title="Good").version == read.version

    def test_of_a_long_text_to_a_short_one_leaves_no_body_behind(self, comment):
        add_comment(replace(comment, body="long " * 500))
        edit_comment(load_comment(comment.id), now=NOW, body="short")
        assert find_comment(comment.id).body == "short"
        assert load_comment(comment.id).comment.body == "short"

    def test_of_a_deleted_comment_is_told(self, comment):
        add_comment(comment)
        read = load_comment(comment.id)
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            edit_comment(read, now=NOW, title="Too late")


class TestDeleting:
    def test_takes_it_from_its_lists_and_counts(self, comment):
        add_comment(replace(comment, body="long " * 500))
        assert delete_comment(comment.id)
        assert listed(comment) == []
        assert cells(comment) == {}

    def test_twice_is_success_twice_and_counts_once(self, comment):
        add_comment(comment)
        add_comment(replace(comment, id=f"{comment.id}-2"))
        assert [delete_comment(comment.id), delete_comment(comment.id)] == [True, False]
        assert cells(comment) == {("en", 5): 1}


class TestWritersWhoMeet:
    def test_all_get_through(self, comment):
        with conflicts(3):
            add_comment(comment)
        assert cells(comment) == {("en", 5): 1}

    def test_spread_the_counts_over_more_shards(self, comment):
        with conflicts(4) as met:
            add_comment(comment)
        for number in range(40):
            add_comment(replace(comment, id=f"{comment.id}-{number}"))
        assert met[0] == f"COUNTS#{comment.product_id}#0"
        assert cells(comment) == {("en", 5): 41}
        assert len(shards_of(comment.product_id)) > 1


def shards_of(product_id: str) -> set[str]:
    """Name the items a product's counts are spread over."""
    names = [f"COUNTS#{product_id}#{number}" for number in range(16)]
    table_keys = [{"pk": {"S": name}, "sk": {"S": name}} for name in names]
    found = Batches(client(), pool()).get(Comment.Meta.table_name, table_keys)
    return {item["pk"]["S"] for item in found}
