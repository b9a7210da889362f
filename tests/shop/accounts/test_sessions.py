"""How a session ends, and every copy of its cookie with it."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.test import Client

from dynamo.calls import clock
from dynamo.calls.meter import metered
from lab.storm.proxy import DAMAGED, FaultyProxy
from shop.accounts.models import SIGNED_IN_AT
from shop.accounts.queries import find_user
from shop.accounts.services import end_sessions
from shop.accounts.sessions import LONGEST_OF_CUSTOMERS, LONGEST_OF_STAFF
from tests.support.accounts.cast import (
    Person,
    change_password,
    new_browser,
    sign_in,
    signed_in_name,
)
from tests.support.comments.faulty import unreachable
from tests.support.comments.outage import connected

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
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Moves the time on, counted from the test's start."""
    now: Callable[[], datetime] = clock.now

    def move(by: timedelta) -> None:
        monkeypatch.setattr(clock, "now", lambda: now() + by)

    return move


class TestACopyOfASession:
    def test_is_as_good_as_the_session(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        assert signed_in_name(copy_of(browser)) == alice.username

    def test_ends_when_its_owner_signs_out(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        copy = copy_of(browser)
        assert sign_out(browser) == 200
        assert signed_in_name(copy) is None

    def test_ends_with_each_sign_out_anew(self, browser: Client, alice: Person) -> None:
        for _ in range(2):
            sign_in(browser, alice.username)
            copy = copy_of(browser)
            sign_out(browser)
            assert signed_in_name(copy) is None

    def test_ends_when_the_password_changes(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        copy = copy_of(browser)
        change_password(browser)
        assert signed_in_name(copy) is None
        assert signed_in_name(browser) == alice.username

    def test_cannot_sign_out_its_owner_once_it_has_ended(
        self, browser: Client, alice: Person
    ) -> None:
        sign_in(browser, alice.username)
        copy = copy_of(browser)
        sign_out(browser)
        sign_in(browser, alice.username)
        sign_out(copy)
        assert signed_in_name(browser) == alice.username


class TestSigningOut:
    def test_leaves_other_users_alone(self, browser: Client, alice: Person, bob: Person) -> None:
        his = new_browser()
        sign_in(browser, alice.username)
        sign_in(his, bob.username)
        sign_out(browser)
        assert signed_in_name(his) == bob.username

    def test_costs_one_write(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        with metered() as meter:
            sign_out(browser)
        assert [call.operation for call in meter.calls] == ["GetItem", "UpdateItem"]

    def test_writes_nothing_for_nobody(self, browser: Client) -> None:
        with metered() as meter:
            assert sign_out(browser) == 200
        assert meter.calls == []

    def test_deletes_the_cookie_while_the_database_is_away(
        self, browser: Client, alice: Person
    ) -> None:
        sign_in(browser, alice.username)
        with unreachable():
            response = browser.post("/accounts/logout/")
        assert response.status_code == 503
        assert "signed out in this browser, but not elsewhere" in response.content.decode()
        assert signed_in_name(browser) is None

    def test_does_not_bring_back_who_was_deleted(
        self, tables: None, fresh: Callable[[str], str]
    ) -> None:
        end_sessions(fresh("nobody"))


class TestASessionThatGetsOld:
    def test_ends_after_two_weeks_however_often_it_was_used(
        self, browser: Client, alice: Person, later: Callable[[timedelta], None]
    ) -> None:
        sign_in(browser, alice.username)
        later(LONGEST_OF_CUSTOMERS - A_MINUTE)
        assert signed_in_name(browser) == alice.username
        session = browser.session
        session["basket"] = {}  # it is signed anew, as with every change of the basket
        session.save()
        later(LONGEST_OF_CUSTOMERS + A_MINUTE)
        assert signed_in_name(browser) is None

    def test_ends_for_staff_after_half_a_day(
        self, browser: Client, sam: Person, later: Callable[[timedelta], None]
    ) -> None:
        sign_in(browser, sam.username)
        later(LONGEST_OF_STAFF - A_MINUTE)
        assert browser.get("/staff/orders/").status_code == 200
        later(LONGEST_OF_STAFF + A_MINUTE)
        assert browser.get("/staff/orders/").status_code == 302

    def test_begins_anew_with_a_sign_in(
        self, browser: Client, sam: Person, later: Callable[[timedelta], None]
    ) -> None:
        sign_in(browser, sam.username)
        later(LONGEST_OF_STAFF + A_MINUTE)
        sign_in(browser, sam.username)
        assert signed_in_name(browser) == sam.username

    def test_has_ended_if_nobody_knows_when_it_began(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        session = browser.session
        del session[SIGNED_IN_AT]
        session.save()
        browser.cookies["sessionid"] = session.session_key
        assert signed_in_name(browser) is None


class TestAProfileOfAnOlderVersion:
    def test_has_the_sessions_that_it_had(self, alice: Person) -> None:
        user = find_user(alice.username)
        assert user.session_number is None
        assert user.get_session_auth_hash() == AbstractBaseUser.get_session_auth_hash(
            _PasswordAlone(user.password)
        )


class _PasswordAlone:
    """All that Django makes the hash of a session from."""

    _get_session_auth_hash = AbstractBaseUser._get_session_auth_hash

    def __init__(self, password: str) -> None:
        self.password = password


class TestADamagedAnswer:
    @pytest.mark.parametrize("body", DAMAGED)
    def test_is_not_read_as_if_there_were_no_user(
        self, browser: Client, alice: Person, body: bytes
    ) -> None:
        sign_in(browser, alice.username)
        with (
            FaultyProxy(settings.DYNAMODB_ENDPOINT_URL, kinds=["damaged"], bodies=[body]) as proxy,
            connected(proxy.endpoint_url, attempts=1),
        ):
            assert browser.get("/orders/").status_code == 200
            proxy.rate = 1.0
            assert browser.get("/orders/").status_code == 503
        assert signed_in_name(browser) == alice.username
