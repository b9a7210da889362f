"""Signing in with a code of an app besides the password."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pyotp
import pytest
from django.core.management import call_command
from django.test import Client

from dynamo.calls import clock
from shop.accounts import confirming, rate_limits
from shop.accounts.closing import shut_profile
from shop.accounts.queries import find_user
from shop.accounts.second_factor.signing_in import LASTS
from tests.support.accounts.cast import (
    PASSWORD,
    Person,
    change_password,
    new_browser,
    sign_in,
    signed_in_name,
)
from tests.support.accounts.letters import ask_for_link, letters

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
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
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
def set_up(watch: Watch) -> Callable[[Client], App]:
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
def address(sam: Person, fresh: Callable[[str], str]) -> str:
    """Sam's e-mail address, which is confirmed."""
    user = find_user(sam.username)
    user.email = f"{fresh('sam')}@example.com"
    user.save()
    confirming.confirm(sam.username, user.email)
    return str(user.email)


def last_letter_to(address: str) -> str:
    (*_, last) = letters()
    assert last.to == [address]
    return str(last.body)


@pytest.fixture
def app(browser: Client, sam: Person, set_up: Callable[[Client], App]) -> App:
    """Sam's, who is signed in in ``browser``."""
    sign_in(browser, sam.username)
    return set_up(browser)


def show(browser: Client, code: str, path: str = CODE) -> Any:
    return browser.post(path, {"code": code})


class TestSigningIn:
    def test_takes_the_password_and_a_code(self, sam: Person, app: App) -> None:
        browser = new_browser()
        assert sign_in(browser, sam.username, next="/basket/").url == CODE
        assert signed_in_name(browser) is None
        assert show(browser, app.code()).url == "/basket/"
        assert signed_in_name(browser) == sam.username

    def test_is_as_before_for_who_has_none(self, browser: Client, bob: Person) -> None:
        assert sign_in(browser, bob.username).url == "/orders/"

    @pytest.mark.parametrize("path", ["/accounts/password_change/", OFF, "/staff/orders/"])
    def test_opens_nothing_by_the_password_alone(self, sam: Person, app: App, path: str) -> None:
        browser = new_browser()
        sign_in(browser, sam.username)
        assert browser.get(path).status_code == 302
        assert change_password(browser).status_code == 302
        assert find_user(sam.username).check_password(PASSWORD)

    def test_takes_no_code_twice(self, sam: Person, app: App) -> None:
        code = app.code()
        for answers in (302, 200):
            browser = new_browser()
            sign_in(browser, sam.username)
            assert show(browser, code).status_code == answers

    def test_takes_no_code_before_the_password(self, app: App) -> None:
        browser = new_browser()
        assert show(browser, app.code()).url == "/accounts/login/"

    def test_takes_a_code_of_half_a_minute_ago(self, sam: Person, app: App, watch: Watch) -> None:
        browser = new_browser()
        sign_in(browser, sam.username)
        code = app.code()
        watch.move()
        assert show(browser, code).status_code == 302

    def test_refuses_an_older_code(self, sam: Person, app: App, watch: Watch) -> None:
        browser = new_browser()
        sign_in(browser, sam.username)
        code = app.code()
        watch.move(2 * HALF_A_MINUTE)
        assert "works once" in show(browser, code).content.decode()

    def test_allows_few_guesses(self, sam: Person, app: App) -> None:
        browser = new_browser()
        sign_in(browser, sam.username)
        most = rate_limits.CODES_OF_A_NAME.times
        answers = [show(browser, "000000").status_code for _ in range(most + 1)]
        assert answers == [200] * most + [429]
        assert show(browser, app.code()).status_code == 429

    def test_is_to_be_begun_again_after_a_while(self, sam: Person, app: App, watch: Watch) -> None:
        browser = new_browser()
        sign_in(browser, sam.username)
        watch.move(LASTS + HALF_A_MINUTE)
        assert show(browser, app.code()).url == "/accounts/login/"

    def test_is_to_be_begun_again_after_a_new_password(
        self, browser: Client, sam: Person, app: App
    ) -> None:
        elsewhere = new_browser()
        sign_in(elsewhere, sam.username)
        change_password(browser)
        assert show(elsewhere, app.code()).url == "/accounts/login/"


