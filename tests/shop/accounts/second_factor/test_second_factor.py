"""Signing in with a code of an app besides the password."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pyotp
import pytest
from django.core.management import call_command
from django.test import Client

from dynapages.calls import clock
from shop.accounts import confirmation, rate_limits
from shop.accounts.queries import find_user
from shop.accounts.second_factor.services import SIGNING_IN_LASTS
from shop.accounts.services import shut_profile
from tests.support.accounts.cast import (
    PASSWORD,
    Person,
    browser_of,
    change_password,
    new_browser,
    sign_in,
    signed_in_name,
)
from tests.support.accounts.emails import ask_for_link, emails

pytestmark = pytest.mark.newest

NOON = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)
HALF_A_MINUTE = timedelta(seconds=30)
SET_UP, OFF, CODE = (
    "/accounts/second-factor/",
    "/accounts/second-factor/off/",
    "/accounts/login/code/",
)


class Watch:
    """The time, which stands still unless it is moved."""

    now = NOON

    def move(self, by: timedelta = HALF_A_MINUTE) -> None:
        self.now += by


@pytest.fixture(autouse=True)
def watch(monkeypatch):
    watch = Watch()
    monkeypatch.setattr(clock, "now", lambda: watch.now)
    return watch


class App:
    """An authenticator app with the key of one account, and that account's recovery codes."""

    def __init__(self, secret: str, watch: Watch) -> None:
        self.totp = pyotp.TOTP(secret)
        self.watch = watch
        self.recovery_codes: list[str] = []

    def code(self) -> str:
        return self.totp.at(self.watch.now)


@pytest.fixture
def set_up(watch):
    """Turns the second factor on by the pages; half a minute passes."""

    def turn_on(browser: Client) -> App:
        page = browser.get(SET_UP).content.decode()
        secret = re.search(r"<code>([A-Z2-7]{32})</code>", page)
        assert secret
        app = App(secret[1], watch)
        done = browser.post(SET_UP, {"password": PASSWORD, "code": app.code()})
        app.recovery_codes = re.findall(r"<code>([0-9a-f-]{23})</code>", done.content.decode())
        assert len(app.recovery_codes) == 10, done.content.decode()
        watch.move()
        return app

    return turn_on


@pytest.fixture
def address(sam, fresh):
    """Sam's e-mail address, which is confirmed."""
    user = find_user(sam.username)
    user.email = f"{fresh('sam')}@example.com"
    user.save()
    confirmation.confirm(sam.username, user.email)
    return str(user.email)


def turn_off_by_command(person: Person) -> None:
    call_command("create_user", person.username, update=True, no_second_factor=True)


def last_email_to(address: str) -> str:
    (*_, last) = emails()
    assert last.to == [address]
    return str(last.body)


@pytest.fixture
def app(browser, sam, set_up):
    """Sam's, who is signed in in ``browser``."""
    sign_in(browser, sam.username)
    return set_up(browser)


@pytest.fixture
def halfway(sam, app):
    """A browser in which Sam has typed the password, and is to show a code."""
    return browser_of(sam)


def show(browser: Client, code: str, path: str = CODE) -> Any:
    return browser.post(path, {"code": code})


