"""What belongs to an order and is not there, or is there without it, as in an uneven backup."""

from dataclasses import replace

import pytest
from django.utils import timezone

from shop import keys
from shop.accounts.services import create_profile, shut_profile
from shop.for_comments import has_bought
from shop.order_status import Status
from shop.orders.importing import OrderOutcome, put_orders
from shop.orders.items import NewLine, NewOrder
from shop.orders.placing import order_placed_by, place_order
from shop.orders.queries import pointers_to
from tests.support.orders.making import LATER, made_order, move, put, put_product
from tests.support.shop.checks import Key, differences, lose, spoil, stored, told

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def order(fresh):
    """One of another shop, of two products, by somebody with an account."""
    lines = (NewLine(fresh("lamp"), "Lamp", 1, 100), NewLine(fresh("pan"), "Pan", 1, 200))
    made = made_order(fresh("ann"), Status.DELIVERED, foreign_id=fresh("shop"), lines=lines)
    made = replace(made, id_prefix="shop-")
    create_profile(username=made.username, password=None, now=timezone.now())
    put(made)
    return made


def key_of(order: NewOrder) -> Key:
    return keys.user(order.username), keys.order(order.id)


def foreign_of(order: NewOrder) -> Key:
    assert order.foreign_id is not None
    return keys.foreign(order.foreign_id), keys.foreign(order.foreign_id)


def purchase_in(order: NewOrder, line: int = 0) -> Key:
    product_id = order.lines[line].product_id
    return keys.user(order.username), keys.bought(order.username, product_id)


def mended(check: str, kind: str, order: NewOrder) -> list[tuple[str, str]]:
    """What was found of an order, and mended: what is stored, and what is expected."""
    found = told(check, kind, f"order {order.id}")
    for difference in found:
        assert difference.repair
        assert difference.repair()
    assert told(check, kind, f"order {order.id}") == []
    return [(difference.stored, difference.expected) for difference in found]


class TestPointers:
    def test_that_are_lost_are_put_again(self, order):
        bare = keys.foreign(order.foreign_id.removeprefix(order.id_prefix)), foreign_of(order)[1]
        before = [stored(key) for key in (foreign_of(order), bare)]
        for key in (foreign_of(order), bare):
            lose(key)
        assert pointers_to(order.foreign_id) == []
        assert mended("orders", "pointer", order) == [("none", "there")] * 2
        assert [stored(key) for key in (foreign_of(order), bare)] == before

    def test_to_an_order_that_is_lost_are_deleted_so_that_it_can_be_imported(self, order):
        lose(key_of(order))
        for line in (1, 2):
            lose((keys.item(order.id, line), keys.order(order.id)))
        assert put_orders([order]) == [OrderOutcome.ID_IN_USE]
        assert mended("orders", "pointer", order) == [("there", "none")] * 2
        assert put_orders([order]) == [OrderOutcome.CREATED]

    def test_from_a_form_to_an_order_that_is_lost_are_deleted(self, fresh):
        username, basket = fresh("ann"), {put_product(fresh("lamp")): 1}
        order_id = place_order(username=username, client_id="1", basket=basket, now=LATER)
        lose((keys.user(username), keys.order(order_id)))
        (difference,) = told("orders", "pointer", f"order {order_id}")
        assert difference.repair()
        assert order_placed_by(username=username, client_id="1") is None

    def test_stay_where_the_order_came_meanwhile(self, order):
        item = spoil(key_of(order))
        lose(key_of(order))
        found = told("orders", "pointer", f"order {order.id}")
        spoil(key_of(order), **item)
        assert [difference.repair() for difference in found] == [False, False]
        assert stored(foreign_of(order)) is not None


class TestLines:
    def test_that_are_lost_are_shown_and_not_made_up(self, order):
        lose((keys.item(order.id, 2), keys.order(order.id)))
        (difference,) = told("orders", "lines", f"order {order.id}")
        assert difference.stored == "1 of 2"
        assert difference.expected == "all of them, which are lost"
        assert difference.repair is None

    def test_of_an_import_that_goes_on_are_not_lost(self, order):
        lose((keys.item(order.id, 2), keys.order(order.id)))
        spoil(key_of(order), unsettled={"S": "new-mark"})
        assert told("orders", "lines", f"order {order.id}") == []


class TestPurchases:
    def test_that_an_order_lacks_are_put(self, order):
        before = stored(purchase_in(order))
        lose(purchase_in(order))
        assert not has_bought(order.username, order.lines[0].product_id)
        assert mended("catalogue", "purchase", order) == [("none", "there")]
        assert stored(purchase_in(order)) == before

    def test_of_an_order_that_is_not_delivered_are_put_without_keys(self, order):
        move(order, Status.DELIVERED, Status.RETURNED)
        before = stored(purchase_in(order))
        lose(purchase_in(order))
        assert mended("catalogue", "purchase", order) == [("none", "there")]
        assert stored(purchase_in(order)) == before

    def test_of_an_order_that_is_lost_are_deleted(self, order):
        lose(key_of(order))
        assert mended("catalogue", "purchase", order) == [("there", "none")] * 2
        assert not has_bought(order.username, order.lines[0].product_id)

    def test_of_an_order_that_is_lost_go_to_another_one_of_the_product(self, order):
        other = made_order(order.username, placed_at=LATER, lines=order.lines[:1])
        put(other)
        lose(key_of(other))
        assert mended("catalogue", "purchase", other) == [("there", "there")]
        purchase = stored(purchase_in(order))
        assert purchase is not None
        assert purchase["order_id"]["S"] == order.id

    def test_that_name_no_order_go_to_one_of_the_product(self, order):
        before = spoil(purchase_in(order), "order_id")
        assert mended("catalogue", "purchase", order)
        assert stored(purchase_in(order)) == before

    def test_that_name_no_order_stay_where_there_is_none(self, fresh):
        username = fresh("ann")
        key = keys.user(username), keys.bought(username, fresh("lamp"))
        spoil(key)
        for difference in differences("catalogue"):
            assert difference.repair
            difference.repair()
        assert stored(key) is not None

    def test_that_were_erased_with_the_account_do_not_come_back(self, order):
        shut_profile(order.username)
        lose(purchase_in(order))
        assert told("catalogue", "purchase", f"order {order.id}") == []

    def test_are_not_put_for_an_account_that_is_shut_meanwhile(self, order):
        lose(purchase_in(order))
        (difference,) = told("catalogue", "purchase", f"order {order.id}")
        shut_profile(order.username)
        assert not difference.repair()
        assert stored(purchase_in(order)) is None

    def test_are_not_put_for_an_order_that_moves_meanwhile(self, order):
        lose(purchase_in(order))
        (difference,) = told("catalogue", "purchase", f"order {order.id}")
        move(order, Status.DELIVERED, Status.RETURNED)
        assert not difference.repair()


def test_nothing_is_wrong_with_what_the_shop_wrote(order):
    everything = [*differences("orders"), *differences("catalogue")]
    assert [found for found in everything if order.id in found.subject] == []
