"""What each write costs, as docs/writing.md says; and how many files a request enters."""

import re
from datetime import UTC, datetime
from ipaddress import IPv6Address
from random import getrandbits
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.test import RequestFactory

from comments.posting.services import Draft, delete_comment
from comments.profiles.queries import ids_written_by
from comments.web.rate_limits import check_rate_limit
from dynapages.calls import Meter, metered
from dynapages.process import connect, current_connection
from tests.support.comments.browsing import HTMX
from tests.support.comments.posting import edit_as, post_as
from tests.support.comments.writers import WORDS, load_older, made_product, new_url, nobody, someone
from tests.support.entered import files_entered
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
    transactions = [c for c in meter.log if c.operation == "TransactWriteItems"]
    return sum(c.capacity_units for c in transactions), meter.units


class Shelf:
    """A product that has comments and ranks already, and one user who writes."""

    def __init__(self, username: str) -> None:
        self.username, self.product, self.now = username, made_product(), datetime.now(UTC)
        self.version = 1
        for _ in range(2):
            self.post(SHORT)

    def post(self, draft: Draft) -> str:
        self.number = getattr(self, "number", 0) + 1
        comment_id = f"{self.product}-{self.number}"
        post_as(
            self.username,
            draft,
            comment_id=comment_id,
            product_id=self.product,
            author=self.username,
            now=self.now.replace(microsecond=self.number),
        )
        return comment_id

    def edit(self, draft: Draft) -> None:
        latest = next(iter(ids_written_by(self.username)))
        with metered() as self.meter:
            edit_as(self.username, draft, comment_id=latest, version=self.version, now=self.now)
        self.version += 1


@pytest.fixture
def shelf(fresh):
    return Shelf(fresh("alice"))


class TestTheCost:
    @pytest.mark.parametrize(("draft", "row"), [(SHORT, "a post"), (LONG, "a post of 4 KB")])
    def test_of_a_post(self, shelf, draft, row):
        with metered() as meter:
            shelf.post(draft)
        assert cost(meter) == told(row)

    def test_of_an_edit_of_words(self, shelf):
        shelf.edit(Draft(5, "en", "Lovelier", SHORT.body))
        assert cost(shelf.meter) == told("an edit of words")

    def test_of_an_edit_that_moves_keys(self, shelf):
        shelf.edit(Draft(4, "en", SHORT.title, SHORT.body))
        shelf.edit(Draft(2, "de", SHORT.title, SHORT.body))
        assert cost(shelf.meter) == told("an edit of rating and language")

    def test_of_a_deletion_and_of_the_same_again(self, shelf):
        older = next(iter(ids_written_by(shelf.username)))
        shelf.post(SHORT)
        for row in ("a deletion", "the same deletion again"):
            with metered() as meter:
                delete_comment(older)
            assert cost(meter) == told(row)

    def test_of_the_limits(self, shelf):
        request = RequestFactory().post("/", REMOTE_ADDR=str(IPv6Address(getrandbits(128))))
        request.user = SimpleNamespace(is_authenticated=True, pk=shelf.username)
        with metered() as meter:
            check_rate_limit(request)
        assert cost(meter) == told("the limits of a user and an address, the first time")
        with metered() as meter:
            check_rate_limit(request)
        assert meter.units == pytest.approx(told("the limits of a user and an address, again")[1])


MOST_OF_A_LIST = 53
MOST_OF_A_POST = 58
"""Files of the product, threads of the pool included."""


class TestTheFilesEntered:
    def test_by_a_list_of_comments_are_few(self):
        visitor, (product_id, another) = nobody(), (made_product(), made_product())
        for each in (product_id, another):
            load_older(each, count=60)

        def read(product: str) -> None:
            url = f"/products/{product}/comments/en/1.2.5/"
            assert visitor.browser.get(url, headers=HTMX).status_code == 200

        read(another)  # what is done once in a process is done
        cache.clear()
        connect(current_connection())  # with new threads, which are watched
        entered = files_entered(lambda: read(product_id))
        assert {"comments/views.py", "dynapages/calls/client.py"} <= entered
        assert len(entered) <= MOST_OF_A_LIST, sorted(entered)

    def test_by_a_posted_comment_are_few(self):
        author, product_id = someone("author"), made_product()
        author.write(product_id)
        form = {**author.open_form(product_id), **WORDS}

        def post() -> None:
            assert author.send(new_url(product_id), form).status_code == 302

        connect(current_connection())  # with new threads, which are watched
        entered = files_entered(post)
        assert "comments/posting/services.py" in entered
        assert len(entered) <= MOST_OF_A_POST, sorted(entered)
