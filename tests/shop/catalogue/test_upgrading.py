"""What an upgrade brings over, beside the same written by this version."""

import pytest

from dynapages.process import client, pool, write
from dynapages.upkeep import Migration
from dynapages.writes import ConditionFailed
from shop import keys
from shop.catalogue.services import ALSO_BOUGHT, PRODUCT_WORDS
from shop.order_status import Status
from tests.support.catalogue.making import sell
from tests.support.catalogue.spoiling import put_lamp, word_of
from tests.support.shop.checks import lose, spoil, stored

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


class TestAProductOfAVersionWithoutWords:
    def test_is_found_as_if_this_version_had_written_it(self):
        lamp = put_lamp()
        before = stored(word_of(lamp))
        lose(word_of(lamp))
        migration = Migration(client(), pool())
        assert migration.carry_out(PRODUCT_WORDS, restart=True).changed == 1
        assert stored(word_of(lamp)) == before
        assert migration.carry_out(PRODUCT_WORDS, restart=True).changed == 0

    def test_that_is_renamed_meanwhile_gets_no_old_word(self):
        lamp = put_lamp()
        lose(word_of(lamp))
        node = (keys.product(lamp.id),) * 2
        actions = PRODUCT_WORDS.derive(stored(node))
        spoil(node, name={"S": "Torch"})
        with pytest.raises(ConditionFailed):
            write(actions)
        assert stored(word_of(lamp)) is None

    def test_that_has_its_words_takes_no_write(self):
        lamp = put_lamp()
        assert PRODUCT_WORDS.derive(stored((keys.product(lamp.id),) * 2)) == []
