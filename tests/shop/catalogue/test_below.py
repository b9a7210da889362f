"""What is below a changed category follows it: whoever is killed, whatever changes meanwhile."""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from botocore.exceptions import EndpointConnectionError

from comments.testing.work import later
from dynapages.calls import metered
from dynapages.lists import PageRequest
from dynapages.process import client
from dynapages.work import Owed, worker
from dynapages.writes import write_transaction
from shop import keys
from shop.catalogue import below
from shop.catalogue.below import MOST_IN_REQUEST
from shop.catalogue.content import NewProduct
from shop.catalogue.editing import (
    find_editable,
    find_editable_category,
    save_category,
    save_product,
)
from shop.catalogue.queries import find_category, find_product, list_categories, list_category
from shop.catalogue.services import put_catalogue
from shop.catalogue.shelves import shelves_in
from shop.work import QUEUE
from tests.support.catalogue.making import category
from tests.support.catalogue.spoiling import found, mend
from tests.support.catalogue.switching import take_off_category
from tests.support.comments.faulty import Fault, Killed, before_the_next_transaction
from tests.support.shop.checks import spoil
from tests.support.work import finish_what_waits, work_off

pytestmark = pytest.mark.usefixtures("tables")

IN_ATTEMPT = 10
"""A bound of this test, so that few products are many."""


@pytest.fixture(autouse=True)
def few_in_an_attempt(monkeypatch):
    monkeypatch.setattr(below, "MOST_IN_ATTEMPT", IN_ATTEMPT)


@dataclass(frozen=True)
class Shop:
    """A category with one in it, which has one in it too, and products in each of them."""

    upper: str
    inner: str
    deep: str

    @property
    def lamps(self) -> list[str]:
        return [f"{self.upper}#{number:02}" for number in range(MOST_IN_REQUEST + IN_ATTEMPT + 3)]

    @property
    def both(self) -> str:
        """A product in the highest and in the lowest category."""
        return f"{self.upper}-both"

    def products(self) -> list[NewProduct]:
        made = [NewProduct(one, "Lamp", (self.upper,), "", 100, "EUR") for one in self.lamps]
        torches = [f"{self.deep}-{number:02}" for number in range(IN_ATTEMPT + 2)]
        made += [NewProduct(one, "Torch", (self.deep,)) for one in torches]
        made.append(NewProduct(f"{self.inner}-lamp", "Bulb", (self.inner,)))
        made.append(NewProduct(self.both, "Candle", (self.upper, self.deep)))
        return made


@pytest.fixture
def shop(fresh):
    upper = fresh("upper")
    made = Shop(upper, f"{upper}-inner", f"{upper}-deep")
    categories = [category(upper), category(made.inner, upper), category(made.deep, made.inner)]
    put_catalogue(categories=categories, products=made.products())
    return made


@pytest.fixture
def leaf(fresh):
    """A category without others in it, which may be moved."""
    slug = fresh("leaf")
    number = MOST_IN_REQUEST + IN_ATTEMPT + 3
    lamps = [NewProduct(f"{slug}-{n:02}", "Lamp", (slug,)) for n in range(number)]
    put_catalogue(categories=[category(slug)], products=lamps)
    return slug


def change(slug: str, **values: object) -> bool:
    read = find_editable_category(slug)
    saved = save_category(replace(read.content, **values), version=read.version)
    return not saved.copies_wait


