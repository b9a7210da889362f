"""From a delivery to an e-mail that asks for reviews, and what keeps it from being sent."""

import re
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from math import inf
from urllib.parse import urlsplit

import pytest
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.utils import translation

from comments.profiles.queries import ids_written_by
from comments.requests.counts import RequestCounts, read_request_counts
from comments.signals import requests_muted
from comments.store.comments import load_comment
from comments.testing.work import later
from dynapages.calls import clock, metered
from dynapages.engine.fault_proxy import FaultProxy
from dynapages.engine.lag import Lag
from dynapages.items import table_key
from dynapages.process import write_actions
from dynapages.pynamodb import update
from dynapages.work import Owed, worker
from shop.accounts.queries import find_user
from shop.models import Order
from shop.order_status import Status
from shop.orders.asking import forget_request
from shop.orders.importing import put_orders
from shop.orders.items import StatusChange
from shop.orders.placing import place_order
from shop.user_data import EMAILS, REQUESTS
from shop.work import QUEUE
from tests.support.accounts.cast import PASSWORD, new_browser
from tests.support.chance import unique
from tests.support.comments.browsing import Visitor, shown
from tests.support.comments.faulty import Fault, Killed, faults
from tests.support.comments.options import comments_set
from tests.support.comments.outage import connected, own_engine
from tests.support.comments.writers import fields_of, made_product, new_url, someone
from tests.support.orders.addresses import ADDRESS
from tests.support.orders.asking import (
    DAYS,
    SITE,
    THAT_DAY,
    address_of,
    asked,
    customer,
    deliver,
    requests_to,
    send_back,
    shipped,
    stored,
    work_on_that_day,
)
from tests.support.orders.making import move, put_product
from tests.support.project import PROJECT
from tests.support.work import finish_what_waits, forget_what_waits

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]


@pytest.fixture(autouse=True)
def asking(settings):
    settings.REVIEW_REQUEST_DAYS, settings.SITE_URL = DAYS, SITE
    yield
    finish_what_waits()
    for owed in list(QUEUE.waiting()):
        QUEUE.discard(owed)


@pytest.fixture
def ann():
    return customer("ann")


def put_off(visitor: Visitor) -> Owed:
    """Move the only request to a customer, as where the mail server is away on its day."""
    (request,) = requests_to(visitor)
    moved = request.after_failure(clock.now() + timedelta(hours=1), "Away.", counts=True)
    QUEUE.discard(request)
    write_actions([moved.action])
    return moved


