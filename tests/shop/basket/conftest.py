"""What the tests of the basket share."""

import pytest

from tests.support.orders.making import put_product


@pytest.fixture
def lamp(fresh, tables) -> str:
    return put_product(fresh("lamp"), cents=1_999)
