"""An order as the actions of a transaction."""

from collections.abc import Sequence
from typing import Any

from dynamo.writes.actions import Action
from shop import keys
from shop.models import Order, OrderPointer, ShopItem
from shop.order_status import Status
from shop.orders.items import StatusChange, history_entry, wire

SPARSE_KEYS = ("order_open_date", "open_shard", "open_place")
"""The keys that a closed order does not have."""


def put_actions(items: Sequence[ShopItem]) -> dict[tuple[str, str], Action]:
    """Spell items as puts, by their table keys; what may be written once only is put if absent.

    Of those that are there already, `dynamo.writes.transactions.ConditionFailed` carries what is there.
    """
    return {(item.pk, item.sk): _put(item, if_absent=_is_unique(item)) for item in items}


def status_update(
    *, username: str, order_id: str, source: Status, target: StatusChange, derived: dict[str, str]
) -> Action:
    """Spell the update that takes an order to another status, if it is still in ``source``.

    Sets the derived keys that the new status has, and removes those it has not.
    """
    assigned: dict[str, Any] = {name: {"S": value} for name, value in derived.items()}
    assigned["status"] = {"S": target.status.value}
    removed = [name for name in SPARSE_KEYS if name not in derived]
    sets = [f"#{name} = :{name}" for name in assigned]
    sets.append("#history = list_append(#history, :entry)")
    removal = f" REMOVE {', '.join(f'#{name}' for name in removed)}" if removed else ""
    return {
        "Update": {
            "TableName": ShopItem.Meta.table_name,
            "Key": {"pk": {"S": keys.user(username)}, "sk": {"S": keys.order(order_id)}},
            "UpdateExpression": f"SET {', '.join(sets)}{removal}",
            "ConditionExpression": "#status = :source",
            "ExpressionAttributeNames": {
                f"#{name}": name for name in [*assigned, *removed, "history"]
            },
            "ExpressionAttributeValues": {
                **{f":{name}": value for name, value in assigned.items()},
                ":entry": {"L": Order.history.serialize([history_entry(target)])},
                ":source": {"S": source.value},
            },
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }


def _is_unique(item: ShopItem) -> bool:
    """Orders, and pointers that are no edges."""
    return isinstance(item, Order) or (isinstance(item, OrderPointer) and item.pk == item.sk)


def _put(item: ShopItem, *, if_absent: bool) -> Action:
    put: dict[str, Any] = {"TableName": ShopItem.Meta.table_name, "Item": wire(item)}
    if if_absent:
        put["ConditionExpression"] = "attribute_not_exists(pk)"
        put["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return {"Put": put}
