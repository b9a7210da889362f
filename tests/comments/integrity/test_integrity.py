"""What does not add up is found, and mended; what is just written is no difference."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command

from comments.integrity import comments as check
from comments.items import NewComment
from comments.keys import BODY
from comments.keys import comment as comment_key
from comments.lists.queries import find_comment
from comments.models import Comment
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.replies.services import reply_to
from comments.store.comments import load_comment
from comments.store.counts import counters, read_counts, tallies
from comments.votes.rank import count_votes
from comments.votes.services import cast_vote
from dynapages.process import client
from dynapages.upkeep import Difference
from dynapages.upkeep import integrity as upkeep
from dynapages.writes import Contended
from tests.support.comments.miscounting import settle
from tests.support.comments.threads import differences, mended, spoil
from tests.support.comments.truth import START, written

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def comment(fresh):
    """One with a long text, to spoil."""
    comment = written(fresh("product"), id=fresh("comment"), rating=5, body="long " * 400)
    add_comment(comment)
    return comment


class TestWhatIsAsItShouldBe:
    def test_is_counted_once_alone(self, comment, monkeypatch):
        counted = []
        monkeypatch.setattr("comments.integrity.comments.count_all", counted.append)
        differences(comment)
        assert comment.product_id not in counted


class TestCounts:
    @pytest.mark.parametrize(
        ("wrong", "stored", "expected"),
        [
            (
                {"2026-11.0": 0, "2024-02.0": 3},
                "2024-02.0: 3, 2026-11.0: 0",
                "2024-02.0: 0, 2026-11.0: 1",
            ),
            ({"en.5": 7, "de.1": -2}, "de.1: -2, en.5: 7", "de.1: 0, en.5: 1"),
        ],
        ids=["of months", "of languages and ratings"],
    )
    def test_that_are_wrong_are_found_and_recounted(self, comment, wrong, stored, expected):
        settle(comment.product_id, wrong)
        assert [(d.stored, d.expected) for d in mended(comment)] == [(stored, expected)]
        counts = read_counts(comment.product_id, consistent=True)
        assert (counts.cells, counts.months) == ({("en", 5): 1}, {"2026-11": 1})


class TestKeys:
    @pytest.mark.parametrize("attribute", ["l", "r", "b"])
    def test_that_are_wrong_are_found_and_derived_anew(self, comment, attribute):
        right = find_comment(comment.id)
        spoil(comment, attribute, {"S": "PRODUCT#other"})
        assert [difference.kind for difference in mended(comment)] == ["keys"]
        assert find_comment(comment.id) == right


class TestBodies:
    def test_without_a_comment_are_found_and_deleted(self, comment):
        key = comment_key(comment.id)
        client().put_item(
            TableName=Comment.Meta.table_name,
            Item={"pk": {"S": f"{key}-gone"}, "sk": {"S": BODY}, "x": {"S": "text"}},
        )
        assert mended(replace(comment, id=f"{comment.id}-gone", product_id="none"))

    @pytest.mark.parametrize(
        ("attribute", "value"), [("x", {"S": "Other"}), ("m", {"N": "9"}), ("d", {"B": b"other"})]
    )
    def test_that_lists_show_otherwise_are_shown_as_they_are(self, comment, attribute, value):
        right = load_comment(comment.id)
        spoil(comment, attribute, value)
        assert [difference.kind for difference in mended(comment)] == ["excerpt"]
        assert load_comment(comment.id) == right

    def test_that_are_lost_are_told(self, comment):
        key = {"pk": {"S": comment_key(comment.id)}, "sk": {"S": BODY}}
        client().delete_item(TableName=Comment.Meta.table_name, Key=key)
        (lost,) = differences(comment)
        assert lost.expected == "a body, which is lost"
        assert lost.repair is None


class TestCountersSpreadOverShards:
    @pytest.fixture
    def spread(self, comment):
        """A comment that somebody found helpful, its tally and counts in two shards each."""
        cast_vote(comment_id=comment.id, user_id="bob")
        counters().spread(comment.product_id)
        tallies().spread(comment.id)
        return comment

    def test_are_hinted_at_and_folded(self, spread):
        found = mended(spread)
        assert [(d.subject, d.stored, d.expected, d.is_hint) for d in found] == [
            (f"counts of {spread.product_id}", "2", "1", True),
            (f"votes of comment {spread.id}", "2", "1", True),
        ]
        assert read_counts(spread.product_id, consistent=True).total == 1
        assert count_votes(spread.id) == 1

    def test_are_no_error_of_the_command(self, spread, capsys):
        for options, is_mended in (([], False), (["--repair"], True)):
            with suppress(SystemExit):  # other tests may have lost a body on purpose
                call_command("check_integrity", "--only=comments", "--json", *options)
            told = json.loads(capsys.readouterr().out)
            mine = [row for row in told["hints"] if spread.product_id in row["subject"]]
            assert [row["mended"] for row in mine] == [is_mended]
            assert not [row for row in told["found"] if row["kind"] == "shards"]


class TestTheCommand:
    def test_repairs_and_tells_in_json(self, comment, capsys):
        settle(comment.product_id, {"en.5": 7})
        with pytest.raises(SystemExit):
            call_command("check_integrity", "--only=comments", "--json")
        before = json.loads(capsys.readouterr().out)
        assert before["left"] >= 1
        with suppress(SystemExit):  # other tests may have lost a body on purpose
            call_command("check_integrity", "--only=comments", "--repair", "--json")
        after = json.loads(capsys.readouterr().out)
        mine = [row for row in after["found"] if comment.product_id in row["subject"]]
        assert [row["mended"] for row in mine] == [True]


LATER = START + timedelta(days=1)
Write = Callable[[NewComment], object]


def another(comment: NewComment) -> NewComment:
    return replace(comment, id=f"{comment.id}-2", created_at=LATER)


def edit(comment: NewComment, **what: Any) -> None:
    edit_comment(load_comment(comment.id), now=LATER, **what)


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
    "a vote": lambda c: cast_vote(comment_id=c.id, user_id="reader"),
    "a reply": lambda c: reply_to(
        comment_id=c.id, user_id="sam", text="Thanks", seen=None, now=LATER
    ),
    "a deletion": lambda c: delete_comment(c.id, now=LATER),
}


class TestAWriteMadeWhileTheTableIsRead:
    @pytest.mark.parametrize("name", WRITES)
    def test_is_no_difference(self, comment, written_meanwhile, name):
        written_meanwhile(lambda: WRITES[name](comment))
        assert differences(comment) == []

    def test_does_not_hide_what_is_wrong(self, comment, written_meanwhile):
        settle(comment.product_id, {"en.5": 7})
        written_meanwhile(lambda: add_comment(another(comment)))
        (found,) = differences(comment)
        assert (found.stored, found.expected) == ("en.5: 8", "en.5: 2")
        assert found.repair is not None
        assert found.repair()
        assert read_counts(comment.product_id, consistent=True).cells == {("en", 5): 2}


def test_a_product_that_is_never_at_rest_is_busy(comment, monkeypatch):
    settle(comment.product_id, {"de.1": 1})
    count, number = check.count_all, iter(range(1_000))

    def count_late(product_id: str) -> Any:
        counted = count(product_id)
        if product_id == comment.product_id:
            add_comment(replace(comment, id=f"{comment.id}-{next(number)}"))
        return counted

    monkeypatch.setattr(check, "count_all", count_late)
    (found,) = differences(comment)
    assert (found.kind, found.is_busy, found.repair) == ("counts", True, None)


@pytest.mark.parametrize("error", [None, Contended()])
def test_a_difference_that_changes_before_it_is_mended_is_busy(monkeypatch, capsys, error):
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
