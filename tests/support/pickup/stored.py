"""Pickup points in the table: made far from those of other tests, and read back."""

from collections.abc import Callable
from typing import Any

from dynamo.calls.client import client
from shop import keys
from shop.models import ShopItem
from shop.pickup.cells import Coordinates
from shop.pickup.points import PickupPoint, area_key

TABLE = ShopItem.Meta.table_name
Fresh = Callable[[str], str]


def made_point(
    fresh: Fresh, place: tuple[float, float] = (38.7139, -9.1394), *, name: str = "Café Central"
) -> PickupPoint:
    return PickupPoint(
        fresh("point"), name, "Rua Direita 7, 1100-148 Lisboa", Coordinates.at(*place), "Daily 7-22"
    )


def get(partition: str, sort_key: str) -> dict[str, Any] | None:
    key = {"pk": {"S": partition}, "sk": {"S": sort_key}}
    return client().get_item(TableName=TABLE, Key=key, ConsistentRead=True).get("Item")


def put(item: dict[str, Any]) -> None:
    client().put_item(TableName=TABLE, Item=item)


def delete(partition: str, sort_key: str) -> None:
    client().delete_item(TableName=TABLE, Key={"pk": {"S": partition}, "sk": {"S": sort_key}})


def own_item(point: PickupPoint) -> dict[str, Any] | None:
    key = keys.pickup_point(point.id)
    return get(key, key)


def area_item(point: PickupPoint) -> dict[str, Any] | None:
    return get(*area_key(point))
