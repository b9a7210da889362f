"""A shop that was read by its indexes changes over to the sets: filled before there is a stream."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from comments.host import SETS
from comments.lists.queries import INDEXES
from comments.sets.copies import Consumer
from comments.sets.integrity import has_stream
from comments.sets.models import CommentSetItem
from dynapages.process import client
from dynapages.tables import create_missing
from tests.support.comments.deciding import hide
from tests.support.comments.options import comments_set
from tests.support.comments.read_models import reading_by
from tests.support.comments.threads import NOW, made_comment
from tests.support.sets.stored import expected_items, stored_items

pytestmark = pytest.mark.real_engine


@pytest.fixture(scope="module")
def before(tables, engine_name):
    """Three comments, the last one hidden, of a time when lists were read by the indexes."""
    with reading_by(SETS, engine_name=engine_name):
        with comments_set(READ_MODEL=INDEXES):
            comments = [made_comment(rating=rating) for rating in (1, 3, 5)]
            hide(comment_id=comments[-1].id, now=NOW)
        yield comments


def fill() -> int | None:
    """Run the command as the demo does; give the number of differences, None if it did nothing."""
    out = StringIO()
    options = ("--model", "sets", "--repair", "--unless-streaming", "--json")
    call_command("check_integrity", *options, stdout=out)
    mended: int | None = json.loads(out.getvalue())["mended"] if out.getvalue() else None
    return mended


def test_the_stream_comes_after_the_filling_and_knows_nothing_of_it(before):
    assert not has_stream()
    assert [fill(), fill()] == [1, 0]
    assert [len(stored_items(comment.id)) for comment in before] == [32, 32, 0]
    create_missing([CommentSetItem], client=client())
    assert has_stream()
    assert fill() is None
    later = made_comment()
    consumer = Consumer(pause=0)
    consumer.walk().drain()
    assert consumer.applied.comments == 1
    assert stored_items(later.id) == expected_items(later.id)