class TestACustomer:
    def test_is_asked_some_days_after_the_delivery(self, ann):
        lamp = made_product()
        deliver(shipped(ann, [lamp]))
        work_on_that_day(THAT_DAY - timedelta(minutes=2))
        assert asked(ann) == []
        work_on_that_day()
        (email,) = asked(ann)
        assert f"{SITE}/products/{lamp}/comments/new/?bought=yes" in email.body
        assert requests_to(ann) == []

    def test_is_asked_once_an_order(self, ann):
        deliver(shipped(ann))
        for days in (7, 8, 30):
            work_on_that_day(timedelta(days=days, minutes=1))
        assert len(asked(ann)) == 1

    def test_is_asked_once_for_two_deliveries_of_a_fortnight(self, ann):
        deliver(shipped(ann))
        with later(timedelta(days=3)):
            deliver(shipped(ann))
        for days in (7, 10):
            work_on_that_day(timedelta(days=days, minutes=1))
        assert len(asked(ann)) == 1
        assert requests_to(ann) == []

    def test_is_not_asked_about_what_was_sent_back(self, ann):
        send_back(deliver(shipped(ann)))
        assert requests_to(ann) == []
        work_on_that_day()
        assert asked(ann) == []

    @pytest.mark.parametrize(
        "meanwhile", [send_back, lambda order: forget_request(stored(order))], ids=["back", "gone"]
    )
    def test_is_not_asked_by_a_request_that_no_key_leads_to_any_more(self, ann, meanwhile):
        order = deliver(shipped(ann))
        put_off(ann)
        meanwhile(order)
        assert len(requests_to(ann)) == 1
        work_on_that_day(THAT_DAY + timedelta(hours=2))
        assert asked(ann) == []
        assert requests_to(ann) == []

    def test_is_not_asked_where_a_version_of_before_has_taken_the_order_back(self, ann):
        order = deliver(shipped(ann))
        # It knows of no request.
        status = Order.status.set(Status.RETURNED.value)
        write_actions([update(Order, table_key(*order.key), [status])])
        work_on_that_day()
        assert asked(ann) == []

    def test_is_asked_by_a_request_that_was_put_off(self, ann):
        deliver(shipped(ann))
        put_off(ann)
        work_on_that_day(THAT_DAY + timedelta(hours=2))
        assert len(asked(ann)) == 1

    def test_is_not_asked_about_what_is_not_delivered(self, ann):
        shipped(ann)
        work_on_that_day()
        assert asked(ann) == []

    def test_is_asked_about_the_first_ten_products_of_many(self, ann):
        products = [made_product() for _ in range(12)]
        deliver(shipped(ann, products))
        work_on_that_day()
        (email,) = asked(ann)
        named = [product for product in products if f"/products/{product}/" in email.body]
        assert named == products[:10]

    def test_is_asked_about_an_order_of_thousands_by_few_calls(self, ann):
        deliver(shipped(ann, [made_product(), *(unique("other") for _ in range(900))]))
        finish_what_waits()
        with metered() as meter:
            work_on_that_day()
        assert len(asked(ann)) == 1
        assert meter.units < 100

    @pytest.mark.parametrize("days", [0, None], ids=["off", "no site"])
    def test_is_not_asked_by_a_shop_that_does_not_ask(self, ann, settings, days):
        if days is None:
            settings.SITE_URL = ""
        else:
            settings.REVIEW_REQUEST_DAYS = days
        deliver(shipped(ann))
        assert requests_to(ann) == []
        work_on_that_day()
        assert asked(ann) == []

    def test_is_not_asked_at_an_address_that_is_not_confirmed(self):
        bob = someone("bob")
        user = find_user(bob.username)
        user.email = address_of(bob)
        user.save()
        deliver(shipped(bob))
        work_on_that_day()
        assert asked(bob) == []
        assert requests_to(bob) == []

    def test_is_not_asked_where_the_account_is_closed(self, ann):
        deliver(shipped(ann))
        user = find_user(ann.username)
        user.is_active = False
        user.save()
        work_on_that_day()
        assert asked(ann) == []


class TestTheWholeWay:
    def test_leads_from_the_delivery_over_the_email_to_the_comment(self, ann):
        lamp = made_product()
        order = deliver(shipped(ann, [lamp]))
        work_on_that_day()
        link = link_to(asked(ann)[0], stars=4)
        # It is opened in another browser, by somebody who is not signed in there.
        browser = new_browser()
        sent_to = browser.get(link)
        user = find_user(ann.username)
        user.set_password(PASSWORD)
        user.save()
        answer = browser.post(
            sent_to["Location"], {"username": ann.username, "password": PASSWORD}, follow=True
        )
        form = shown(answer)
        assert answer.request["QUERY_STRING"] == urlsplit(link).query
        fields = fields_of(form)
        assert fields["rating"] == "4"
        posted = browser.post(new_url(lamp), {**fields, "body": "Bright.", "language": "en"})
        assert posted.status_code == 302
        assert load_comment(next(ids_written_by(ann.username))).comment.verified
        page = Visitor(ann.username, browser).get(f"/orders/{order.id}/").page
        assert page.one(class_="review").text.startswith("You reviewed this")
        finish_what_waits()
        assert counted_since(self.before) == (1, 1, 1)

    @pytest.fixture(autouse=True)
    def _before(self):
        self.before = read_request_counts(clock.now() + THAT_DAY)


