"""The check of the catalogue: what it finds, and that repairing mends it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from dynapages.lists import PageRequest
from dynapages.upkeep import Difference
from shop import keys
from shop.catalogue.also_bought import PURCHASE_KEYS
from shop.catalogue.items import EDGES
from shop.catalogue.queries import ProductOrder, find_product, list_category
from shop.catalogue.shelves import put_shelf
from shop.order_status import Status
from tests.support.catalogue.making import sell
from tests.support.catalogue.spoiling import (
    by_name_of,
    edge_of,
    found,
    mend,
    put_lamp,
    sell_to_someone,
    word_of,
)
from tests.support.shop.checks import Key, lose, spoil, stored

pytestmark = pytest.mark.usefixtures("tables")

WRONG_EDGES: dict[str, tuple[Sequence[str], dict[str, dict[str, str]]]] = {
    "no keys": (["data_partition", "data"], {}),
    "another datum": ([], {"data": {"S": "000000000001#lamp"}}),
    "another category's partition": ([], {"data_partition": {"S": "CATEGORY#elsewhere#PRICE#0"}}),
    "no such shard": ([], {"data_partition": {"S": "CATEGORY#elsewhere#PRICE#99999"}}),
    "another name": ([], {"name": {"S": "Another"}}),
    "another price": ([], {"unit_price_cents": {"N": "5"}}),
    "no currency": (["currency"], {}),
    "another name of the category": ([], {"category": {"S": "Another"}}),
}
WRONG_WORDS: dict[str, tuple[Sequence[str], dict[str, dict[str, str]]]] = {
    "another name at a word": ([], {"name": {"S": "Another"}}),
    "another price at a word": ([], {"unit_price_cents": {"N": "5"}}),
    "no price at a word": (["unit_price_cents"], {}),
    "other words": ([], {"words": {"S": "-another"}}),
    "no way to the category": (["trail"], {}),
    "a word before": ([], {"before": {"S": "la"}}),
}
WRONG_PURCHASES: dict[str, tuple[Sequence[str], dict[str, dict[str, str]]]] = {
    "no keys of a purchase": (["data_partition", "data", "order_status_date"], {}),
    "another datum of a purchase": ([], {"data": {"S": "2024-01-01#buyer"}}),
    "another date": ([], {"order_status_date": {"S": "BOUGHT#2024"}}),
    "another product's partition": ([], {"data_partition": {"S": "BOUGHT#another#0"}}),
}
"""What is taken away from an item, and what is written over it."""


@pytest.fixture
def lamp():
    return put_lamp()


@pytest.fixture
def buyer(lamp):
    return sell_to_someone(lamp)


@dataclass(frozen=True)
class Spoilt:
    """An item before it was spoilt, and what the differences that tell of it name."""

    kind: str
    key: Key
    before: dict[str, Any]
    name: str


@dataclass(frozen=True)
class Checked:
    """A check of many spoilt items at once, because each reads the whole table, and one after."""

    spoilt: dict[str, Spoilt]
    differences: list[Difference]
    mended: list[tuple[str, bool]]
    left: list[Difference]


@pytest.fixture(scope="module")
def checked(tables):
    """Every wrong edge and purchase, found, mended and looked for again."""
    spoilt = {}
    for case, (removed, values) in WRONG_EDGES.items():
        lamp = put_lamp()
        before = spoil(edge_of(lamp), *removed, **values)
        spoilt[case] = Spoilt("edge", edge_of(lamp), before, lamp.id)
    for case, (removed, values) in WRONG_WORDS.items():
        lamp = put_lamp()
        before = spoil(word_of(lamp), *removed, **values)
        spoilt[case] = Spoilt("word", word_of(lamp), before, lamp.id)
    bought = put_lamp()
    for case, (removed, values) in WRONG_PURCHASES.items():
        buyer = sell_to_someone(bought)
        key = keys.user(buyer), keys.bought(buyer, bought.id)
        before = spoil(key, *removed, **values)
        spoilt[case] = Spoilt("purchase", key, before, before["order_id"]["S"])
    names = [one.name for one in spoilt.values()]
    differences = found(*names)
    mended = [(d.subject, bool(d.repair and d.repair())) for d in differences]
    return Checked(spoilt, differences, mended, left=found(*names))


class TestTheCheck:
    def test_finds_nothing_wrong_with_what_the_shop_wrote(self, lamp, buyer):
        assert found(lamp.id, *lamp.category_slugs, buyer) == []

    @pytest.mark.parametrize("case", [*WRONG_EDGES, *WRONG_WORDS, *WRONG_PURCHASES])
    def test_finds_and_mends_what_an_item_shows_and_is_found_by(self, checked, case):
        spoilt = checked.spoilt[case]
        assert [d.kind for d in checked.differences if spoilt.name in d.subject] == [spoilt.kind]
        assert [done for subject, done in checked.mended if spoilt.name in subject] == [True]
        assert [d for d in checked.left if spoilt.name in d.subject] == []
        assert stored(spoilt.key) == spoilt.before

    def test_puts_both_edges_back_and_the_shelf(self, lamp):
        slug = lamp.category_slugs[1]
        keys_of_both = keys.product(lamp.id), keys.by_name(lamp.id)
        for key in keys_of_both:
            lose((keys.category(slug), key))
        put_shelf(slug)
        assert mend(lamp.id, slug) == [True] * 3
        assert found(lamp.id, slug) == []

    def test_takes_away_strays_and_their_place_on_the_shelf(self, lamp):
        stray, by_name = edge_of(other := put_lamp()), by_name_of(other)
        for key in (keys.product(lamp.id), keys.by_name(lamp.id)):
            edge = stored((keys.category(lamp.category_slugs[0]), key))
            spoil((stray[0], key), **edge | {"pk": {"S": stray[0]}})
        slug = other.category_slugs[0]
        put_shelf(slug)
        subjects = [difference.subject for difference in found(lamp.id)]
        assert subjects == [f"product {lamp.id} in {slug}"] * 2
        assert all(mend(lamp.id, slug))
        assert found(lamp.id, slug, other.id) == []
        assert (stored(stray), stored(by_name)) != (None, None)
        assert stored((stray[0], keys.product(lamp.id))) is None

    def test_takes_away_edges_to_a_product_that_is_gone(self, lamp):
        lose((keys.product(lamp.id), keys.product(lamp.id)))
        assert mend(lamp.id) == [True] * 5
        assert (stored(edge_of(lamp)), stored(by_name_of(lamp))) == (None, None)

    def test_puts_a_word_back_and_takes_away_that_of_another_name(self, lamp):
        lose(word_of(lamp))
        stray = keys.words("zeppelin"), f"zeppelin$lamp#{lamp.id}"
        spoil(stray, name={"S": "Lamp"}, words={"S": "-zeppelin"})
        assert [(d.kind, d.stored, d.expected) for d in found(lamp.id)] == [
            ("word", "item none", "item there"),
            ("word", "item there", "item none"),
        ]
        assert mend(lamp.id) == [True, True]
        assert (stored(word_of(lamp)) is None, stored(stray)) == (False, None)

    def test_leaves_the_words_of_a_product_that_was_renamed_meanwhile(self, lamp):
        lose(word_of(lamp))
        (difference,) = found(lamp.id)
        spoil((keys.product(lamp.id), keys.product(lamp.id)), name={"S": "New"})
        assert difference.repair is not None
        assert difference.repair() is False
        assert stored(word_of(lamp)) is None

    def test_takes_any_shard_that_is_read_for_right(self):
        lamps = [put_lamp() for _ in range(EDGES.count())]
        for shard, lamp in enumerate(lamps):
            stem = stored(edge_of(lamp))["data_partition"]["S"].rpartition("#")[0]
            spoil(edge_of(lamp), data_partition={"S": f"{stem}#{shard}"})
        assert found(*(lamp.id for lamp in lamps)) == []

    def test_tells_readers_of_a_shard_they_do_not_read(self, lamp):
        partition = stored(edge_of(lamp))["data_partition"]["S"]
        further = EDGES.count()
        spoil(edge_of(lamp), data_partition={"S": f"{partition.rpartition('#')[0]}#{further}"})
        (difference,) = found("edges")
        assert (difference.kind, difference.repair()) == ("shards", True)
        assert EDGES.count() == further + 1
        page = list_category(lamp.category_slugs[0], PageRequest(5), order=ProductOrder.CHEAPEST)
        assert [product.id for product in page.items] == [lamp.id]

    def test_mends_nothing_that_changes_at_this_very_moment(self, lamp):
        spoil(edge_of(lamp), name={"S": "Another"})
        (difference,) = found(lamp.id)
        spoil((keys.product(lamp.id), keys.product(lamp.id)), name={"S": "New"})
        assert difference.repair() is False
        assert stored(edge_of(lamp))["name"] == {"S": "Another"}

    @pytest.mark.parametrize("wrong", [None, "Renamed"])
    def test_finds_and_mends_a_wrong_way_to_a_product(self, lamp, wrong):
        node = (keys.product(lamp.id), keys.product(lamp.id))
        trail = [{"M": {"slug": {"S": "x"}, "name": {"S": wrong}}}]
        before = spoil(node, "trail", **({"trail": {"L": trail}} if wrong else {}))
        assert [d.kind for d in found(lamp.id)] == ["trail", "word"]  # which shows it, too
        assert mend(lamp.id) == [True]
        assert stored(node) == before
        assert [step.slug for step in find_product(lamp.id).trail] == list(
            reversed(lamp.category_slugs)
        )

    def test_mends_a_way_and_the_words_that_show_it_in_one_go(self, lamp):
        wrong = {"L": [{"M": {"slug": {"S": "x"}, "name": {"S": "Elsewhere"}}}]}
        spoil((keys.product(lamp.id),) * 2, trail=wrong)
        before = spoil(word_of(lamp), trail=wrong)
        assert mend(lamp.id) == [True, True]
        assert stored(word_of(lamp)) == before
        assert found(lamp.id) == []


class TestTheCheckOfPurchases:
    def test_finds_and_mends_one_that_is_listed_although_its_order_is_not_delivered(self, lamp):
        buyer = sell_to_someone(lamp)
        key = (keys.user(buyer), keys.bought(buyer, lamp.id))
        listed = stored(key) or {}
        again = sell_to_someone(lamp, Status.RETURNED)
        other = (keys.user(again), keys.bought(again, lamp.id))
        before = spoil(other, **{name: listed[name] for name in PURCHASE_KEYS})
        name = before["order_id"]["S"]
        assert [d.kind for d in found(name)] == ["purchase"]
        assert mend(name) == [True]
        assert stored(other) == before

    def test_mends_nothing_that_was_bought_again_meanwhile(self, lamp, buyer):
        key = (keys.user(buyer), keys.bought(buyer, lamp.id))
        order = spoil(key, "data")["order_id"]["S"]
        (difference,) = found(order)
        sell(buyer, [lamp.id], day=9, status=Status.PLACED)
        assert difference.repair() is False
        assert found(buyer) == []
