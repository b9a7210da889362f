"""Actions of TransactWriteItems, written with PynamoDB's expressions.

    update(Comment, key, [Comment.place.set(place)], Comment.version == 3)

An action is also the parameters of the single write of the same kind, by `parameters`. Follows
"TransactWriteItems" and "Expressions in DynamoDB" of the API reference and the Developer Guide.
"""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import and_
from typing import Any

from pynamodb.attributes import Attribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action as Change
from pynamodb.expressions.update import Update
from pynamodb.models import Model

from dynamo.items import Item, Value

Action = Mapping[str, Any]
"""One of the actions of TransactWriteItems: ``{"Put": …}``, ``{"Update": …}`` and so on."""

Table = type[Model] | str
"""A model, or the name of a table."""


def put(
    table: Table, item: Item, condition: Condition | None = None, *, return_item: bool = False
) -> Action:
    """Build a put of a whole item into ``table``.

    With ``return_item`` a condition that does not hold reports the item as it is.
    """
    return {"Put": _parameters(table, condition, return_item=return_item) | {"Item": item}}


def update(
    table: Table,
    key: Item,
    changes: Iterable[Change],
    condition: Condition | None = None,
    *,
    return_item: bool = False,
) -> Action:
    """Build an update of an item; ``changes`` as ``Comment.place.set(…)`` builds them."""
    built = _parameters(table, condition, changes=changes, return_item=return_item)
    return {"Update": built | {"Key": key}}


def check(table: Table, key: Item, condition: Condition) -> Action:
    """Build a condition on an item that is not written."""
    return {"ConditionCheck": _parameters(table, condition) | {"Key": key}}


def delete(table: Table, key: Item, condition: Condition | None = None) -> Action:
    """Build a delete; without a condition it succeeds where there is no item."""
    return {"Delete": _parameters(table, condition) | {"Key": key}}


def parameters(action: Action) -> Mapping[str, Any]:
    """Return the parameters of PutItem, UpdateItem or DeleteItem that do the same."""
    (found,) = action.values()
    return dict(found)


def unchanged(item: Item, *attributes: Attribute[Any]) -> Condition:
    """Require that each attribute is as it is in ``item``, or missing as it is there."""
    return reduce(and_, (_as_in(item, attribute) for attribute in attributes))


def set_or_remove(attribute: Attribute[Any], value: Value | None) -> Change:
    """Set an attribute to a value in wire form, or remove it where the value is None."""
    return attribute.remove() if value is None else attribute.set(value)


def _as_in(item: Item, attribute: Attribute[Any]) -> Condition:
    value = item.get(attribute.attr_name)
    return attribute.does_not_exist() if value is None else attribute == value


def _parameters(
    table: Table,
    condition: Condition | None,
    *,
    changes: Iterable[Change] = (),
    return_item: bool = False,
) -> dict[str, Any]:
    placeholders: dict[str, str] = {}
    values: dict[str, Any] = {}
    built = {
        "TableName": table if isinstance(table, str) else table.Meta.table_name,
        "UpdateExpression": Update(*changes).serialize(placeholders, values),
        "ConditionExpression": None
        if condition is None
        else condition.serialize(placeholders, values),
        "ExpressionAttributeNames": {name: path for path, name in placeholders.items()},
        "ExpressionAttributeValues": values,
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD" if return_item else None,
    }
    return {name: value for name, value in built.items() if value}
