"""What imports of orders do to the catalogue: nothing to products that are there, unless asked."""

from typing import Any

import pytest

from dynapages.lists import PageRequest
from shop import keys
from shop.accounts.queries import find_user
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.queries import find_category, find_product, list_category
from shop.catalogue.services import put_catalogue
from shop.catalogue.tiles import NoSuchProduct
from shop.models import Product
from tests.support.catalogue.making import category
from tests.support.shop.checks import differences
from tests.support.shop.olist_folders import (
    CATEGORIES,
    CUSTOMERS,
    ITEMS,
    ORDERS,
    PRODUCTS,
    OlistFolder,
)
from tests.support.shop.olist_loading import import_folder

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def stand(fresh):
    """A product of the shop's own, in a category that is in another."""
    slug = fresh("desks")
    inner = f"{slug}-in"
    product = NewProduct(fresh("stand"), "Laptop stand", (inner,), "", 5_800, "EUR")
    put_catalogue(categories=[category(slug), category(inner, slug)], products=[product])
    return product


@pytest.fixture
def sell(fresh, tmp_path):
    """Import one order of a product, in a category or in none."""

    def sell(product_id: str, day: str, price: str, *, kind: str = "", **options: Any) -> Any:
        folder, alex = OlistFolder(), fresh("alex")
        if kind:
            folder.add(CATEGORIES, kind, kind)
            folder.add(PRODUCTS, product_id, kind)
        folder.add_order(f"{alex}-1", alex, "created", f"{day} 10:00:00")
        folder.add(ITEMS, f"{alex}-1", "1", product_id, price)
        return import_folder(folder.write(tmp_path), **options)

    return sell


def shown(product_id: str) -> tuple[str, str, list[str]]:
    product = find_product(product_id)
    price = f"{product.unit_price} {product.currency}"
    return product.name, price, [category.slug for category in product.categories]


def is_whole(*names: str) -> bool:
    return not [d for d in differences("catalogue") if any(name in d.subject for name in names)]


OWN = ("Laptop stand", "58.00 EUR")


class TestAProductOfTheShop:
    @pytest.mark.parametrize("options", [{}, {"update_products": True}])
    def test_is_left_alone(self, stand, sell, options):
        counts = sell(stand.id, "2015-01-01", "1.50", kind="casa", **options)
        assert shown(stand.id) == (*OWN, list(stand.category_slugs))
        assert (counts["products"], counts["products_created"]) == (1, 0)

    def test_gets_only_a_price_where_the_files_do_not_name_it(self, stand, sell):
        counts = sell(stand.id, "2015-01-01", "1.50", update_shop_products=True)
        assert shown(stand.id) == ("Laptop stand", "1.50 BRL", list(stand.category_slugs))
        assert counts["products_updated"] == 1
        assert is_whole(stand.id, *stand.category_slugs)

    def test_is_renamed_and_moved_where_the_files_say_so(self, stand, sell, fresh):
        kind = fresh("casa")
        sell(stand.id, "2015-01-01", "1.50", kind=kind, update_shop_products=True)
        named = f"{kind.capitalize()} {stand.id[:8]}"
        assert shown(stand.id) == (named, "1.50 BRL", [kind])
        assert is_whole(stand.id, kind, *stand.category_slugs)