def counted_since(before: RequestCounts) -> tuple[int, int, int]:
    """The requests that were sent, opened and answered since then."""
    now = read_request_counts(clock.now() + THAT_DAY)
    return (
        now.asked - before.asked,
        now.opened - before.opened,
        now.reviewed - before.reviewed,
    )


def link_to(email: EmailMessage, *, stars: int) -> str:
    """The path of the link that chooses so many stars."""
    (link,) = re.findall(rf"{SITE}(/products/\S+rating={stars}\S*)", str(email.body))
    return str(link)


class TestTheLanguage:
    @pytest.mark.parametrize("language", ["en", "de"])
    def test_is_that_of_the_page_on_which_was_ordered(self, ann, language):
        lamp = put_product(unique("lamp"))
        with translation.override(language):
            order_id = place_order(
                username=ann.username,
                client_id=unique("intent"),
                basket={lamp: 1},
                now=clock.now(),
                address=ADDRESS,
            )
        order = replace(shipped(ann), id=order_id)
        for source, target in (
            (Status.PLACED, Status.APPROVED),
            (Status.APPROVED, Status.PROCESSING),
            (Status.PROCESSING, Status.SHIPPED),
            (Status.SHIPPED, Status.DELIVERED),
        ):
            move(order, source, target, now=clock.now())
        assert stored(order).language == language
        work_on_that_day()
        (email,) = asked(ann)
        assert ("Bewert" in f"{email.subject} {email.body}") is (language == "de")


class TestAReview:
    def test_of_all_that_was_bought_takes_the_request_away(self, ann):
        lamp, pen = made_product(), made_product()
        order = deliver(shipped(ann, [lamp, pen]))
        ann.write(lamp)
        finish_what_waits()
        assert len(requests_to(ann)) == 1
        ann.write(pen)
        finish_what_waits()
        assert requests_to(ann) == []
        assert stored(order).asks_at is None
        work_on_that_day()
        assert asked(ann) == []

    def test_that_waits_for_the_shop_does_so_too(self, ann):
        lamp = made_product()
        deliver(shipped(ann, [lamp]))
        with comments_set(GATE=("comments.gates.hold_words",), HELD_WORDS=("bright",)):
            ann.write(lamp)
        finish_what_waits()
        assert requests_to(ann) == []

    def test_of_something_else_does_not(self, ann):
        deliver(shipped(ann))
        ann.write(made_product())
        finish_what_waits()
        assert len(requests_to(ann)) == 1

    def test_is_noticed_on_the_day_where_the_process_was_killed_behind_it(self, ann):
        lamp = made_product()
        deliver(shipped(ann, [lamp]))
        ann.write(lamp)
        forget_what_waits()
        assert len(requests_to(ann)) == 1
        work_on_that_day()
        assert asked(ann) == []

    def test_costs_no_call_more_where_nobody_is_asked(self, ann, settings):
        settings.REVIEW_REQUEST_DAYS = 0
        lamp = made_product()
        deliver(shipped(ann, [lamp]))
        ann.has_written(lamp)
        with metered() as meter:
            finish_what_waits()
        assert meter.labelled("comments before") == []


class TestWhoDoesNotWantIt:
    def test_is_not_asked_after_one_click(self, ann):
        deliver(shipped(ann))
        work_on_that_day()
        header = asked(ann)[0].extra_headers["List-Unsubscribe"]
        url = str(header).strip("<>").removeprefix(SITE)
        program = new_browser(enforce_csrf_checks=True)
        assert program.post(url, {"List-Unsubscribe": "One-Click"}).status_code == 200
        deliver(shipped(ann))
        work_on_that_day(timedelta(days=30))
        assert len(asked(ann)) == 1
        assert requests_to(ann) == []

    def test_has_no_requests_left(self, ann):
        orders = [deliver(shipped(ann)) for _ in range(2)]
        bob = customer("bob")
        deliver(shipped(bob))
        requests_muted.send_robust(None, user_id=ann.username)
        finish_what_waits()
        assert requests_to(ann) == []
        assert [stored(order).asks_at for order in orders] == [None, None]
        assert len(requests_to(bob)) == 1


