"""An event is delivered to each webhook that hears of it: signed, at least once, with one id."""

import json
import time
from datetime import UTC, datetime, timedelta

import pytest

from comments.testing.work import later
from dynapages.calls import clock
from dynapages.work import worker
from dynapages.work.queues import Outcome
from shop.webhooks.delivery import deliver_owed, signature_of
from shop.webhooks.events import ORDER_MOVED, ORDER_PLACED, TEST, Event
from shop.webhooks.owing import EVENT, WEBHOOK, fan_out, owe_test, owed_events
from shop.webhooks.services import delete_webhook
from shop.work import QUEUE, owe_alone
from tests.support import receivers
from tests.support.receivers import HOST, receiving, status
from tests.support.webhooks import (
    deliver_all,
    hearing_of,
    ids,
    is_signed,
    remember_no_webhooks,
    told,
)

pytestmark = pytest.mark.usefixtures("tables")
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
PLACED = Event.at(NOW, ORDER_PLACED, {"order_id": "01M8", "status": "PLACED"})
MOVED = Event.at(
    NOW, ORDER_MOVED, {"order_id": "01M8", "status": "APPROVED", "previous_status": "PLACED"}
)


def happen(*events: Event) -> None:
    for owed in owed_events(events):
        owe_alone(owed)


def waiting(kind: str):
    return [owed for owed in QUEUE.waiting() if owed.kind == kind]


@pytest.fixture
def made(receiver):
    with hearing_of(receiver.url, ORDER_PLACED, ORDER_MOVED) as made:
        yield made


class TestAnEvent:
    def test_is_sent_as_its_type_its_moment_and_its_facts(self, receiver, made):
        happen(MOVED)
        deliver_all()
        facts = {"order_id": "01M8", "status": "APPROVED", "previous_status": "PLACED"}
        assert told(receiver) == [
            {"type": "order.moved", "timestamp": "2026-11-20T09:30:00.000000Z", "data": facts}
        ]
        (request,) = receiver.requests
        assert request.headers["content-type"] == "application/json"
        assert request.headers["user-agent"] == "dynashop-webhooks/1"
        assert list(QUEUE.waiting()) == []

    def test_is_signed_as_standard_webhooks_says(self, receiver, made):
        happen(PLACED)
        deliver_all()
        (request,) = receiver.requests
        assert is_signed(request, made.secret)
        assert not is_signed(request, f"whsec_{'A' * 43}=")
        sent_at = int(request.headers["webhook-timestamp"])
        # The clock of `deliver_all` is some minutes ahead.
        assert abs(sent_at - time.time()) < 3_600

    def test_is_signed_like_the_example_of_the_specification(self):
        """The example by which the libraries of Standard Webhooks test themselves."""
        signature = signature_of(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            b'{"test": 2432232314}',
            secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        )
        assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    def test_has_another_id_than_any_other(self):
        again = Event.at(NOW + timedelta(microseconds=1), ORDER_PLACED, PLACED.data)
        assert len({PLACED.id, MOVED.id, again.id}) == 3
        assert Event.of_list(json.loads(json.dumps(MOVED.as_list()))).id == MOVED.id

    def test_is_sent_to_each_webhook_that_hears_of_it(self, receiver, made, certificate):
        with (
            receiving(*certificate, status(200)) as other,
            hearing_of(other.url, ORDER_MOVED),
        ):
            happen(PLACED, MOVED)
            deliver_all()
            assert sorted(ids(receiver)) == sorted([PLACED.id, MOVED.id])
            assert ids(other) == [MOVED.id]

    def test_of_which_nobody_hears_is_not_owed(self, made):
        assert owed_events([Event.at(NOW, "comment.posted", {})]) == []
        assert owed_events([]) == []

    def test_is_owed_by_one_item_with_all_others_of_its_transaction(self, made):
        (owed,) = owed_events([PLACED, MOVED])
        assert owed.kind == EVENT
        assert len(owed.payload["events"]) == 2

    def test_is_sent_though_its_webhook_does_not_hear_of_it_where_it_is_a_test(
        self, receiver, made
    ):
        owe_test(made.webhook.id, now=NOW)
        deliver_all()
        (body,) = told(receiver)
        assert (body["type"], body["data"]) == (TEST, {"webhook_id": made.webhook.id})
        assert is_signed(receiver.requests[0], made.secret)


