"""``fill_sets``: a shop that was read by its indexes changes over to the sets."""

import json
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from comments.items import NewComment
from comments.lists.queries import INDEXES, SETS
from comments.moderation.services import hide
from comments.sets.consuming import Consumer
from comments.sets.filling import has_stream
from comments.sets.models import TABLE, CommentSetItem
from dynamo.calls.client import client
from dynamo.tables.create import create_missing
from dynamo.upkeep.integrity import every_item
from tests.support.comments.read_models import reading_by
from tests.support.comments.threads import NOW, made_comment
from tests.support.sets.stored import expected_items, stored_items

pytestmark = pytest.mark.real_engine


@pytest.fixture(scope="module")
def before(tables: None, engine_name: str) -> Iterator[list[NewComment]]:
    """Three comments, the last one hidden, of a time when lists were read by the indexes."""
    with reading_by(SETS, engine_name=engine_name):
        with override_settings(COMMENTS_READ_MODEL=INDEXES):
            comments = [made_comment(rating=rating) for rating in (1, 3, 5)]
            hide(comment_id=comments[-1].id, now=NOW)
        yield comments


def fill(**options: bool) -> int:
    out = StringIO()
    call_command("fill_sets", json=True, stdout=out, **options)
    counts: dict[str, int] = json.loads(out.getvalue() or '{"items": 0}')
    return counts["items"]


class TestFilling:
    def test_makes_what_the_stream_would_have_made(self, before):
        assert all(stored_items(comment.id) == {} for comment in before)
        assert fill() >= 64
        for comment in before:
            assert stored_items(comment.id) == expected_items(comment.id)
        assert [len(stored_items(comment.id)) for comment in before] == [32, 32, 0]

    def test_again_changes_nothing(self, before):
        fill()
        first = list(every_item(client(), TABLE))
        assert fill() == len(first)
        assert list(every_item(client(), TABLE)) == first

    def test_is_refused_where_lists_are_read_otherwise(self, before):
        with (
            override_settings(COMMENTS_READ_MODEL=INDEXES),
            pytest.raises(CommandError, match="COMMENTS_READ_MODEL is not sets"),
        ):
            fill()


class TestTheStream:
    def test_comes_after_the_filling_and_knows_nothing_of_it(self, before):
        assert not has_stream()
        assert fill(unless_streaming=True) >= 64
        create_missing([CommentSetItem], client=client())
        assert has_stream()
        assert fill(unless_streaming=True) == 0
        later = made_comment()
        consumer = Consumer(pause=0)
        consumer.walk().drain()
        assert consumer.applied.primaries == 1
        assert stored_items(later.id) == expected_items(later.id)
