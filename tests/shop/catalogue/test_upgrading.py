"""What an upgrade brings over, beside the same written by this version."""

import pytest

from dynapages.process import client, pool
from dynapages.upkeep import Migration
from shop import keys
from shop.catalogue.services import ALSO_BOUGHT
from shop.order_status import Status
from tests.support.catalogue.making import sell
from tests.support.shop.checks import spoil, stored

pytestmark = pytest.mark.usefixtures("tables")


class TestAPurchaseOfTheFirstVersion:
    @pytest.fixture
    def edge(self, fresh):
        """The key of one, among a product's buyers in a second partition of them."""
        buyer, lamp, bulb = (fresh(name) for name in ("buyer", "lamp", "bulb"))
        sell(buyer, [lamp, bulb], day=1, status=Status.DELIVERED)
        return keys.user(buyer), keys.bought(buyer, lamp)

    def test_is_as_if_this_version_had_written_it(self, edge):
        before = stored(edge)
        partition = before["data_partition"]["S"]
        spoil(edge, "trail", data_partition={"S": f"{partition.removesuffix('0')}1"})
        migration = Migration(client(), pool())
        assert migration.carry_out(ALSO_BOUGHT, restart=True).changed >= 1
        assert stored(edge) == before
        assert migration.carry_out(ALSO_BOUGHT, restart=True).changed == 0

    def test_stays_as_it_is_with_nothing_to_note(self, fresh):
        buyer, lamp = fresh("buyer"), fresh("lamp")
        sell(buyer, [lamp], day=1, status=Status.DELIVERED)
        assert ALSO_BOUGHT.derive(stored((keys.user(buyer), keys.bought(buyer, lamp)))) == []
