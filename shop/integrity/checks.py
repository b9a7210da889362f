"""The checks of the shop by their names: of the table ``shop``, and the counts of its log."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from dynapages.process import client
from dynapages.upkeep import Difference, Kind, find_differences
from shop.integrity.accounts import account_kinds
from shop.integrity.activity import activity_kinds
from shop.integrity.catalogue import catalogue_kinds
from shop.integrity.orders import order_kinds
from shop.integrity.pickup import pickup_kinds
from shop.table import TABLE

CHECKS: Mapping[str, Callable[[], Sequence[Kind]]] = {
    "accounts": account_kinds,
    "orders": order_kinds,
    "catalogue": catalogue_kinds,
    "pickup": pickup_kinds,
    "activity": activity_kinds,
}
"""Each returns its parts, the kinds of items that are compared."""


def shop_differences(names: Iterable[str]) -> Iterator[tuple[str, Difference]]:
    """Run checks by one Scan of the table; yield each difference with the name of its check."""
    checks = {name: CHECKS[name]() for name in names}
    return find_differences(client(), TABLE, checks)
