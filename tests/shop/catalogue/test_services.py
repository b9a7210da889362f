"""The catalogue: how it is written, how names sort, and trees of categories."""

from decimal import Decimal
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.calls import Pool
from dynapages.lists import every_entry
from shop.catalogue.content import (
    DEEPEST,
    MOST_CHILDREN,
    BrokenTree,
    CategoryTree,
    NewCategory,
    NewProduct,
)
from shop.catalogue.names import LONGEST_NAME, fold_name
from shop.catalogue.queries import (
    find_category,
    find_product,
    list_categories,
    list_products,
)
from shop.catalogue.services import EVERYTHING_ELSE, ensure_products, put_catalogue
from tests.support.catalogue.making import category

pytestmark = pytest.mark.usefixtures("tables")


def products_in(slug: str) -> dict[str, str]:
    items = [entry.item for entry in every_entry(partial(list_products, slug), at_once=500)]
    return {item["sk"]["S"].removeprefix("PRODUCT#"): item["name"]["S"] for item in items}


def categories() -> list[str]:
    edges = every_entry(list_categories, at_once=500)
    return [edge.item["sk"]["S"].removeprefix("CATEGORY#") for edge in edges]


@pytest.fixture
def lamps(fresh):
    return NewCategory(slug=fresh("lamps"), name="Lamps")


@pytest.fixture
def lamp(fresh, lamps):
    return NewProduct(
        id=fresh("lamp"),
        name="Desk lamp",
        category_slugs=(lamps.slug,),
        description="It shines.",
        unit_price_cents=4_990,
        currency="EUR",
    )


class TestPutCatalogue:
    def test_makes_a_product_with_its_description_price_and_category(self, lamps, lamp):
        put_catalogue(categories=[lamps], products=[lamp])
        found = find_product(lamp.id)
        assert (found.name, found.description) == ("Desk lamp", "It shines.")
        assert (found.unit_price, found.currency) == (Decimal("49.90"), "EUR")
        assert [(c.slug, c.name) for c in found.categories] == [(lamps.slug, "Lamps")]
        assert lamps.slug in categories()
        assert find_category(lamps.slug).name == "Lamps"
        assert products_in(lamps.slug) == {lamp.id: "Desk lamp"}


class TestEnsureProducts:
    def test_names_a_product_by_its_id_in_a_category_of_everything_else(self, fresh):
        product = fresh("product")
        assert ensure_products(product_ids=[product, product]) == 1
        assert find_product(product).name == product
        assert EVERYTHING_ELSE.slug in categories()
        assert find_category(EVERYTHING_ELSE.slug).name == "Everything else"
        assert products_in(EVERYTHING_ELSE.slug)[product] == product

    def test_creates_only_the_missing_ones(self, lamps, lamp, fresh):
        put_catalogue(categories=[lamps], products=[lamp])
        before = find_product(lamp.id)
        assert ensure_products(product_ids=[lamp.id]) == 0
        assert ensure_products(product_ids=[lamp.id, fresh("product")]) == 1
        assert find_product(lamp.id) == before

    @pytest.mark.real_engine
    def test_creates_each_once_when_many_ask_at_once(self, fresh):
        product = fresh("product")
        asked = Pool(4).gather([partial(ensure_products, product_ids=[product])] * 8)
        assert sum(asked) == 1


class TestATree:
    def test_gives_the_way_from_the_root(self):
        tree = CategoryTree.of([category("c", "b"), category("b", "a"), category("a")])
        assert [step.slug for step in tree.path("c")] == ["a", "b", "c"]

    def test_gives_the_longest_way_to_a_product(self):
        tree = CategoryTree.of([category("a"), category("b"), category("c", "b")])
        assert [step.slug for step in tree.deepest_path(("a", "c", "b"))] == ["b", "c"]
        assert [step.slug for step in tree.deepest_path(("b", "a"))] == ["b"]
        assert tree.deepest_path(()) == ()

    @pytest.mark.parametrize(
        "broken",
        [
            [category("a", "a")],
            [category("a", "b"), category("b", "a")],
            [category("a", "elsewhere")],
            [category(str(n), str(n - 1) if n else None) for n in range(DEEPEST + 1)],
            [category("a"), *(NewCategory(f"a{n}", "", "a") for n in range(MOST_CHILDREN + 1))],
        ],
    )
    def test_that_is_broken_is_refused_before_anything_is_written(self, broken):
        with pytest.raises(BrokenTree):
            put_catalogue(categories=broken, products=[])


class TestFolding:
    @pytest.mark.parametrize(
        ("name", "key"),
        [
            ("Desk Lamp", "desk-lamp"),
            ("  Café  Crème! ", "cafe-creme"),
            ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("Ærø Łódź", "aero-lodz"),
            ("İstanbul", "istanbul"),
            ("C#", "c"),
            ("日本語", "日本語"),
            ("हिन्दी", "हिनदी"),
            ("🙂", ""),
            ("", ""),
        ],
    )
    def test_keeps_the_words_alone(self, name, key):
        assert fold_name(name) == key

    @pytest.mark.parametrize(
        ("earlier", "later"),
        [("Ärmel", "Zebra"), ("zebra", "Zoo"), ("Lamp", "Lamp shade"), ("Lamp 1", "Lamps")],
    )
    def test_puts_names_in_the_order_of_a_dictionary(self, earlier, later):
        assert f"{fold_name(earlier)}#z" < f"{fold_name(later)}#a"

    @given(st.text())
    def test_holds_nothing_that_sorts_before_the_joint(self, name):
        assert all(letter >= "-" for letter in fold_name(name))

    @given(st.text(max_size=900))
    def test_fits_a_key(self, name):
        assert len(fold_name(name).encode()) <= LONGEST_NAME

    @given(st.text(max_size=50))
    def test_changes_nothing_the_second_time(self, name):
        assert fold_name(fold_name(name)) == fold_name(name)
