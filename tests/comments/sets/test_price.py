"""What the copies cost to write and to read: as docs/designs/sets.md says, and no more."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from comments.filters import CommentFilter
from comments.items import NewComment
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.sets.copies import Consumer
from comments.sets.plans import runs
from comments.store.comments import load_comment
from dynapages.calls import Meter, metered
from dynapages.lists import PageRequest
from dynapages.process import read
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.truth import START, written
from tests.support.project import PROJECT

pytestmark = [pytest.mark.usefixtures("streamed"), pytest.mark.real_engine]

DOCUMENT = PROJECT / "docs" / "designs" / "sets.md"
TEXT = "Bright and warm light. " * 5
USUAL = written("usual", id="usual", rating=5, author="alice", title="Lovely", body=TEXT)


def told(what: str) -> list[float]:
    """The figures of a row of the document."""
    (row,) = re.findall(rf"^\| {re.escape(what)} \|(.*)\|$", DOCUMENT.read_text(), re.MULTILINE)
    return [float(cell) for cell in row.split("|")]


@pytest.fixture
def comment(fresh):
    """A comment of usual length, on a product that has another one already."""
    comment = replace(USUAL, id=fresh("comment"), product_id=fresh("product"))
    add_comment(replace(comment, id=fresh("comment")))
    follow()
    return comment


@pytest.fixture(scope="module")
def product(streamed):
    """A product with more than a page of such comments."""
    load([replace(USUAL, id=f"usual-{n}") for n in range(22)])
    return USUAL.product_id


def follow() -> list[float]:
    """Let the consumer catch up; give the units it wrote and read, its checkpoints apart."""
    with metered() as meter:
        Consumer(pause=0).walk().drain()
    operations = ("BatchWriteItem", "BatchGetItem")
    return [sum(c.capacity_units for c in meter.log if c.operation == o) for o in operations]


def transaction(meter: Meter) -> float:
    return sum(c.capacity_units for c in meter.log if c.operation == "TransactWriteItems")


def edit(comment: NewComment, **what: object) -> None:
    edit_comment(load_comment(comment.id), now=START + timedelta(1), **what)


class TestTheCostOfWriting:
    def test_of_a_primary_in_the_transaction_of_a_post(self, comment, fresh):
        with metered() as meter:
            add_comment(comment)
        with (
            comments_set(READ_MODEL="indexes"),
            metered() as without,
        ):
            add_comment(replace(comment, id=fresh("comment")))
        assert [transaction(meter) - transaction(without)] == told("a primary, in its transaction")

    @pytest.mark.parametrize(
        ("write", "row"),
        [
            (None, "the copies of a post"),
            (lambda c: edit(c, body=TEXT + "Very."), "an edit of words"),
            (lambda c: edit(c, rating=2), "an edit of the rating"),
            (lambda c: edit(c, rating=2, language="de"), "an edit of rating and language"),
            (lambda c: delete_comment(c.id), "a deletion"),
        ],
    )
    def test_of_what_follows_a_write(self, comment, write, row):
        add_comment(comment)
        if write:
            follow()
            write(comment)
        assert follow() == told(row)


class TestTheCostOfReading:
    @pytest.mark.parametrize("chosen", [CommentFilter(), CommentFilter.of(["en"], [1, 2, 4, 5])])
    def test_is_that_of_the_page_whatever_the_filter(self, product, chosen):
        with metered() as meter:
            page = read(runs(product, chosen), PageRequest(20))
        assert len(page.entries) == 20
        assert [meter.units] == told("a page of 20, of any filter")