class TestAnImportedProduct:
    @pytest.fixture
    def lamp(self, fresh, sell):
        lamp: str = fresh("lamp")
        sell(lamp, "2018-01-05", "5.00", kind="casa")
        return lamp

    def test_knows_when_it_had_its_price(self, lamp):
        key = keys.product(lamp)
        assert Product.get(key, key).priced_at == "2018-01-05T10:00:00.000000Z"

    @pytest.mark.parametrize(
        ("day", "options", "price"),
        [
            ("2018-01-06", {}, "5.00 BRL"),
            ("2018-01-06", {"update_products": True}, "7.00 BRL"),
            ("2018-01-04", {"update_products": True}, "5.00 BRL"),
            ("2018-01-04", {"update_shop_products": True}, "5.00 BRL"),
        ],
    )
    def test_changes_by_newer_orders_if_asked_for(self, lamp, sell, day, options, price):
        sell(lamp, day, "7.00", kind="casa", **options)
        assert shown(lamp) == (f"Casa {lamp[:8]}", price, ["casa"])

    def test_leaves_its_former_category(self, lamp, sell, fresh):
        kind = fresh("jardim")
        sell(lamp, "2018-01-06", "7.00", kind=kind, update_products=True)
        assert shown(lamp) == (f"{kind.capitalize()} {lamp[:8]}", "7.00 BRL", [kind])
        casa = list_category("casa", PageRequest(500)).items
        assert lamp not in {product.id for product in casa}
        assert is_whole(lamp, kind)

    def test_is_not_changed_back_by_what_was_older_than_the_last_change(self, lamp, sell):
        sell(lamp, "2018-01-08", "5.00", kind="casa", update_products=True)
        sell(lamp, "2018-01-06", "7.00", kind="casa", update_products=True)
        assert shown(lamp)[1] == "5.00 BRL"

    def test_gets_back_what_an_interruption_left_out(self, lamp, sell):
        assert Product.find(keys.category("casa"), keys.product(lamp))
        for key in (keys.product(lamp), keys.by_name(lamp)):
            Product(keys.category("casa"), key).delete()
        sell(lamp, "2018-01-05", "5.00", kind="casa")
        assert is_whole(lamp)


class TestACategoryOfTheShop:
    def test_keeps_its_name_and_its_place(self, fresh, sell):
        outer, inner, lamp = fresh("home"), fresh("casa"), fresh("lamp")
        tree = [NewCategory(outer, "Home"), NewCategory(inner, "At home", outer)]
        put_catalogue(categories=tree, products=[])
        sell(lamp, "2018-01-05", "5.00", kind=inner)
        found = find_category(inner)
        assert (found.name, [step.slug for step in found.trail]) == ("At home", [outer])
        assert [step.slug for step in find_product(lamp).trail] == [outer, inner]
        assert is_whole(lamp, inner, outer)


class TestRejectedRows:
    @pytest.fixture
    def folder(self, stand, fresh):
        """An order of a new product and of one of the shop's."""
        self.alex, self.new = fresh("alex"), fresh("new")
        folder = OlistFolder()
        folder.add_order(f"{self.alex}-1", self.alex, "created", "2018-01-01 10:00:00")
        for number, product_id in enumerate([self.new, stand.id], 1):
            folder.add(ITEMS, f"{self.alex}-1", str(number), product_id, "1.50")
        return folder

    def test_create_no_product_and_change_none(self, folder, stand, tmp_path):
        folder.rows[ORDERS][0]["order_status"] = "lost"
        import_folder(folder.write(tmp_path), rejected=3, update_shop_products=True)
        assert shown(stand.id)[:2] == OWN
        with pytest.raises(NoSuchProduct):
            find_product(self.new)

    def test_of_orders_that_are_taken_have_no_effect_either(self, folder, stand, fresh, tmp_path):
        import_folder(folder.write(tmp_path))
        folder.rows[ORDERS][0]["order_purchase_timestamp"] = "2019-01-01 10:00:00"
        other, bob = fresh("other"), fresh("bob")
        folder.rows[ITEMS] = [folder.rows[ITEMS][0] | {"product_id": other}]
        folder.add(ITEMS, f"{self.alex}-1", "2", stand.id, "9.99")
        folder.rows[CUSTOMERS][0]["customer_unique_id"] = bob
        import_folder(folder.write(tmp_path), rejected=3, update_shop_products=True)
        assert shown(stand.id)[:2] == OWN
        assert find_user(bob) is None
        with pytest.raises(NoSuchProduct):
            find_product(other)
