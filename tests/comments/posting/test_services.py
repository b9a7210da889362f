"""Comments are added, edited and deleted with their counts, once each, and nothing is lost."""

from dataclasses import replace
from datetime import timedelta

import pytest

from comments.items import NewComment
from comments.lists.queries import find_comment
from comments.models import Comment
from comments.posting.services import (
    CommentExists,
    add_comment,
    edit_comment,
)
from comments.store.comments import load_comment
from comments.store.counts import Cell, counts_of
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from tests.support.comments.conflicts import conflicts
from tests.support.comments.truth import START, written

pytestmark = pytest.mark.usefixtures("tables")
NOW = START + timedelta(days=1)


@pytest.fixture
def comment(fresh):
    return written(fresh("product"), id=fresh("comment"), title="Good")


def cells(comment: NewComment) -> dict[Cell, int]:
    return dict(counts_of(comment.product_id, consistent=True).cells)


class TestAdding:
    def test_refuses_an_id_that_is_taken(self, comment):
        add_comment(comment)
        with pytest.raises(CommentExists):
            add_comment(replace(comment, title="Something else"))
        assert find_comment(comment.id).title == "Good"


class TestEditing:
    def test_that_changes_nothing_writes_nothing(self, comment):
        add_comment(comment)
        read = load_comment(comment.id)
        assert edit_comment(read, now=NOW, title="Good").version == read.version


class TestWritersWhoMeet:
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
