"""Each step of ``migrate_items`` brings items of an older version over, and loses nothing."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from dynamo.lists.reader import PageRequest
from dynamo.upkeep.integrity import Difference
from shop import keys
from shop.catalogue.access_patterns import ProductOrder
from shop.catalogue.category_queries import list_category
from shop.catalogue.edge_keys import purchase_data
from shop.catalogue.items import NewProduct
from shop.catalogue.services import put_catalogue
from shop.integrity.steps import STEPS
from shop.order_status import Status
from shop.orders.bulk import put_orders
from shop.orders.ids import moment_in
from shop.orders.items import NewLine, NewOrder, StatusChange
from shop.orders.moving import move_order
from shop.pickup.points import area_key
from shop.pickup.writing import put_points
from tests.support.catalogue.making import START, category, sell
from tests.support.catalogue.spoiling import (
    Key,
    by_name_of,
    edge_of,
    lose,
    put_lamp,
    sell_to_someone,
    spoil,
    stored,
)
from tests.support.chance import CHANCE, unique
from tests.support.dynamo.migrating import (
    before_the_write,
    interrupted,
    migrate,
    step_named,
)
from tests.support.orders.making import made_order, put
from tests.support.pickup.stored import area_item, made_point, put_without_caps
from tests.support.shop.checks import differences

pytestmark = pytest.mark.usefixtures("tables")


@dataclass(frozen=True)
class Old:
    """Items that were given an older shape, as they were before, and what may happen to them."""

    before: dict[Key, dict[str, Any]]
    meanwhile: Callable[[], object]
    names: tuple[str, ...]
    """What the differences that tell of them name."""

    def now(self) -> dict[Key, dict[str, Any] | None]:
        return {key: stored(key) for key in self.before}

    def differences(self) -> list[Difference]:
        found = [*differences("orders"), *differences("catalogue"), *differences("pickup")]
        return [d for d in found if any(name in d.subject for name in self.names)]


def old_order() -> Old:
    order = made_order("alex")
    put(order)
    key = keys.user(order.username), keys.order(order.id)
    before = spoil(key, "open_shard", "open_place", "order_open_date")

    def move() -> None:
        move_order(
            username=order.username,
            order_id=order.id,
            source=Status.PLACED,
            target=Status.CANCELED,
            is_staff=True,
            now=START,
        )

    return Old({key: before}, move, (order.id,))


def order_without_summary() -> Old:
    lines = [NewLine("lamp", "Desk lamp", 2, 1_999), NewLine("pen", "Pen", 1, 5)]
    order = made_order(unique("alex"), lines=lines)
    put(order)
    key = keys.user(order.username), keys.order(order.id)
    before = spoil(key, "summary")
    assert before["summary"] == {"S": "Desk lamp + 1 more"}
    return Old({key: before}, lambda: put_orders([went_on(order)]), (order.id,))


def went_on(order: NewOrder) -> NewOrder:
    shipped = StatusChange(Status.SHIPPED, order.placed_at + timedelta(days=1))
    return replace(order, history=(*order.history, shipped))


def old_purchase() -> Old:
    lamp = put_lamp()
    buyer = sell_to_someone(lamp)
    key = keys.user(buyer), keys.bought(buyer, lamp.id)
    before = spoil(key, "data_partition", "data", "order_status_date")
    again = lambda: sell(buyer, [lamp.id], day=9, status=Status.PLACED)  # noqa: E731
    return Old({key: before}, again, (before["order_id"]["S"], buyer))


def purchase_of_before() -> Old:
    """A purchase whose order was sent, listed as in a shop that listed all of them."""
    lamp = put_lamp()
    buyer = sell_to_someone(lamp, Status.SHIPPED)
    key = keys.user(buyer), keys.bought(buyer, lamp.id)
    order_id = (stored(key) or {})["order_id"]["S"]
    listed = purchase_data(buyer, lamp.id, moment_in(order_id), shards=1)
    before = spoil(key, **{name: {"S": value} for name, value in listed.items()})

    def deliver() -> None:
        moved = {"source": Status.SHIPPED, "target": Status.DELIVERED}
        move_order(username=buyer, order_id=order_id, is_staff=True, now=START, **moved)

    return Old({key: before}, deliver, (order_id, buyer))


def put_again(lamp: NewProduct, *more: NewProduct, name: str = "", **changes: Any) -> None:
    """Put a lamp and its categories with changes; ``name`` is a category's new one."""
    inner, outer = lamp.category_slugs
    categories = [category(outer), category(inner, outer)]
    if name:
        categories = [replace(one, name=name) for one in categories]
    put_catalogue(categories=categories, products=[replace(lamp, **changes), *more])


