"""The check of the catalogue: what it finds, and that repairing mends it."""

from collections.abc import Callable
from typing import Any

import pytest

from dynamo.client import client
from dynamo.integrity import Difference
from dynamo.reader import PageRequest
from shop import keys
from shop.catalogue_integrity import catalogue_differences
from shop.catalogue_patterns import ProductOrder
from shop.category_integrity import CategoriesFound
from shop.category_queries import list_category
from shop.edge_shards import count_edge_shards
from shop.items import NewProduct
from shop.models import ShopItem
from shop.order_status import Status
from shop.queries import NoSuchCategory, find_category, find_product
from shop.services import put_catalogue
from tests.shop.catalogue.making import category, sell

pytestmark = pytest.mark.usefixtures("tables")

TABLE = ShopItem.Meta.table_name
Key = tuple[str, str]


@pytest.fixture
def lamp(fresh: Callable[[str], str]) -> NewProduct:
    """A lamp in a category that is in another."""
    slug = fresh("shelf")
    product = NewProduct(fresh("lamp"), "Lamp", (f"{slug}-in", slug), "", 1_999, "EUR")
    put_catalogue(categories=[category(slug), category(f"{slug}-in", slug)], products=[product])
    return product


@pytest.fixture
def buyer(fresh: Callable[[str], str], lamp: NewProduct) -> str:
    username = fresh("buyer")
    sell(username, [lamp.id], day=3, status=Status.SHIPPED)
    return username


def edge_of(product: NewProduct) -> Key:
    return keys.category(product.category_slugs[0]), keys.product(product.id)


def by_name_of(product: NewProduct) -> Key:
    return keys.category(product.category_slugs[0]), keys.by_name(product.id)


def stored(key: Key) -> dict[str, Any] | None:
    wire_key = {"pk": {"S": key[0]}, "sk": {"S": key[1]}}
    return client().get_item(TableName=TABLE, Key=wire_key, ConsistentRead=True).get("Item")


def spoil(key: Key, *removed: str, **values: dict[str, Any]) -> dict[str, Any]:
    """Write what no service would write, and give what was there."""
    item = stored(key) or {"pk": {"S": key[0]}, "sk": {"S": key[1]}}
    kept = {name: value for name, value in item.items() if name not in removed}
    client().put_item(TableName=TABLE, Item={**kept, **values})
    return item


def lose(key: Key) -> None:
    client().delete_item(TableName=TABLE, Key={"pk": {"S": key[0]}, "sk": {"S": key[1]}})


def found(*names: str) -> list[Difference]:
    """The differences that tell of any of these names."""
    return [d for d in catalogue_differences() if any(name in d.subject for name in names)]


def mend(*names: str) -> list[bool]:
    """Mend as the command does: each as it is found, until nothing more is."""
    return [bool(d.mend and d.mend()) for d in found_lazily(*names)]


def found_lazily(*names: str):
    return (d for d in catalogue_differences() if any(name in d.subject for name in names))


class TestTheCheck:
    def test_finds_nothing_wrong_with_what_the_shop_wrote(self, lamp, buyer):
        assert found(lamp.id, *lamp.category_slugs, buyer) == []

    @pytest.mark.parametrize(
        ("removed", "values"),
        [
            (["data_partition", "data"], {}),
            ([], {"data": {"S": "000000000001#lamp"}}),
            ([], {"data_partition": {"S": "CATEGORY#elsewhere#PRICE#0"}}),
            ([], {"data_partition": {"S": "CATEGORY#elsewhere#PRICE#99999"}}),
            ([], {"name": {"S": "Another"}}),
            ([], {"unit_price_cents": {"N": "5"}}),
            (["currency"], {}),
            ([], {"category": {"S": "Another"}}),
        ],
    )
    def test_finds_and_mends_what_an_edge_shows_and_is_found_by(self, lamp, removed, values):
        before = spoil(edge_of(lamp), *removed, **values)
        assert [d.kind for d in found(lamp.id)] == ["edge"]
        assert mend(lamp.id) == [True]
        assert stored(edge_of(lamp)) == before
        assert found(lamp.id) == []

    def test_gives_an_edge_by_name_to_what_was_there_before_the_index(self, lamp):
        lose(by_name_of(lamp))
        spoil(edge_of(lamp), "data_partition", "data")
        assert mend(lamp.id) == [True, True]
        for order in (ProductOrder.NAME, ProductOrder.CHEAPEST):
            page = list_category(lamp.category_slugs[0], PageRequest(5), order=order)
            assert [product.id for product in page.products] == [lamp.id]

    def test_takes_away_an_edge_by_name_that_has_no_other(self, lamp):
        lose(edge_of(lamp))
        assert mend(lamp.id) == [True]
        assert stored(by_name_of(lamp)) is None

    def test_takes_away_edges_to_a_product_that_is_gone(self, lamp):
        lose((keys.product(lamp.id), keys.product(lamp.id)))
        assert mend(lamp.id) == [True] * 4
        assert (stored(edge_of(lamp)), stored(by_name_of(lamp))) == (None, None)

    def test_takes_any_shard_that_is_read_for_right(self, lamp):
        stem = stored(edge_of(lamp))["data_partition"]["S"].rpartition("#")[0]
        for shard in range(count_edge_shards()):
            spoil(edge_of(lamp), data_partition={"S": f"{stem}#{shard}"})
            assert found(lamp.id) == []

    def test_tells_readers_of_a_shard_they_do_not_read(self, lamp):
        partition = stored(edge_of(lamp))["data_partition"]["S"]
        further = count_edge_shards()
        spoil(edge_of(lamp), data_partition={"S": f"{partition.rpartition('#')[0]}#{further}"})
        (difference,) = found("edges")
        assert (difference.kind, difference.mend()) == ("shards", True)
        assert count_edge_shards() == further + 1
        page = list_category(lamp.category_slugs[0], PageRequest(5), order=ProductOrder.CHEAPEST)
        assert [product.id for product in page.products] == [lamp.id]

    def test_mends_nothing_that_changes_at_this_very_moment(self, lamp):
        spoil(edge_of(lamp), name={"S": "Another"})
        (difference,) = found(lamp.id)
        spoil((keys.product(lamp.id), keys.product(lamp.id)), name={"S": "New"})
        assert difference.mend() is False
        assert stored(edge_of(lamp))["name"] == {"S": "Another"}

    @pytest.mark.parametrize("wrong", [None, "Renamed"])
    def test_finds_and_mends_a_wrong_way_to_a_product(self, lamp, wrong):
        node = (keys.product(lamp.id), keys.product(lamp.id))
        trail = [{"M": {"slug": {"S": "x"}, "name": {"S": wrong}}}]
        before = spoil(node, "trail", **({"trail": {"L": trail}} if wrong else {}))
        assert [d.kind for d in found(lamp.id)] == ["trail"]
        assert mend(lamp.id) == [True]
        assert stored(node) == before
        assert [step.slug for step in find_product(lamp.id).trail] == list(
            reversed(lamp.category_slugs)
        )


