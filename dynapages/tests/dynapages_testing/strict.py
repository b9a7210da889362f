"""Queries as strict as Amazon's: what AWS refuses and the engines of the tests let pass.

moto takes a start key of another partition, dynoxide one from outside the range asked for;
AWS answers both with a ValidationException. `refuse_what_aws_refuses` brings that to any client.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from botocore.exceptions import ClientError

from dynapages.items import key_value
from dynapages_testing.expressions import refuse_other_letters

Value = Mapping[str, Any]
Request = Mapping[str, Any]

_NAME, _VALUE = r"([#\w.]+)", r"(:\w+)"
_CONDITION = re.compile(
    rf"\(*{_NAME} ?= ?{_VALUE}\)*"
    rf"(?: AND \(*(?:begins_with ?\({_NAME}, ?{_VALUE}\)"
    rf"|{_NAME} BETWEEN {_VALUE} AND {_VALUE}"
    rf"|{_NAME} ?(<=|>=|<|>|=) ?{_VALUE}))?\)*"
)


@dataclass(frozen=True, slots=True)
class KeyCondition:
    """A partition, and the bounds of its sort keys; each bound may itself be in or out."""

    partition_key: str
    partition: Value
    sort_key: str | None = None
    prefix: str | bytes = ""
    low: Value | None = None
    high: Value | None = None
    low_is_in: bool = True
    high_is_in: bool = True

    def holds(self, sort_value: Value) -> bool:
        """Return whether a sort key is within the condition."""
        value = _comparable(sort_value)
        if self.low is not None and not self._above(value, _comparable(self.low)):
            return False
        if self.high is not None and not self._below(value, _comparable(self.high)):
            return False
        return not self.prefix or value.startswith(self.prefix)

    def ends_at(self, sort_value: Value, *, ascending: bool) -> bool:
        """Return whether nothing can follow a sort key: items with one key alone may be many."""
        return self.low != self.high and sort_value == (self.high if ascending else self.low)

    def _above(self, value: Any, low: Any) -> bool:
        return bool(value >= low if self.low_is_in else value > low)

    def _below(self, value: Any, high: Any) -> bool:
        return bool(value <= high if self.high_is_in else value < high)


def key_condition(request: Request) -> KeyCondition:
    """Parse the KeyConditionExpression of a Query, as this library or PynamoDB spells it."""
    match = _CONDITION.fullmatch(request["KeyConditionExpression"])
    assert match, f"an unknown spelling: {request['KeyConditionExpression']}"
    names = request.get("ExpressionAttributeNames", {})
    values = request["ExpressionAttributeValues"]
    p, p_value, begins, prefix, between, low, high, compared, operator, bound = match.groups()
    sort_key = begins or between or compared
    condition = {
        "partition_key": names.get(p, p),
        "partition": values[p_value],
        "sort_key": names.get(sort_key, sort_key),
    }
    if begins:
        return KeyCondition(**condition, prefix=_comparable(values[prefix]), low=values[prefix])
    if between:
        return KeyCondition(**condition, low=values[low], high=values[high])
    return KeyCondition(**condition, **_one_bound(operator, values.get(bound)))


def check_query(request: Request, key_names: Callable[[str, str | None], set[str]]) -> None:
    """Raise the ClientError that AWS would answer this Query with, if it would.

    ``key_names`` gives the names of all key attributes of a table and one of its indexes.
    """
    condition = key_condition(request)
    _check_values(request, condition)
    start = request.get("ExclusiveStartKey")
    if start is None:
        return
    if start.keys() != key_names(request["TableName"], request.get("IndexName")):
        raise _refusal("The provided starting key is invalid")
    if start[condition.partition_key] != condition.partition:
        raise _refusal(
            "The provided starting key is outside query boundaries based on provided conditions"
        )
    ascending = request.get("ScanIndexForward", True)
    if condition.sort_key is not None:
        value = start[condition.sort_key]
        if not condition.holds(value) or condition.ends_at(value, ascending=ascending):
            raise _refusal("The provided starting key does not match the range key predicate")


def refuse_what_aws_refuses(client: Any) -> None:
    """Make a botocore client raise, before it calls, what AWS would answer with.

    It refuses expressions that are not ASCII as well: see `dynapages_testing.expressions`.
    """

    @cache
    def key_names(table: str, index: str | None) -> set[str]:
        described = client.describe_table(TableName=table)["Table"]
        kinds = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        indexes = [one for kind in kinds for one in described.get(kind, [])]
        schemas = [one["KeySchema"] for one in indexes if one["IndexName"] == index]
        parts = [part for schema in [described["KeySchema"], *schemas] for part in schema]
        return {part["AttributeName"] for part in parts}

    def check(params: Request, **_: object) -> None:
        check_query(params, key_names)

    client.meta.events.register("before-parameter-build.dynamodb.Query", check)
    refuse_other_letters(client)


def _check_values(request: Request, condition: KeyCondition) -> None:
    parts = ("KeyConditionExpression", "FilterExpression", "ProjectionExpression")
    spelled = " ".join(request.get(part, "") for part in parts)
    known = [*request["ExpressionAttributeValues"], *request.get("ExpressionAttributeNames", {})]
    unused = [name for name in known if not re.search(rf"{name}\b", spelled)]
    if unused:
        raise _refusal(f"Value provided but unused in expressions: {unused}")
    filtered = set(re.findall(r"#\w+", request.get("FilterExpression", "")))
    names = {request["ExpressionAttributeNames"][name] for name in filtered}
    if names & {condition.partition_key, condition.sort_key}:
        raise _refusal("Filter Expression can only contain non-primary key attributes")
    if {"S": ""} in request["ExpressionAttributeValues"].values():
        raise _refusal("One or more parameter values are not valid: an empty string")
    if request.get("Limit", 1) < 1:
        raise _refusal("Member must have value greater than or equal to 1")
    if (
        condition.low
        and condition.high
        and _comparable(condition.low) > _comparable(condition.high)
    ):
        raise _refusal("The BETWEEN operator requires upper bound to be greater than or equal")


def _one_bound(operator: str | None, bound: Value | None) -> dict[str, Any]:
    if operator is None:
        return {}
    if operator == "=":
        return {"low": bound, "high": bound}
    side = "low" if operator.startswith(">") else "high"
    return {side: bound, f"{side}_is_in": operator.endswith("=")}


def _comparable(value: Value) -> Any:
    return key_value(value)


def _refusal(message: str) -> ClientError:
    return ClientError({"Error": {"Code": "ValidationException", "Message": message}}, "Query")