def old_category() -> Old:
    lamp = put_lamp()
    slugs = lamp.category_slugs
    nodes = [(keys.category(slug),) * 2 for slug in slugs]
    before = {key: spoil(key, "data_partition", "data") for key in nodes}
    return Old(before, lambda: put_again(lamp, name="Renamed"), slugs)


def old_edge(**changes: Any) -> Old:
    lamp = put_lamp()
    before = {key: stored(key) or {} for key in (edge_of(lamp), by_name_of(lamp))}
    lose(by_name_of(lamp))
    spoil(edge_of(lamp), "data_partition", "data")
    return Old(before, lambda: put_again(lamp, **changes), (lamp.id,))


def old_product() -> Old:
    lamp = put_lamp()
    key = (keys.product(lamp.id),) * 2
    before = spoil(key, "categories", "trail")
    slugs = (*lamp.category_slugs, f"{lamp.category_slugs[1]}-too")

    def put_elsewhere() -> None:
        tree = [category(slugs[1]), category(slugs[0], slugs[1]), category(slugs[2])]
        put_catalogue(categories=tree, products=[replace(lamp, category_slugs=slugs)])

    return Old({key: before}, put_elsewhere, (lamp.id,))


def old_shelf() -> Old:
    lamp = put_lamp()
    slug = lamp.category_slugs[1]
    key = keys.ROOT, keys.category(slug)
    another = replace(lamp, id=f"{lamp.id}-2")
    return Old({key: spoil(key, "shelf")}, lambda: put_again(lamp, another), (slug, lamp.id))


def old_pickup_point() -> Old:
    """A point near the pole in an area of two characters; meanwhile it gets another name."""
    point = made_point(unique, (84.0 + CHANCE.random(), 20.0))
    put_points([point])
    before = {area_key(point): area_item(point) or {}}
    put_without_caps(point)
    return Old(
        before, lambda: put_points([replace(point, name="Renamed")]), (point.id, "directory")
    )


OLD: dict[str, tuple[str, Callable[[], Old]]] = {
    "order": ("order-keys", old_order),
    "order without a summary": ("order-summaries", order_without_summary),
    "purchase": ("purchase-keys", old_purchase),
    "category": ("category-keys", old_category),
    "edge to what gets another price": ("edge-keys", lambda: old_edge(unit_price_cents=5)),
    "edge from what gets another name": ("edge-keys", lambda: old_edge(name="Renamed")),
    "product": ("product-categories", old_product),
    "shelf": ("shelves", old_shelf),
    "pickup point near a pole": ("pickup-caps", old_pickup_point),
    "purchase that was not delivered": ("delivered-purchases", purchase_of_before),
}


@pytest.mark.parametrize(("name", "make"), OLD.values(), ids=OLD)
class TestEachStep:
    def test_makes_old_items_what_the_shop_writes_now(self, name, make):
        step, old = step_named(STEPS, name), make()
        assert migrate(step).changed >= 1
        assert old.now() == old.before
        assert old.differences() == []

    def test_changes_nothing_the_second_time(self, name, make):
        step, old = step_named(STEPS, name), make()
        migrate(step)
        assert migrate(step).changed == 0
        assert old.now() == old.before

    def test_loses_nothing_that_happens_at_the_same_moment(self, name, make):
        step, old = step_named(STEPS, name), make()
        with before_the_write(old.meanwhile, of=next(iter(old.before))[1]):
            migrate(step)
        assert old.now() != old.before
        assert old.differences() == []
        assert migrate(step).changed == 0


@pytest.mark.real_engine
@pytest.mark.parametrize(("name", "make"), OLD.values(), ids=OLD)
class TestAnInterruptedStep:
    def test_goes_on_where_it_stopped(self, name, make):
        step, olds = step_named(STEPS, name), [make() for _ in range(3)]
        reached = interrupted(step, page=2, after=2)
        assert (reached.state, reached.read) == ("interrupted", 4)
        done = migrate(step, restart=False)
        assert (done.state, done.started) == ("finished", reached.started)
        assert done.read > reached.read
        for old in olds:
            assert old.now() == old.before


class TestProductsByName:
    def test_are_listed_once_their_edges_are_brought_over(self):
        lamp = put_lamp()
        lose(by_name_of(lamp))
        spoil(edge_of(lamp), "data_partition", "data")
        migrate(step_named(STEPS, "edge-keys"))
        for order in (ProductOrder.NAME, ProductOrder.CHEAPEST):
            page = list_category(lamp.category_slugs[0], PageRequest(5), order=order)
            assert [product.id for product in page.items] == [lamp.id]
