"""The statuses of orders and the moves between them."""

from shop.order_status import MOVES, OPEN, Status, may_move, moves_from


class TestTheMoves:
    def test_lead_to_every_status_but_the_first(self):
        assert {move.target for move in MOVES} == {*Status} - {Status.PLACED}

    def test_never_lead_in_a_circle(self):
        life = list(Status)
        assert all(life.index(move.source) < life.index(move.target) for move in MOVES)

    def test_let_a_customer_cancel_until_the_order_is_being_processed(self):
        may_cancel = [s for s in Status if may_move(s, Status.CANCELED, is_staff=False)]
        assert may_cancel == [Status.PLACED, Status.APPROVED]

    def test_let_a_customer_return_what_was_delivered(self):
        targets = [move.target for move in moves_from(Status.DELIVERED, is_staff=False)]
        assert targets == [Status.RETURNED]

    def test_let_staff_do_all_of_them(self):
        assert all(may_move(move.source, move.target, is_staff=True) for move in MOVES)

    def test_end_the_open_life_by_shipping_or_canceling(self):
        closing = {m.target for m in MOVES if m.source in OPEN and m.target not in OPEN}
        assert closing == {Status.SHIPPED, Status.CANCELED}
