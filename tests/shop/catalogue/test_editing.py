"""Changes of single products and categories: all or nothing, repeatable, nothing overwritten."""

from dataclasses import replace

import pytest

from dynapages.lists import PageRequest
from shop.basket.basket import Basket
from shop.catalogue import editing
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.editing import (
    CategoryRefused,
    Changed,
    Saved,
    find_editable,
    find_editable_category,
    save_category,
    save_product,
)
from shop.catalogue.queries import (
    find_category,
    find_product,
    list_all_categories,
    list_all_products,
    list_categories,
    list_category,
)
from shop.catalogue.search import find_products, parse_search
from shop.catalogue.services import ensure_products, put_catalogue
from shop.catalogue.shelves import shelves_in
from shop.catalogue.tiles import NoSuchCategory, NoSuchProduct
from tests.support.catalogue.making import category
from tests.support.catalogue.switching import (
    put_back,
    put_back_category,
    take_off,
    take_off_category,
)
from tests.support.comments.faulty import before_the_next_transaction
from tests.support.shop.checks import differences

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def word(fresh):
    return fresh("w").replace("-", "")


@pytest.fixture
def shelf(fresh):
    slug = fresh("shelf")
    put_catalogue(categories=[category(slug)], products=[])
    return slug


@pytest.fixture
def lamp(fresh, word, shelf):
    product = NewProduct(fresh("lamp"), f"Lamp {word}", (shelf,), "Warm.", 1_999, "EUR")
    save_product(product)
    return product


def all_ids() -> list[str]:
    found, request = [], PageRequest(500)
    while True:
        page = list_all_products(request)
        found += [product.id for product in page.items]
        if (position := page.page.next_position) is None:
            return found
        request = PageRequest(500, position)


def ids_in(slug: str) -> list[str]:
    return [product.id for product in list_category(slug, PageRequest(99)).items]


def found_by(word: str) -> list[str]:
    return [product.id for product in find_products(parse_search(word), PageRequest(20)).items]


def on_shelf(slug: str) -> list[str]:
    shelves = shelves_in(list_categories(PageRequest(900)))
    return [one.id for shelf in shelves if shelf.category.slug == slug for one in shelf.products]


def places_of(product: NewProduct, word: str) -> list[list[str]]:
    """What each list has of a product that it is to be in alone."""
    (slug,) = product.category_slugs
    everywhere = [one for one in all_ids() if one == product.id]
    return [ids_in(slug), found_by(word), on_shelf(slug), everywhere]


def wrong_with(*names: str) -> list[str]:
    return [d.subject for d in differences("catalogue") if any(n in d.subject for n in names)]


class TestANewProduct:
    def test_is_in_all_lists(self, lamp, word):
        assert places_of(lamp, word) == [[lamp.id]] * 4
        assert wrong_with(lamp.id) == []

    def test_may_be_created_just_so_again(self, lamp):
        save_product(lamp)
        assert find_editable(lamp.id).content == lamp

    def test_replaces_no_other(self, lamp):
        with pytest.raises(Changed):
            save_product(replace(lamp, name="Torch"))
        assert find_product(lamp.id).name == lamp.name

    def test_needs_its_categories(self, fresh):
        with pytest.raises(NoSuchCategory):
            save_product(NewProduct(fresh("lamp"), "Lamp", ("no-such-category",)))


