"""Writes of the catalogue."""

from collections.abc import Callable
from functools import partial

import pytest

from dynamo.calls.pool import Pool
from dynamo.lists.reader import every_entry
from shop import keys
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.queries import find_category, find_product, list_categories, list_products
from shop.catalogue.services import EVERYTHING_ELSE, ensure_products, put_catalogue
from shop.models import Product

pytestmark = pytest.mark.usefixtures("tables")


def products_in(slug: str) -> dict[str, str]:
    items = [entry.item for entry in every_entry(partial(list_products, slug), at_once=500)]
    return {item["sk"]["S"].removeprefix("PRODUCT#"): item["name"]["S"] for item in items}


def categories() -> list[str]:
    edges = every_entry(list_categories, at_once=500)
    return [edge.item["sk"]["S"].removeprefix("CATEGORY#") for edge in edges]


@pytest.fixture
def lamps(fresh: Callable[[str], str]) -> NewCategory:
    return NewCategory(slug=fresh("lamps"), name="Lamps")


@pytest.fixture
def lamp(fresh: Callable[[str], str], lamps: NewCategory) -> NewProduct:
    return NewProduct(
        id=fresh("lamp"),
        name="Desk lamp",
        category_slugs=(lamps.slug,),
        description="It shines.",
        unit_price_cents=4_990,
        currency="EUR",
    )


class TestPutCatalogue:
    def test_makes_a_product_with_its_description_and_category(
        self, lamps: NewCategory, lamp: NewProduct
    ) -> None:
        put_catalogue(categories=[lamps], products=[lamp])
        found = find_product(lamp.id)
        assert (found.name, found.description) == ("Desk lamp", "It shines.")
        assert [(c.slug, c.name) for c in found.categories] == [(lamps.slug, "Lamps")]

    def test_leads_from_the_root_to_the_product(self, lamps: NewCategory, lamp: NewProduct) -> None:
        put_catalogue(categories=[lamps], products=[lamp])
        assert lamps.slug in categories()
        assert find_category(lamps.slug).name == "Lamps"
        assert products_in(lamps.slug) == {lamp.id: "Desk lamp"}

    def test_keeps_the_price(self, lamps: NewCategory, lamp: NewProduct) -> None:
        put_catalogue(categories=[lamps], products=[lamp])
        key = keys.product(lamp.id)
        item = Product.get(key, key)
        assert (item.unit_price_cents, item.currency) == (4_990, "EUR")

    def test_changes_nothing_the_second_time(self, lamps: NewCategory, lamp: NewProduct) -> None:
        put_catalogue(categories=[lamps], products=[lamp])
        before = find_product(lamp.id)
        put_catalogue(categories=[lamps], products=[lamp])
        assert find_product(lamp.id) == before
        assert products_in(lamps.slug) == {lamp.id: "Desk lamp"}


class TestEnsureProducts:
    def test_names_a_product_by_its_id(self, fresh: Callable[[str], str]) -> None:
        product = fresh("product")
        assert ensure_products(product_ids=[product, product]) == 1
        assert find_product(product).name == product

    def test_leads_from_the_root_to_it(self, fresh: Callable[[str], str]) -> None:
        product = fresh("product")
        ensure_products(product_ids=[product])
        assert EVERYTHING_ELSE.slug in categories()
        assert find_category(EVERYTHING_ELSE.slug).name == "Everything else"
        assert products_in(EVERYTHING_ELSE.slug)[product] == product

    def test_leaves_an_existing_product_alone(self, lamps: NewCategory, lamp: NewProduct) -> None:
        put_catalogue(categories=[lamps], products=[lamp])
        before = find_product(lamp.id)
        assert ensure_products(product_ids=[lamp.id]) == 0
        assert find_product(lamp.id) == before

    def test_creates_only_the_missing_ones(
        self, lamps: NewCategory, lamp: NewProduct, fresh: Callable[[str], str]
    ) -> None:
        put_catalogue(categories=[lamps], products=[lamp])
        new = fresh("product")
        assert ensure_products(product_ids=[lamp.id, new]) == 1
        assert find_product(lamp.id).name == "Desk lamp"

    @pytest.mark.real_engine
    def test_creates_each_once_when_many_ask_at_once(self, fresh: Callable[[str], str]) -> None:
        product = fresh("product")
        asked = Pool(4).gather([partial(ensure_products, product_ids=[product])] * 8)
        assert sum(asked) == 1
