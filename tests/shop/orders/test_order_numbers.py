"""Orders by the number that pages show: the end of an order's id."""

from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from shop import keys
from shop.order_status import Status
from shop.orders import large_orders
from shop.orders.ids import ID_LENGTH, id_bound, parse_number
from shop.orders.importing import put_orders
from shop.orders.items import TAIL, NewLine, NewOrder
from shop.orders.placing import place_order
from shop.orders.queries import orders_numbered, orders_of
from tests.support.chance import CHANCE
from tests.support.orders.making import START, made_order, move, put, put_product
from tests.support.shop.checks import Key, spoil, stored, told

pytestmark = pytest.mark.usefixtures("tables")

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LOOK_ALIKES = {"0": "0Oo", "1": "1IiLl"}


def drawn(count: int) -> str:
    return "".join(CHANCE.choices(ALPHABET, k=count))


def found(number: str) -> list[str]:
    return sorted(order_id for order_id, _ in orders_numbered(number))


def first_of(order: NewOrder) -> Key:
    """The key of the item by which an order is found."""
    own = keys.item(order.id, 1) if order.lines else keys.user(order.username)
    return own, keys.order(order.id)


@pytest.fixture(params=["a line", "no lines"])
def order(request, fresh):
    made = made_order(fresh("alex"), lines=LINE if request.param == "a line" else ())
    put(made)
    return made


LINE = (NewLine("lamp", "Desk lamp", 2, 1_999),)


@st.composite
def typed(draw: st.DrawFn) -> tuple[str, str]:
    """A number, and a way to type it."""
    number = draw(st.text(ALPHABET, min_size=keys.SHORT_ID, max_size=ID_LENGTH))
    letters = [
        draw(st.sampled_from(LOOK_ALIKES.get(one, one + one.lower())))
        + draw(st.sampled_from(["", "", "", " ", "-", "\N{NO-BREAK SPACE}"]))
        for one in number
    ]
    return number, draw(st.sampled_from(["", "…", "#", " # ", "...", "…\t"])) + "".join(letters)


class TestANumber:
    @given(typed())
    def test_is_read_however_it_is_typed(self, case):
        number, text = case
        assert parse_number(text) == number

    @given(st.text(st.characters(codec="utf-8") | st.sampled_from(ALPHABET), max_size=40))
    def test_is_one_or_none_in_any_text(self, text):
        number = parse_number(text)
        assert not number or keys.SHORT_ID <= len(number) <= ID_LENGTH
        assert set(number) <= set(ALPHABET)

    @pytest.mark.parametrize("text", ["", "…", "NEZNDQT", "NEZNDQTU", "0" * 27, "NEZN.DQTB"])
    def test_is_none_where_no_id_ends_so(self, text):
        assert parse_number(text) == ""
        assert orders_numbered("") == []


class TestOrders:
    @given(st.lists(st.text("AB", min_size=2, max_size=2), min_size=1, max_size=6), st.data())
    def test_are_those_whose_ids_end_so(self, ends, data):
        stem, middle = drawn(keys.SHORT_ID - 2), drawn(1)
        orders = []
        for end in ends:
            lines, before = data.draw(st.sampled_from([(LINE, middle), (LINE, "Z"), ((), middle)]))
            made = made_order(f"alex-{drawn(12).lower()}", lines=lines)
            whole = f"{id_bound(START)}{drawn(7)}{before}{stem}{end}"
            orders.append(replace(made, id=whole))
        put(*orders)
        for typed in (f"{stem}AA", f"{stem}BA", f"{middle}{stem}AA", orders[0].id):
            assert found(typed) == sorted(one.id for one in orders if one.id.endswith(typed))

    def test_are_found_where_they_were_placed_here(self, fresh):
        basket = {put_product(fresh("lamp")): 1 for _ in range(3)}
        order_id = place_order(
            username=fresh("alex"), client_id=fresh("form"), basket=basket, now=datetime.now(UTC)
        )
        assert found(order_id[-8:]) == [order_id]

    def test_are_found_however_often_they_were_imported(self, order):
        put_orders([order])
        later = replace(order, history=made_order("alex", Status.SHIPPED).history)
        put_orders([later])
        assert found(order.id[-8:]) == [order.id]

    def test_are_found_in_every_status(self, order):
        move(order, Status.PLACED, Status.APPROVED)
        move(order, Status.APPROVED, Status.CANCELED)
        assert found(order.id[-8:]) == [order.id]

    def test_are_found_after_their_customer_was_erased_as_they_are_kept(self, order):
        call_command("delete_user_data", order.username, stdout=StringIO())
        assert found(order.id[-8:]) == [order.id]

    def test_are_read_as_they_are_listed(self, order):
        (one,) = orders_of([*orders_numbered(order.id[-8:]), ("none", "nobody")])
        assert (one.id, one.username) == (order.id, order.username)


@pytest.mark.real_engine
class TestALargeOrder:
    @pytest.fixture
    def large(self, fresh):
        lines = [NewLine(fresh("p"), "Product", 1, 100) for _ in range(120)]
        return made_order(fresh("alex"), lines=lines)

    def test_is_found_once_it_is_visible(self, large, monkeypatch):
        with monkeypatch.context() as patch:
            patch.setattr(large_orders, "write_with_counts", interrupted)
            with pytest.raises(KeyboardInterrupt):
                put_orders([large])
        assert stored((keys.item(large.id, 2), keys.order(large.id)))
        assert found(large.id[-8:]) == found(large.id) == []
        put_orders([large])
        assert found(large.id[-8:]) == [large.id]


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


class TestAnOrderWithoutItsNumber:
    @pytest.mark.parametrize("wrong", [{}, {"data_partition": {"S": "TAIL#ANOTHER1#0"}}])
    def test_is_found_and_repaired_by_the_check(self, order, wrong):
        assert told("orders", "number", f"order {order.id}") == []
        before = spoil(first_of(order), *TAIL, **wrong)
        (difference,) = told("orders", "number", f"order {order.id}")
        assert difference.repair()
        assert stored(first_of(order)) == before
        assert told("orders", "number", f"order {order.id}") == []

    def test_is_found_by_one_line_alone(self, fresh):
        put(made := made_order(fresh("alex"), lines=[*LINE, NewLine("bulb", "Bulb", 1, 100)]))
        second = keys.item(made.id, 2), keys.order(made.id)
        before = spoil(second, **{name: stored(first_of(made))[name] for name in TAIL})
        (difference,) = told("orders", "number", f"order {made.id}")
        assert difference.repair()
        assert stored(second) == before
