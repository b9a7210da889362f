"""Customers are asked for reviews: about what, how often, and what happens when something fails."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from threading import Barrier

import pytest
from botocore.exceptions import EndpointConnectionError
from django.core.mail import EmailMessage

from comments import keys
from comments.erasure.user_data import TRACES
from comments.profiles.queries import LOOKED_THROUGH
from comments.requests.purchases import DuePurchase
from comments.requests.services import (
    INTERVAL,
    LEASE,
    Consideration,
    Outcome,
    choose,
    consider,
)
from comments.store.table import read_item
from comments.testing import sent_signals
from dynapages.calls import clock, metered
from dynapages.upkeep import erase
from dynapages.work import Postponed
from tests.support.chance import unique
from tests.support.comments.deciding import hide
from tests.support.comments.faulty import EVENTS, READS, Fault, Killed, faults, unreachable
from tests.support.comments.options import comments_set
from tests.support.comments.requested import ask, emails_to, purchase_of
from tests.support.comments.writers import Writer, made_product

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
FailWith = Callable[[Exception], pytest.MonkeyPatch]


@pytest.fixture
def fails(monkeypatch) -> FailWith:
    """Has the mail server fail until it is told not to."""

    def fail_with(error: Exception) -> pytest.MonkeyPatch:
        def fail(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(EmailMessage, "send", fail)
        return monkeypatch

    return fail_with


def now_asked(user_id: str) -> int:
    return len(emails_to(user_id))


class TestACustomer:
    def test_is_asked_once_about_a_purchase(self):
        purchase = purchase_of(unique("ann"))
        assert [ask(purchase), ask(purchase)] == [Outcome.SENT, Outcome.ASKED_BEFORE]
        assert ask(purchase, after=10 * INTERVAL) is Outcome.ASKED_BEFORE
        assert now_asked(purchase.user_id) == 1

    def test_is_asked_about_another_purchase_after_two_weeks(self):
        ann = unique("ann")
        assert ask(purchase_of(ann)) is Outcome.SENT
        assert ask(purchase_of(ann), after=INTERVAL - timedelta(minutes=1)) is Outcome.TOO_SOON
        assert ask(purchase_of(ann), after=INTERVAL + timedelta(minutes=1)) is Outcome.SENT
        assert INTERVAL.days == 14

    def test_is_not_asked_without_an_address_and_nothing_is_read(self):
        purchase = purchase_of(unique("ann"), address="")
        with metered() as meter:
            assert ask(purchase) is Outcome.NO_ADDRESS
        assert meter.units == 0

    def test_who_opted_out_is_not_asked_until_they_take_it_back(self):
        purchase = purchase_of(unique("ann"))
        choose(purchase.user_id, is_muted=True, now=clock.now())
        assert ask(purchase) is Outcome.MUTED
        choose(purchase.user_id, is_muted=False, now=clock.now())
        assert ask(purchase) is Outcome.SENT

    def test_who_never_opted_out_leaves_nothing_when_they_take_it_back(self):
        ann = unique("ann")
        choose(ann, is_muted=False, now=clock.now())
        assert not read_item(keys.asked_user(ann))

    def test_who_was_asked_about_a_long_id_is_not_asked_again(self):
        purchase = purchase_of(unique("ann"), id="order" * 400)
        assert [ask(purchase), ask(purchase)] == [Outcome.SENT, Outcome.ASKED_BEFORE]

    def test_is_asked_with_a_signal(self):
        purchase = purchase_of(unique("ann"))
        with sent_signals() as sent:
            ask(purchase)
            ask(purchase)
            choose(purchase.user_id, is_muted=True, now=clock.now())
        assert [signal.name for signal in sent] == ["review_requested", "requests_muted"]
        said = sent[0].arguments
        assert (said["user_id"], said["purchase_id"]) == (purchase.user_id, purchase.id)
        assert said["product_ids"] == list(purchase.product_ids)


class TestWhatIsAskedAbout:
    def test_is_what_the_customer_has_not_reviewed_since(self, ann):
        lamp, chair = made_product(), made_product()
        purchase = purchase_of(ann.username, lamp, chair)
        ann.has_written(lamp)
        assert ask(purchase) is Outcome.SENT
        (email,) = emails_to(ann.username)
        assert (lamp in email.body, chair in email.body) == (False, True)

    @pytest.mark.parametrize("state", ["listed", "hidden", "held"])
    def test_is_nothing_where_all_is_reviewed(self, ann, lamp, state):
        purchase = purchase_of(ann.username, lamp)
        gate = "comments.gates.hold_all" if state == "held" else ""
        with comments_set(GATE=gate):
            comment = ann.has_written(lamp).comment
        if state == "hidden":
            hide(comment_id=comment.id)
        assert ask(purchase) is Outcome.REVIEWED
        assert not read_item(keys.asked_user(ann.username)), "nothing is written about the customer"

    def test_is_found_behind_many_later_comments(self, ann, lamp):
        purchase = purchase_of(ann.username, lamp)
        ann.has_written(lamp)
        for _ in range(LOOKED_THROUGH + 1):
            ann.has_written(made_product())
        assert ask(purchase) is Outcome.REVIEWED

    def test_was_perhaps_reviewed_before_it_was_bought_again(self, ann, lamp):
        ann.has_written(lamp)
        purchase = purchase_of(ann.username, lamp, bought_at=clock.now() + timedelta(minutes=1))
        assert ask(purchase) is Outcome.SENT

    def test_exists(self):
        gone = unique("gone")
        purchase = purchase_of(unique("ann"), gone)
        assert ask(purchase) is Outcome.REVIEWED
        lamp = made_product()
        purchase = purchase_of(unique("ann"), gone, lamp)
        assert ask(purchase) is Outcome.SENT
        (email,) = emails_to(purchase.user_id)
        assert (gone in email.body, lamp in email.body) == (False, True)


class TestWhatIsOnlyConsidered:
    def test_writes_and_sends_nothing(self):
        purchase = purchase_of(unique("ann"))
        with metered() as meter:
            assert consider(purchase, now=clock.now()).outcome is Outcome.SENT
        assert {call.operation for call in meter.log} <= READS
        assert emails_to(purchase.user_id) == []


class TestAMailServerThatFails:
    def test_leaves_the_customer_to_the_next_attempt(self, fails):
        purchase = purchase_of(unique("ann"))
        patch = fails(SMTPServerDisconnected("gone"))
        with pytest.raises(Postponed) as raised:
            ask(purchase)
        assert raised.value.is_away
        patch.undo()
        assert ask(purchase) is Outcome.SENT, "at once, without waiting for a lease"

    def test_leaves_the_customer_to_another_purchase(self, fails):
        ann = unique("ann")
        patch = fails(OSError("gone"))
        with pytest.raises(Postponed):
            ask(purchase_of(ann))
        patch.undo()
        assert ask(purchase_of(ann)) is Outcome.SENT

    def test_is_not_asked_again_about_an_address_that_it_refuses_for_good(self, fails):
        purchase = purchase_of(unique("ann"))
        patch = fails(SMTPRecipientsRefused({purchase.address: (550, b"No such user")}))
        with sent_signals() as sent:
            assert ask(purchase) is Outcome.NO_ADDRESS
        patch.undo()
        assert ask(purchase) is Outcome.ASKED_BEFORE
        assert (emails_to(purchase.user_id), sent) == ([], [])
        assert ask(purchase_of(purchase.user_id)) is Outcome.SENT, "no e-mail was sent before"

    def test_names_no_address_to_staff(self, fails, caplog):
        caplog.set_level(logging.ERROR)
        fails(SMTPRecipientsRefused({"ann@example.com": (451, b"Later")}))
        with pytest.raises(Postponed) as raised:
            ask(purchase_of(unique("ann")))
        assert "@" not in raised.value.sentence


@pytest.mark.real_engine
def test_an_email_costs_what_the_document_says():
    purchase = purchase_of(unique("ann"))
    with metered() as asking:
        ask(purchase)
    with metered() as asking_again:
        ask(purchase)
    assert (asking.units, asking_again.units) == (10, 2)


@pytest.mark.real_engine
class TestTwoAtOnce:
    """Both have read that the customer may be asked, before either claims them."""

    @pytest.fixture
    def meets(self, monkeypatch) -> None:
        barrier = Barrier(2, timeout=20)
        real = consider

        def consider_together(*args: object, **named: object) -> object:
            considered = real(*args, **named)  # type: ignore[arg-type] # passed on
            barrier.wait()
            return considered

        monkeypatch.setattr("comments.requests.services.consider", consider_together)

    @pytest.mark.parametrize("of", ["one purchase", "two purchases"])
    def test_send_one_email(self, meets, of):
        first = purchase_of(unique("ann"))
        second = first if of == "one purchase" else purchase_of(first.user_id)
        with ThreadPoolExecutor(2) as threads:
            outcomes = list(threads.map(_outcome_of, (first, second)))
        assert sorted(outcomes) in (
            sorted([Outcome.SENT, Outcome.TOO_SOON]),
            sorted([Outcome.SENT, "postponed"]),
        )
        assert now_asked(first.user_id) == 1


def _outcome_of(purchase: object) -> str:
    try:
        return ask(purchase)  # type: ignore[arg-type] # a purchase
    except Postponed:
        return "postponed"


class TestWhatHappensBetweenTheReadAndTheClaim:
    @pytest.fixture
    def meanwhile(self, monkeypatch) -> Callable[[Callable[[], object]], None]:
        """Has something happen once it is decided that a customer may be asked."""

        def happens(go: Callable[[], object]) -> None:
            def consider_and_go(purchase: DuePurchase, *, now: datetime) -> Consideration:
                considered = consider(purchase, now=now)
                monkeypatch.undo()
                go()
                return considered

            monkeypatch.setattr("comments.requests.services.consider", consider_and_go)

        return happens

    def test_is_heeded_where_the_customer_opts_out(self, meanwhile):
        purchase = purchase_of(unique("ann"))
        meanwhile(lambda: choose(purchase.user_id, is_muted=True, now=clock.now()))
        assert ask(purchase) is Outcome.MUTED
        assert now_asked(purchase.user_id) == 0

    def test_is_heeded_where_the_customer_is_asked_about_another_purchase(self, meanwhile):
        purchase = purchase_of(unique("ann"))
        meanwhile(lambda: ask(purchase_of(purchase.user_id)))
        assert ask(purchase) is Outcome.TOO_SOON
        assert now_asked(purchase.user_id) == 1


class TestACustomerWhomAnotherProcessHasClaimed:
    @pytest.fixture
    def claimed(self, ann, monkeypatch) -> Iterator[Writer]:
        """Ann, of whom a process that was killed meanwhile was about to ask something."""

        def killed(*_: object, **__: object) -> None:
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(EmailMessage, "send", killed)
            with pytest.raises(Killed):
                ask(purchase_of(ann.username))
        return ann

    def test_is_left_alone_for_two_minutes(self, claimed):
        with pytest.raises(Postponed) as raised:
            ask(purchase_of(claimed.username), after=LEASE - timedelta(seconds=30))
        assert not raised.value.is_away
        assert ask(purchase_of(claimed.username), after=LEASE * 2) is Outcome.SENT


@pytest.mark.parametrize("kills", [True, False], ids=["killed", "a fault"])
@pytest.mark.parametrize("when", EVENTS)
def test_a_process_that_ends_at_any_call_loses_no_request_and_sends_none_twice(when, kills):
    """But where it ends between the mail server's answer and the note of it."""
    rounds = 0
    for fault in faults(when, every_call=True, kills=kills):
        purchase = purchase_of(unique("ann"))
        with fault.injected(), suppress(Killed, Postponed, EndpointConnectionError):
            ask(purchase)
        sent_before = now_asked(purchase.user_id)
        # Whoever asks again does so once the claim of the dead one has ended.
        outcome = ask(purchase, after=2 * LEASE)
        was_noted = outcome is Outcome.ASKED_BEFORE
        assert was_noted or outcome is Outcome.SENT, fault
        expected = sent_before if was_noted else sent_before + 1
        assert now_asked(purchase.user_id) == expected
        if expected == 2:
            assert _is_the_note(fault), fault
        assert expected in {1, 2}
        rounds += 1
    assert rounds > 2


def _is_the_note(fault: Fault) -> bool:
    return fault.when == "before it is sent" and fault.calls[-1].startswith("TransactWriteItems")


def test_nobody_is_asked_while_the_database_is_away():
    purchase = purchase_of(unique("ann"))
    with unreachable(), pytest.raises(EndpointConnectionError):
        ask(purchase)
    assert now_asked(purchase.user_id) == 0
    assert ask(purchase) is Outcome.SENT


def test_a_customer_who_is_erased_while_the_email_is_sent_leaves_nothing(monkeypatch):
    purchase = purchase_of(unique("ann"))
    real = EmailMessage.send

    def erase_and_send(message: EmailMessage) -> int:
        erase(TRACES, purchase.user_id)
        return real(message)

    monkeypatch.setattr(EmailMessage, "send", erase_and_send)
    assert ask(purchase) is Outcome.SENT
    assert not read_item(keys.asked_user(purchase.user_id))
    assert not read_item(keys.request(purchase.user_id, purchase.id))