class TestTheCheckOfCategories:
    def test_gives_a_place_in_the_tree_to_what_was_there_before_the_index(self, lamp):
        slug = lamp.category_slugs[1]
        before = spoil((keys.category(slug), keys.category(slug)), "data", "data_partition")
        assert mend(slug) == [True]
        assert stored((keys.category(slug), keys.category(slug))) == before

    def test_brings_a_new_name_to_all_that_shows_it(self, lamp):
        inner, slug = lamp.category_slugs
        spoil((keys.category(slug), keys.category(slug)), name={"S": "Renamed"})
        assert all(mend(slug, lamp.id))
        assert found(slug, lamp.id) == []
        assert [step.name for step in find_category(inner).trail] == ["Renamed"]
        assert find_product(lamp.id).trail[0].name == "Renamed"

    def test_takes_away_an_edge_from_where_a_category_is_no_more(self, lamp, fresh):
        inner = lamp.category_slugs[0]
        stale = (keys.category(fresh("elsewhere")), keys.category(inner))
        spoil(stale, name={"S": "Inner"})
        assert mend(inner) == [True]
        assert stored(stale) is None

    def test_takes_away_an_edge_to_a_category_that_is_gone(self, fresh):
        stale = (keys.ROOT, keys.category(fresh("gone")))
        spoil(stale, name={"S": "Gone"})
        assert mend(stale[1].removeprefix("CATEGORY#")) == [True]
        assert stored(stale) is None

    def test_leaves_an_edge_alone_whose_category_came_after_it_was_looked_for(self, lamp):
        edge = stored(
            (keys.category(lamp.category_slugs[1]), keys.category(lamp.category_slugs[0]))
        )
        assert edge is not None
        seen = CategoriesFound()
        seen.take(edge)
        assert list(seen.differences(1)) == []

    def test_puts_a_category_to_the_top_whose_way_is_broken(self, lamp):
        inner, slug = lamp.category_slugs
        lose((keys.category(slug), keys.category(slug)))
        with pytest.raises(NoSuchCategory):
            find_category(slug)
        assert all(mend(inner, slug))
        assert find_category(inner).trail == ()
        assert stored((keys.ROOT, keys.category(inner))) is not None


class TestTheCheckOfPurchases:
    @pytest.mark.parametrize(
        ("removed", "values"),
        [
            (["data_partition", "data", "order_status_date"], {}),
            ([], {"data": {"S": "2024-01-01#buyer"}}),
            ([], {"order_status_date": {"S": "BOUGHT#2024"}}),
            ([], {"data_partition": {"S": "BOUGHT#another#0"}}),
        ],
    )
    def test_finds_and_mends_wrong_keys(self, lamp, buyer, removed, values):
        key = (keys.user(buyer), keys.bought(buyer, lamp.id))
        before = spoil(key, *removed, **values)
        order = before["order_id"]["S"]
        (difference,) = found(order)
        assert difference.kind == "purchase"
        assert difference.mend() is True
        assert stored(key) == before
        assert found(order) == []

    def test_mends_nothing_that_was_bought_again_meanwhile(self, lamp, buyer):
        key = (keys.user(buyer), keys.bought(buyer, lamp.id))
        order = spoil(key, "data")["order_id"]["S"]
        (difference,) = found(order)
        sell(buyer, [lamp.id], day=9, status=Status.PLACED)
        assert difference.mend() is False
        assert found(buyer) == []
