"""The site on one read model or the other, with copies for all that a test loads."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from comments.host import SETS
from comments.keys import comment_key
from comments.lists.queries import INDEXES
from comments.models import Comment
from comments.sets.copies import copies_of, primary_of
from comments.sets.models import TABLE, CommentSetItem
from dynapages.calls import Batches, Pool
from dynapages.process import client
from dynapages.tables import create_missing
from dynapages_testing.strict import refuse_what_aws_refuses
from tests.support.comments.options import comments_set
from tests.support.comments.outage import own_engine

BOTH = (INDEXES, pytest.param(SETS, marks=pytest.mark.real_engine))
"""Parameters of tests that hold under both."""


@contextmanager
def reading_by(model: str, *, engine_name: str) -> Iterator[str]:
    """Have the site read its lists by a model for the length of the block; give the model's name.

    For ``sets`` there is an engine with tables of its own, without a stream: what is loaded is
    filled in (`fill`), and nobody else's copies are in the way.
    """
    with comments_set(READ_MODEL=model):
        if model == INDEXES:
            yield model
        elif engine_name == "dynoxide":
            with own_engine():
                refuse_what_aws_refuses(client())
                create_missing([CommentSetItem], client=client(), streams=False)
                yield model
        else:
            create_missing([CommentSetItem], client=client(), streams=False)
            yield model


def fill(comment_ids: Iterable[str]) -> None:
    """Put the copies of comments that are in the table."""
    batches = Batches(client(), Pool(1))
    found = batches.get(Comment.Meta.table_name, map(comment_key, comment_ids))
    primaries = [primary for comment in found if (primary := primary_of(comment))]
    batches.put(TABLE, [item for each in primaries for item in (each, *copies_of(each))])
