"""Guessing passwords is slow: per user name, and per network address."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.test import Client

from dynamo.calls import clock
from dynamo.calls.client import client
from dynamo.calls.clock import Clock
from shop.accounts import rate_limits
from shop.accounts.known_browser import COOKIE
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    Person,
    change_password,
    new_browser,
    sign_in,
    signed_in_name,
)
from tests.support.accounts.letters import ask_for_link, choose_password, link_in_mail

MOST_OF_A_NAME, FEW = rate_limits.PASSWORDS_OF_A_NAME.times, 3
MOST_AT_A_NAME = rate_limits.PASSWORDS_AT_A_NAME.times


def guess(username: str, *, times: int, browser: Client | None = None) -> list[int]:
    """Guess wrongly, each time from another address unless it is one browser."""
    answers = [sign_in(browser or new_browser(), username, "wrong") for _ in range(times)]
    return [answer.status_code for answer in answers]


class TestGuessingAtOneName:
    def test_ends_after_some_attempts_from_anywhere(self, alice: Person) -> None:
        assert guess(alice.username, times=MOST_OF_A_NAME + 1) == [200] * MOST_OF_A_NAME + [429]

    def test_ends_sooner_from_one_address(self, browser: Client, alice: Person) -> None:
        answers = guess(alice.username, times=MOST_AT_A_NAME + 1, browser=browser)
        assert answers == [200] * MOST_AT_A_NAME + [429]

    @pytest.mark.real_engine
    def test_ends_also_when_all_guess_at_once(self, alice: Person) -> None:
        browsers = [new_browser() for _ in range(30)]
        with ThreadPoolExecutor(len(browsers)) as pool:
            tried = pool.map(lambda one: sign_in(one, alice.username, "wrong"), browsers)
            answers = [answer.status_code for answer in tried]
        assert answers.count(200) <= MOST_OF_A_NAME


class TestSomebodyElsesGuesses:
    def test_from_one_address_leave_the_owner_alone(self, browser: Client, alice: Person) -> None:
        guess(alice.username, times=MOST_AT_A_NAME + 1, browser=new_browser())
        assert sign_in(browser, alice.username).status_code == 302

    def test_from_anywhere_leave_a_browser_alone_that_the_owner_has_used(
        self, browser: Client, alice: Person
    ) -> None:
        sign_in(browser, alice.username)
        browser.post("/accounts/logout/")
        guess(alice.username, times=MOST_OF_A_NAME + 1)
        assert sign_in(new_browser(), alice.username).status_code == 429
        assert sign_in(browser, alice.username).status_code == 302

    def test_do_not_outlast_a_new_password(self, browser: Client, alice: Person) -> None:
        guess(alice.username, times=MOST_OF_A_NAME + 1)
        ask_for_link(browser, alice.username)
        choose_password(browser, link_in_mail())
        assert sign_in(new_browser(), alice.username, NEW_PASSWORD).status_code == 302

    def test_let_the_owner_in_who_has_just_chosen_a_new_password(
        self, browser: Client, alice: Person
    ) -> None:
        ask_for_link(browser, alice.username)
        choose_password(browser, link_in_mail())
        guess(alice.username, times=MOST_OF_A_NAME + 1)
        assert sign_in(browser, alice.username, NEW_PASSWORD).status_code == 302

    def test_do_not_keep_a_session_from_changing_its_password(
        self, browser: Client, alice: Person
    ) -> None:
        sign_in(browser, alice.username)
        guess(alice.username, times=MOST_OF_A_NAME + 1)
        assert change_password(browser).status_code == 302


class TestAKnownBrowser:
    def test_guesses_no_more_than_a_few_times_more(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        of_its_own = rate_limits.PASSWORDS_IN_KNOWN_BROWSERS.times
        most = of_its_own + MOST_AT_A_NAME
        answers = guess(alice.username, times=most, browser=browser)
        assert answers.count(200) == most - 1, "it has signed in once before it was known"
        assert answers[-1] == 429

    def test_is_known_for_the_one_who_signed_in(
        self, browser: Client, alice: Person, bob: Person
    ) -> None:
        sign_in(browser, bob.username)
        guess(alice.username, times=MOST_OF_A_NAME)
        assert sign_in(browser, alice.username).status_code == 429

    def test_cannot_be_made_up(self, browser: Client, alice: Person) -> None:
        browser.cookies[COOKIE] = f"{alice.username}:1tMxyz:AAAA"
        guess(alice.username, times=MOST_OF_A_NAME)
        assert sign_in(browser, alice.username).status_code == 429


class TestTooManyGuessesAtOneName:
    @pytest.fixture(autouse=True)
    def low_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        few = replace(rate_limits.PASSWORDS_OF_A_NAME, times=FEW)
        monkeypatch.setattr(rate_limits, "PASSWORDS_OF_A_NAME", few)

    def test_are_counted_for_the_name_in_any_case(self, alice: Person) -> None:
        guess(alice.username, times=FEW)
        assert guess(alice.username.upper(), times=1) == [429]

    def test_do_not_even_let_in_the_right_password(self, browser: Client, alice: Person) -> None:
        guess(alice.username, times=FEW)
        assert sign_in(browser, alice.username).status_code == 429
        assert signed_in_name(browser) is None

    def test_are_told_when_to_come_back(self, browser: Client, alice: Person) -> None:
        guess(alice.username, times=FEW)
        response = sign_in(browser, alice.username)
        share = rate_limits.PASSWORDS_OF_A_NAME.share // 1_000
        assert 0 < int(response["Retry-After"]) <= share
        assert "Try again in" in response.content.decode()

    def test_leave_what_was_typed_but_the_password(self, browser: Client, alice: Person) -> None:
        guess(alice.username, times=FEW)
        page = sign_in(browser, alice.username, "secret guess", next="/orders/").content.decode()
        assert f'value="{alice.username}"' in page
        assert 'name="next" value="/orders/"' in page
        assert "secret guess" not in page

    def test_do_not_bother_others(self, browser: Client, alice: Person, bob: Person) -> None:
        guess(alice.username, times=FEW)
        assert sign_in(browser, bob.username).status_code == 302

    def test_are_as_many_for_names_nobody_has(self, fresh: Callable[[str], str]) -> None:
        name = fresh("nobody")
        assert guess(name, times=FEW + 1)[-1] == 429


class TestGuessingFromOneAddress:
    @pytest.fixture(autouse=True)
    def low_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        few = replace(rate_limits.PASSWORDS_FROM_AN_ADDRESS, times=3)
        monkeypatch.setattr(rate_limits, "PASSWORDS_FROM_AN_ADDRESS", few)

    def test_ends_after_some_names(
        self, browser: Client, tables: None, fresh: Callable[[str], str]
    ) -> None:
        answers = [sign_in(browser, fresh("nobody"), "wrong").status_code for _ in range(4)]
        assert answers == [200, 200, 200, 429]

    def test_counts_what_can_be_no_name_at_all(self, browser: Client, tables: None) -> None:
        assert guess("not a name", times=4, browser=browser) == [200, 200, 200, 429]

    def test_does_not_believe_an_address_the_client_made_up(
        self, browser: Client, tables: None, fresh: Callable[[str], str]
    ) -> None:
        for number in range(4):
            browser.defaults["HTTP_X_FORWARDED_FOR"] = f"10.9.9.{number}"
            response = sign_in(browser, fresh("nobody"), "wrong")
        assert response.status_code == 429

    def test_does_not_count_a_form_that_was_not_filled_in(
        self, browser: Client, tables: None
    ) -> None:
        answers = [sign_in(browser, "", "").status_code for _ in range(5)]
        assert answers == [200] * 5


class TestTheRightPassword:
    def test_is_counted_too_because_it_costs_a_slow_hash(
        self, browser: Client, alice: Person
    ) -> None:
        most = MOST_AT_A_NAME + rate_limits.PASSWORDS_IN_KNOWN_BROWSERS.times
        answers = [sign_in(browser, alice.username).status_code for _ in range(most + 1)]
        assert answers == [302] * most + [429]

    def test_is_not_counted_where_others_are(
        self, alice: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        few = replace(rate_limits.PASSWORDS_OF_A_NAME, times=2)
        monkeypatch.setattr(rate_limits, "PASSWORDS_OF_A_NAME", few)
        monkeypatch.setattr(rate_limits, "PASSWORDS_FROM_AN_ADDRESS", few)
        network = new_browser().defaults["REMOTE_ADDR"]
        for _ in range(4):
            answer = sign_in(new_browser(REMOTE_ADDR=network), alice.username)
            assert answer.status_code == 302


class TestTwoServersWithDifferentClocks:
    def test_let_in_no_more_guesses_together(
        self, alice: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        servers = [Clock(), Clock(local=lambda: time.time() - 300)]
        answers: list[int] = []
        for _ in range(MOST_OF_A_NAME):
            for server in servers:
                monkeypatch.setattr(clock, "process_clock", server)
                client().list_tables()  # as each has done since its start
                answers += guess(alice.username, times=1)
        # Their times agree to within a second, which may cost a guess that comes at once.
        assert answers.count(200) in {MOST_OF_A_NAME - 1, MOST_OF_A_NAME}
        assert answers.count(429) == len(answers) - answers.count(200)
