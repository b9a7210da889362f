"""Orders of more lines than a transaction holds: imported, shown, moved, interrupted, erased."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count

import pytest

from dynapages.calls import metered
from dynapages.lists import PageRequest
from dynapages.upkeep import Difference, erase
from dynapages_testing.hooks import hooked
from shop import keys
from shop.accounts.services import create_profile
from shop.data.exports import walk_through
from shop.for_comments import has_bought
from shop.models import Order
from shop.order_status import Status
from shop.orders import large_orders
from shop.orders.counts import read_customer_counts
from shop.orders.filters import OrderFilter
from shop.orders.importing import OrderOutcome, put_orders
from shop.orders.items import NewLine, NewOrder, StatusChange, order_items
from shop.orders.placing import TooManyLines, place_order
from shop.orders.queries import NoSuchOrder, every_line, find_order, list_orders, stored_order
from shop.user_data import PROFILE, PURCHASES
from tests.support.chance import unique
from tests.support.comments.faulty import EVENTS, Fault, Killed, faults
from tests.support.orders.making import LATER, made_order, move, put_product
from tests.support.shop.checks import differences, stored

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]

LINES = 120
"""More than one transaction, and than the edges of one, and than a page shows."""
FEW = 60
"""More than one transaction."""


def lines(number: int = LINES) -> list[NewLine]:
    made = unique("p")
    return [NewLine(f"{made}-{n}", f"Product {n}", 1, 100 + n) for n in range(1, number + 1)]


def large_order(status: Status = Status.PLACED, number: int = LINES) -> NewOrder:
    return made_order(unique("alex"), status, lines=lines(number), foreign_id=unique("inv"))


@pytest.fixture
def order() -> NewOrder:
    put_orders([made := large_order()])
    return made


def differing(order: NewOrder) -> Iterator[Difference]:
    """What the checks find of an order, or its customer's counts."""
    subjects = f"order {order.id}", f"customer {order.username}"
    for name in ("orders", "catalogue"):
        yield from (each for each in differences(name) if each.subject in subjects)


def found(order: NewOrder) -> list[str]:
    return [f"{each.kind}: {each.stored}" for each in differing(order)]


def repair(order: NewOrder) -> None:
    for each in differing(order):
        assert each.repair is not None
        assert each.repair()


def listed_products(order: NewOrder) -> set[str]:
    """The products whose buyers the customer is among."""
    own = [(line.product_id, edge_of(order, line.product_id)) for line in order.lines]
    return {product_id for product_id, edge in own if edge and "data" in edge}


def edge_of(order: NewOrder, product_id: str) -> dict[str, object] | None:
    return stored((keys.user(order.username), keys.bought(order.username, product_id)))


def left_of(order: NewOrder) -> list[str]:
    """What is stored of an order that nobody can see."""
    numbers = range(1, len(order.lines) + 1)
    own = [(keys.item(order.id, n), keys.order(order.id)) for n in numbers]
    own += [
        (keys.user(order.username), keys.bought(order.username, line.product_id))
        for line in order.lines
    ]
    return [key[0] for key in own if stored(key)]


@contextmanager
def before_transaction(number: int, happens: Callable[[], object]) -> Iterator[None]:
    """Let something happen just before the ``number``-th transaction is sent."""
    numbers = count(1)

    def meet(**_: object) -> None:
        if next(numbers) == number:
            happens()

    with hooked("provide-client-params.dynamodb.TransactWriteItems", meet):
        yield


SHOWS = 3
"""The transaction that puts the order, behind two of lines."""


def kill(*_: object) -> None:
    raise Killed


@pytest.fixture
def interrupt() -> Iterator[Callable[..., NewOrder]]:
    """Imports an order in a process that is killed before a transaction; completed after a test."""
    made: list[NewOrder] = []

    def import_until(order: NewOrder, *, transaction: int = SHOWS) -> NewOrder:
        made.append(order)
        with before_transaction(transaction, kill), suppress(Killed):
            put_orders([order])
        return order

    yield import_until
    for order in made:
        put_orders([order])


