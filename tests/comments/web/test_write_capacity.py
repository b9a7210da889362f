"""What each write costs: as docs/writing.md says, and no more."""

import re
from datetime import UTC, datetime

import pytest

from comments.posting.services import Draft, delete_comment, post_comment, save_edit
from comments.profiles.queries import ids_written_by
from comments.web.rate_limits import take_write
from dynamo.calls.meter import Meter, metered
from tests.support.comments.writers import made_product
from tests.support.project import PROJECT

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]

DOCUMENT = PROJECT / "docs" / "writing.md"
SHORT = Draft(5, "en", "Lovely", "Bright and warm light. " * 5)
LONG = Draft(5, "en", "Lovely", "A long story. " * 280)


def told(what: str) -> tuple[float, float]:
    """The units that the document tells of a write: its transaction, and everything."""
    (row,) = re.findall(rf"^\| {re.escape(what)} \|(.*)\|$", DOCUMENT.read_text(), re.MULTILINE)
    transaction, everything = row.split("|")
    return float(transaction), float(everything)


def cost(meter: Meter) -> tuple[float, float]:
    transactions = [c for c in meter.calls if c.operation == "TransactWriteItems"]
    return sum(c.capacity_units for c in transactions), meter.capacity_units()


class Shelf:
    """A product that has comments and ranks already, and one user who writes."""

    def __init__(self, username: str) -> None:
        self.username, self.product, self.now = username, made_product(), datetime.now(UTC)
        self.version = 1
        for _ in range(2):
            self.post(SHORT)

    def post(self, draft: Draft) -> str:
        self.number = getattr(self, "number", 0) + 1
        return post_comment(
            draft,
            comment_id=f"{self.product}-{self.number}",
            product_id=self.product,
            username=self.username,
            now=self.now.replace(microsecond=self.number),
        ).id

    def edit(self, draft: Draft) -> None:
        latest = next(iter(ids_written_by(self.username)))
        with metered() as self.meter:
            save_edit(
                draft, comment_id=latest, version=self.version, username=self.username, now=self.now
            )
        self.version += 1


@pytest.fixture
def shelf(fresh):
    return Shelf(fresh("alice"))


class TestTheCost:
    def test_of_a_post(self, shelf):
        with metered() as meter:
            shelf.post(SHORT)
        assert cost(meter) == told("a post")

    def test_of_a_post_with_a_long_text(self, shelf):
        with metered() as meter:
            shelf.post(LONG)
        assert cost(meter) == told("a post of 4 KB")

    def test_of_an_edit_of_words(self, shelf):
        shelf.edit(Draft(5, "en", "Lovelier", SHORT.body))
        assert cost(shelf.meter) == told("an edit of words")

    def test_of_an_edit_that_moves_keys(self, shelf):
        shelf.edit(Draft(4, "en", SHORT.title, SHORT.body))
        shelf.edit(Draft(2, "de", SHORT.title, SHORT.body))
        assert cost(shelf.meter) == told("an edit of rating and language")

    def test_of_a_deletion(self, shelf):
        older = next(iter(ids_written_by(shelf.username)))
        shelf.post(SHORT)
        with metered() as meter:
            delete_comment(older)
        assert cost(meter) == told("a deletion")

    def test_of_a_deletion_done_already(self, shelf):
        comment_id = shelf.post(SHORT)
        delete_comment(comment_id)
        with metered() as meter:
            delete_comment(comment_id)
        assert cost(meter) == told("the same deletion again")

    def test_of_the_limits(self, shelf):
        with metered() as meter:
            take_write(username=shelf.username, network=shelf.product, now=shelf.now)
        assert cost(meter) == told("the limits of a user and an address, the first time")
        with metered() as meter:
            take_write(username=shelf.username, network=shelf.product, now=shelf.now)
        assert meter.capacity_units() == pytest.approx(
            told("the limits of a user and an address, again")[1]
        )
