"""PynamoDB's expressions in actions, and its models on the process's client."""

import pytest
from botocore.exceptions import ClientError
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import GetError
from pynamodb.expressions.update import Update

from dynapages.calls import NotSetUp, Throttled
from dynapages.items import wire_key
from dynapages.pynamodb import DynamoModel, set_or_remove, unchanged, update
from dynapages.writes import Expression, check, transactions
from dynapages.writes.transactions import parameters
from dynapages_testing.hooks import hooked


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

    def test_may_have_a_condition_in_plain_text_beside_changes_of_attributes(self):
        third = Expression("#v = :v", {"#v": "v"}, {":v": {"N": "3"}})
        built = parameters(transactions.update(Letter, KEY, Update(Letter.text.set("Hi")), third))
        assert built["UpdateExpression"] == "SET #0 = :0"
        assert built["ConditionExpression"] == "#1 = :1"

    def test_requires_what_was_read_and_what_was_missing(self):
        built = parameters(
            check(Letter, KEY, unchanged({"t": {"S": "Hi"}}, Letter.text, Letter.version))
        )
        assert built["ConditionExpression"] == "(#0 = :0 AND attribute_not_exists (#1))"

    def test_removes_what_has_no_value(self):
        built = parameters(update(Letter, KEY, [set_or_remove(Letter.text, None)]))
        assert built["UpdateExpression"] == "REMOVE #0"


class TestACallOfAModel:
    def test_raises_the_fault_of_a_missing_table(self):
        with pytest.raises(NotSetUp):
            Letter.get("LETTER#1")

    def test_raises_throttling_as_such(self):
        def throttle(**_: object) -> None:
            raise ClientError({"Error": {"Code": "ThrottlingException"}}, "GetItem")

        with hooked("before-call.dynamodb.GetItem", throttle), pytest.raises(Throttled):
            Letter.get("LETTER#1")

    def test_raises_what_pynamodb_does_where_the_request_is_wrong(self):
        def refuse(**_: object) -> None:
            raise ClientError({"Error": {"Code": "ValidationException"}}, "GetItem")

        with hooked("before-call.dynamodb.GetItem", refuse), pytest.raises(GetError):
            Letter.get("LETTER#1")