class TestALargeOrder:
    def test_is_stored_with_all_its_lines_in_their_order(self, order):
        names = [line["name"]["S"] for line in every_line(stored_order(order.username, order.id))]
        assert names == [line.name for line in order.lines]

    def test_is_listed_and_counted_once(self, order):
        (entry,) = list_orders(order.username, OrderFilter(), PageRequest(5)).items
        total = sum(line.unit_price_cents for line in order.lines)
        assert (entry.item_count, entry.total * 100) == (LINES, total)
        assert entry.bought == f"Product 1 + {LINES - 1} more"
        assert read_customer_counts(order.username)[Status.PLACED] == 1

    def test_makes_its_customer_a_buyer_of_each_product(self, order):
        assert all(has_bought(order.username, line.product_id) for line in order.lines)

    def test_that_was_delivered_lists_each_purchase(self):
        put_orders([order := large_order(Status.DELIVERED)])
        assert listed_products(order) == {line.product_id for line in order.lines}

    def test_is_kept_when_it_is_imported_again(self, order):
        assert put_orders([order]) == [OrderOutcome.UNCHANGED]
        assert read_customer_counts(order.username)[Status.PLACED] == 1

    def test_leaves_nothing_for_the_check(self, order):
        assert found(order) == []

    def test_of_a_foreign_id_that_another_has_leaves_nothing(self, order):
        other = replace(large_order(), foreign_id=order.foreign_id)
        assert put_orders([other]) == [OrderOutcome.ID_IN_USE]
        assert left_of(other) == []

    def test_leaves_a_product_with_a_later_order_of_it(self, order):
        product_id = order.lines[0].product_id
        small = [NewLine(product_id, "Product", 1, 100)]
        put_orders([newer := made_order(order.username, placed_at=LATER, lines=small)])
        older = replace(large_order(), username=order.username, lines=order.lines)
        put_orders([older])
        edge = edge_of(order, product_id)
        assert edge is not None
        assert edge["order_id"] == {"S": newer.id}

    def test_cannot_be_placed_here(self):
        basket = {line.product_id: 1 for line in lines(41)}
        with pytest.raises(TooManyLines, match="at most 40 lines, not 41"):
            place_order(username=unique("alex"), client_id="1", basket=basket, now=LATER)


class TestMovingALargeOrder:
    def test_on_its_way_is_one_transaction(self, order):
        with metered() as meter:
            move(order, Status.PLACED, Status.APPROVED)
        assert meter.calls == 2

    def test_to_delivered_and_back_lists_and_unlists_its_purchases(self):
        put_orders([order := large_order(Status.SHIPPED)])
        move(order, Status.SHIPPED, Status.DELIVERED)
        assert len(listed_products(order)) == LINES
        assert found(order) == []
        move(order, Status.DELIVERED, Status.RETURNED)
        assert listed_products(order) == set()
        assert found(order) == []

    def test_of_500_lines_is_eight_transactions_of_known_cost(self):
        put_orders([order := large_order(Status.SHIPPED, 500)])
        with metered() as meter:
            move(order, Status.SHIPPED, Status.DELIVERED)
        written = [call for call in meter.log if call.operation == "TransactWriteItems"]
        assert len(written) == 1 + 6 + 1
        assert sum(call.capacity_units for call in meter.log) < 500 * 6

    def test_by_an_import_of_a_later_status(self):
        put_orders([order := large_order(Status.SHIPPED)])
        history = (*order.history, StatusChange(Status.DELIVERED, LATER))
        assert put_orders([replace(order, history=history)]) == [OrderOutcome.UPDATED]
        assert len(listed_products(order)) == LINES
        assert read_customer_counts(order.username)[Status.DELIVERED] == 1

    def test_again_completes_what_was_interrupted(self):
        for number in range(3, 7):
            put_orders([order := large_order(Status.SHIPPED)])
            fault = Fault("before it is sent", number=number, kills=True)
            with fault.injected(), suppress(Killed):
                move(order, Status.SHIPPED, Status.DELIVERED)
            move(order, Status.SHIPPED, Status.DELIVERED)
            assert len(listed_products(order)) == LINES
            assert found(order) == []


