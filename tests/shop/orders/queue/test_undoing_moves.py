"""Staff take back moves that they have just made, of one order or of several."""

from datetime import timedelta

import pytest

from dynapages.calls import clock
from shop.order_status import FORWARD, Move, Status
from shop.orders.counts import read_customer_counts, read_queue_lengths
from shop.orders.items import INDEX_KEYS, NewOrder
from shop.orders.moving import OrderMoved
from shop.orders.moving_many import Moved
from shop.orders.queries import stored_orders
from shop.orders.refs import OrderRef
from shop.orders.undoing import UNDO_WITHIN, parse_undo, undo_moves, write_undo
from tests.support.comments.faulty import before_the_next_transaction
from tests.support.orders.making import made_order, move, put, stored_order
from tests.support.orders.queueing import ids_of, stored_status

URL = "/staff/orders/undo/"
SHIPPING = FORWARD[-1]
each_move = pytest.mark.parametrize("made", FORWARD, ids=[each.target.value for each in FORWARD])


def moved_on(order: NewOrder, made: Move, *, who: str = "sam") -> None:
    move(order, made.source, made.target, who=who, now=clock.now())


def take_back(
    *orders: NewOrder, made: Move = SHIPPING, who: str = "sam", late: timedelta = timedelta(0)
) -> list[Moved]:
    refs = [OrderRef(order.id, order.username) for order in orders]
    now = clock.now() + late
    return undo_moves([ref.id for ref in refs], stored_orders(refs), made, who=who, now=now)


def statuses(order: NewOrder) -> list[str]:
    """The statuses in an order's history, oldest first."""
    history = stored_order(order.username, order.id)["history"]["L"]
    times = [step["M"]["at"]["S"] for step in history]
    assert times == sorted(set(times))
    return [step["M"]["status"]["S"] for step in history]


def derived(order: NewOrder) -> dict[str, str]:
    """The keys of an order in the indexes, but the moment at which it entered its status."""
    item = stored_order(order.username, order.id)
    found = {name: item[name]["S"] for name in INDEX_KEYS if name in item}
    found["order_status_date"] = found["order_status_date"].partition("#")[0]
    return found


@pytest.fixture
def processed(fresh, tables):
    """An order that is being processed."""
    order = made_order(fresh("alex"), Status.PROCESSING)
    put(order)
    return order


@pytest.mark.fallback
class TestTakingAMoveBack:
    @each_move
    def test_leaves_keys_and_counts_as_they_were(self, fresh, tables, made):
        order = made_order(fresh("alex"), made.source)
        put(order)
        before = derived(order), read_customer_counts(order.username), read_queue_lengths()
        moved_on(order, made)
        assert derived(order) != before[0]
        (outcome,) = take_back(order, made=made)
        assert not outcome.refusal
        after = derived(order), read_customer_counts(order.username), read_queue_lengths()
        assert after == before

    def test_is_in_the_history_and_so_is_the_move(self, processed):
        before = statuses(processed)
        moved_on(processed, SHIPPING)
        take_back(processed)
        assert statuses(processed) == [*before, "SHIPPED", "PROCESSING"]

    def test_twice_changes_nothing_more(self, processed):
        moved_on(processed, SHIPPING)
        for _ in range(2):
            (outcome,) = take_back(processed)
            assert not outcome.refusal
        assert statuses(processed).count("PROCESSING") == 2
        assert read_customer_counts(processed.username)[Status.PROCESSING] == 1

    def test_lets_it_be_moved_on_and_taken_back_again(self, processed):
        for _ in range(2):
            moved_on(processed, SHIPPING)
            take_back(processed)
        moved_on(processed, SHIPPING)
        assert stored_status(processed) == "SHIPPED"
        counts = read_customer_counts(processed.username)
        assert (counts[Status.PROCESSING], counts[Status.SHIPPED]) == (0, 1)

    def test_of_several_orders_counts_each(self, fresh, tables):
        orders = [made_order(fresh(f"u{n % 2}"), Status.PROCESSING) for n in range(4)]
        put(*orders)
        before = read_queue_lengths()
        for order in orders:
            moved_on(order, SHIPPING)
        assert [one.refusal for one in take_back(*orders)] == [""] * 4
        assert read_queue_lengths() == before
        assert {stored_status(order) for order in orders} == {"PROCESSING"}