class TestARecoveryCode:
    def test_stands_for_a_code_once(self, sam: Person, app: App) -> None:
        for answers in (302, 200):
            browser = new_browser()
            sign_in(browser, sam.username)
            assert show(browser, app.recovery_codes[3].upper()).status_code == answers

    def test_is_stored_as_a_hash(self, sam: Person, app: App) -> None:
        stored = find_user(sam.username).recovery_codes
        assert len(stored) == 10
        assert not {code.replace("-", "") for code in app.recovery_codes} & set(stored)


class TestManyWrongCodes:
    """Twenty; five at once, so a quarter of an hour passes after each five."""

    @pytest.fixture
    def guess(self, sam: Person, app: App, watch: Watch) -> Callable[[int], list[int]]:
        """Types so many wrong codes, each from another network address."""

        def type_wrong_ones(count: int) -> list[int]:
            answers = []
            for number in range(count):
                if number and number % rate_limits.CODES_OF_A_NAME.times == 0:
                    watch.move(rate_limits.CODES_OF_A_NAME.window)
                browser = new_browser()
                sign_in(browser, sam.username)
                answers.append(show(browser, "000000").status_code)
            return answers

        return type_wrong_ones

    def test_have_an_hour_without_any(
        self, sam: Person, app: App, watch: Watch, guess: Callable[[int], list[int]]
    ) -> None:
        assert guess(20) == [200] * 19 + [429]
        watch.move(timedelta(minutes=59))
        browser = new_browser()
        sign_in(browser, sam.username)
        refused = show(browser, app.code())
        assert (refused.status_code, refused["Retry-After"]) == (429, "60")
        assert "Try again in 60 seconds" in refused.content.decode()
        watch.move(timedelta(minutes=1))
        assert show(browser, app.code()).status_code == 302

    def test_are_counted_anew_after_a_right_one(
        self, sam: Person, app: App, watch: Watch, guess: Callable[[int], list[int]]
    ) -> None:
        guess(19)
        watch.move(rate_limits.CODES_OF_A_NAME.window)
        browser = new_browser()
        sign_in(browser, sam.username)
        assert show(browser, app.code()).status_code == 302
        watch.move(rate_limits.CODES_OF_A_NAME.window)
        assert guess(5) == [200] * 5

    def test_are_nothing_a_stranger_can_type(self, sam: Person, app: App, watch: Watch) -> None:
        stranger = new_browser()
        for _ in range(21):
            sign_in(stranger, sam.username, "wrong")
            assert show(stranger, "000000").url == "/accounts/login/"
        browser = new_browser()
        watch.move(rate_limits.PASSWORDS_OF_A_NAME.window)
        sign_in(browser, sam.username)
        assert show(browser, app.code()).status_code == 302

    def test_are_told_to_who_has_the_address(
        self, address: str, guess: Callable[[int], list[int]]
    ) -> None:
        guess(20)
        assert "many wrong codes" in last_letter_to(address)


class TestALetter:
    def test_tells_that_it_was_turned_on(self, address: str, app: App) -> None:
        assert "now needs a code" in last_letter_to(address)

    def test_tells_that_it_was_turned_off(self, browser: Client, address: str, app: App) -> None:
        show(browser, app.code(), OFF)
        assert "no longer needs a code" in last_letter_to(address)

    def test_tells_that_a_command_turned_it_off(
        self, sam: Person, address: str, app: App, settings: Any
    ) -> None:
        settings.SITE_URL = "https://shop.example.com"
        call_command("create_user", sam.username, update=True, no_second_factor=True)
        assert "no longer needs a code" in last_letter_to(address)

    def test_tells_that_a_recovery_code_was_used(self, sam: Person, address: str, app: App) -> None:
        browser = new_browser()
        sign_in(browser, sam.username)
        show(browser, app.recovery_codes[0])
        assert "was used. 9 are left." in last_letter_to(address)

    def test_tells_nothing_of_a_code_of_the_app(self, sam: Person, address: str, app: App) -> None:
        before = len(letters())
        browser = new_browser()
        sign_in(browser, sam.username)
        show(browser, app.code())
        assert len(letters()) == before

    def test_is_not_held_up_by_letters_that_others_ask_for(
        self, browser: Client, sam: Person, address: str, app: App
    ) -> None:
        for _ in range(rate_limits.LETTERS_TO_AN_EMAIL.times + 1):
            ask_for_link(new_browser(), sam.username)
        show(browser, app.code(), OFF)
        assert "no longer needs a code" in last_letter_to(address)


