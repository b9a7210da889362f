"""Expressions as they are sent: ASCII alone, whatever the names and values of attributes are.

A letter of several bytes in an UpdateExpression ends dynoxide up to 1.2.1. Names and values of a
user belong into ExpressionAttributeNames and ExpressionAttributeValues, behind placeholders.
"""

from collections.abc import Iterator, Mapping
from typing import Any

PLACEHOLDERS = ("ExpressionAttributeNames", "ExpressionAttributeValues")


def texts_in(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield each expression and each placeholder in the parameters of a call."""
    for part in _parts_with_expressions(parameters):
        for name, value in part.items():
            if name in PLACEHOLDERS:
                yield from value
            elif name.endswith("Expression"):
                yield value


def _parts_with_expressions(parameters: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parameters, each action of a transaction, and what a batch reads of each table."""
    yield parameters
    for action in parameters.get("TransactItems", ()):
        yield from action.values()
    for of_table in parameters.get("RequestItems", {}).values():
        if isinstance(of_table, Mapping):
            yield of_table


def check_expressions(parameters: Mapping[str, Any]) -> None:
    """Raise AssertionError where an expression of a call is not ASCII."""
    for text in texts_in(parameters):
        assert text.isascii(), f"An expression is ASCII alone, and not {text}"


def refuse_other_letters(client: Any) -> None:
    """Make a client of botocore raise AssertionError for what `check_expressions` refuses."""

    def check(params: Mapping[str, Any], **_: object) -> None:
        check_expressions(params)

    client.meta.events.register("before-parameter-build.dynamodb.*", check)
