"""Guessing passwords is slow: per user name, and per network address."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.test import Client

from dynapages.calls import clock
from dynapages.calls.clock import Clock
from dynapages.process import client
from dynapages.writes.rate_limiter import EXPIRES_AT
from shop import keys
from shop.accounts import rate_limits
from shop.accounts.sessions import COOKIE
from shop.models import ShopItem
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    PASSWORD,
    change_password,
    new_browser,
    sign_in,
    signed_in_name,
)
from tests.support.accounts.emails import ask_for_link, choose_password, link_in_mail

MOST_OF_A_NAME, FEW = rate_limits.PASSWORDS_OF_A_NAME.times, 3
MOST_AT_A_NAME = rate_limits.PASSWORDS_AT_A_NAME.times


def guess(username: str, *, times: int, browser: Client | None = None) -> list[int]:
    """Guess wrongly, each time from another address unless it is one browser."""
    answers = [sign_in(browser or new_browser(), username, "wrong") for _ in range(times)]
    return [answer.status_code for answer in answers]


@pytest.fixture
def few_at_a_name(allow):
    allow(FEW, "PASSWORDS_OF_A_NAME")


class TestGuessingAtOneName:
    @pytest.mark.real_engine
    def test_ends_also_when_all_guess_at_once(self, alice):
        browsers = [new_browser() for _ in range(30)]
        with ThreadPoolExecutor(len(browsers)) as pool:
            tried = pool.map(lambda one: sign_in(one, alice.username, "wrong"), browsers)
            answers = [answer.status_code for answer in tried]
        assert answers.count(200) <= MOST_OF_A_NAME


class TestSomebodyElsesGuesses:
    def test_from_one_address_leave_the_owner_alone(self, browser, alice):
        answers = guess(alice.username, times=MOST_AT_A_NAME + 1, browser=new_browser())
        assert answers == [200] * MOST_AT_A_NAME + [429]
        assert sign_in(browser, alice.username).status_code == 302

    @pytest.mark.usefixtures("few_at_a_name")
    def test_from_anywhere_leave_a_browser_alone_that_the_owner_has_used(self, hers, alice):
        hers.post("/accounts/logout/")
        guess(alice.username, times=FEW + 1)
        assert sign_in(new_browser(), alice.username).status_code == 429
        assert sign_in(hers, alice.username).status_code == 302

    @pytest.mark.usefixtures("few_at_a_name")
    def test_do_not_outlast_a_new_password(self, browser, alice):
        guess(alice.username, times=FEW + 1)
        ask_for_link(browser, alice.username)
        choose_password(browser, link_in_mail())
        assert sign_in(new_browser(), alice.username, NEW_PASSWORD).status_code == 302

    @pytest.mark.usefixtures("few_at_a_name")
    def test_let_the_owner_in_who_has_just_chosen_a_new_password(self, browser, alice):
        ask_for_link(browser, alice.username)
        choose_password(browser, link_in_mail())
        guess(alice.username, times=FEW + 1)
        assert sign_in(browser, alice.username, NEW_PASSWORD).status_code == 302

    @pytest.mark.usefixtures("few_at_a_name")
    def test_do_not_keep_a_session_from_changing_its_password(self, hers, alice):
        guess(alice.username, times=FEW + 1)
        assert change_password(hers).status_code == 302


class TestAKnownBrowser:
    def test_guesses_no_more_than_a_few_times_more(self, hers, alice):
        of_its_own = rate_limits.PASSWORDS_IN_KNOWN_BROWSERS.times
        most = of_its_own + MOST_AT_A_NAME
        answers = guess(alice.username, times=most, browser=hers)
        assert answers.count(200) == most - 1, "it has signed in once before it was known"
        assert answers[-1] == 429

    @pytest.mark.parametrize("is_anothers", [True, False])
    @pytest.mark.usefixtures("few_at_a_name")
    def test_is_neither_that_of_another_nor_made_up(self, browser, alice, bob, is_anothers):
        if is_anothers:
            sign_in(browser, bob.username)
        else:
            browser.cookies[COOKIE] = f"{alice.username}:1tMxyz:AAAA"
        guess(alice.username, times=FEW)
        assert sign_in(browser, alice.username).status_code == 429


@pytest.mark.usefixtures("few_at_a_name")
class TestTooManyGuessesAtOneName:
    def test_are_counted_for_the_name_in_any_case(self, alice):
        guess(alice.username, times=FEW)
        assert guess(alice.username.upper(), times=1) == [429]

    def test_do_not_even_let_in_the_right_password_and_are_told_when_to_come_back(
        self, browser, alice
    ):
        guess(alice.username, times=FEW)
        response = sign_in(browser, alice.username, next="/orders/")
        assert response.status_code == 429
        assert 0 < int(response["Retry-After"]) <= rate_limits.PASSWORDS_OF_A_NAME.share // 1_000
        page = response.content.decode()
        assert "Try again in" in page
        assert f'value="{alice.username}"' in page
        assert 'name="next" value="/orders/"' in page
        assert PASSWORD not in page
        assert signed_in_name(browser) is None

    def test_are_as_many_for_names_nobody_has(self, fresh):
        name = fresh("nobody")
        assert guess(name, times=FEW + 1)[-1] == 429


class TestGuessingFromOneAddress:
    @pytest.mark.parametrize(
        ("names", "password", "last"),
        [("nobody-{}", "wrong", 429), ("not a name", "wrong", 429), ("", "", 200)],
        ids=["some names", "what can be no name", "forms that are not filled in"],
    )
    def test_ends_whatever_address_the_client_makes_up(
        self, browser, tables, allow, names, password, last
    ):
        allow(3, "PASSWORDS_FROM_AN_ADDRESS")
        answers = []
        for number in range(4):
            browser.defaults["HTTP_X_FORWARDED_FOR"] = f"10.9.9.{number}"
            answers.append(sign_in(browser, names.format(number), password).status_code)
        assert answers == [200, 200, 200, last]


class TestTheRightPassword:
    def test_is_counted_too_because_it_costs_a_slow_hash(self, browser, alice):
        most = MOST_AT_A_NAME + rate_limits.PASSWORDS_IN_KNOWN_BROWSERS.times
        answers = [sign_in(browser, alice.username).status_code for _ in range(most + 1)]
        assert answers == [302] * most + [429]

    def test_is_not_counted_where_others_are(self, alice, allow):
        for limit in ("PASSWORDS_OF_A_NAME", "PASSWORDS_FROM_AN_ADDRESS"):
            allow(2, limit)
        network = new_browser().defaults["REMOTE_ADDR"]
        for _ in range(4):
            answer = sign_in(new_browser(REMOTE_ADDR=network), alice.username)
            assert answer.status_code == 302


class TestTwoServersWithDifferentClocks:
    def test_let_in_no_more_guesses_together(self, alice, allow, monkeypatch):
        allow(6, "PASSWORDS_OF_A_NAME")
        servers = [Clock(), Clock(local=lambda: time.time() + 800)]
        answers: list[int] = []
        for _ in range(6):
            for server in servers:
                monkeypatch.setattr(clock, "process_clock", server)
                client().list_tables()  # as each has done since its start
                answers += guess(alice.username, times=1)
        # Their times agree to within a second, which may cost a guess that comes at once.
        assert answers.count(200) in {5, 6}
        assert answers.count(429) == len(answers) - answers.count(200)


def test_has_nothing_personal_in_its_key():
    for name in ("login-alice", "reset-alice@example.com", "address-203.0.113.7"):
        for part in keys.limit(name).values():
            assert name.partition("-")[2] not in part
    assert keys.limit("alice") != keys.limit("bob")


@pytest.mark.usefixtures("tables")
def test_is_deleted_by_the_table_when_it_has_expired():
    described = client().describe_time_to_live(TableName=ShopItem.Meta.table_name)
    assert described["TimeToLiveDescription"]["AttributeName"] == EXPIRES_AT
