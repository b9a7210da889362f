"""Changing a password, and choosing a new one after it was forgotten."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.test import Client

from shop.accounts import rate_limits
from shop.accounts.queries import find_user, users_with_email
from shop.accounts.services import StaleAccount
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    PASSWORD,
    Person,
    WatchedHasher,
    change_password,
    new_browser,
    sign_in,
    signed_in_name,
)
from tests.support.accounts.letters import ask_for_link, choose_password, letters, link_in_mail

pytestmark = pytest.mark.newest


class TestChangingThePassword:
    def test_sets_it(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        assert change_password(browser).url == "/accounts/password_change/done/"
        user = find_user(alice.username)
        assert user.check_password(NEW_PASSWORD)
        assert not user.check_password(PASSWORD)

    def test_keeps_this_session_and_ends_the_others(self, alice: Person) -> None:
        here, elsewhere = new_browser(), new_browser()
        for one in (here, elsewhere):
            sign_in(one, alice.username)
        change_password(here)
        assert signed_in_name(here) == alice.username
        assert signed_in_name(elsewhere) is None

    @pytest.mark.parametrize("weak", ["sunflower", "password1", "lampshade"])
    def test_refuses_common_ones_and_single_words(
        self, browser: Client, alice: Person, weak: str
    ) -> None:
        sign_in(browser, alice.username)
        assert change_password(browser, new=weak).context["form"].errors["new_password2"]
        assert find_user(alice.username).check_password(PASSWORD)

    def test_leaves_other_users_alone(self, alice: Person, bob: Person) -> None:
        hers, his = new_browser(), new_browser()
        sign_in(hers, alice.username)
        sign_in(his, bob.username)
        change_password(hers)
        assert signed_in_name(his) == bob.username

    def test_needs_the_old_one(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        response = change_password(browser, old="wrong")
        assert response.context["form"].errors["old_password"]
        assert find_user(alice.username).check_password(PASSWORD)

    def test_does_not_let_the_old_one_be_guessed_for_ever(
        self, browser: Client, alice: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            rate_limits, "PASSWORD_CHANGES", replace(rate_limits.PASSWORD_CHANGES, times=2)
        )
        sign_in(browser, alice.username)
        answers = [change_password(browser, old="wrong").status_code for _ in range(3)]
        assert answers == [200, 200, 429]

    def test_is_told_when_somebody_else_was_faster(
        self, browser: Client, alice: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sign_in(browser, alice.username)
        monkeypatch.setattr(WatchedHasher, "watcher", lambda: _change_elsewhere(alice))
        response = change_password(browser)
        assert response.status_code == 200
        assert "changed at the same moment" in response.content.decode()
        assert find_user(alice.username).check_password("set elsewhere")


class TestANewPasswordOfStaff:
    def test_has_twelve_characters(self, browser: Client, sam: Person) -> None:
        sign_in(browser, sam.username)
        refused = change_password(browser, new="elevenchars")
        assert "of staff has at least 12" in str(refused.context["form"].errors["new_password2"])
        assert change_password(browser, new="twelve-chars").status_code == 302

    def test_may_be_shorter_for_a_customer(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        assert change_password(browser, new="x-eight8").status_code == 302


class TestAForgottenPassword:
    @pytest.mark.parametrize("by", ["username", "email"])
    def test_is_replaced_by_a_link_in_a_mail(self, browser: Client, alice: Person, by: str) -> None:
        asked = getattr(alice, by).upper()
        assert ask_for_link(browser, asked).url == "/accounts/password_reset/done/"
        assert letters()[-1].to == [alice.email]
        response = choose_password(browser, link_in_mail())
        assert response.url == "/accounts/reset/done/"
        assert sign_in(browser, alice.username, NEW_PASSWORD).status_code == 302

    def test_can_be_one_that_was_never_set(
        self, browser: Client, create_person: Callable[..., Person]
    ) -> None:
        imported = create_person("imported", password=None, email="imported@example.com")
        ask_for_link(browser, imported.username)
        choose_password(browser, link_in_mail())
        assert sign_in(browser, imported.username, NEW_PASSWORD).status_code == 302

    @pytest.mark.parametrize("weak", ["sunflower", "password1", "lampshade"])
    def test_is_replaced_by_no_common_one_and_no_single_word(
        self, browser: Client, alice: Person, weak: str
    ) -> None:
        ask_for_link(browser, alice.username)
        refused = choose_password(browser, link_in_mail(), weak)
        assert refused.context["form"].errors["new_password2"]
        assert find_user(alice.username).check_password(PASSWORD)

    def test_ends_all_sessions(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        ask_for_link(new_browser(), alice.email)
        choose_password(new_browser(), link_in_mail())
        assert signed_in_name(browser) is None

    def test_is_answered_alike_for_whom_there_is_not(
        self, browser: Client, bob: Person, fresh: Callable[[str], str]
    ) -> None:
        without_address, unknown = bob.username, fresh("nobody")
        for asked in (without_address, unknown, f"{unknown}@example.com", "#", "💣" * 254):
            assert ask_for_link(browser, asked).url == "/accounts/password_reset/done/"
        assert letters() == []

    def test_sends_no_more_than_a_few_letters(
        self, browser: Client, alice: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        few = replace(rate_limits.RESETS_AT_A_NAME, times=2)
        monkeypatch.setattr(rate_limits, "RESETS_AT_A_NAME", few)
        answers = [ask_for_link(browser, alice.username) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [302, 302, 429]
        assert f'value="{alice.username}"' in answers[-1].content.decode()
        assert len(letters()) == 2

    def test_is_not_kept_from_its_owner_by_the_requests_of_others(
        self, browser: Client, alice: Person
    ) -> None:
        stranger = new_browser()
        for _ in range(rate_limits.RESETS_AT_A_NAME.times + 1):
            refused = ask_for_link(stranger, alice.username)
        assert refused.status_code == 429
        assert ask_for_link(browser, alice.username).status_code == 302


class TestALinkInAMail:
    def test_works_once(self, browser: Client, alice: Person) -> None:
        ask_for_link(browser, alice.username)
        link = link_in_mail()
        choose_password(browser, link)
        assert "This link no longer works" in new_browser().get(link).content.decode()

    def test_is_worth_nothing_after_signing_in(self, browser: Client, alice: Person) -> None:
        ask_for_link(browser, alice.username)
        link = link_in_mail()
        sign_in(browser, alice.username)
        assert "no longer works" in new_browser().get(link).content.decode()

    @pytest.mark.parametrize("uid", ["~", "8J-", "bm9ib2R5", "____", "YWFh" * 999])
    def test_of_nobody_is_said_not_to_work(self, browser: Client, tables: None, uid: str) -> None:
        response = browser.get(f"/accounts/reset/{uid}/abc-def/")
        assert response.status_code == 200
        assert "no longer works" in response.content.decode()


class TestSavingAUser:
    def test_never_overwrites_a_password_that_was_changed_since(self, alice: Person) -> None:
        first, second = find_user(alice.username), find_user(alice.username)
        first.set_password(NEW_PASSWORD)
        first.save()
        second.set_password("too late for this one")
        with pytest.raises(StaleAccount):
            second.save()
        assert find_user(alice.username).check_password(NEW_PASSWORD)

    def test_does_not_undo_what_it_did_not_change(self, alice: Person) -> None:
        first, second = find_user(alice.username), find_user(alice.username)
        first.is_active = False
        first.save()
        second.last_login = datetime(2026, 1, 1, tzinfo=UTC)
        second.save()
        assert not find_user(alice.username).is_active

    def test_moves_the_e_mail_address(self, alice: Person, fresh: Callable[[str], str]) -> None:
        user = find_user(alice.username)
        user.email = f"{fresh('new')}@example.com"
        user.save()
        assert users_with_email(alice.email or "") == []
        assert users_with_email(user.email) == [user]

    def test_takes_the_e_mail_address_away(self, alice: Person) -> None:
        user = find_user(alice.username)
        user.email = ""
        user.save()
        assert find_user(alice.username).email == ""
        assert users_with_email(alice.email or "") == []


def _change_elsewhere(person: Person) -> None:
    WatchedHasher.watcher = staticmethod(lambda: None)
    user = find_user(person.username)
    user.set_password("set elsewhere")
    user.save()
