"""The checks of the table ``shop`` by their names, and the one Scan that all of them share."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.upkeep.integrity import Difference, every_item
from shop.integrity.catalogue import CatalogueCheck
from shop.integrity.orders import OrderCheck
from shop.integrity.pickup_points import PickupCheck
from shop.table import TABLE, key_of


class Check(Protocol):
    """A check, which is passed items of the table and then yields what differs.

    ``takers`` registers functions by the prefixes of the partition key and sort key of the items
    that they are passed.
    """

    def takers(self) -> Mapping[tuple[str, str], Callable[[Item], None]]: ...

    def differences(self) -> Iterator[Difference]: ...


CHECKS: Mapping[str, type[Check]] = {
    "orders": OrderCheck,
    "catalogue": CatalogueCheck,
    "pickup": PickupCheck,
}


def shop_differences(names: Iterable[str]) -> Iterator[tuple[str, Difference]]:
    """Run checks by one Scan of the table; yield each difference with the name of its check.

    It costs half a unit for each 2 KB of the table: for a command, never for a page.
    """
    checks = {name: CHECKS[name]() for name in names}
    takers = [taker for check in checks.values() for taker in check.takers().items()]
    for item in every_item(client(), TABLE) if checks else ():
        partition, sort_key = key_of(item)
        for (partition_prefix, sort_prefix), take in takers:
            if partition.startswith(partition_prefix) and sort_key.startswith(sort_prefix):
                take(item)
    for name, check in checks.items():
        for difference in check.differences():
            yield name, difference