class TestIsRefused:
    def refusal(self, order: NewOrder, **how: object) -> str:
        (outcome,) = take_back(order, **how)  # type: ignore[arg-type]  # who, or late
        return outcome.refusal

    def test_to_another_member_of_staff(self, processed):
        moved_on(processed, SHIPPING, who="kim")
        assert "only who has moved it last" in self.refusal(processed)
        assert stored_status(processed) == "SHIPPED"

    def test_after_some_minutes(self, processed):
        moved_on(processed, SHIPPING)
        assert "within 10 minutes" in self.refusal(processed, late=UNDO_WITHIN * 2)
        assert stored_status(processed) == "SHIPPED"

    def test_for_what_was_imported_so(self, fresh, tables):
        order = made_order(fresh("alex"), Status.SHIPPED)
        put(order)
        assert "cannot be moved back" in self.refusal(order)

    def test_where_the_order_has_gone_on(self, processed):
        moved_on(processed, SHIPPING)
        move(processed, Status.SHIPPED, Status.DELIVERED, who="kim", now=clock.now())
        assert "is already delivered" in self.refusal(processed)
        assert stored_status(processed) == "DELIVERED"

    def test_where_it_goes_on_at_the_same_moment(self, processed):
        moved_on(processed, SHIPPING)

        def deliver() -> None:
            move(processed, Status.SHIPPED, Status.DELIVERED, who="kim", now=clock.now())

        with before_the_next_transaction(deliver):
            assert "is already delivered" in self.refusal(processed)
        assert stored_status(processed) == "DELIVERED"
        assert read_customer_counts(processed.username)[Status.DELIVERED] == 1


class TestAMoveFromBefore:
    def test_is_refused_where_the_order_left_its_status_and_came_back(self, processed):
        """The status is the same as it was read, and yet the order is another one."""

        def there_and_back() -> None:
            moved_on(processed, SHIPPING)
            take_back(processed)

        with before_the_next_transaction(there_and_back), pytest.raises(OrderMoved):
            move(processed, Status.PROCESSING, Status.CANCELED, who="kim", now=clock.now())
        assert stored_status(processed) == "PROCESSING"


class TestTheText:
    def test_says_which_move_of_which_orders(self):
        refs = [OrderRef("01A", "ann lee"), OrderRef("01B", "bo")]
        assert parse_undo(write_undo(SHIPPING, refs)) == (SHIPPING, refs)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "x",
            "{}",
            "1",
            "[]",
            '["SHIPPED", 1]',
            "[[], []]",
            '["DELIVERED", []]',
            '["SHIPPED"]',
        ],
    )
    def test_that_is_none_of_ours_is_refused(self, sam, text):
        assert sam.post(URL, {"undo": text}).status == 400


class TestThePages:
    def test_have_a_button_beside_the_sentence(self, sam, opened):
        order = opened[4]
        fields = {"from_status": "PROCESSING", "move": "SHIPPED", "owner": order.username}
        shown = sam.post(f"/orders/{order.id}/move/", fields)
        form = shown.page.one("li", class_="message").one("form")
        again = sam.post(form["action"], {"undo": form.one("input", name="undo")["value"]})
        assert again.messages == [f"Order …{order.id[-8:]} is being processed again."]
        assert stored_status(order) == "PROCESSING"

    def test_have_a_button_below_the_outcome_of_several(self, sam, opened):
        shown = sam.post("/staff/orders/move/", {"move": "SHIPPED", "order": ids_of(opened[4:])})
        form = shown.page.one("form", class_="undo")
        again = sam.post(form["action"], {"undo": form.one("input", name="undo")["value"]})
        assert again.messages == ["2 orders were moved back."]
        assert [stored_status(order) for order in opened[4:]] == ["PROCESSING"] * 2

    def test_offer_none_to_customers(self, alice, opened):
        order = opened[0]
        shown = alice.post(
            f"/orders/{order.id}/move/", {"from_status": "PLACED", "move": "CANCELED"}
        )
        assert shown.page.one("li", class_="message").all("form") == []
        assert alice.post(URL, {"undo": write_undo(SHIPPING, [])}).status == 404