class TestErasure:
    def erase(self, username: str, *options: str) -> str:
        out = StringIO()
        call_command("delete_user_data", username, *options, stdout=out)
        return out.getvalue()

    def test_takes_requests_by_their_keys(self, ann):
        deliver(shipped(ann))
        bob = customer("bob")
        deliver(shipped(bob))
        assert "requests for reviews that are owed: 1" in self.erase(ann.username)
        assert requests_to(ann) == []
        assert len(requests_to(bob)) == 1
        assert "requests for reviews that are owed: 0" in self.erase(ann.username)
        work_on_that_day()
        assert asked(ann) == []

    def test_finds_none_that_was_done(self, ann):
        deliver(shipped(ann))
        work_on_that_day()
        assert list(REQUESTS.find(ann.username)) == []

    def test_takes_those_that_were_put_off_or_given_up(self, ann):
        deliver(shipped(ann))
        moved = put_off(ann)
        write_actions([replace(moved, token="other").given_up().action])
        assert len(list(EMAILS.find(ann.username))) == 2
        self.erase(ann.username)
        assert requests_to(ann) == []
        assert [one for one in QUEUE.dead() if one.payload["user"] == ann.username] == []

    def test_does_not_read_what_waits_for_days(self, ann):
        for _ in range(3):
            deliver(shipped(customer("other")))
        with metered() as meter:
            list(EMAILS.find(ann.username))
        few = meter.units
        for _ in range(30):
            write_actions([QUEUE.owe("review request", {"user": "x"}, after=THAT_DAY).action])
        with metered() as meter:
            list(EMAILS.find(ann.username))
        assert meter.units == few

    def test_is_noticed_where_an_order_is_delivered_afterwards(self, ann):
        order = shipped(ann)
        self.erase(ann.username)
        deliver(order)
        work_on_that_day()
        assert asked(ann) == []
        assert requests_to(ann) == []


class TestAnImport:
    def imported(self, ann, *, announces: bool, status: Status = Status.DELIVERED):
        order = shipped(ann)
        change = StatusChange(status, clock.now())
        put_orders([replace(order, history=(*order.history, change))], announces=announces)
        return order

    def test_with_signals_leads_to_an_email(self, ann):
        self.imported(ann, announces=True)
        work_on_that_day()
        assert len(asked(ann)) == 1

    def test_without_them_leads_to_none(self, ann):
        self.imported(ann, announces=False)
        work_on_that_day()
        assert asked(ann) == []


class TestWhatItCosts:
    """The table of docs/review-requests.md."""

    def documented(self) -> dict[str, float]:
        text = (PROJECT / "docs" / "review-requests.md").read_text()
        rows = re.findall(r"^\| ([^|]+) \| ([\d.]+)(?: more)? \|$", text, re.MULTILINE)
        return {name: float(units) for name, units in rows}

    def moves(self, ann) -> tuple[float, float]:
        """The units of a delivery, and of its return."""
        order = shipped(ann, [made_product(), made_product()])
        with metered() as delivery:
            deliver(order)
        with metered() as return_:
            send_back(order)
        return delivery.units, return_.units

    def that_day(self, *, products: int) -> float:
        """The units of a look that finds one request, without those of a look that finds none."""
        deliver(shipped(customer("ann"), [made_product() for _ in range(products)]))
        finish_what_waits()
        units = []
        for _ in range(2):
            with later(THAT_DAY), metered() as meter:
                worker().look([QUEUE])
            units.append(meter.units)
        return units[0] - units[1]

    def review(self, ann, lamp: str) -> float:
        """The units of what is done behind the answer to a form that posts a comment."""
        ann.has_written(lamp)
        with metered() as meter:
            finish_what_waits()
        return meter.units

    def test_is_what_the_table_says(self, ann, settings):
        asking, costs = self.moves(ann), self.documented()
        settings.REVIEW_REQUEST_DAYS = 0
        silent = self.moves(ann)
        more = costs["a delivery, or its return"]
        assert asking == (silent[0] + more, silent[1] + more)

    def test_of_the_day_is_too(self):
        one, several = self.that_day(products=1), self.that_day(products=5)
        costs = self.documented()
        assert one == costs["the day to ask about one product"]
        assert several == one + 4 * costs["each product more"]

    def test_of_a_review_is_too(self, ann):
        lamp, pen = made_product(), made_product()
        usual = self.review(ann, pen)
        deliver(shipped(ann, [lamp]))
        costs = self.documented()
        asking = self.review(ann, lamp)
        assert asking - usual == costs["a review of the last product, behind the answer"]


