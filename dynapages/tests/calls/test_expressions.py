"""Expressions as a person reads them."""

import pytest

from dynapages.calls.expressions import readable_conditions, readable_expression, readable_value


class TestAnExpression:
    def test_has_names_and_values_in_the_place_of_placeholders(self):
        line = readable_expression(
            "#rated = :r AND #at.#day > :from",
            {"#rated": "rated", "#at": "at", "#day": "day"},
            {":r": {"S": "lamp/4"}, ":from": {"N": "20"}},
        )
        assert line == "rated = 'lamp/4' AND at.day > 20"

    def test_tells_placeholders_apart_that_begin_alike(self):
        values = {":a": {"N": "1"}, ":ab": {"N": "2"}}
        assert readable_expression("x IN (:ab, :a)", {}, values) == "x IN (2, 1)"

    def test_replaces_nothing_in_a_value(self):
        values = {":a": {"S": ":b #c"}, ":b": {"N": "2"}}
        assert readable_expression("x = :a", {"#c": "c"}, values) == "x = ':b #c'"

    def test_is_one_line(self):
        assert readable_expression("a = b\n   AND c = d", {}, {}) == "a = b AND c = d"

    def test_keeps_a_placeholder_that_stands_for_nothing(self):
        assert readable_expression("#a = :b", {}, {}) == "#a = :b"


class TestLegacyConditions:
    def test_are_joined(self):
        conditions = {
            "rated": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "lamp/4"}]},
            "at": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "1"}, {"N": "2"}]},
        }
        assert readable_conditions(conditions) == "rated EQ 'lamp/4' AND at BETWEEN 1, 2"

    def test_may_have_no_value_and_another_operator(self):
        conditions = {
            "a": {"ComparisonOperator": "NULL"},
            "b": {"ComparisonOperator": "NOT_NULL"},
        }
        assert readable_conditions(conditions, "OR") == "a NULL OR b NOT_NULL"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"S": "it's\n"}, '"it\'s\\n"'),
        ({"N": "1.50"}, "1.50"),
        ({"B": b"\x00\xff"}, "0x00ff"),
        ({"BOOL": True}, "true"),
        ({"NULL": True}, "null"),
        ({"SS": ["a", "b"]}, "{'a', 'b'}"),
        ({"NS": ["1", "2"]}, "{1, 2}"),
        ({"BS": [b"\x01"]}, "{0x01}"),
        ({"L": [{"N": "1"}, {"L": []}]}, "[1, []]"),
        ({"M": {"a": {"BOOL": False}}}, "{a: false}"),
    ],
)
def test_a_value_is_readable(value, text):
    assert readable_value(value) == text