class TestAChangedProduct:
    def change(self, product: NewProduct, **values: object) -> NewProduct:
        changed = replace(product, **values)
        save_product(changed, version=find_editable(product.id).version)
        return changed

    def test_is_stored_whole(self, lamp, fresh):
        other = fresh("shelf")
        put_catalogue(categories=[category(other)], products=[])
        values = {"name": "Torch", "description": "", "unit_price_cents": 5, "external_id": "x"}
        changed = self.change(lamp, category_slugs=(other,), **values)
        assert find_editable(lamp.id).content == changed
        assert (ids_in(lamp.category_slugs[0]), on_shelf(other)) == ([], [lamp.id])
        assert wrong_with(lamp.id) == []

    @pytest.mark.parametrize("theirs", [{"description": "Bright."}, {"unit_price_cents": 5}])
    def test_is_not_lost_by_who_had_read_it_before(self, lamp, theirs):
        read = find_editable(lamp.id)
        self.change(lamp, **theirs)
        with pytest.raises(Changed) as caught:
            save_product(replace(lamp, name="Torch"), version=read.version)
        assert caught.value.stored.content == replace(lamp, **theirs)

    def test_is_not_lost_by_who_writes_at_the_same_moment(self, lamp):
        read = find_editable(lamp.id)
        meanwhile = replace(lamp, description="Bright.")
        with (
            before_the_next_transaction(lambda: save_product(meanwhile, version=read.version)),
            pytest.raises(Changed),
        ):
            save_product(replace(lamp, unit_price_cents=5), version=read.version)
        assert find_editable(lamp.id).content == meanwhile

    def test_may_be_sent_twice(self, lamp):
        read = find_editable(lamp.id)
        for _ in range(2):
            save_product(replace(lamp, name="Torch"), version=read.version)
        assert find_product(lamp.id).name == "Torch"

    def test_must_be_there(self, fresh):
        with pytest.raises(NoSuchProduct):
            save_product(NewProduct(fresh("lamp"), "Lamp", ()), version="x")

    def test_may_lack_categories(self, lamp):
        self.change(lamp, category_slugs=())
        assert lamp.id in all_ids()
        assert wrong_with(lamp.id) == []


class TestAProductTakenOff:
    def test_is_in_no_list(self, lamp, word):
        take_off(lamp.id)
        assert places_of(lamp, word) == [[], [], [], []]
        assert wrong_with(lamp.id) == []

    def test_cannot_be_bought_from_a_basket_that_holds_it(self, lamp):
        basket = Basket({"basket": {lamp.id: 1}})
        assert basket.priced().lines
        take_off(lamp.id)
        assert basket.priced().missing == (lamp.id,)

    def test_is_as_before_when_it_is_put_back(self, lamp, word):
        for change in (take_off, take_off, put_back, put_back):
            change(lamp.id)
        assert find_editable(lamp.id).content == lamp
        assert places_of(lamp, word) == [[lamp.id]] * 4

    def test_stays_off_when_it_is_changed_or_imported(self, lamp, word):
        take_off(lamp.id)
        stored = find_editable(lamp.id)
        renamed = replace(stored.content, name=f"Torch {word}")
        save_product(renamed, version=stored.version)
        for name in (f"Torch {word}", f"Light {word}"):
            imported = replace(lamp, name=name)
            put_catalogue(categories=[category(lamp.category_slugs[0])], products=[imported])
        assert places_of(lamp, word) == [[], [], [], []]

    def test_must_be_there(self, fresh):
        with pytest.raises(NoSuchProduct):
            take_off(fresh("lamp"))