class TestAProcessThatIsKilled:
    @pytest.mark.parametrize("when", ["before it is sent", "after it was applied"])
    def test_while_it_delivers_asks_once_for_what_is_delivered(self, when):
        for fault in faults(when, every_call=True, kills=True):
            ann = customer("ann")
            order = shipped(ann)
            with fault.injected(), suppress(Killed):
                deliver(order)
            forget_what_waits()
            is_delivered = stored(order).status == Status.DELIVERED
            assert len(requests_to(ann)) == is_delivered
            work_on_that_day()
            assert len(asked(ann)) == is_delivered, fault

    def test_while_it_asks_loses_no_request(self):
        for fault in faults("before it is sent", every_call=True, kills=True):
            ann = customer("ann")
            deliver(shipped(ann))
            with fault.injected(), suppress(Killed), later(THAT_DAY):
                worker().look([QUEUE])
            # After the lease, another one does it.
            work_on_that_day(THAT_DAY + timedelta(minutes=10))
            assert len(asked(ann)) in {1, 2}, fault
            assert requests_to(ann) == []

    def test_while_it_takes_a_return_sends_none(self):
        for fault in faults("after it was applied", every_call=True, kills=True):
            ann = customer("ann")
            order = deliver(shipped(ann))
            with fault.injected(), suppress(Killed):
                send_back(order)
            is_returned = stored(order).status == Status.RETURNED
            work_on_that_day()
            assert len(asked(ann)) == (not is_returned), fault

    def test_leaves_the_request_to_a_fault_that_goes_by(self, ann):
        deliver(shipped(ann))
        fault = Fault("before it is sent", number=6)
        with fault.injected():
            work_on_that_day()
        work_on_that_day(THAT_DAY + timedelta(minutes=10))
        assert len(asked(ann)) == 1


class TestOnAnEngineThatLags:
    def test_nobody_is_asked_about_what_was_sent_back(self):
        lag = Lag()
        with (
            own_engine() as engine,
            FaultProxy(engine.endpoint_url, lag=lag) as proxy,
            connected(proxy.endpoint_url),
        ):
            ann = customer("ann")
            order = deliver(shipped(ann))
            # From now on what the worker looks through stays as it is.
            lag.seconds = inf
            send_back(order)
            work_on_that_day()
            assert asked(ann) == []

    def test_everybody_is_asked_once(self):
        lag = Lag(inf)
        with (
            own_engine() as engine,
            FaultProxy(engine.endpoint_url, lag=lag) as proxy,
            connected(proxy.endpoint_url),
        ):
            ann = customer("ann")
            deliver(shipped(ann))
            work_on_that_day()
            lag.release()
            for minutes in (5, 10):
                work_on_that_day(THAT_DAY + timedelta(minutes=minutes))
            assert len(asked(ann)) == 1


class TestTheAccountPage:
    def test_leads_to_the_choice(self, ann):
        page = ann.get("/account/").page
        section = page.one("section", aria_labelledby="review-requests-title")
        assert ann.get(section.one("a")["href"]).status == 200