class TestAnInterruptedImport:
    @pytest.mark.slow
    @pytest.mark.parametrize("when", EVENTS)
    def test_is_completed_by_the_same_one_whichever_call_it_was_at(self, when):
        username, rounds = unique("alex"), 0
        for fault in faults(when, every_call=True, kills=True):
            order = replace(large_order(Status.DELIVERED, FEW), username=username)
            with fault.injected(), suppress(Killed):
                put_orders([order])
            put_orders([order])
            rounds += 1
            assert find_order(order.id).line_count == FEW
            assert read_customer_counts(username)[Status.DELIVERED] == rounds
            assert len(listed_products(order)) == FEW
        assert rounds > 4
        assert found(order) == []

    def test_leaves_nothing_visible(self, interrupt):
        order = interrupt(large_order())
        assert len(left_of(order)) == LINES - 1
        with pytest.raises(NoSuchOrder):
            find_order(order.id, username=order.username)
        for order_id in (order.id, order.foreign_id or ""):
            with pytest.raises(NoSuchOrder):
                find_order(order_id)
        assert not any(has_bought(order.username, line.product_id) for line in order.lines)
        assert list_orders(order.username, OrderFilter(), PageRequest(5)).items == ()
        assert sum(read_customer_counts(order.username).values()) == 0

    def test_is_cleaned_by_a_repair(self, interrupt):
        order = interrupt(large_order())
        assert found(order) == [f"lines: {LINES - 1} of an interrupted import"]
        repair(order)
        assert left_of(order) == []
        assert found(order) == []
        assert put_orders([order]) == [OrderOutcome.CREATED]

    @pytest.mark.parametrize("transaction", [SHOWS + 1, SHOWS + 2, SHOWS + 3])
    def test_is_settled_by_a_repair_once_its_order_is_visible(self, interrupt, transaction):
        order = interrupt(large_order(Status.DELIVERED), transaction=transaction)
        assert find_order(order.id).line_count == LINES
        assert found(order)[0] == "purchases: not all settled"
        repair(order)
        assert len(listed_products(order)) == LINES
        assert found(order) == []

    def test_of_a_file_that_has_fewer_lines_by_now_shows_none_of_the_others(self, interrupt):
        order = interrupt(large_order())
        shorter = replace(order, lines=order.lines[:-20])
        assert put_orders([shorter]) == [OrderOutcome.CREATED]
        shown = [line.product_id for line in find_order(order.id).items]
        assert shown == [line.product_id for line in shorter.lines]
        assert not has_bought(order.username, order.lines[-1].product_id)
        assert found(order) == ["lines: 20 of an interrupted import"]
        repair(order)
        assert len(left_of(order)) == 2 * (LINES - 20)
        assert found(order) == []

    def test_whose_order_is_visible_keeps_its_lines_if_the_file_has_other_ones_by_now(
        self, interrupt
    ):
        order = interrupt(large_order(), transaction=SHOWS + 1)
        assert put_orders([replace(order, lines=tuple(lines()))]) == [OrderOutcome.UNCHANGED]
        names = [line["product_id"]["S"] for line in every_line(stored_order_of(order))]
        assert names == [line.product_id for line in order.lines]
        assert found(order) == []

    def test_does_not_take_a_purchase_away(self, interrupt):
        order = large_order()
        product_id = order.lines[0].product_id
        bought = made_order(order.username, Status.DELIVERED, lines=order.lines[:1])
        put_orders([bought])
        interrupt(order)
        assert listed_products(order) == {product_id}
        assert has_bought(order.username, product_id)

    def test_does_not_hide_what_another_order_bought(self, interrupt):
        order = interrupt(large_order())
        other = replace(order, id=made_order("x").id, foreign_id=None)
        put_orders([other])
        assert all(has_bought(order.username, line.product_id) for line in order.lines)

    def test_keeps_its_mark_where_it_is_moved_meanwhile(self, interrupt):
        order = interrupt(large_order(Status.SHIPPED), transaction=SHOWS + 1)
        fault = Fault("before it is sent", number=3, kills=True)
        with fault.injected(), suppress(Killed):
            move(order, Status.SHIPPED, Status.DELIVERED)
        repair(order)
        assert len(listed_products(order)) == LINES


