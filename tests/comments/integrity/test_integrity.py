"""What does not add up is found, and mended."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from django.core.management import call_command

from comments.integrity.comments import comment_differences
from comments.items import NewComment
from comments.keys import BODY
from comments.keys import comment as comment_key
from comments.lists.queries import find_comment
from comments.models import Comment
from comments.store.counts import counters, counts_of, tallies
from comments.votes.queries import helpful_votes
from comments.votes.services import vote
from dynamo.calls.client import client
from dynamo.upkeep.integrity import Difference
from tests.support.comments.miscounting import settle

pytestmark = pytest.mark.usefixtures("tables")


def differences(comment: NewComment) -> list[Difference]:
    """What is found of one comment and its product."""
    mine = (comment.id, comment.product_id)
    return [d for d in comment_differences() if any(name in d.subject for name in mine)]


def mend(found: list[Difference]) -> bool:
    return all(difference.mend and difference.mend() for difference in found)


def set_attribute(comment: NewComment, name: str, value: str) -> None:
    key = {"S": comment_key(comment.id)}
    client().update_item(
        TableName=Comment.Meta.table_name,
        Key={"pk": key, "sk": key},
        UpdateExpression="SET #n = :v",
        ExpressionAttributeNames={"#n": name},
        ExpressionAttributeValues={":v": {"S": value}},
    )


class TestWhatIsAsItShouldBe:
    def test_shows_no_difference(self, comment):
        assert differences(comment) == []

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
        found = differences(comment)
        assert [(d.stored, d.expected) for d in found] == [(stored, expected)]
        assert mend(found)
        counts = counts_of(comment.product_id, consistent=True)
        assert (counts.cells, counts.months) == ({("en", 5): 1}, {"2026-11": 1})
        assert differences(comment) == []


class TestKeys:
    @pytest.mark.parametrize("attribute", ["l", "r", "b"])
    def test_that_are_wrong_are_found_and_derived_anew(self, comment, attribute):
        right = find_comment(comment.id)
        set_attribute(comment, attribute, "PRODUCT#other")
        found = differences(comment)
        assert [difference.kind for difference in found] == ["keys"]
        assert mend(found)
        assert differences(comment) == []
        assert find_comment(comment.id) == right


class TestBodies:
    def test_without_a_comment_are_found_and_deleted(self, comment):
        key = comment_key(comment.id)
        client().put_item(
            TableName=Comment.Meta.table_name,
            Item={"pk": {"S": f"{key}-gone"}, "sk": {"S": BODY}, "x": {"S": "text"}},
        )
        found = differences(replace(comment, id=f"{comment.id}-gone", product_id="none"))
        assert mend(found)
        assert differences(replace(comment, id=f"{comment.id}-gone", product_id="none")) == []

    def test_that_are_lost_are_told(self, comment):
        key = {"pk": {"S": comment_key(comment.id)}, "sk": {"S": BODY}}
        client().delete_item(TableName=Comment.Meta.table_name, Key=key)
        (lost,) = differences(comment)
        assert lost.expected == "a body, which is lost"
        assert lost.mend is None


class TestCountersSpreadOverShards:
    @pytest.fixture
    def spread(self, comment):
        """A comment that somebody found helpful, its tally and counts in two shards each."""
        vote(comment_id=comment.id, username="bob")
        counters().spread(comment.product_id)
        tallies().spread(comment.id)
        return comment

    def test_are_hinted_at_and_folded(self, spread):
        found = differences(spread)
        assert [(d.subject, d.stored, d.expected, d.is_hint) for d in found] == [
            (f"counts of {spread.product_id}", "2", "1", True),
            (f"votes of comment {spread.id}", "2", "1", True),
        ]
        assert mend(found)
        assert differences(spread) == []
        assert counts_of(spread.product_id, consistent=True).total == 1
        assert helpful_votes(spread.id) == 1

    def test_are_no_error_of_the_command(self, spread, capsys):
        command = ["check_integrity", "--only=comments", "--json"]
        with suppress(SystemExit):  # other tests may have lost a body on purpose
            call_command(*command, "--repair")
        counters().spread(spread.product_id)
        capsys.readouterr()
        for options, mended in (([], False), (["--repair"], True)):
            with suppress(SystemExit):
                call_command(*command, *options)
            told = json.loads(capsys.readouterr().out)
            mine = [row for row in told["hints"] if spread.product_id in row["subject"]]
            assert [row["mended"] for row in mine] == [mended]
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
