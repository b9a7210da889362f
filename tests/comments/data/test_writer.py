"""Bulk writes of comments, against what a list of every index then shows."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from comments import keys
from comments.data.changes import DETERMINED, VerdictCounts
from comments.data.writer import CHUNK, CHUNK_CHARACTERS, BulkWriter, bounded_chunks
from comments.filters import CommentFilter
from comments.indexes.planner import plan
from comments.items import NewComment, NewReply, items_of
from comments.lists.entries import CommentEntry, entry_of
from comments.lists.queries import find_comment
from comments.replies.services import find_reply
from comments.store.counts import Cell, read_counts
from dynapages.calls import Batches, Pool, metered
from dynapages.items import Item
from dynapages.lists import PageRequest
from dynapages.process import client, read
from dynapages_testing.hooks import hooked
from tests.support.chance import unique
from tests.support.comments.threads import items_in, spoil
from tests.support.comments.truth import written

pytestmark = pytest.mark.usefixtures("tables")

NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
LONG = "A sentence that goes on. " * 80
READS = {"BatchGetItem"}


@pytest.fixture
def comment(fresh):
    return written(
        fresh("product"), id=fresh("comment"), rating=5, created_at=NEW_YEAR, title="Fine"
    )


def write(*comments: NewComment) -> VerdictCounts:
    return BulkWriter(Batches(client(), Pool(1))).write(comments)


def entries(product_id: str, *, language: str = "", rating: int = 0) -> list[CommentEntry]:
    """Read the index that answers exactly this filter."""
    chosen = CommentFilter.of([language] if language else [], [rating] if rating else [])
    page = read(plan(product_id, chosen).runs, PageRequest(500))
    return [entry_of(entry.item) for entry in page.entries]


def listed(product_id: str, *, language: str = "", rating: int = 0) -> list[str]:
    return [entry.id for entry in entries(product_id, language=language, rating=rating)]


def under_every_index(c: NewComment) -> list[list[str]]:
    return [
        listed(c.product_id),
        listed(c.product_id, language=c.language),
        listed(c.product_id, rating=c.rating),
        listed(c.product_id, language=c.language, rating=c.rating),
    ]


def counted(product_id: str) -> dict[Cell, int]:
    cells = read_counts(product_id, consistent=True).cells
    return {cell: number for cell, number in cells.items() if number}


def stored(comment_id: str) -> Item:
    return items_in(comment_id)[keys.COMMENT]


def has_body(comment_id: str) -> bool:
    return keys.BODY in items_in(comment_id)


class TestNewComment:
    def test_is_in_every_list_it_belongs_to_and_counted(self, comment):
        assert write(comment) == VerdictCounts(new=1)
        assert under_every_index(comment) == [[comment.id]] * 4
        write(replace(comment, id=f"{comment.id}-2", language="de"))
        assert counted(comment.product_id) == {("en", 5): 1, ("de", 5): 1}


class TestSameCommentAgain:
    @pytest.mark.parametrize("body", ["short", LONG, ""])
    def test_is_recognised_by_reading_alone(self, comment, body):
        write(replace(comment, body=body))
        with metered() as meter:
            assert write(replace(comment, body=body)) == VerdictCounts(unchanged=1)
        assert {call.operation for call in meter.log} == READS

    def test_is_told_from_one_that_differs_only_far_into_a_long_text(self, comment):
        write(replace(comment, body=LONG + "a"))
        assert write(replace(comment, body=LONG + "b")) == VerdictCounts(replaced=1)
        assert find_comment(comment.id).body == LONG + "b"


class TestNewerVersion:
    @pytest.fixture
    def newer(self, comment, fresh):
        changes = {
            "language": "de",
            "rating": 1,
            "created_at": NEW_YEAR + timedelta(microseconds=1),
        }
        return replace(comment, product_id=fresh("product"), **changes)

    def test_replaces_the_older_one_under_every_index(self, comment, newer):
        write(comment)
        assert write(newer) == VerdictCounts(replaced=1, moved=1)
        assert under_every_index(comment) == [[]] * 4
        assert under_every_index(newer) == [[comment.id]] * 4

    def test_of_another_product_alone_is_counted_as_moved(self, comment, newer):
        write(comment)
        assert write(replace(newer, product_id=comment.product_id)).moved == 0

    def test_stays_when_the_older_one_comes_again(self, comment, newer):
        write(newer)
        assert write(comment) == VerdictCounts(superseded=1)
        assert under_every_index(newer) == [[comment.id]] * 4

    def test_leaves_no_body_behind_when_it_is_short(self, comment, newer):
        write(replace(comment, body=LONG))
        assert has_body(comment.id)
        write(replace(newer, body="short"))
        assert not has_body(comment.id)
        assert find_comment(comment.id).body == "short"

    def test_keeps_what_the_shop_has_added_but_for_the_mark_of_an_edit(self, comment, newer):
        write(comment)
        spoil(comment, "v", {"BOOL": True})
        assert write(comment) == VerdictCounts(unchanged=1)
        spoil(comment, "e", {"S": "2024-02-01"})
        assert write(newer).replaced == 1
        assert stored(comment.id)["v"] == {"BOOL": True}
        assert "e" not in stored(comment.id)


def test_an_edit_by_the_author_is_not_undone_by_the_row_the_comment_once_came_from(comment):
    write(replace(comment, body="As I see it now."))
    spoil(comment, "e", {"S": "2024-02-01"})
    assert write(comment) == VerdictCounts(superseded=1)
    assert find_comment(comment.id).body == "As I see it now."


VERSIONS = st.lists(
    st.builds(
        dict,
        seconds=st.integers(0, 3),
        rating=st.integers(1, 5),
        body=st.sampled_from(["", "short", LONG]),
        reply=st.sampled_from([None, NewReply("Thanks."), NewReply("Sorry.", NEW_YEAR)]),
    ),
    min_size=2,
    max_size=4,
)


def versions_of(comment: NewComment, drawn: Sequence[dict[str, Any]]) -> list[NewComment]:
    return [
        replace(comment, created_at=NEW_YEAR + timedelta(seconds=values.pop("seconds")), **values)
        for values in map(dict, drawn)
    ]


def told(comment: NewComment) -> tuple[Any, ...]:
    """What is stored of a comment and its reply, but for how often it was written."""
    (entry,) = entries(comment.product_id)
    reply, whole = find_reply(comment.id), find_comment(comment.id)
    kept = {name: value for name, value in stored(comment.id).items() if name not in {"pk", "n"}}
    del kept["sk"], kept["o"], kept["a"], kept["l"], kept["r"], kept["b"]
    return kept, entry.created, entry.reply, whole.body, reply, has_body(comment.id)


@given(drawn=VERSIONS, dates=st.permutations(range(4)), data=st.data())
def test_versions_end_alike_in_any_order_of_dates_and_any_number_of_files(
    tmp_path_factory, drawn, dates, data
):
    """Only of those of one date the order counts: the last one is the newest."""
    other = sorted(drawn, key=lambda values: dates[values["seconds"]])
    ends = sorted(data.draw(st.sets(st.integers(1, len(other)))) | {len(other)})
    files = [other[start:end] for start, end in pairwise([0, *ends])]
    first, second = (
        imported(tmp_path_factory.mktemp("versions"), each) for each in ([drawn], files)
    )
    assert told(first) == told(second)


def imported(folder: Path, files: Sequence[Sequence[dict[str, Any]]]) -> NewComment:
    comment = written(unique("product"), id=unique("comment"))
    for number, drawn in enumerate(files):
        path = folder / f"{number}.jsonl"
        rows = [json.dumps(row_of(version)) + "\n" for version in versions_of(comment, drawn)]
        path.write_text("".join(rows))
        call_command("import_comments", path, json=True, stdout=StringIO())
    return comment


def row_of(comment: NewComment) -> dict[str, Any]:
    reply = comment.reply if isinstance(comment.reply, NewReply) else None
    return {
        "id": comment.id,
        "product_id": comment.product_id,
        "language": comment.language,
        "rating": comment.rating,
        "created_at": comment.created_at.isoformat(),
        "body": comment.body,
        "reply": reply and reply.text,
        "replied_at": reply and reply.replied_at and reply.replied_at.isoformat(),
    }


class TestInterruptedWrite:
    @pytest.mark.real_engine
    @pytest.mark.parametrize("survived", [1, 3])
    def test_is_finished_by_the_same_call(self, survived, comment):
        older = [replace(comment, id=f"{comment.id}-{n}", body=LONG) for n in range(180)]
        bodies = ["", "short", LONG + "!"]
        newer = [
            replace(c, rating=1, created_at=NEW_YEAR + timedelta(days=1), body=bodies[n % 3])
            for n, c in enumerate([*older, replace(comment, id=f"{comment.id}-new")])
        ]
        write(*older)
        with failing_after(survived), pytest.raises(Interrupted):
            write(*newer)
        write(*newer)
        some = newer[::5]
        assert [find_comment(c.id).body for c in some] == [c.body for c in some]
        assert [has_body(c.id) for c in some] == [len(c.body) > 1_024 for c in some]
        assert sorted(listed(comment.product_id)) == sorted(c.id for c in newer)
        assert counted(comment.product_id) == {("en", 1): len(newer)}


class Interrupted(Exception):
    """Stands for the end of the process."""


@contextmanager
def failing_after(calls: int) -> Iterator[None]:
    """Let so many calls that write come through, then none."""
    left = iter(range(calls))

    def interrupt(**_: object) -> None:
        if next(left, None) is None:
            raise Interrupted

    with (
        hooked("before-call.dynamodb.BatchWriteItem", interrupt),
        hooked("before-call.dynamodb.TransactWriteItems", interrupt),
    ):
        yield


def test_the_attributes_that_a_comment_determines_are_all_known(comment):
    item, _ = items_of(replace(comment, body=LONG))
    assert item.serialize().keys() == DETERMINED


def test_chunks_hold_every_comment_once_and_fewer_when_texts_are_long(comment):
    many = [comment] * (2 * CHUNK + 1)
    assert [len(chunk) for chunk in bounded_chunks(many)] == [CHUNK, CHUNK, 1]
    huge = replace(comment, body="x" * (CHUNK_CHARACTERS // 2))
    assert [len(chunk) for chunk in bounded_chunks([huge] * 5)] == [2, 2, 1]