class TestTurningItOn:
    def test_needs_a_code_of_the_app(self, browser: Client, sam: Person) -> None:
        sign_in(browser, sam.username)
        browser.get(SET_UP)
        response = browser.post(SET_UP, {"password": PASSWORD, "code": "123"})
        assert response.context["form"].errors["code"]
        assert find_user(sam.username).totp_secret is None

    def test_needs_the_password(self, browser: Client, sam: Person, watch: Watch) -> None:
        sign_in(browser, sam.username)
        browser.get(SET_UP)
        app = App(browser.session["totp_offered"], watch)
        response = browser.post(SET_UP, {"password": "wrong", "code": app.code()})
        assert response.context["form"].errors["password"]
        assert find_user(sam.username).totp_secret is None

    def test_ends_all_other_sessions(
        self, browser: Client, sam: Person, set_up: Callable[[Client], App]
    ) -> None:
        elsewhere = new_browser()
        for one in (browser, elsewhere):
            sign_in(one, sam.username)
        set_up(browser)
        assert signed_in_name(browser) == sam.username
        assert signed_in_name(elsewhere) is None

    def test_cannot_replace_one_by_the_password_alone(self, sam: Person, app: App) -> None:
        browser = new_browser()
        sign_in(browser, sam.username)
        before = find_user(sam.username).totp_secret
        assert browser.get(SET_UP).url == CODE
        assert browser.post(SET_UP, {"password": PASSWORD, "code": "1"}).status_code == 302
        assert find_user(sam.username).totp_secret == before

    def test_is_for_who_is_signed_in(self, browser: Client) -> None:
        assert browser.get(SET_UP).url == "/accounts/login/"


class TestTurningItOff:
    def test_needs_a_code(self, browser: Client, sam: Person, app: App) -> None:
        assert show(browser, "000000", OFF).status_code == 200
        assert find_user(sam.username).totp_secret
        assert show(browser, app.code(), OFF).status_code == 302
        user = find_user(sam.username)
        assert (user.totp_secret, user.totp_step, user.recovery_codes) == (None, None, None)
        assert signed_in_name(browser) == sam.username
        assert sign_in(new_browser(), sam.username).url == "/staff/orders/"

    def test_is_also_done_by_a_command(self, sam: Person, app: App) -> None:
        call_command("create_user", sam.username, update=True, no_second_factor=True)
        assert sign_in(new_browser(), sam.username).url == "/staff/orders/"

    def test_is_part_of_erasing_a_user(self, sam: Person, app: App) -> None:
        shut_profile(sam.username)
        user = find_user(sam.username)
        assert (user.totp_secret, user.recovery_codes) == (None, None)


class TestStaffWhoMustHaveOne:
    @pytest.fixture(autouse=True)
    def enforced(self, settings: Any) -> None:
        settings.REQUIRE_STAFF_2FA = True

    def test_set_it_up_before_they_are_in(
        self, browser: Client, sam: Person, set_up: Callable[[Client], App]
    ) -> None:
        assert sign_in(browser, sam.username).url == SET_UP
        assert signed_in_name(browser) is None
        set_up(browser)
        assert signed_in_name(browser) == sam.username
        assert browser.get("/staff/orders/").status_code == 200

    def test_are_signed_out_where_they_showed_no_code(
        self, browser: Client, sam: Person, settings: Any
    ) -> None:
        settings.REQUIRE_STAFF_2FA = False
        sign_in(browser, sam.username)
        settings.REQUIRE_STAFF_2FA = True
        assert browser.get("/staff/orders/").status_code == 302

    def test_are_signed_out_when_they_turn_it_off(
        self, browser: Client, sam: Person, set_up: Callable[[Client], App]
    ) -> None:
        sign_in(browser, sam.username)
        show(browser, set_up(browser).code(), OFF)
        assert signed_in_name(browser) is None

    def test_are_not_customers(self, browser: Client, bob: Person) -> None:
        assert sign_in(browser, bob.username).url == "/orders/"
        assert signed_in_name(browser) == bob.username
