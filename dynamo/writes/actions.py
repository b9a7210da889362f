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


def put(
    model: type[Model], item: Item, condition: Condition | None = None, *, return_item: bool = False
) -> Action:
    """Build a put of a whole item into the table of ``model``.

    With ``return_item`` a condition that does not hold reports the item as it is.
    """
    return {"Put": _parameters(model, condition, return_item=return_item) | {"Item": item}}


def update(
    model: type[Model],
    key: Item,
    changes: Iterable[Change],
    condition: Condition | None = None,
    *,
    return_item: bool = False,
) -> Action:
    """Build an update of an item; ``changes`` as ``Comment.place.set(…)`` builds them."""
    built = _parameters(model, condition, changes=changes, return_item=return_item)
    return {"Update": built | {"Key": key}}


def check(model: type[Model], key: Item, condition: Condition) -> Action:
    """Build a condition on an item that is not written."""
    return {"ConditionCheck": _parameters(model, condition) | {"Key": key}}


def delete(model: type[Model], key: Item, condition: Condition | None = None) -> Action:
    """Build a delete; without a condition it succeeds where there is no item."""
    return {"Delete": _parameters(model, condition) | {"Key": key}}


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
    model: type[Model],
    condition: Condition | None,
    *,
    changes: Iterable[Change] = (),
    return_item: bool = False,
) -> dict[str, Any]:
    placeholders: dict[str, str] = {}
    values: dict[str, Any] = {}
    built = {
        "TableName": model.Meta.table_name,
        "UpdateExpression": Update(*changes).serialize(placeholders, values),
        "ConditionExpression": None
        if condition is None
        else condition.serialize(placeholders, values),
        "ExpressionAttributeNames": {name: path for path, name in placeholders.items()},
        "ExpressionAttributeValues": values,
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD" if return_item else None,
    }
    return {name: value for name, value in built.items() if value}
