"""“Also bought”: against counting by hand, within its bound, and without anybody's name."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comments.erasure.user_data import TRACES as OF_COMMENTS
from dynapages.calls import Pool, metered
from dynapages.upkeep import erase
from shop.catalogue.also_bought import (
    ALSO_BYTES,
    BOUNDS,
    MOST_ALSO,
    Bounds,
    also_bought_ids,
    find_also_bought,
)
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from shop.orders.items import NewLine, NewOrder
from shop.user_data import PURCHASES
from tests.support.catalogue.making import category, sell
from tests.support.chance import examples, unique
from tests.support.orders.making import START, made_order, move, put

pytestmark = pytest.mark.usefixtures("tables")

Step = tuple[str, int, tuple[int, ...]]
"""A sale to a user of products, or a move of one of the sales, by their numbers."""
TIGHT = Bounds(buyers=3, shown=3, least_buyers=2)

numbers = st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True).map(tuple)
steps = st.lists(
    st.tuples(
        st.sampled_from(["sell", "sell", "sell", "deliver", "return"]), st.integers(0, 5), numbers
    ),
    min_size=4,
    max_size=18,
)


def put_products(ids: Sequence[str]) -> None:
    shelf = category("also-bought")
    products = [NewProduct(i, f"Product {i}", (shelf.slug,), "", 100, "EUR") for i in ids]
    put_catalogue(categories=[shelf], products=products)


class Shop:
    """The plain answer: every user and product looked at, beside the stored orders."""

    def __init__(self, prefix: str) -> None:
        self.ids = [f"{prefix}-{n}" for n in range(7)]
        self.orders: list[NewOrder] = []
        self.status: dict[str, Status] = {}
        self.edges: dict[tuple[str, str], tuple[str, list[str]]] = {}
        self.prefix = prefix

    def take(self, step: Step) -> None:
        kind, number, products = step
        if kind == "sell":
            self.sell(f"{self.prefix}-u{number}", [self.ids[n] for n in products])
        elif self.orders:
            self.move(self.orders[number % len(self.orders)], is_back=kind == "return")

    def sell(self, user: str, products: list[str]) -> None:
        day = START + timedelta(days=len(self.orders))
        lines = [NewLine(product, product, 1, 100) for product in products]
        status = Status.SHIPPED if len(products) == 2 else Status.DELIVERED
        put(order := made_order(user, status, placed_at=day, lines=lines))
        self.orders.append(order)
        nearest = list(dict.fromkeys([*products, *self.listed(user)]))
        for product in products:
            self.edges[user, product] = order.id, [one for one in nearest if one != product]
        self.status[order.id] = status

    def move(self, order: NewOrder, *, is_back: bool) -> None:
        source, target = Status.SHIPPED, Status.DELIVERED
        if is_back:
            source, target = Status.DELIVERED, Status.RETURNED
        if self.status[order.id] is source:
            move(order, source, target, now=START + timedelta(days=99))
            self.status[order.id] = target

    def listed(self, user: str) -> list[str]:
        """What a user bought by orders that were delivered, newest first."""
        found = [
            (order, product)
            for (buyer, product), (order, _) in self.edges.items()
            if buyer == user and self.status[order] is Status.DELIVERED
        ]
        return [product for _, product in sorted(found, reverse=True)]

    def also(self, product: str, bounds: Bounds) -> list[tuple[str, int]]:
        buyers = [
            (order, others)
            for (_, bought), (order, others) in self.edges.items()
            if bought == product and self.status[order] is Status.DELIVERED
        ]
        newest = sorted(buyers, reverse=True)[: bounds.buyers]
        found = Counter(one for _, others in newest for one in others)
        wanted = found.most_common(bounds.shown)
        return [(one, count) for one, count in wanted if count >= bounds.least_buyers]


def shown(product_id: str, bounds: Bounds = BOUNDS) -> list[tuple[str, int]]:
    return [(each.product.id, each.buyers) for each in find_also_bought(product_id, bounds=bounds)]


def sell_to(
    number: int, products: Sequence[str], *, status: Status = Status.DELIVERED
) -> list[str]:
    """Sell products to so many buyers; return their names."""
    buyers = [unique("buyer") for _ in range(number)]
    for buyer in buyers:
        sell(buyer, products, day=1, status=status)
    return buyers


@pytest.fixture
def popular(fresh):
    """A product with thirty buyers, each of whom bought thirty others."""
    name = fresh("popular")
    others = [f"{name}-{n:02}" for n in range(30)]
    put_products([name, *others])
    sales = [(f"{name}-buyer-{number:02}", number) for number in range(30)]
    Pool(4).gather(
        [
            lambda user=user, day=day: sell(user, [name, *others], day=day, status=Status.DELIVERED)
            for user, day in sales
        ]
    )
    return name


class TestAlsoBought:
    @given(steps=steps, bounds=st.sampled_from([TIGHT, BOUNDS, Bounds(2, 2, 1)]))
    @settings(
        max_examples=examples(16), suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    def test_is_what_counting_by_hand_gives(self, fresh, steps, bounds):
        shop = Shop(fresh("p"))
        put_products(shop.ids)
        for step in steps:
            shop.take(step)
        for product_id in shop.ids:
            assert shown(product_id, bounds) == shop.also(product_id, bounds)

    def test_leaves_out_what_fewer_than_five_buyers_have(self, fresh):
        lamp, bulb, secret = (fresh(name) for name in ("lamp", "bulb", "secret"))
        put_products([lamp, bulb, secret])
        sell_to(4, [lamp, bulb, secret])
        assert shown(lamp) == []
        sell_to(1, [lamp, bulb])
        assert shown(lamp) == [(bulb, 5)]

    @pytest.mark.parametrize("status", [Status.PLACED, Status.SHIPPED, Status.RETURNED])
    def test_counts_no_order_that_is_not_delivered(self, fresh, status):
        lamp, bulb = fresh("lamp"), fresh("bulb")
        put_products([lamp, bulb])
        sell_to(4, [lamp, bulb])
        sell_to(8, [lamp, bulb], status=status)
        assert shown(lamp) == []
        sell_to(1, [lamp, bulb])
        assert shown(lamp) == [(bulb, 5)]

    def test_leaves_out_products_that_do_not_exist_any_more(self, fresh):
        lamp, gone = fresh("lamp"), fresh("gone")
        put_products([lamp])
        sell_to(5, [lamp, gone])
        assert shown(lamp) == []

    def test_forgets_a_user_who_is_deleted(self, fresh):
        lamp, bulb, ann = fresh("lamp"), fresh("bulb"), fresh("ann")
        put_products([lamp, bulb])
        sell(ann, [lamp, bulb], day=1, status=Status.DELIVERED)
        sell_to(5, [lamp, bulb])
        assert shown(lamp) == [(bulb, 6)]
        assert erase([*OF_COMMENTS, PURCHASES], ann)["purchases"] == 2
        assert shown(lamp) == [(bulb, 5)]

    @pytest.mark.real_engine
    def test_costs_no_more_than_its_bound_whatever_was_sold(self, popular):
        with metered() as meter:
            found = find_also_bought(popular)
        assert len(found) == BOUNDS.shown
        assert {each.buyers for each in found} == {BOUNDS.buyers}
        assert meter.units <= BOUNDS.capacity_units
        assert [call.operation for call in meter.log] == ["Query", "BatchGetItem"]

    def test_counts_what_was_bought_before_in_other_orders(self, fresh):
        lamp, bulb = fresh("lamp"), fresh("bulb")
        put_products([lamp, bulb])
        for buyer in sell_to(5, [bulb]):
            sell(buyer, [lamp], day=2, status=Status.DELIVERED)
        assert shown(lamp) == [(bulb, 5)]
        assert shown(bulb) == []


class TestAPurchase:
    @pytest.mark.parametrize("length", [1, 20, 100])
    def test_names_as_many_products_as_leave_its_item_below_a_kilobyte(self, length):
        nearest = [f"{n:02}".ljust(length, "x") for n in range(60)]
        found = also_bought_ids(nearest[1], nearest) or []
        assert found[:2] == [nearest[0], nearest[2]]
        assert len(found) == min(MOST_ALSO, ALSO_BYTES // (len(nearest[0]) + 1))


class TestAnOrder:
    """One of five, on which it depends whether the list has something."""

    @pytest.fixture
    def pair(self, fresh):
        lamp, bulb = fresh("lamp"), fresh("bulb")
        put_products([lamp, bulb])
        sell_to(4, [lamp, bulb])
        return lamp, bulb

    def put(self, pair: tuple[str, str], status: Status, *, hours: int = 0) -> NewOrder:
        lines = [NewLine(product, product, 1, 100) for product in pair]
        entered = START + timedelta(hours=hours)
        put(order := made_order("ann", status, entered_at=entered, lines=lines, foreign_id=pair[0]))
        return order

    def test_counts_from_its_delivery_until_it_is_sent_back(self, pair):
        lamp, bulb = pair
        order = self.put(pair, Status.SHIPPED)
        assert shown(lamp) == []
        for _ in range(2):  # as a form that is sent twice
            move(order, Status.SHIPPED, Status.DELIVERED)
            assert shown(lamp) == [(bulb, 5)]
        move(order, Status.DELIVERED, Status.RETURNED)
        assert shown(lamp) == []

    def test_counts_when_an_import_says_that_it_was_delivered(self, pair):
        lamp, bulb = pair
        self.put(pair, Status.SHIPPED, hours=1)
        self.put(pair, Status.DELIVERED, hours=2)
        assert shown(lamp) == [(bulb, 5)]
        self.put(pair, Status.RETURNED, hours=3)
        assert shown(lamp) == []

    def test_does_not_count_while_a_later_one_is_not_delivered(self, pair):
        lamp, _ = pair
        (ann,) = sell_to(1, pair)
        sell(ann, pair, day=9, status=Status.PLACED)
        assert shown(lamp) == []

    def test_has_its_say_about_its_own_purchases_alone(self, pair):
        lamp, bulb = pair
        order = self.put(pair, Status.SHIPPED)
        sell("ann", pair, day=9, status=Status.DELIVERED)
        assert shown(lamp) == [(bulb, 5)]
        move(order, Status.SHIPPED, Status.DELIVERED)
        move(order, Status.DELIVERED, Status.RETURNED)
        assert shown(lamp) == [(bulb, 5)]
