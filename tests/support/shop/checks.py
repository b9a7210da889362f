"""The checks of the table ``shop``, one by itself."""

from collections.abc import Iterator

from dynamo.upkeep.integrity import Difference
from shop.integrity.checks import shop_differences


def differences(check: str) -> Iterator[Difference]:
    return (difference for _, difference in shop_differences([check]))