class TestTwoWriters:
    @pytest.mark.parametrize("transaction", [1, 2, 3])
    def test_of_the_same_order_put_it_once(self, transaction):
        order = large_order()
        with before_transaction(transaction, lambda: put_orders([order])):
            assert put_orders([order]) == [OrderOutcome.UNCHANGED]
        assert read_customer_counts(order.username)[Status.PLACED] == 1
        assert found(order) == []

    @pytest.mark.parametrize("transaction", [2, 3])
    def test_of_different_lines_leave_those_of_the_first(self, transaction):
        order = large_order()
        other = replace(order, lines=tuple(lines()))
        with before_transaction(transaction, lambda: put_orders([other])):
            assert put_orders([order]) == [OrderOutcome.UNCHANGED]
        names = [line["product_id"]["S"] for line in every_line(stored_order_of(order))]
        assert names == [line.product_id for line in other.lines]

    def test_of_different_lines_leave_those_of_the_one_that_puts_the_order(self):
        order = large_order()
        other = order_items(replace(order, lines=tuple(lines())), shard=0)
        with before_transaction(SHOWS, lambda: large_orders._put_further_lines(other)):
            assert put_orders([order]) == [OrderOutcome.CREATED]
        names = [line["product_id"]["S"] for line in every_line(stored_order_of(order))]
        assert names == [line.product_id for line in order.lines]

    def test_of_the_same_id_leave_the_lines_of_the_first(self, order):
        other = replace(order, username=unique("kim"), lines=tuple(lines()), foreign_id=None)
        assert put_orders([other]) == [OrderOutcome.ID_IN_USE]
        names = [line["product_id"]["S"] for line in every_line(stored_order_of(order))]
        assert names == [line.product_id for line in order.lines]

    @pytest.mark.parametrize("transaction", [2, 3, 4])
    def test_one_of_which_is_a_repair_leave_the_whole_order(self, transaction):
        order = large_order()
        with before_transaction(transaction, lambda: repair(order)):
            assert put_orders([order]) == [OrderOutcome.CREATED]
        assert len(every_line(stored_order_of(order))) == LINES
        assert read_customer_counts(order.username)[Status.PLACED] == 1
        assert found(order) == []

    def test_one_of_which_is_a_repair_that_comes_late_delete_nothing(self, interrupt):
        order = interrupt(large_order())
        (difference,) = differing(order)
        put_orders([order])
        assert difference.repair is not None
        assert not difference.repair()
        assert len(every_line(stored_order_of(order))) == LINES

    def test_the_first_of_which_is_killed_when_a_repair_deleted_its_lines(self, monkeypatch):
        order = large_order(Status.DELIVERED)
        with monkeypatch.context() as patch, suppress(Killed):
            patch.setattr(large_orders, "_complete_lines", kill)
            with before_transaction(SHOWS, lambda: repair(order)):
                put_orders([order])
        assert found(order) == ["purchases: not all settled"]
        repair_what_can_be(order)
        assert found(order) == ["purchases: not all settled"]
        put_orders([order])
        assert len(every_line(stored_order_of(order))) == LINES
        assert len(listed_products(order)) == LINES
        assert found(order) == []


def repair_what_can_be(order: NewOrder) -> None:
    for each in differing(order):
        assert each.repair is not None
        assert not each.repair()


def stored_order_of(order: NewOrder) -> Order:
    return stored_order(order.username, order.id)


