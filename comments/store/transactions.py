"""One transaction for comments and their counts: the way every change is made."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from comments.models import TABLE
from comments.store.comments import EXPIRY
from comments.store.counts import Cell, cell, counters
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.writes.actions import Action
from dynamo.writes.counters import Deltas, write_counted
from dynamo.writes.transactions import Transactions


class CountChanges:
    """What a transaction adds to the counts of products, by language and rating."""

    def __init__(self) -> None:
        self._deltas: dict[str, Counter[str]] = {}

    def add(self, product_id: str, one: Cell, number: int) -> None:
        """Count comments of one language and rating of a product in, or out."""
        self._deltas.setdefault(product_id, Counter())[cell(*one)] += number

    @property
    def deltas(self) -> Deltas:
        """The changes by product."""
        return self._deltas


def write(actions: Sequence[Action], changes: CountChanges) -> None:
    """Write actions on comments, and with them the counts they change: all or nothing.

    Raises ConditionFailed with the numbers of ``actions``, Contended, and botocore's errors.
    """
    write_counted(
        actions,
        changes.deltas,
        transactions=Transactions(client()),
        counters=lambda _product_id: counters(),
    )


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition expression with its names and values."""

    expression: str
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)

    def spelled(self) -> dict[str, Any]:
        """Spell it as the parameters of an action."""
        parameters = {
            "ConditionExpression": self.expression,
            "ExpressionAttributeNames": self.names,
            "ExpressionAttributeValues": self.values,
        }
        return {name: value for name, value in parameters.items() if value}

    def __and__(self, other: "Condition") -> "Condition":
        """Give what requires both."""
        return Condition(
            f"({self.expression}) AND ({other.expression})",
            {**self.names, **other.names},
            {**self.values, **other.values},
        )


NEW = Condition("attribute_not_exists(pk)")
"""There is no such item yet."""


NEW_OR_DELETED = Condition("attribute_not_exists(pk) OR attribute_exists(#z)", {"#z": EXPIRY})
"""There is no such comment, or no longer: what is left is a tombstone."""


def unchanged(item: Item, *attributes: str) -> Condition:
    """Require that these attributes are as they are in ``item``, or missing as they are there."""
    there = [name for name in attributes if name in item]
    terms = [
        f"#{name} = :{name}" if name in item else f"attribute_not_exists(#{name})"
        for name in attributes
    ]
    return Condition(
        " AND ".join(terms),
        {f"#{name}": name for name in attributes},
        {f":{name}": item[name] for name in there},
    )


def put(item: Item, condition: Condition | None = None) -> Action:
    """Spell a put."""
    parameters = condition.spelled() if condition else {}
    return {"Put": {"TableName": TABLE, "Item": item} | parameters}


def update(
    key: Item, changes: Mapping[str, Mapping[str, Any] | None], condition: Condition
) -> Action:
    """Spell an update that sets attributes, and removes those that are to be None."""
    there = {name: value for name, value in changes.items() if value is not None}
    removed = [name for name in changes if name not in there]
    clauses = {
        "SET": [f"#{name} = :new_{name}" for name in there],
        "REMOVE": [f"#{name}" for name in removed],
    }
    return {
        "Update": {
            "TableName": TABLE,
            "Key": key,
            "UpdateExpression": " ".join(
                f"{verb} {', '.join(parts)}" for verb, parts in clauses.items() if parts
            ),
            "ConditionExpression": condition.expression,
            "ExpressionAttributeNames": {
                **condition.names,
                **{f"#{name}": name for name in changes},
            },
            "ExpressionAttributeValues": {
                **condition.values,
                **{f":new_{name}": value for name, value in there.items()},
            },
        }
    }


def check(key: Item, condition: Condition) -> Action:
    """Spell a condition on an item that is not written."""
    return {"ConditionCheck": {"TableName": TABLE, "Key": key} | condition.spelled()}


def delete(key: Item, condition: Condition | None = None) -> Action:
    """Spell a delete; without condition it is content when nothing is there."""
    parameters = condition.spelled() if condition else {}
    return {"Delete": {"TableName": TABLE, "Key": key} | parameters}


THERE = Condition("attribute_exists(pk) AND attribute_not_exists(#z)", {"#z": EXPIRY})
"""The comment has not been deleted, though it may be hidden."""