class TestSigningIn:
    def test_takes_the_password_and_a_code(self, sam, app):
        browser = new_browser()
        assert sign_in(browser, sam.username, next="/basket/").url == CODE
        assert signed_in_name(browser) is None
        assert show(browser, app.code()).url == "/basket/"
        assert signed_in_name(browser) == sam.username

    @pytest.mark.parametrize("path", ["/accounts/password_change/", SET_UP, OFF, "/staff/orders/"])
    def test_opens_nothing_by_the_password_alone(self, halfway, sam, path):
        assert halfway.get(path).status_code == 302
        assert change_password(halfway).status_code == 302
        assert find_user(sam.username).check_password(PASSWORD)

    def test_takes_no_code_twice(self, sam, app):
        code = app.code()
        for answers in (302, 200):
            browser = browser_of(sam)
            assert show(browser, code).status_code == answers

    @pytest.mark.parametrize(("ages", "status"), [(1, 302), (2, 200)])
    def test_takes_a_code_of_half_a_minute_ago_and_no_older_one(
        self, halfway, app, watch, ages, status
    ):
        code = app.code()
        watch.move(ages * HALF_A_MINUTE)
        answer = show(halfway, code)
        assert (answer.status_code, "works once" in answer.content.decode()) == (
            status,
            status == 200,
        )

    def test_allows_few_guesses(self, halfway, app):
        most = rate_limits.CODES_OF_A_NAME.times
        answers = [show(halfway, "000000").status_code for _ in range(most + 1)]
        assert answers == [200] * most + [429]
        assert show(halfway, app.code()).status_code == 429

    def test_is_to_be_begun_again_after_a_while(self, halfway, app, watch):
        watch.move(SIGNING_IN_LASTS + HALF_A_MINUTE)
        assert show(halfway, app.code()).url == "/accounts/login/"

    def test_is_to_be_begun_again_after_a_new_password(self, browser, sam, app):
        elsewhere = browser_of(sam)
        change_password(browser)
        assert show(elsewhere, app.code()).url == "/accounts/login/"


class TestARecoveryCode:
    def test_stands_for_a_code_once(self, sam, app):
        for answers in (302, 200):
            browser = browser_of(sam)
            assert show(browser, app.recovery_codes[3].upper()).status_code == answers

    def test_is_stored_as_a_hash(self, sam, app):
        stored = find_user(sam.username).recovery_codes
        assert len(stored) == 10
        assert not {code.replace("-", "") for code in app.recovery_codes} & set(stored)


class TestManyWrongCodes:
    """Twenty; five at once, so a quarter of an hour passes after each five."""

    @pytest.fixture
    def guess(self, sam, app, watch):
        """Types so many wrong codes, each from another network address."""

        def type_wrong_ones(count: int) -> list[int]:
            answers = []
            for number in range(count):
                if number and number % rate_limits.CODES_OF_A_NAME.times == 0:
                    watch.move(rate_limits.CODES_OF_A_NAME.window)
                browser = browser_of(sam)
                answers.append(show(browser, "000000").status_code)
            return answers

        return type_wrong_ones

    def test_have_an_hour_without_any(self, sam, address, app, watch, guess):
        assert guess(20) == [200] * 19 + [429]
        assert "many wrong codes" in last_email_to(address)
        watch.move(timedelta(minutes=59))
        browser = browser_of(sam)
        refused = show(browser, app.code())
        assert (refused.status_code, refused["Retry-After"]) == (429, "60")
        assert "Try again in 60 seconds" in refused.content.decode()
        watch.move(timedelta(minutes=1))
        assert show(browser, app.code()).status_code == 302

    def test_are_counted_anew_after_a_right_one(self, sam, app, watch, guess):
        guess(19)
        watch.move(rate_limits.CODES_OF_A_NAME.window)
        browser = browser_of(sam)
        assert show(browser, app.code()).status_code == 302
        watch.move(rate_limits.CODES_OF_A_NAME.window)
        assert guess(5) == [200] * 5

    def test_are_nothing_a_stranger_can_type(self, sam, app, watch):
        stranger = new_browser()
        for _ in range(21):
            sign_in(stranger, sam.username, "wrong")
            assert show(stranger, "000000").url == "/accounts/login/"
        browser = new_browser()
        watch.move(rate_limits.PASSWORDS_OF_A_NAME.window)
        sign_in(browser, sam.username)
        assert show(browser, app.code()).status_code == 302