class TestErasure:
    def test_takes_every_purchase_of_a_large_order(self, order):
        assert erase([PURCHASES], order.username) == {"purchases": LINES}
        assert not any(has_bought(order.username, line.product_id) for line in order.lines)

    def test_is_not_undone_by_a_move(self):
        put_orders([order := large_order(Status.SHIPPED)])
        erase([PURCHASES], order.username)
        move(order, Status.SHIPPED, Status.DELIVERED)
        assert not any(edge_of(order, line.product_id) for line in order.lines)
        assert found(order) == []

    def test_is_not_undone_by_what_an_interrupted_import_owes(self, interrupt):
        order = large_order()
        create_profile(username=order.username, password=None, now=LATER)
        interrupt(order, transaction=SHOWS + 1)
        assert erase([PURCHASES, PROFILE], order.username) == {"purchases": 0, "profile": 1}
        repair(order)
        assert not any(edge_of(order, line.product_id) for line in order.lines)
        assert found(order) == []


def test_an_export_has_all_lines_of_a_large_order(order):
    (batch,) = walk_through(order.username)(None)
    assert [row["product_name"] for row in batch.rows] == [line.name for line in order.lines]


def test_a_large_order_fills_a_basket_as_far_as_it_has_room(alice):
    put_orders([order := made_order(alice.username, lines=lines())])
    for line in order.lines[:50]:
        put_product(line.product_id)
    response = alice.browser.post(f"/orders/{order.id}/again/", follow=True)
    assert "40 products were added" in response.content.decode()


class TestThePageOfALargeOrder:
    def shown(self, visitor, url: str) -> list[str]:
        rows = visitor.get(url).page.one(class_="ledger-goods").one("tbody").all("tr")
        return [row.one("a").text for row in rows]

    def of(self, visitor, number: int = 250) -> NewOrder:
        put_orders([made := made_order(visitor.username, lines=lines(number))])
        return made

    def test_shows_a_hundred_lines_and_leads_to_the_others(self, alice):
        order = self.of(alice)
        url, shown = f"/orders/{order.id}/", []
        for extent in ("1–100", "101–200", "201–250"):
            page = alice.get(url).page
            assert page.one(class_="extent").text == f"Products {extent} of 250"
            shown += self.shown(alice, url)
            further = [link["href"] for link in page.all("a", rel="next")]
            url = f"/orders/{order.id}/{further[0].partition('#')[0]}" if further else ""
        assert shown == [line.name for line in order.lines]
        assert url == ""

    def test_leads_back_to_the_first_page(self, alice):
        order = self.of(alice, 101)
        (back,) = alice.get(f"/orders/{order.id}/?page=2").page.all("a", rel="prev")
        assert back["href"] == "?page=1#items-heading"
        assert len(self.shown(alice, f"/orders/{order.id}/?page=1")) == 100

    def test_of_a_hundred_lines_has_no_others(self, alice):
        order = self.of(alice, 100)
        assert alice.get(f"/orders/{order.id}/").page.all(class_="extent") == []

    def test_is_shown_to_staff_on_each_page(self, alice, sam):
        order = self.of(alice)
        for number in (1, 2, 3):
            url = f"/orders/{order.id}/?page={number}"
            assert len(self.shown(sam, url)) == (50 if number == 3 else 100)

    @pytest.mark.parametrize("page", ["0", "4", "-1", "x", "9999999"])
    def test_is_refused_where_there_is_none(self, alice, page):
        order = self.of(alice)
        response = alice.get(f"/orders/{order.id}/?page={page}").response
        assert response.status_code == 400
        assert f'href="/orders/{order.id}/"' in response.content.decode()

    def test_costs_the_same_for_any_number_of_lines(self, alice):
        order, longer = self.of(alice, 250), self.of(alice, 500)
        costs = []
        for one in (order, longer):
            with metered() as meter:
                find_order(one.id, username=alice.username)
            costs.append((meter.calls, meter.units))
        assert costs[0] == costs[1] == (2, 3.0)
