"""The integrity of purchases: their keys, which the id of the order they lead to tells."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.upkeep.differences import difference
from dynamo.upkeep.integrity import Difference
from dynamo.writes.transactions import write_together
from shop import keys
from shop.catalogue.edge_keys import purchase_data
from shop.integrity.edge_items import PARTITION, TABLE, Key, read_again, wire_key, wrong_in
from shop.models import Purchase
from shop.orders.ids import moment_in

DERIVED = ("order_status_date", PARTITION, "data")


@dataclass(slots=True)
class PurchasesFound:
    """Purchases whose keys are to be looked at again; there are too many to keep them all."""

    keys: list[Key] = field(default_factory=list)

    def take(self, item: Item) -> None:
        """Look at a purchase."""
        if any(wrong_in(item, _expected(item, shards=1))):
            self.keys.append((item["pk"]["S"], item["sk"]["S"]))

    def differences(self, shards: int) -> Iterator[Difference]:
        """Compare the keys of purchases with those their orders tell."""
        for key in self.keys:
            stored = read_again([key]).get(key)
            if stored is None:
                continue
            expected = _expected(stored, shards=shards)
            wrong, right = wrong_in(stored, expected)
            if wrong:
                yield difference(
                    "purchase",
                    f"order {stored['order_id']['S']}",
                    wrong,
                    right,
                    repair=partial(_rewrite, stored, expected),
                )


def _expected(item: Item, *, shards: int) -> Purchase:
    """Build a purchase as it should be; one that leads to no order's id has no keys."""
    username = keys.username_in(item["pk"]["S"])
    product_id = item["sk"]["S"].removeprefix(keys.bought(username, ""))
    order_id = item.get("order_id", {"S": ""})["S"]
    derived: dict[str, Any]
    try:
        derived = purchase_data(username, product_id, moment_in(order_id), shards=shards)
    except ValueError:
        derived = {}
    return Purchase(
        pk=item["pk"]["S"],
        sk=item["sk"]["S"],
        username=username,
        order_id=order_id,
        **derived,
    )


def _rewrite(seen: Item, expected: Purchase) -> None:
    built = expected.serialize()
    names = [name for name in DERIVED if name in built]
    gone = [name for name in DERIVED if name not in built]
    sets = f"SET {', '.join(f'#{n} = :{n}' for n in names)}" if names else ""
    removes = f" REMOVE {', '.join(f'#{n}' for n in gone)}" if gone else ""
    update = {
        "TableName": TABLE,
        "Key": wire_key((expected.pk, expected.sk)),
        "UpdateExpression": f"{sets}{removes}".strip(),
        "ConditionExpression": "order_id = :seen",
        "ExpressionAttributeNames": {f"#{name}": name for name in (*names, *gone)},
        "ExpressionAttributeValues": {
            ":seen": seen["order_id"],
            **{f":{name}": built[name] for name in names},
        },
    }
    write_together(client(), [{"Update": update}])
