"""How a session ends, and every copy of its cookie with it."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.test import Client

from dynapages.calls import clock, metered
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages.engine.faults import DAMAGED_BODIES
from shop.accounts.models import SIGNED_IN_AT
from shop.accounts.queries import find_user
from shop.accounts.services import end_sessions
from shop.accounts.sessions import LONGEST_CUSTOMER_SESSION, LONGEST_STAFF_SESSION
from tests.support.accounts.cast import (
    change_password,
    new_browser,
    sign_in,
    signed_in_name,
)
from tests.support.comments.faulty import unreachable
from tests.support.comments.outage import connected
from tests.support.markup import read_markup

pytestmark = pytest.mark.newest

A_MINUTE = timedelta(minutes=1)


def sign_out(browser: Client) -> int:
    return browser.post("/accounts/logout/").status_code


def copy_of(browser: Client) -> Client:
    """Another browser, at another address, with the same cookies."""
    copy = new_browser()
    copy.cookies = browser.cookies.copy()
    return copy


@pytest.fixture
def later(monkeypatch):
    """Moves the time on, counted from the test's start."""
    now: Callable[[], datetime] = clock.now

    def move(by: timedelta) -> None:
        monkeypatch.setattr(clock, "now", lambda: now() + by)

    return move


class TestThePageToSignOut:
    def test_signs_nobody_out_before_the_button_is_pressed(self, browser, alice):
        sign_in(browser, alice.username)
        page = read_markup(browser.get("/accounts/logout/").content.decode())
        assert page.one("main").one("button").text == "Sign out"
        assert signed_in_name(browser) == alice.username

    def test_offers_nobody_to_sign_out_twice(self, browser):
        page = read_markup(browser.get("/accounts/logout/").content.decode())
        assert page.one("h1").text == "You are signed out"
        assert not page.one("main").all("button")


class TestACopyOfASession:
    def test_ends_when_its_owner_signs_out(self, browser, alice):
        for _ in range(2):  # with each time anew
            sign_in(browser, alice.username)
            copy = copy_of(browser)
            assert signed_in_name(copy) == alice.username
            assert sign_out(browser) == 200
            assert (signed_in_name(copy), signed_in_name(browser)) == (None, None)

    def test_ends_when_the_password_changes(self, hers, alice):
        copy = copy_of(hers)
        change_password(hers)
        assert signed_in_name(copy) is None
        assert signed_in_name(hers) == alice.username

    def test_cannot_sign_out_its_owner_once_it_has_ended(self, hers, alice):
        copy = copy_of(hers)
        sign_out(hers)
        sign_in(hers, alice.username)
        sign_out(copy)
        assert signed_in_name(hers) == alice.username


class TestSigningOut:
    def test_costs_one_write(self, hers):
        with metered() as meter:
            sign_out(hers)
        assert [call.operation for call in meter.log] == ["GetItem", "UpdateItem"]

    def test_deletes_the_cookie_while_the_database_is_away(self, hers):
        with unreachable():
            response = hers.post("/accounts/logout/")
        assert response.status_code == 503
        assert "signed out in this browser, but not elsewhere" in response.content.decode()
        assert signed_in_name(hers) is None

    def test_does_not_bring_back_who_was_deleted(self, tables, fresh):
        end_sessions(name := fresh("nobody"))
        assert find_user(name) is None


class TestASessionThatGetsOld:
    def test_ends_after_two_weeks_however_often_it_was_used(self, hers, alice, later):
        later(LONGEST_CUSTOMER_SESSION - A_MINUTE)
        assert signed_in_name(hers) == alice.username
        session = hers.session
        session["basket"] = {}  # it is signed anew, as with every change of the basket
        session.save()
        later(LONGEST_CUSTOMER_SESSION + A_MINUTE)
        assert signed_in_name(hers) is None

    def test_ends_for_staff_after_half_a_day(self, browser, sam, later):
        sign_in(browser, sam.username)
        later(LONGEST_STAFF_SESSION - A_MINUTE)
        assert browser.get("/staff/orders/").status_code == 200
        later(LONGEST_STAFF_SESSION + A_MINUTE)
        assert browser.get("/staff/orders/").status_code == 302
        sign_in(browser, sam.username)
        assert browser.get("/staff/orders/").status_code == 200

    def test_has_ended_if_nobody_knows_when_it_began(self, hers):
        session = hers.session
        del session[SIGNED_IN_AT]
        session.save()
        hers.cookies["sessionid"] = session.session_key
        assert signed_in_name(hers) is None


class TestADamagedAnswer:
    @pytest.mark.parametrize("body", DAMAGED_BODIES)
    def test_is_not_read_as_if_there_were_no_user(self, hers, alice, body):
        with (
            FaultProxy(settings.DYNAMODB_ENDPOINT_URL, bodies=[body]) as proxy,
            connected(proxy.endpoint_url, attempts=1),
        ):
            assert hers.get("/orders/").status_code == 200
            proxy.rules.append(Rule("damaged"))
            assert hers.get("/orders/").status_code == 503
        assert signed_in_name(hers) == alice.username