class TestACategory:
    def in_the_tree(self, slug: str) -> list[tuple[str, list[str]]]:
        found = list_all_categories(PageRequest(900)).items
        return [(one.name, [s.slug for s in one.trail]) for one in found if one.slug == slug]

    def change(self, slug: str, **values: str | None) -> bool:
        read = find_editable_category(slug)
        saved = save_category(replace(read.content, **values), version=read.version)
        return not saved.copies_wait

    def test_is_created_below_another(self, shelf, fresh):
        slug = fresh("inner")
        saved = [save_category(NewCategory(slug, "Inner", shelf)) for _ in range(2)]
        assert saved == [Saved(is_new=True), Saved(is_new=False)]
        assert self.in_the_tree(slug) == [("Inner", [shelf])]
        assert [child.slug for child in find_category(shelf).children] == [slug]

    def test_replaces_no_other(self, shelf):
        with pytest.raises(Changed):
            save_category(NewCategory(shelf, "Another"))

    def test_that_is_renamed_is_called_so_everywhere(self, lamp, shelf):
        assert self.change(shelf, name="Lights")
        found = find_product(lamp.id)
        assert [step.name for step in (*found.trail, *found.categories)] == ["Lights", "Lights"]
        assert [s.category.name for s in shelves_in(list_categories(PageRequest(900)))].count(
            "Lights"
        )
        assert wrong_with(lamp.id, shelf) == []

    def test_moves_with_its_products(self, lamp, shelf, fresh):
        upper = fresh("upper")
        save_category(NewCategory(upper, "Upper"))
        assert self.change(shelf, parent=upper)
        assert [step.slug for step in find_product(lamp.id).trail] == [upper, shelf]
        assert on_shelf(shelf) == []
        assert self.change(shelf, parent=None)
        assert on_shelf(shelf) == [lamp.id]
        assert wrong_with(lamp.id, shelf, upper) == []

    def test_lies_in_one_that_there_is(self, shelf):
        with pytest.raises(CategoryRefused):
            self.change(shelf, parent="no-such-category")

    def test_does_not_lie_in_itself(self, shelf):
        with pytest.raises(CategoryRefused):
            self.change(shelf, parent=shelf)

    def test_does_not_come_to_lie_in_itself_when_two_move(self, shelf, fresh):
        other = fresh("other")
        save_category(NewCategory(other, "Other"))
        with (
            before_the_next_transaction(lambda: self.change(other, parent=shelf)),
            pytest.raises(CategoryRefused),
        ):
            self.change(shelf, parent=other)
        assert find_category(shelf).trail == ()

    def test_that_holds_others_is_not_moved(self, shelf, fresh):
        inner, other = fresh("inner"), fresh("other")
        save_category(NewCategory(inner, "Inner", shelf))
        save_category(NewCategory(other, "Other"))
        with pytest.raises(CategoryRefused):
            self.change(shelf, parent=other)
        with pytest.raises(CategoryRefused):
            take_off_category(shelf)

    def test_that_is_full_takes_no_other(self, shelf, fresh, monkeypatch):
        monkeypatch.setattr(editing, "MOST_CHILDREN", 1)
        save_category(NewCategory(fresh("inner"), "Inner", shelf))
        with pytest.raises(CategoryRefused):
            save_category(NewCategory(fresh("inner"), "Inner", shelf))


class TestACategoryTakenOff:
    def test_is_in_no_list_of_categories_and_its_products_stay(self, lamp, shelf, fresh):
        inner = fresh("inner")
        save_category(NewCategory(inner, "Inner", shelf))
        take_off_category(inner)
        assert find_category(shelf).children == ()
        take_off_category(shelf)
        assert shelf not in {one.slug for one in list_all_categories(PageRequest(900)).items}
        assert shelf not in {s.category.slug for s in shelves_in(list_categories(PageRequest(900)))}
        assert (find_category(shelf).is_off, ids_in(shelf)) == (True, [lamp.id])
        assert wrong_with(shelf, inner) == []

    def test_is_as_before_when_it_is_put_back(self, lamp, shelf):
        before = find_editable_category(shelf)
        for change in (take_off_category, take_off_category, put_back_category, put_back_category):
            assert not change(shelf).copies_wait
        assert find_editable_category(shelf) == before
        assert on_shelf(shelf) == [lamp.id]

    def test_stays_off_when_an_import_names_it(self, lamp, shelf):
        take_off_category(shelf)
        put_catalogue(categories=[category(shelf)], products=[lamp])
        assert find_category(shelf).is_off
        assert wrong_with(shelf) == []

    def test_must_be_there(self):
        with pytest.raises(NoSuchCategory):
            take_off_category("no-such-category")


class TestAProductOfAnImport:
    def test_is_among_all_products(self, fresh):
        ensure_products([one := fresh("loose")])
        assert one in all_ids()
