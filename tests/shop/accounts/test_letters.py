"""Letters: to whom, with which links, and that no answer waits for them."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from smtplib import SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from dynamo.calls.meter import metered
from shop.accounts import confirming, rate_limits
from shop.accounts.letters import LETTERS
from shop.accounts.queries import MOST_USERS_OF_AN_ADDRESS, find_user, users_with_email
from shop.accounts.services import StaleAccount
from tests.support.accounts.cast import Person, change_password, new_browser, sign_in, sign_up
from tests.support.accounts.letters import (
    ask_for_link,
    choose_password,
    letters,
    link_in_mail,
    link_to_confirm,
)
from tests.support.comments.faulty import unreachable

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]


class TestAskingForANewPassword:
    def test_makes_the_same_calls_whether_there_is_an_account(
        self, alice: Person, fresh: Callable[[str], str]
    ) -> None:
        calls = []
        for asked in (alice.username, fresh("nobody")):
            with metered() as meter:
                ask_for_link(new_browser(), asked)
            calls.append([call.operation for call in meter.calls])
        assert calls[0] == calls[1] == ["UpdateItem"] * 2

    def test_sends_nothing_before_it_is_answered(self, browser: Client, alice: Person) -> None:
        ask_for_link(browser, alice.username)
        assert mail.outbox == []
        assert len(letters()) == 1

    def test_by_an_address_sends_one_letter_that_names_all_accounts(
        self, browser: Client, create_person: Callable[..., Person], fresh: Callable[[str], str]
    ) -> None:
        address = f"{fresh('family')}@example.com"
        names = {create_person(name, email=address).username for name in ("ann", "ben")}
        ask_for_link(browser, address)
        (letter,) = letters()
        assert all(f"“{name}”" in str(letter.body) for name in names)
        assert str(letter.body).count("/accounts/reset/") == 2

    def test_is_served_after_the_database_was_away(self, browser: Client, alice: Person) -> None:
        ask_for_link(browser, alice.username)
        with unreachable():
            assert not LETTERS.flush(seconds=0)
        assert len(letters()) == 1

    def test_fills_nobodys_mailbox_from_many_addresses(
        self, alice: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        few = replace(rate_limits.LETTERS_TO_AN_EMAIL, times=2)
        monkeypatch.setattr(rate_limits, "LETTERS_TO_AN_EMAIL", few)
        answers = {ask_for_link(new_browser(), alice.username).status_code for _ in range(4)}
        assert (answers, len(letters())) == ({302}, 2)

    def test_gives_a_link_for_an_hour(self, browser: Client, alice: Person, settings: Any) -> None:
        assert settings.PASSWORD_RESET_TIMEOUT == 3_600
        assert rate_limits.LETTERS_TO_AN_EMAIL.window <= timedelta(hours=1)
        ask_for_link(browser, alice.username)
        link = link_in_mail()
        settings.PASSWORD_RESET_TIMEOUT = -1
        assert "no longer works" in browser.get(link).content.decode()


class TestALinkInALetter:
    def test_is_of_the_configured_site_whatever_host_was_asked(
        self, browser: Client, alice: Person, settings: Any
    ) -> None:
        settings.SITE_URL = "https://shop.example.com"
        settings.ALLOWED_HOSTS = ["*"]
        browser.post(
            "/accounts/password_reset/", {"email": alice.username}, HTTP_HOST="evil.example"
        )
        (letter,) = letters()
        assert "https://shop.example.com/accounts/reset/" in str(letter.body)
        assert "evil.example" not in f"{letter.subject}{letter.body}"


class TestAMailServerThatFails:
    def test_is_one_warning(
        self,
        browser: Client,
        alice: Person,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise SMTPServerDisconnected("gone")

        monkeypatch.setattr("shop.accounts.letters.send_mail", fail)
        ask_for_link(browser, alice.username)
        assert LETTERS.flush(seconds=10)
        (record,) = [one for one in caplog.records if one.name == "shop.accounts.letters"]
        assert (record.levelno, record.exc_info) == (logging.WARNING, None)


class TestAnAddressThatOthersClaim:
    def test_still_gets_its_owner_a_link(
        self, browser: Client, create_person: Callable[..., Person], fresh: Callable[[str], str]
    ) -> None:
        address = f"{fresh('owner')}@example.com"
        owner = create_person("zoe", email=address)
        confirming.confirm(owner.username, address)
        for _ in range(MOST_USERS_OF_AN_ADDRESS + 1):
            create_person("abe", email=address)
        ask_for_link(browser, address)
        assert f"“{owner.username}”" in str(letters()[-1].body)

    def test_can_be_claimed_a_few_times_a_day(self, fresh: Callable[[str], str]) -> None:
        address = f"{fresh('owner')}@example.com"
        most = rate_limits.SIGN_UPS_WITH_AN_EMAIL.times
        names = [fresh("carla") for _ in range(most + 1)]
        answers = [sign_up(new_browser(), name, email=address) for name in names]
        assert [answer.status_code for answer in answers] == [302] * most + [429]
        assert "without an e-mail address" in answers[-1].content.decode()

    def test_gets_no_letter_about_their_passwords(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        change_password(browser)
        assert letters() == []


class TestConfirmingAnAddress:
    def test_is_by_a_link_in_a_letter(self, browser: Client, fresh: Callable[[str], str]) -> None:
        name = fresh("carla")
        sign_up(browser, name, email=f"{name}@example.com")
        link = link_to_confirm()
        assert "Is this your address?" in new_browser().get(link).content.decode()
        assert find_user(name).email_confirmed is None, "a mail program may have followed the link"
        assert "is confirmed" in new_browser().post(link).content.decode()
        assert find_user(name).email_confirmed
        assert [user.username for user in users_with_email(f"{name}@example.com")] == [name]

    def test_can_be_repeated(self, browser: Client, fresh: Callable[[str], str]) -> None:
        name = fresh("carla")
        sign_up(browser, name, email=f"{name}@example.com")
        link = link_to_confirm()
        pages = [browser.post(link).content.decode() for _ in range(2)]
        assert all("is confirmed" in page for page in pages)

    def test_is_also_choosing_a_new_password_by_a_letter(
        self, browser: Client, alice: Person
    ) -> None:
        ask_for_link(browser, alice.email)
        choose_password(browser, link_in_mail())
        assert find_user(alice.username).email_confirmed
        assert "was changed" in str(letters()[-1].subject)

    def test_is_over_with_another_address(self, alice: Person, fresh: Callable[[str], str]) -> None:
        confirming.confirm(alice.username, alice.email or "")
        user = find_user(alice.username)
        user.email = f"{fresh('new')}@example.com"
        user.save()
        assert find_user(alice.username).email_confirmed is None
        assert users_with_email(alice.email or "") == []
        assert users_with_email(user.email) == [user]

    def test_is_refused_for_an_address_given_up(self, browser: Client, alice: Person) -> None:
        token = confirming.token_for(alice.username, "before@example.com")
        page = browser.post(f"/accounts/confirm/{token}/").content.decode()
        assert "no longer works" in page

    def test_reads_nothing_for_a_token_that_was_made_up(self, browser: Client) -> None:
        with metered() as meter:
            page = browser.post("/accounts/confirm/WyJhIiwiYiJd:1tMxyz:AAAA/").content.decode()
        assert "no longer works" in page
        assert meter.calls == []

    def test_is_over_after_a_week(
        self, browser: Client, alice: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        token = confirming.token_for(alice.username, alice.email or "")
        monkeypatch.setattr(confirming, "VALID", timedelta(seconds=-1))
        page = browser.get(f"/accounts/confirm/{token}/").content.decode()
        assert "no longer works" in page

    def test_says_when_the_account_was_changed_at_the_same_moment(
        self, browser: Client, alice: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(**_: object) -> None:
            raise StaleAccount("Changed.")

        monkeypatch.setattr(confirming, "change_account", fail)
        token = confirming.token_for(alice.username, alice.email or "")
        assert browser.post(f"/accounts/confirm/{token}/").status_code == 409


class TestAChangedPassword:
    def test_is_told_to_the_confirmed_address(self, browser: Client, alice: Person) -> None:
        confirming.confirm(alice.username, alice.email or "")
        sign_in(browser, alice.username)
        change_password(browser)
        (letter,) = letters()
        assert letter.to == [alice.email]
        assert "was changed" in str(letter.subject)
        assert "http://testserver/accounts/password_reset/" in str(letter.body)
