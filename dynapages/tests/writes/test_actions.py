"""Actions of transactions: what expressions become, and that an engine accepts it."""

import pytest

from dynapages.items import Item, wire_key
from dynapages.process import client
from dynapages.writes.transactions import (
    ConditionFailed,
    Expression,
    check,
    parameters,
    put,
    unchanged,
    update,
    write_transaction,
)
from dynapages_testing.chance import unique

TABLE = unique("dynapages-test")
KEY = wire_key({"pk": "LETTER#1"})
FOURTH = Expression("SET #v = :v", {"#v": "v"}, {":v": {"N": "4"}})
IS_THIRD = Expression("#v = :v", {"#v": "v"}, {":v": {"N": "3"}})


class TestAnAction:
    def test_shares_its_names_between_changes_and_condition(self):
        built = parameters(update("letters", KEY, FOURTH, IS_THIRD))
        assert built["UpdateExpression"] == "SET #0 = :0"
        assert built["ConditionExpression"] == "#0 = :1"
        assert built["ExpressionAttributeNames"] == {"#0": "v"}
        assert built["ExpressionAttributeValues"] == {":0": {"N": "4"}, ":1": {"N": "3"}}

    def test_leaves_out_the_names_and_values_that_an_expression_does_not_use(self):
        unused = Expression("attribute_exists(pk)", {"#v": "v"}, {":v": {"N": "3"}})
        built = parameters(update("letters", KEY, FOURTH, unused))
        assert built["ConditionExpression"] == "attribute_exists(pk)"
        assert list(built["ExpressionAttributeValues"]) == [":0"]

    def test_keeps_the_steps_of_a_path(self):
        nested = Expression("SET #a.#b[0] = :v", {"#a": "a.1", "#b": "b"}, {":v": {"N": "4"}})
        built = parameters(update("letters", KEY, nested))
        assert built["UpdateExpression"] == "SET #0.#1[0] = :0"
        assert built["ExpressionAttributeNames"] == {"#0": "a.1", "#1": "b"}


@pytest.fixture(scope="module")
def table(process, new_table):
    return new_table(TABLE)


@pytest.fixture
def stored(table, fresh):
    name = fresh("letter")
    item: Item = {**wire_key({"pk": name, "sk": name, "t": "Hello", "v": 3})}
    write_transaction(client(), [put(TABLE, item)])
    return item


def key_of(item: Item) -> Item:
    return {"pk": item["pk"], "sk": item["sk"]}


class TestOnAnEngine:
    def test_an_update_is_written_where_its_condition_holds(self, stored):
        write_transaction(client(), [update(TABLE, key_of(stored), FOURTH, IS_THIRD)])
        found = client().get_item(TableName=TABLE, Key=key_of(stored), ConsistentRead=True)
        assert found["Item"] == {**stored, "v": {"N": "4"}}

    def test_a_condition_that_does_not_hold_reports_the_item(self, stored):
        no_text, is_second = Expression("REMOVE t"), Expression("v = :v", {}, {":v": {"N": "2"}})
        refused = update(TABLE, key_of(stored), no_text, is_second, return_item=True)
        with pytest.raises(ConditionFailed) as raised:
            write_transaction(client(), [refused])
        assert raised.value.failed == {0: stored}

    def test_what_is_as_it_was_read_is_unchanged(self, stored):
        same = unchanged(stored, "t", "never there")
        write_transaction(client(), [check(TABLE, key_of(stored), same)])

    @pytest.mark.parametrize("read", [{"t": {"S": "Good-bye"}}, {}])
    def test_what_was_changed_or_added_since_is_not(self, stored, read):
        with pytest.raises(ConditionFailed):
            write_transaction(client(), [check(TABLE, key_of(stored), unchanged(read, "t"))])
