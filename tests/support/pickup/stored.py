"""Pickup points in the table: made far from those of other tests, and read back."""

from collections.abc import Callable
from typing import Any

from dynamo.calls.client import client
from shop import keys
from shop.models import ShopItem
from shop.pickup.coordinates import Coordinates
from shop.pickup.directory import deltas_into_cap
from shop.pickup.points import PickupPoint, area_key, area_key_without_caps
from shop.pickup.writing import put_points
from shop.table import write_with_counts

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


def put_without_caps(point: PickupPoint) -> None:
    """Store a point near a pole as versions did that knew no caps."""
    put_points([point])
    item, outside = area_item(point), area_key_without_caps(point)
    assert item is not None
    assert outside is not None
    delete(*area_key(point))
    put(item | {"pk": {"S": outside[0]}, "sk": {"S": outside[1]}})
    moved = deltas_into_cap(point).items()
    write_with_counts([], {name: {c: -n for c, n in cells.items()} for name, cells in moved})
