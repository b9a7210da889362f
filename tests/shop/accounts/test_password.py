"""Changing a password, and choosing a new one after it was forgotten."""

from datetime import UTC, datetime

import pytest

from shop.accounts import rate_limits
from shop.accounts.queries import find_user, users_with_email
from shop.accounts.services import StaleAccount
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    PASSWORD,
    WatchedHasher,
    change_password,
    new_browser,
    set_once,
    sign_in,
    signed_in_name,
)
from tests.support.accounts.emails import ask_for_link, choose_password, emails, link_in_mail

pytestmark = pytest.mark.newest


class TestChangingThePassword:
    def test_sets_it(self, hers, alice):
        assert change_password(hers).url == "/accounts/password_change/done/"
        user = find_user(alice.username)
        assert user.check_password(NEW_PASSWORD)
        assert not user.check_password(PASSWORD)

    @pytest.mark.parametrize("weak", ["sunflower", "password1", "lampshade"])
    def test_refuses_common_ones_and_single_words(self, hers, alice, weak):
        assert change_password(hers, new=weak).context["form"].errors["new_password2"]
        assert find_user(alice.username).check_password(PASSWORD)

    def test_needs_the_old_one(self, hers, alice):
        response = change_password(hers, old="wrong")
        assert response.context["form"].errors["old_password"]
        assert find_user(alice.username).check_password(PASSWORD)

    @pytest.mark.parametrize("is_for_email", [False, True])
    def test_does_not_let_the_old_one_be_guessed_for_ever(self, hers, allow, is_for_email):
        allow(2, "PASSWORD_CHANGES")
        typed = {"new_email": "new@example.com", "password": "wrong"}
        answers = [
            hers.post("/account/email/", typed)
            if is_for_email
            else change_password(hers, old="wrong")
            for _ in range(3)
        ]
        assert [answer.status_code for answer in answers] == [200, 200, 429]

    def test_is_told_when_somebody_else_was_faster(self, hers, alice, monkeypatch):
        monkeypatch.setattr(WatchedHasher, "watcher", lambda: set_once(alice, "set elsewhere"))
        response = change_password(hers)
        assert response.status_code == 200
        assert "changed at the same moment" in response.content.decode()
        assert find_user(alice.username).check_password("set elsewhere")


class TestANewPasswordOfStaff:
    def test_has_twelve_characters(self, browser, sam):
        sign_in(browser, sam.username)
        refused = change_password(browser, new="elevenchars")
        assert "Members of staff always need at least 12" in str(
            refused.context["form"].errors["new_password2"]
        )
        assert change_password(browser, new="twelve-chars").status_code == 302

    def test_may_be_shorter_for_a_customer(self, hers):
        assert change_password(hers, new="x-eight8").status_code == 302


class TestAForgottenPassword:
    @pytest.mark.parametrize("by", ["username", "email"])
    def test_is_replaced_by_a_link_in_a_mail(self, browser, alice, by):
        asked = getattr(alice, by).upper()
        assert ask_for_link(browser, asked).url == "/accounts/password_reset/done/"
        assert emails()[-1].to == [alice.email]
        response = choose_password(browser, link_in_mail())
        assert response.url == "/accounts/reset/done/"
        assert sign_in(browser, alice.username, NEW_PASSWORD).status_code == 302

    def test_can_be_one_that_was_never_set(self, browser, create_person):
        imported = create_person("imported", password=None, email="imported@example.com")
        ask_for_link(browser, imported.username)
        choose_password(browser, link_in_mail())
        assert sign_in(browser, imported.username, NEW_PASSWORD).status_code == 302

    def test_ends_all_sessions(self, hers, alice):
        ask_for_link(new_browser(), alice.email)
        choose_password(new_browser(), link_in_mail())
        assert signed_in_name(hers) is None

    def test_is_answered_alike_for_whom_there_is_not(self, browser, bob, fresh):
        without_address, unknown = bob.username, fresh("nobody")
        for asked in (without_address, unknown, f"{unknown}@example.com", "#", "💣" * 254):
            assert ask_for_link(browser, asked).url == "/accounts/password_reset/done/"
        assert emails() == []

    def test_is_not_kept_from_its_owner_by_the_requests_of_others(self, browser, alice):
        stranger = new_browser()
        for _ in range(rate_limits.RESETS_AT_A_NAME.times + 1):
            refused = ask_for_link(stranger, alice.username)
        assert refused.status_code == 429
        assert ask_for_link(browser, alice.username).status_code == 302


class TestALinkInAMail:
    def test_works_once(self, browser, alice):
        ask_for_link(browser, alice.username)
        link = link_in_mail()
        choose_password(browser, link)
        assert "This link is no longer valid" in new_browser().get(link).content.decode()

    @pytest.mark.parametrize("uid", ["~", "8J-", "bm9ib2R5", "____", "YWFh" * 999])
    def test_of_nobody_is_said_not_to_work(self, browser, tables, uid):
        response = browser.get(f"/accounts/reset/{uid}/abc-def/")
        assert response.status_code == 200
        assert "is no longer valid" in response.content.decode()


class TestSavingAUser:
    def test_never_overwrites_a_password_that_was_changed_since(self, alice):
        first, second = find_user(alice.username), find_user(alice.username)
        first.set_password(NEW_PASSWORD)
        first.save()
        second.set_password("too late for this one")
        with pytest.raises(StaleAccount):
            second.save()
        assert find_user(alice.username).check_password(NEW_PASSWORD)

    def test_does_not_undo_what_it_did_not_change(self, alice):
        first, second = find_user(alice.username), find_user(alice.username)
        first.is_active = False
        first.save()
        second.last_login = datetime(2026, 1, 1, tzinfo=UTC)
        second.save()
        assert not find_user(alice.username).is_active

    def test_takes_the_e_mail_address_away(self, alice):
        user = find_user(alice.username)
        user.email = ""
        user.save()
        assert find_user(alice.username).email == ""
        assert users_with_email(alice.email or "") == []
