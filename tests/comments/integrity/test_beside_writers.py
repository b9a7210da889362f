"""The check while people write: their writes are no differences, and nothing right is mended."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command

from comments.integrity import comments as check
from comments.integrity.comments import comment_differences
from comments.items import NewComment
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.replies.services import reply_to
from comments.store.comments import load_comment
from comments.store.counts import counts_of
from comments.votes.services import vote
from dynamo.upkeep import integrity as upkeep
from dynamo.upkeep.integrity import Difference
from dynamo.writes.transactions import Contended
from tests.support.comments.miscounting import settle
from tests.support.comments.truth import START

pytestmark = pytest.mark.usefixtures("tables")

LATER = START + timedelta(days=1)
Write = Callable[[NewComment], object]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(upkeep.time, "sleep", lambda _seconds: None)


def another(comment: NewComment) -> NewComment:
    return replace(comment, id=f"{comment.id}-2", created_at=LATER)


def edit(comment: NewComment, **what: Any) -> None:
    edit_comment(load_comment(comment.id), now=LATER, **what)


def mine(comment: NewComment) -> list[Difference]:
    names = (comment.id, comment.product_id)
    return [d for d in comment_differences() if any(name in d.subject for name in names)]


@pytest.fixture
def written_meanwhile(monkeypatch):
    """Has something written after the table was read, before anything is made of it."""
    every_item = upkeep.every_item

    def have(write: Callable[[], object]) -> None:
        def read(*where: Any) -> Iterator[Any]:
            items = list(every_item(*where))
            write()
            return iter(items)

        monkeypatch.setattr(upkeep, "every_item", read)

    return have


WRITES: dict[str, Write] = {
    "another comment": lambda c: add_comment(another(c)),
    "another rating": lambda c: edit(c, rating=1),
    "another language": lambda c: edit(c, language="de"),
    "a short text": lambda c: edit(c, body="short"),
    "a vote": lambda c: vote(comment_id=c.id, username="reader"),
    "a reply": lambda c: reply_to(
        comment_id=c.id, author="sam", text="Thanks", seen=None, now=LATER
    ),
    "a deletion": lambda c: delete_comment(c.id, now=LATER),
}


class TestAWriteMadeWhileTheTableIsRead:
    @pytest.mark.parametrize("name", WRITES)
    def test_is_no_difference(self, comment, written_meanwhile, name):
        written_meanwhile(lambda: WRITES[name](comment))
        assert mine(comment) == []

    def test_does_not_hide_what_is_wrong(self, comment, written_meanwhile):
        settle(comment.product_id, {"en.5": 7})
        written_meanwhile(lambda: add_comment(another(comment)))
        (found,) = mine(comment)
        assert (found.stored, found.expected) == ("en.5: 8", "en.5: 2")
        assert found.mend is not None
        assert found.mend()
        assert counts_of(comment.product_id, consistent=True).cells == {("en", 5): 2}


class TestAProductThatIsNeverAtRest:
    @pytest.fixture(autouse=True)
    def busy(self, comment, monkeypatch):
        settle(comment.product_id, {"de.1": 1})
        count, number = check.count_all, iter(range(1_000))

        def count_late(product_id: str) -> Any:
            counted = count(product_id)
            if product_id == comment.product_id:
                add_comment(replace(comment, id=f"{comment.id}-{next(number)}"))
            return counted

        monkeypatch.setattr(check, "count_all", count_late)

    def test_is_busy(self, comment):
        (found,) = mine(comment)
        assert (found.kind, found.is_busy, found.mend) == ("counts", True, None)

    def test_is_told_on_a_line_of_its_own_and_is_no_failure(self, comment, capsys):
        call_command("check_integrity", "--only=comments", "--repair")
        lines = capsys.readouterr().out.splitlines()
        what = f"counts of product {comment.product_id}"
        assert f"{what}: busy, changed while it was looked at" in lines
        assert lines[-1].endswith(" mended, 1 busy")


class TestADifference:
    @pytest.mark.parametrize("error", [None, Contended()])
    def test_that_changes_before_it_is_mended_is_busy(self, monkeypatch, capsys, error):
        def mend() -> bool:
            if error:
                raise error
            return False

        found = [Difference("counts", "a product", "2", "1", mend)]
        command = "config.management.commands.check_integrity.comment_differences"
        monkeypatch.setattr(command, lambda: iter(found))
        call_command("check_integrity", "--only=comments", "--repair")
        assert capsys.readouterr().out.splitlines() == [
            "counts of a product: busy, changed while it was looked at",
            "0 differences, 0 mended, 1 busy",
        ]
