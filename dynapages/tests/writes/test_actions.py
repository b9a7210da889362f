"""Actions of transactions: what PynamoDB's expressions become, and that an engine accepts it."""

import pytest
from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from dynapages.items import Item, wire_key
from dynapages.process import client
from dynapages.pynamodb.models import DynamoModel
from dynapages.writes.transactions import (
    ConditionFailed,
    check,
    parameters,
    put,
    unchanged,
    update,
    write_together,
)
from dynapages_testing.chance import unique

TABLE = unique("dynapages-test")


class Letter(DynamoModel):
    class Meta:
        table_name = "letters"

    key = UnicodeAttribute(attr_name="pk", hash_key=True)
    text = UnicodeAttribute(attr_name="t", null=True)
    version = NumberAttribute(attr_name="v", null=True)


KEY = wire_key({"pk": "LETTER#1"})
IS_THIRD = Letter.version == 3


class TestAnAction:
    def test_shares_its_names_between_changes_and_condition(self):
        built = parameters(update(Letter, KEY, [Letter.version.set(4)], IS_THIRD))
        assert built["UpdateExpression"] == "SET #0 = :0"
        assert built["ConditionExpression"] == "#0 = :1"
        assert built["ExpressionAttributeNames"] == {"#0": "v"}
        assert built["ExpressionAttributeValues"] == {":0": {"N": "4"}, ":1": {"N": "3"}}

    def test_keeps_dots_within_a_name(self):
        cell = NumberAttribute(attr_name="en.5")
        built = parameters(update(Letter, KEY, [cell.add(1)]))
        assert built["ExpressionAttributeNames"] == {"#0": "en.5"}


@pytest.fixture(scope="module")
def table(process, new_table):
    return new_table(TABLE)


@pytest.fixture
def stored(table, fresh):
    name = fresh("letter")
    item: Item = {**wire_key({"pk": name, "sk": name, "t": "Hello"}), "v": {"N": "3"}}
    write_together(client(), [put(TABLE, item)])
    return item


def key_of(item: Item) -> Item:
    return {"pk": item["pk"], "sk": item["sk"]}


class TestOnAnEngine:
    def test_an_update_is_written_where_its_condition_holds(self, stored):
        written = update(TABLE, key_of(stored), [Letter.version.add(1)], IS_THIRD)
        write_together(client(), [written])
        found = client().get_item(TableName=TABLE, Key=key_of(stored), ConsistentRead=True)
        assert found["Item"] == {**stored, "v": {"N": "4"}}

    def test_a_condition_that_does_not_hold_reports_the_item(self, stored):
        changes = [Letter.text.remove()]
        refused = update(TABLE, key_of(stored), changes, Letter.version == 2, return_item=True)
        with pytest.raises(ConditionFailed) as raised:
            write_together(client(), [refused])
        assert raised.value.failed == {0: stored}

    def test_what_is_as_it_was_read_is_unchanged(self, stored):
        never_there = UnicodeAttribute(attr_name="x")
        same = unchanged(stored, Letter.text, never_there)
        write_together(client(), [check(TABLE, key_of(stored), same)])

    @pytest.mark.parametrize("read", [{"t": {"S": "Good-bye"}}, {}])
    def test_what_was_changed_or_added_since_is_not(self, stored, read):
        same = unchanged(read, Letter.text)
        with pytest.raises(ConditionFailed):
            write_together(client(), [check(TABLE, key_of(stored), same)])