class TestAnEmail:
    @pytest.mark.parametrize(
        ("doing", "words"),
        [
            (lambda *_: None, "now needs a code"),
            (lambda sam, _, __: turn_off_by_command(sam), "no longer needs a code"),
            (lambda _, halfway, app: show(halfway, app.recovery_codes[0]), "was used. 9 are left."),
        ],
        ids=["turned on", "turned off by a command", "a recovery code used"],
    )
    def test_tells_what_was_done(self, sam, address, app, halfway, settings, doing, words):
        settings.SITE_URL = "https://shop.example.com"
        doing(sam, halfway, app)
        assert words in last_email_to(address)

    def test_tells_that_it_was_turned_off(self, browser, sam, address, app):
        """It is not held up by e-mails that others ask for."""
        for _ in range(rate_limits.LINKS_TO_AN_EMAIL.times + 1):
            ask_for_link(new_browser(), sam.username)
        show(browser, app.code(), OFF)
        assert "no longer needs a code" in last_email_to(address)

    def test_tells_nothing_of_a_code_of_the_app(self, sam, address, app):
        before = len(emails())
        browser = browser_of(sam)
        show(browser, app.code())
        assert len(emails()) == before


class TestTurningItOn:
    def test_needs_the_password_and_a_code_of_the_app(self, browser, sam, watch):
        sign_in(browser, sam.username)
        browser.get(SET_UP)
        code = App(browser.session["totp_offered"], watch).code()
        for wrong, fields in (
            ("code", {"password": PASSWORD, "code": "123"}),
            ("password", {"password": "wrong", "code": code}),
        ):
            assert [*browser.post(SET_UP, fields).context["form"].errors] == [wrong]
        assert find_user(sam.username).totp_secret is None

    def test_ends_all_other_sessions(self, browser, sam, set_up):
        elsewhere = new_browser()
        for one in (browser, elsewhere):
            sign_in(one, sam.username)
        set_up(browser)
        assert signed_in_name(browser) == sam.username
        assert signed_in_name(elsewhere) is None


class TestTheSecretOfAnApp:
    def test_cannot_be_replaced_by_the_password_alone(self, halfway, browser, sam):
        before = find_user(sam.username).totp_secret
        for one, leads_to in ((halfway, CODE), (browser, OFF)):
            assert one.get(SET_UP).url == leads_to
            assert one.post(SET_UP, {"password": PASSWORD, "code": "1"}).status_code == 302
        assert find_user(sam.username).totp_secret == before


class TestTurningItOff:
    def test_needs_a_code(self, browser, sam, app):
        assert show(browser, "000000", OFF).status_code == 200
        assert find_user(sam.username).totp_secret
        assert show(browser, app.code(), OFF).status_code == 302
        user = find_user(sam.username)
        assert (user.totp_secret, user.totp_step, user.recovery_codes) == (None, None, None)
        assert signed_in_name(browser) == sam.username
        assert sign_in(new_browser(), sam.username).url == "/staff/orders/"

    def test_is_also_done_by_a_command(self, sam, app):
        turn_off_by_command(sam)
        assert sign_in(new_browser(), sam.username).url == "/staff/orders/"

    def test_is_part_of_erasing_a_user(self, sam, app):
        shut_profile(sam.username)
        user = find_user(sam.username)
        assert (user.totp_secret, user.recovery_codes) == (None, None)


class TestStaffWhoMustHaveOne:
    @pytest.fixture(autouse=True)
    def enforced(self, settings):
        settings.REQUIRE_STAFF_2FA = True

    def test_set_it_up_before_they_are_in(self, browser, sam, set_up):
        assert sign_in(browser, sam.username).url == SET_UP
        assert signed_in_name(browser) is None
        set_up(browser)
        assert signed_in_name(browser) == sam.username
        assert browser.get("/staff/orders/").status_code == 200

    def test_are_signed_out_where_they_showed_no_code(self, browser, sam, settings):
        settings.REQUIRE_STAFF_2FA = False
        sign_in(browser, sam.username)
        settings.REQUIRE_STAFF_2FA = True
        assert browser.get("/staff/orders/").status_code == 302

    def test_are_signed_out_when_they_turn_it_off(self, browser, sam, set_up):
        sign_in(browser, sam.username)
        show(browser, set_up(browser).code(), OFF)
        assert signed_in_name(browser) is None

    def test_are_not_customers(self, browser, bob):
        assert sign_in(browser, bob.username).url == "/orders/"
        assert signed_in_name(browser) == bob.username
