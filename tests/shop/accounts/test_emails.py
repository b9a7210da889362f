"""E-mails: to whom, with which links, and that no answer waits for them."""

import logging
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core import mail

from comments.testing.work import later
from dynapages.calls import metered
from dynapages.work import worker
from shop.accounts import confirmation, rate_limits, services
from shop.accounts.queries import MOST_USERS_OF_AN_ADDRESS, find_user, users_with_email
from shop.work import QUEUE, everything_owed
from tests.support.accounts.cast import change_password, new_browser, sign_in, sign_up
from tests.support.accounts.emails import (
    ask_for_link,
    choose_password,
    emails,
    link_in_mail,
    link_to_confirm,
)
from tests.support.comments.faulty import Killed, unreachable
from tests.support.work import forget_what_waits, work_off

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]


class TestAskingForANewPassword:
    def test_makes_the_same_calls_whether_there_is_an_account(self, alice, fresh):
        calls = []
        for asked in (alice.username, fresh("nobody")):
            with metered() as meter:
                ask_for_link(new_browser(), asked)
            calls.append([call.operation for call in meter.log])
        assert calls[0] == calls[1] == ["UpdateItem", "UpdateItem", "PutItem"]

    def test_sends_nothing_before_it_is_answered(self, browser, alice):
        ask_for_link(browser, alice.username)
        assert mail.outbox == []
        assert len(emails()) == 1

    def test_by_an_address_sends_one_email_that_names_all_accounts(
        self, browser, create_person, fresh
    ):
        address = f"{fresh('family')}@example.com"
        names = {create_person(name, email=address).username for name in ("ann", "ben")}
        ask_for_link(browser, address)
        (email,) = emails()
        assert all(f"“{name}”" in str(email.body) for name in names)
        assert str(email.body).count("/accounts/reset/") == 2

    def test_is_served_after_the_database_was_away(self, browser, alice):
        ask_for_link(browser, alice.username)
        with unreachable():
            assert emails() == []
        work_off(QUEUE)
        assert len(mail.outbox) == 1

    def test_fills_nobodys_mailbox_from_many_addresses(self, alice, allow):
        allow(2, "LINKS_TO_AN_EMAIL")
        answers = {ask_for_link(new_browser(), alice.username).status_code for _ in range(4)}
        assert (answers, len(emails())) == ({302}, 2)

    def test_gives_a_link_for_an_hour(self, browser, alice, settings):
        assert settings.PASSWORD_RESET_TIMEOUT == 3_600
        assert rate_limits.LINKS_TO_AN_EMAIL.window <= timedelta(hours=1)
        ask_for_link(browser, alice.username)
        link = link_in_mail()
        settings.PASSWORD_RESET_TIMEOUT = -1
        assert "is no longer valid" in browser.get(link).content.decode()


class TestALinkInAnEmail:
    def test_is_of_the_configured_site_whatever_host_was_asked(self, browser, alice, settings):
        settings.SITE_URL = "https://shop.example.com"
        settings.ALLOWED_HOSTS = ["*"]
        browser.post(
            "/accounts/password_reset/", {"email": alice.username}, HTTP_HOST="evil.example"
        )
        (email,) = emails()
        assert "https://shop.example.com/accounts/reset/" in str(email.body)
        assert "evil.example" not in f"{email.subject}{email.body}"


class TestAMailServerThatFails:
    """What it does not take is owed still."""

    @pytest.fixture
    def fails(self, monkeypatch):
        """Has the mail server fail until it is told not to."""

        def fail_with(error: Exception) -> pytest.MonkeyPatch:
            def fail(*_: object, **__: object) -> None:
                raise error

            monkeypatch.setattr("shop.accounts.mailer.EmailMessage.send", fail)
            return monkeypatch

        return fail_with

    @pytest.fixture
    def owed_to_alice(self, browser, alice):
        ask_for_link(browser, alice.username)

        def owed():
            return [one for one in everything_owed() if one.payload["whom"] == alice.username]

        return owed

    def test_is_a_warning_and_no_traceback(self, owed_to_alice, fails, caplog):
        fails(SMTPServerDisconnected("gone"))
        assert emails() == []
        (record,) = [one for one in caplog.records if one.name == "dynapages.django.mail"]
        assert (record.levelno, record.exc_info) == (logging.WARNING, None)

    def test_is_tried_again(self, owed_to_alice, fails, alice):
        patch = fails(SMTPServerDisconnected("gone"))
        assert emails() == []
        patch.undo()
        work_off(QUEUE)
        assert [one.to for one in mail.outbox].count([alice.email]) == 1
        assert owed_to_alice() == []

    def test_is_given_up_after_hours_and_staff_see_no_address(self, owed_to_alice, fails, alice):
        fails(SMTPRecipientsRefused({alice.email: (451, b"Try later")}))
        emails()
        for hours in range(1, 20):
            with later(timedelta(hours=2 * hours)):
                worker().look([QUEUE])
        (dead,) = owed_to_alice()
        assert dead.is_dead
        assert dead.failure == "The mail server did not take it (SMTPRecipientsRefused)."
        QUEUE.discard(dead)

    def test_is_not_asked_again_about_an_address_that_it_refuses_for_good(
        self, owed_to_alice, fails, alice
    ):
        fails(SMTPRecipientsRefused({alice.email: (550, b"No such user")}))
        assert emails() == []
        assert owed_to_alice() == []

    def test_uses_up_none_of_the_emails_that_an_address_gets(
        self, owed_to_alice, fails, allow, alice
    ):
        allow(1, "LINKS_TO_AN_EMAIL")
        patch = fails(SMTPServerDisconnected("gone"))
        emails()
        patch.undo()
        allow(1, "LINKS_TO_AN_EMAIL")
        work_off(QUEUE)
        assert [one.to for one in mail.outbox].count([alice.email]) == 1