class TestAWebhookThatWasDeleted:
    def test_is_sent_nothing_any_more(self, receiver, made):
        happen(PLACED)
        owe_test(made.webhook.id, now=NOW)
        delete_webhook(made.webhook.id)
        deliver_all()
        assert receiver.requests == []
        assert list(QUEUE.waiting()) == []

    def test_is_sent_nothing_that_was_owed_before(self, receiver, made):
        owe_test(made.webhook.id, now=NOW)
        (owed,) = waiting(WEBHOOK)
        delete_webhook(made.webhook.id)
        assert QUEUE.attempt(owed) is Outcome.DONE
        assert receiver.requests == []


class TestFanningOut:
    def test_owes_each_delivery_once_however_often_it_is_done(self, made):
        (owed,) = owed_events([PLACED, MOVED])
        for _ in range(2):
            fan_out(owed.payload)
        assert len(waiting(WEBHOOK)) == 2

    def test_owes_it_to_a_webhook_of_which_only_others_knew(self, receiver):
        with hearing_of(receiver.url, ORDER_PLACED):
            (owed,) = owed_events([PLACED])
            # As in a process that has read them before.
            remember_no_webhooks()
            fan_out(owed.payload)
            assert len(waiting(WEBHOOK)) == 1


class TestAReceiverThatDoesNotTakeIt:
    @pytest.mark.parametrize("code", [301, 400, 404, 410, 429, 500, 503])
    def test_is_sent_it_again_with_the_same_id(self, receiver, made, code):
        receiver.answer = status(code)
        happen(PLACED)
        for owed in waiting(EVENT):
            QUEUE.attempt(owed)
        (owed,) = waiting(WEBHOOK)
        assert QUEUE.attempt(owed) is Outcome.FAILED
        (failed,) = waiting(WEBHOOK)
        assert failed.failure == f"{HOST} answered {code}."
        receiver.answer = status(200)
        with later(timedelta(hours=1)):
            assert QUEUE.attempt(failed) is Outcome.DONE
        assert ids(receiver) == [PLACED.id, PLACED.id]
        assert [is_signed(request, made.secret) for request in receiver.requests] == [True, True]

    def test_is_given_up_in_the_end_with_a_sentence_that_names_its_host(self, receiver, made):
        receiver.answer = status(500)
        happen(PLACED)
        for owed in waiting(EVENT):
            QUEUE.attempt(owed)
        for number in range(15):
            with later(timedelta(hours=2 * number)):
                (owed,) = waiting(WEBHOOK)
                QUEUE.attempt(owed)
        (dead,) = QUEUE.dead()
        assert dead.failure == f"{HOST} answered 500."
        assert "/events" not in dead.failure

        receiver.answer = status(200)
        again = QUEUE.retry(dead)
        assert again is not None
        assert QUEUE.attempt(again) is Outcome.DONE
        assert set(ids(receiver)) == {PLACED.id}

    def test_keeps_nobody_else_from_being_sent_it(self, receiver, made, certificate, monkeypatch):
        monkeypatch.setattr("shop.webhooks.sending.SECONDS", 0.3)
        receiver.answer = receivers.hangs_up
        with (
            receiving(*certificate, status(200)) as other,
            hearing_of(other.url, ORDER_PLACED),
        ):
            for minute in range(3):
                happen(Event.at(NOW + timedelta(minutes=minute), ORDER_PLACED, PLACED.data))
            worker().forget()
            worker().look([QUEUE])
            worker().look([QUEUE])
            assert len(ids(other)) == 3
            # While it is away, each attempt would have to wait for it.
            assert len(ids(receiver)) == 1


class TestWhatIsSent:
    def test_names_the_host_alone_where_it_fails(self, made, receiver):
        receiver.answer = status(500)
        payload = {"webhook": made.webhook.id, "event": PLACED.as_list()}
        with pytest.raises(Exception, match=f"^{HOST} answered 500.$"):
            deliver_owed(payload)

    def test_is_owed_since_the_moment_of_the_change(self, made):
        """However old the event is, as that of an order that is imported."""
        before = clock.now()
        happen(PLACED)
        for owed in waiting(EVENT):
            QUEUE.attempt(owed)
        (owed,) = waiting(WEBHOOK)
        assert before <= owed.owed_at <= clock.now()