def kill_after_the_transaction(slug: str, monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    """Change a category in a process that is killed before it does anything else."""

    def die(_slug: str) -> bool:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(below, "refresh_first", die)
        with pytest.raises(Killed):
            change(slug, **values)


def names_of(product_id: str) -> tuple[list[str], list[str]]:
    product = find_product(product_id)
    return [one.name for one in product.trail], [one.name for one in product.categories]


def owed_by(slug: str) -> list[Owed]:
    return [one for one in QUEUE.waiting() if one.payload.get("slug", "").startswith(slug)]


def lamps_on_shelf(slug: str) -> int:
    shelves = shelves_in(list_categories(PageRequest(900)))
    (number,) = [len(one.products) for one in shelves if one.category.slug == slug]
    return number


class TestWhatIsBelowACategory:
    def test_follows_when_the_worker_has_looked(self, shop):
        assert not change(shop.upper, name="Lights")
        assert found(shop.upper)
        work_off(QUEUE)
        assert found(shop.upper) == []
        inner = f"Category {shop.inner}"
        assert [step.name for step in find_category(shop.deep).trail] == ["Lights", inner]
        assert names_of(shop.lamps[-1]) == (["Lights"], ["Lights"])
        deep = f"Category {shop.deep}"
        assert names_of(shop.both) == (["Lights", inner, deep], ["Lights", deep])
        assert owed_by(shop.upper) == []

    def test_is_done_by_the_request_where_that_is_all(self, shop):
        assert change(shop.deep, name="Deep")
        assert found(shop.upper) == []
        assert owed_by(shop.upper) != []
        finish_what_waits()
        assert owed_by(shop.upper) == []

    def test_follows_when_the_process_was_killed_behind_the_transaction(self, shop, monkeypatch):
        kill_after_the_transaction(shop.upper, monkeypatch, name="Lights")
        assert names_of(shop.lamps[0]) == ([f"Category {shop.upper}"],) * 2
        work_off(QUEUE)
        assert found(shop.upper) == []
        assert names_of(shop.lamps[0]) == (["Lights"], ["Lights"])

    @pytest.mark.parametrize("number", [2, 5, 8, 12, 18])
    def test_follows_when_the_worker_was_killed_amid_it(self, shop, monkeypatch, number):
        kill_after_the_transaction(shop.upper, monkeypatch, name="Lights")
        fault = Fault("before it is sent", number, kills=True)
        with later(timedelta(seconds=30)), suppress(Killed), fault.injected():
            worker().look([QUEUE])
        assert fault.failed
        assert found(shop.upper)
        work_off(QUEUE)
        assert found(shop.upper) == []
        assert owed_by(shop.upper) == []

    def test_follows_where_the_database_fails_behind_the_transaction(self, shop, monkeypatch):
        def fail(_slug: str) -> bool:
            raise EndpointConnectionError(endpoint_url="nowhere")

        with monkeypatch.context() as patch:
            patch.setattr(below, "put_shelf", fail)
            assert not change(shop.deep, name="Deep")
        assert find_category(shop.deep).name == "Deep"
        work_off(QUEUE)
        assert found(shop.upper) == []

    def test_follows_where_another_category_leads_to_it(self, leaf, shop, fresh):
        lamp = fresh("lamp")
        save_product(NewProduct(lamp, "Lamp", (leaf, shop.deep)))
        change(leaf, name="Lights")
        work_off(QUEUE)
        assert find_product(lamp).trail[-1].slug == shop.deep
        assert "Lights" in names_of(lamp)[1]
        assert found(leaf) == []

    def test_is_written_once(self, shop, monkeypatch):
        """An attempt that finds all as it should be reads alone."""
        change(shop.upper, name="Lights")
        work_off(QUEUE)
        monkeypatch.setattr(below, "MOST_IN_ATTEMPT", 100)
        with metered() as meter:
            below.refresh_below({"slug": shop.upper})
        assert {call.operation for call in meter.log} <= {"Query", "BatchGetItem", "GetItem"}

    def test_is_on_the_shelf_of_the_front_page(self, leaf, fresh, monkeypatch):
        other = fresh("other")
        put_catalogue(categories=[category(other)], products=[])
        change(leaf, parent=other)
        kill_after_the_transaction(leaf, monkeypatch, parent=None)
        assert lamps_on_shelf(leaf) == 0
        work_off(QUEUE)
        assert lamps_on_shelf(leaf) == 6
        assert found(leaf) == []

    def test_is_left_to_the_check_where_it_lists_no_categories(self, shop, monkeypatch):
        lamp = shop.lamps[0]
        spoil((keys.product(lamp),) * 2, "categories")
        change(shop.upper, name="Lights")
        work_off(QUEUE)
        assert all(mend(lamp))
        assert lamp in {one.id for one in list_category(shop.upper, PageRequest(99)).items}
        assert names_of(lamp) == (["Lights"], ["Lights"])


class TestWhatChangesMeanwhile:
    def test_is_the_name_once_more(self, shop):
        change(shop.upper, name="Lights")
        change(shop.upper, name="Lamps")
        work_off(QUEUE)
        assert found(shop.upper) == []
        assert names_of(shop.lamps[-1]) == (["Lamps"], ["Lamps"])

    def test_is_the_name_while_the_worker_writes_products(self, leaf, monkeypatch):
        kill_after_the_transaction(leaf, monkeypatch, name="Lights")
        with before_the_next_transaction(lambda: change(leaf, name="Lamps")):
            work_off(QUEUE)
        assert found(leaf) == []
        assert names_of(f"{leaf}-30") == (["Lamps"], ["Lamps"])

    def test_is_the_name_while_the_worker_writes_categories(self, shop, monkeypatch):
        kill_after_the_transaction(shop.upper, monkeypatch, name="Lights")
        with before_the_next_transaction(lambda: change(shop.upper, name="Lamps")):
            work_off(QUEUE)
        assert found(shop.upper) == []
        assert find_category(shop.inner).trail[0].name == "Lamps"

    def test_is_the_name_and_back_again(self, fresh, monkeypatch):
        """The products have the name already, so nothing but the category shows the change."""
        slug = fresh("small")
        lamps = [NewProduct(f"{slug}-{n}", "Lamp", (slug,)) for n in range(IN_ATTEMPT)]
        put_catalogue(categories=[category(slug)], products=lamps)
        kill_after_the_transaction(slug, monkeypatch, name="Lights")

        def rename_back() -> None:
            assert change(slug, name=f"Category {slug}")
            finish_what_waits()

        with before_the_next_transaction(rename_back):
            work_off(QUEUE)
        assert found(slug) == []

    def test_is_the_name_and_back_again_of_one_that_has_others_in_it(self, shop, monkeypatch):
        kill_after_the_transaction(shop.upper, monkeypatch, name="Lights")

        def rename_back_and_do_all_that_is_owed() -> None:
            change(shop.upper, name=f"Category {shop.upper}")
            below.refresh_below({"slug": shop.upper})
            for owed in owed_by(shop.upper):
                QUEUE.done(owed)

        with before_the_next_transaction(rename_back_and_do_all_that_is_owed):
            work_off(QUEUE)
        assert found(shop.inner) == []

    def test_is_the_place(self, leaf, fresh):
        other = fresh("other")
        put_catalogue(categories=[category(other)], products=[])
        change(leaf, name="Lights")
        change(leaf, parent=other)
        work_off(QUEUE)
        assert found(leaf, other) == []
        assert names_of(f"{leaf}-30") == ([f"Category {other}", "Lights"], ["Lights"])

    def test_is_that_it_is_hidden(self, leaf):
        change(leaf, name="Lights")
        take_off_category(leaf)
        work_off(QUEUE)
        assert found(leaf) == []
        assert names_of(f"{leaf}-30") == (["Lights"], ["Lights"])

    def test_is_the_category_of_a_product(self, leaf, fresh, monkeypatch):
        other, lamp = fresh("other"), f"{leaf}-00"
        put_catalogue(categories=[category(other)], products=[])
        kill_after_the_transaction(leaf, monkeypatch, name="Lights")
        read = find_editable(lamp)
        moved = replace(read.content, category_slugs=(other,))
        with before_the_next_transaction(lambda: save_product(moved, version=read.version)):
            work_off(QUEUE)
        assert found(leaf, other) == []
        assert names_of(lamp) == ([f"Category {other}"],) * 2

    def test_is_the_price_of_a_product_by_who_has_read_the_old_name(self, fresh, monkeypatch):
        slug, lamp = fresh("small"), fresh("lamp")
        product = NewProduct(lamp, "Lamp", (slug,))
        put_catalogue(categories=[category(slug)], products=[product])
        kill_after_the_transaction(slug, monkeypatch, name="Lights")
        price = {"unit_price_cents": {"N": "700"}, "currency": {"S": "EUR"}}
        with before_the_next_transaction(lambda: spoil((keys.product(lamp),) * 2, **price)):
            work_off(QUEUE)
        assert found(lamp) == []
        assert names_of(lamp) == (["Lights"], ["Lights"])
        assert find_editable(lamp).content.unit_price_cents == 700

    def test_is_a_product_that_is_saved_before_the_worker_comes(self, shop, monkeypatch):
        """A lower category's own trail is not up to date then."""
        kill_after_the_transaction(shop.upper, monkeypatch, name="Lights")
        read = find_editable(shop.both)
        save_product(replace(read.content, description="Warm."), version=read.version)
        assert names_of(shop.both)[1] == ["Lights", f"Category {shop.deep}"]


def test_a_due_item_costs_three_units_in_its_transaction_and_two_behind_it(fresh):
    owed = below.owed_below(fresh("slug"), after=fresh("lamp"))
    with metered() as stored:
        write_transaction(client(), [owed.action, below.owed_below(fresh("slug")).action])
    with metered() as deleted:
        QUEUE.done(owed)
    assert (stored.units / 2, deleted.units) == (3.0, 2.0)