class TestAProcessThatIsKilled:
    """Between its write and the sending of the e-mail that this owes."""

    def kill(self) -> None:
        forget_what_waits()

    def test_loses_no_link_for_a_new_password(self, browser, alice):
        ask_for_link(browser, alice.username)
        self.kill()
        work_off(QUEUE)
        assert "Choose" in str(mail.outbox[-1].subject)

    def test_loses_no_request_to_confirm_an_address(self, fresh):
        name = fresh("carla")
        sign_up(new_browser(), name, email=f"{name}@example.com")
        self.kill()
        work_off(QUEUE)
        assert mail.outbox[-1].to == [f"{name}@example.com"]

    def test_loses_no_notice_of_a_changed_password(self, hers, alice):
        confirmation.confirm(alice.username, alice.email or "")
        change_password(hers)
        self.kill()
        work_off(QUEUE)
        assert "was changed" in str(mail.outbox[-1].subject)

    def test_sends_what_was_not_deleted_yet_once_more(self, browser, alice, monkeypatch):
        """The mail server has it, and nobody can know that."""

        def die(_owed: object) -> None:
            raise Killed

        ask_for_link(browser, alice.username)
        with monkeypatch.context() as patch:
            patch.setattr(QUEUE, "done", die)
            with pytest.raises(Killed):
                emails()
        with later(timedelta(minutes=10)):
            worker().look([QUEUE])
        assert [one.to for one in mail.outbox] == [[alice.email]] * 2


class TestAnEmailThatIsOwed:
    def test_is_written_in_the_transaction_that_owes_it(self, fresh):
        name = fresh("carla")
        with metered() as meter:
            sign_up(new_browser(), name, email=f"{name}@example.com")
        assert "PutItem" not in {call.operation for call in meter.log}
        assert name in {one.payload["whom"] for one in everything_owed()}

    def test_is_not_owed_by_what_was_not_written(self, alice):
        sign_up(new_browser(), alice.username, email="other@example.com")
        assert "other@example.com" not in {one.payload["whom"] for one in everything_owed()}
        assert alice.username not in {one.payload["whom"] for one in everything_owed()}

    def test_is_dropped_where_its_user_is_gone(self, browser, alice):
        ask_for_link(browser, alice.username)
        services.delete_profile(alice.username)
        assert emails() == []
        assert alice.username not in {one.payload["whom"] for one in everything_owed()}


class TestAnAddressThatOthersClaim:
    def test_still_gets_its_owner_a_link(self, browser, create_person, fresh):
        address = f"{fresh('owner')}@example.com"
        owner = create_person("zoe", email=address)
        confirmation.confirm(owner.username, address)
        for _ in range(MOST_USERS_OF_AN_ADDRESS + 1):
            create_person("abe", email=address)
        ask_for_link(browser, address)
        assert f"“{owner.username}”" in str(emails()[-1].body)

    def test_can_be_claimed_a_few_times_a_day(self, fresh):
        address = f"{fresh('owner')}@example.com"
        most = rate_limits.SIGN_UPS_WITH_AN_EMAIL.times
        names = [fresh("carla") for _ in range(most + 1)]
        answers = [sign_up(new_browser(), name, email=address) for name in names]
        assert [answer.status_code for answer in answers] == [302] * most + [429]
        assert "without an e-mail address" in answers[-1].content.decode()

    def test_gets_no_email_about_their_passwords(self, hers):
        change_password(hers)
        assert emails() == []


class TestConfirmingAnAddress:
    def test_is_by_a_link_in_an_email_however_often_it_is_used(self, fresh):
        name, stranger = fresh("carla"), new_browser()
        sign_up(new_browser(), name, email=f"{name}@example.com")
        link = link_to_confirm()
        assert "Is this your address?" in stranger.get(link).content.decode()
        assert find_user(name).email_confirmed is None, "a mail program may have followed the link"
        for _ in range(2):
            assert "is confirmed" in stranger.post(link).content.decode()
            assert find_user(name).email_confirmed
        assert [user.username for user in users_with_email(f"{name}@example.com")] == [name]

    def test_is_also_choosing_a_new_password_by_an_email(self, browser, alice):
        ask_for_link(browser, alice.email)
        choose_password(browser, link_in_mail())
        assert find_user(alice.username).email_confirmed
        assert "was changed" in str(emails()[-1].subject)

    @pytest.mark.parametrize(
        ("address", "valid"), [("before@example.com", timedelta(7)), ("", timedelta(seconds=-1))]
    )
    def test_is_refused_for_an_address_given_up_and_after_a_week(
        self, browser, alice, monkeypatch, address, valid
    ):
        monkeypatch.setattr(confirmation, "TOKEN_LIFETIME", valid)
        token = confirmation.token_for(alice.username, address or alice.email)
        page = browser.post(f"/accounts/confirm/{token}/").content.decode()
        assert "is no longer valid" in page

    def test_reads_nothing_for_a_token_that_was_made_up(self, browser):
        with metered() as meter:
            page = browser.post("/accounts/confirm/WyJhIiwiYiJd:1tMxyz:AAAA/").content.decode()
        assert "is no longer valid" in page
        assert meter.log == []


class TestAChangedPassword:
    def test_is_told_to_the_confirmed_address(self, browser, alice):
        confirmation.confirm(alice.username, alice.email or "")
        sign_in(browser, alice.username)
        change_password(browser)
        (email,) = emails()
        assert email.to == [alice.email]
        assert "was changed" in str(email.subject)
        assert "http://testserver/accounts/password_reset/" in str(email.body)
