"""Queries as strict as Amazon's: what AWS refuses and the engines of the tests let pass.

moto takes a start key of another partition, dynoxide one from outside the range asked for;
AWS answers both with a ValidationException. `refuse_what_aws_refuses` brings that to any client.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from botocore.exceptions import ClientError

from dynapages.items import Item, key_value
from dynapages_testing.expressions import refuse_other_letters

Value = Mapping[str, Any]
Request = Mapping[str, Any]

_NAME, _VALUE = r"([#\w.]+)", r"(:\w+)"
_TERMS = re.compile(
    rf"begins_with ?\({_NAME}, ?{_VALUE}\)"
    rf"|{_NAME} BETWEEN {_VALUE} AND {_VALUE}"
    rf"|{_NAME} ?(<=|>=|<|>|=) ?{_VALUE}"
)
_BETWEEN_TERMS = {"", "AND"}


@dataclass(frozen=True, slots=True)
class KeySchema:
    """The key attributes of an index or a table, and those of its table."""

    partition: tuple[str, ...]
    sort: tuple[str, ...]
    table: tuple[str, ...]

    @property
    def names(self) -> set[str]:
        return {*self.partition, *self.sort, *self.table}


@dataclass(frozen=True, slots=True)
class KeyCondition:
    """Attributes that have a value, and the bounds of one more; each may itself be in or out."""

    equal: Mapping[str, Value]
    bounded: str | None = None
    prefix: str | bytes = ""
    low: Value | None = None
    high: Value | None = None
    low_is_in: bool = True
    high_is_in: bool = True

    def holds(self, item: Item) -> bool:
        """Return whether an item is within the condition, or a key."""
        for name, value in self.equal.items():
            # By value: an engine may write a number in another form.
            if name not in item or _comparable(item[name]) != _comparable(value):
                return False
        return self.bounded is None or self._is_within(_comparable(item[self.bounded]))

    def _is_within(self, value: Any) -> bool:
        if self.low is not None and not self._above(value, _comparable(self.low)):
            return False
        if self.high is not None and not self._below(value, _comparable(self.high)):
            return False
        return not self.prefix or value.startswith(self.prefix)

    def ends_at(self, key: Item, *, ascending: bool) -> bool:
        """Return whether nothing can follow a key: items with one key alone may be many."""
        if self.bounded is None:
            return False
        return key[self.bounded] == (self.high if ascending else self.low)

    def _above(self, value: Any, low: Any) -> bool:
        return bool(value >= low if self.low_is_in else value > low)

    def _below(self, value: Any, high: Any) -> bool:
        return bool(value <= high if self.high_is_in else value < high)


def key_condition(request: Request) -> KeyCondition:
    """Parse the KeyConditionExpression of a Query, as this library or PynamoDB spells it."""
    spelled = request["KeyConditionExpression"]
    between_terms = {each.strip(" ()") for each in _TERMS.sub("|", spelled).split("|")}
    assert between_terms <= _BETWEEN_TERMS, f"an unknown spelling: {spelled}"
    names = request.get("ExpressionAttributeNames", {})
    values = request["ExpressionAttributeValues"]
    equal: dict[str, Value] = {}
    bounds: dict[str, Any] = {}
    for begins, prefix, between, low, high, compared, operator, bound in _TERMS.findall(spelled):
        if operator == "=":
            equal[names.get(compared, compared)] = values[bound]
            continue
        assert not bounds, f"two bounds: {spelled}"
        name = begins or between or compared
        bounds["bounded"] = names.get(name, name)
        if begins:
            bounds |= {"prefix": _comparable(values[prefix]), "low": values[prefix]}
        elif between:
            bounds |= {"low": values[low], "high": values[high]}
        else:
            side = "low" if operator.startswith(">") else "high"
            bounds |= {side: values[bound], f"{side}_is_in": operator.endswith("=")}
    return KeyCondition(equal, **bounds)


def check_query(request: Request, schema_of: Callable[[str, str | None], KeySchema]) -> None:
    """Raise the ClientError that AWS would answer this Query with, if it would.

    ``schema_of`` gives the key attributes of a table and one of its indexes.
    """
    condition = key_condition(request)
    schema = schema_of(request["TableName"], request.get("IndexName"))
    _check_attributes(condition, schema)
    _check_values(request, condition, schema)
    start = request.get("ExclusiveStartKey")
    if start is None:
        return
    if start.keys() != schema.names or {"S": ""} in start.values():
        raise _refusal("The provided starting key is invalid")
    partition = {name: condition.equal[name] for name in schema.partition}
    if not KeyCondition(partition).holds(start):
        raise _refusal(
            "The provided starting key is outside query boundaries based on provided conditions"
        )
    ascending = request.get("ScanIndexForward", True)
    if not condition.holds(start) or condition.ends_at(start, ascending=ascending):
        raise _refusal("The provided starting key does not match the range key predicate")


def _check_attributes(condition: KeyCondition, schema: KeySchema) -> None:
    """Partition attributes are all given; sort attributes from the first on, the last bounded."""
    missing = [name for name in schema.partition if name not in condition.equal]
    if missing:
        raise _refusal(f"Query condition missed key schema element: {missing[0]}")
    asked = [name for name in condition.equal if name not in schema.partition]
    if condition.bounded is not None:
        asked.append(condition.bounded)
    if tuple(asked) != schema.sort[: len(asked)]:
        raise _refusal("Query key condition not supported")


def refuse_what_aws_refuses(client: Any) -> None:
    """Make a botocore client raise, before it calls, what AWS would answer with.

    It refuses expressions that are not ASCII as well: see `dynapages_testing.expressions`.
    """

    @cache
    def schema_of(table: str, index: str | None) -> KeySchema:
        described = client.describe_table(TableName=table)["Table"]
        kinds = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        indexes = [one for kind in kinds for one in described.get(kind, [])]
        schemas = [one["KeySchema"] for one in indexes if one["IndexName"] == index]
        table_key = _names_of(described["KeySchema"])
        (listed,) = [*schemas, described["KeySchema"]][:1]
        partition, sort = _names_of(listed, "HASH"), _names_of(listed, "RANGE")
        return KeySchema(partition, sort, table_key)

    def check(params: Request, **_: object) -> None:
        check_query(params, schema_of)

    client.meta.events.register("before-parameter-build.dynamodb.Query", check)
    refuse_other_letters(client)


def _names_of(schema: Sequence[Mapping[str, str]], *kinds: str) -> tuple[str, ...]:
    wanted = kinds or ("HASH", "RANGE")
    return tuple(part["AttributeName"] for part in schema if part["KeyType"] in wanted)


def _check_values(request: Request, condition: KeyCondition, schema: KeySchema) -> None:
    parts = ("KeyConditionExpression", "FilterExpression", "ProjectionExpression")
    spelled = " ".join(request.get(part, "") for part in parts)
    known = [*request["ExpressionAttributeValues"], *request.get("ExpressionAttributeNames", {})]
    unused = [name for name in known if not re.search(rf"{name}\b", spelled)]
    if unused:
        raise _refusal(f"Value provided but unused in expressions: {unused}")
    filtered = set(re.findall(r"#\w+", request.get("FilterExpression", "")))
    names = {request["ExpressionAttributeNames"][name] for name in filtered}
    if names & {*schema.partition, *schema.sort}:
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


def _comparable(value: Value) -> Any:
    return key_value(value)


def _refusal(message: str) -> ClientError:
    return ClientError({"Error": {"Code": "ValidationException", "Message": message}}, "Query")
