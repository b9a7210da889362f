"""Another e-mail address: asked for with the password, taken when it is confirmed."""

from typing import Any

import pytest
from django.test import Client
from django.utils.translation import get_language

from shop.accounts import confirmation, rate_limits
from shop.accounts.emails import queue_email
from shop.accounts.queries import find_user, users_with_email
from tests.support.accounts.cast import (
    PASSWORD,
    Person,
    change_password,
    new_browser,
    sign_in,
    signed_in_name,
)
from tests.support.accounts.emails import (
    ask_for_link,
    choose_password,
    email_about,
    emails,
    link_in_mail,
    link_to_confirm,
)
from tests.support.comments.faulty import before_the_next_transaction

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]


@pytest.fixture
def hers(hers, alice):
    """The browser of Alice, whose address is confirmed."""
    confirmation.confirm(alice.username, alice.email)
    return hers


@pytest.fixture
def new(fresh):
    return f"{fresh('new')}@example.com"


def ask(browser: Client, address: str, password: str = PASSWORD) -> Any:
    return browser.post("/account/email/", {"new_email": address, "password": password})


def forget_password(person: Person) -> None:
    """Choose a new password by the link in an email."""
    browser = new_browser()
    ask_for_link(browser, person.email)
    choose_password(browser, link_in_mail())


def names_at(address: str | None) -> list[str]:
    return [user.username for user in users_with_email(address or "")]


def move(person: Person, **address: str) -> None:
    """Change an address as an operator does, by ``create_user --update``, or as another browser."""
    user = find_user(person.username)
    for name, value in address.items():
        setattr(user, name, value)
    user.save()


class TestAskingForAnotherAddress:
    def test_leaves_the_old_one_until_the_new_one_is_confirmed(self, hers, alice, new):
        assert ask(hers, new.upper()).url == "/account/"
        user = find_user(alice.username)
        assert (user.email, user.email_confirmed, user.new_email) == (alice.email, True, new)
        assert (names_at(alice.email), names_at(new)) == ([alice.username], [])
        page = hers.get("/account/").content.decode()
        assert f"{new}</bdi> becomes your address" in page
        assert f"{alice.email}</bdi>" in page
        (email,) = emails()
        assert email.to == [new]

    def test_needs_the_password(self, hers, alice, new):
        response = ask(hers, new, "wrong")
        assert response.context["form"].errors["password"] == ["Wrong password."]
        assert find_user(alice.username).new_email is None
        assert emails() == []

    def test_is_refused_for_the_address_that_is_there(self, hers, alice):
        response = ask(hers, alice.email or "")
        sentence = "This is your e-mail address already."
        assert response.context["form"].errors["new_email"] == [sentence]

    def test_is_possible_without_an_address(self, browser, bob, new):
        sign_in(browser, bob.username)
        ask(browser, new)
        browser.post(link_to_confirm())
        assert names_at(new) == [bob.username]

    def test_cannot_be_done_too_often(self, hers, fresh, alice):
        most = rate_limits.CONFIRMATIONS_OF_A_NAME.times
        addresses = [f"{fresh('new')}@example.com" for _ in range(most + 1)]
        assert [ask(hers, each).status_code for each in addresses] == [302] * most + [429]
        assert find_user(alice.username).new_email == addresses[-2]
        response = hers.post("/account/email/send/")
        assert (response.status_code, len(emails())) == (429, most)
        assert int(response["Retry-After"]) > 0

    def test_is_told_when_somebody_else_was_faster(self, hers, alice, new):
        with before_the_next_transaction(lambda: move(alice, new_email="elsewhere@example.com")):
            response = ask(hers, new)
        assert "changed at the same moment" in response.content.decode()
        assert find_user(alice.username).new_email == "elsewhere@example.com"
        assert emails() == []


class TestALinkToTheNewAddress:
    def test_moves_the_account_and_its_edge_and_ends_no_session(self, hers, alice, new):
        ask(hers, new)
        answer = new_browser().post(link_to_confirm()).content.decode()
        assert "Your address is confirmed" in answer
        user = find_user(alice.username)
        assert (user.email, user.email_confirmed, user.new_email) == (new, True, None)
        assert (names_at(alice.email), names_at(new)) == ([], [alice.username])
        assert signed_in_name(hers) == alice.username

    def test_tells_the_old_address(self, hers, alice, new):
        ask(hers, new)
        new_browser().post(link_to_confirm())
        email = email_about("Your e-mail address at testserver was changed")
        assert email.to == [alice.email]
        assert "http://testserver/accounts/password_change/" in str(email.body)
        assert new not in str(email.body)

    def test_tells_nothing_to_an_old_address_that_was_never_confirmed(self, browser, alice, new):
        sign_in(browser, alice.username)
        ask(browser, new)
        browser.post(link_to_confirm())
        assert [email.to for email in emails()] == [[new]]

    @pytest.mark.parametrize(
        "meanwhile",
        [
            lambda hers, _: ask(hers, "later@example.com"),
            lambda hers, _: hers.post("/account/email/keep/"),
            lambda hers, _: change_password(hers),
            lambda _, alice: forget_password(alice),
        ],
        ids=["another address", "the old one kept", "a new password", "one chosen by an email"],
    )
    def test_is_refused_after_the_owner_thought_better_of_it(self, hers, alice, new, meanwhile):
        ask(hers, new)
        link = link_to_confirm()
        meanwhile(hers, alice)
        assert "This link is no longer valid" in hers.post(link).content.decode()
        assert find_user(alice.username).email == alice.email

    def test_confirms_no_address_that_was_put_in_its_place_meanwhile(self, hers, alice, new, fresh):
        ask(hers, new)
        link, other = link_to_confirm(), f"{fresh('other')}@example.com"
        with before_the_next_transaction(lambda: move(alice, email=other)):
            assert hers.post(link).status_code == 409
        user = find_user(alice.username)
        assert (user.email, user.email_confirmed) == (other, None)
        assert [names_at(each) for each in (alice.email, new, other)] == [[], [], [alice.username]]

    def test_of_a_sign_up_confirms_no_address_given_meanwhile(self, browser, alice, fresh):
        token = confirmation.token_for(alice.username, alice.email or "")
        other = f"{fresh('other')}@example.com"
        with before_the_next_transaction(lambda: move(alice, email=other)):
            assert browser.post(f"/accounts/confirm/{token}/").status_code == 409
        user = find_user(alice.username)
        assert (user.email, user.email_confirmed) == (other, None)


class TestTheEmailOnceMore:
    def test_goes_to_the_address_that_waits(self, hers, new):
        ask(hers, new)
        assert hers.post("/account/email/send/").status_code == 302
        assert [email.to for email in emails()] == [[new], [new]]

    def test_goes_to_the_address_of_a_sign_up(self, browser, alice):
        sign_in(browser, alice.username)
        browser.post("/account/email/send/")
        browser.post(link_to_confirm())
        assert find_user(alice.username).email_confirmed

    def test_is_not_sent_to_an_address_that_is_confirmed(self, hers):
        page = hers.post("/account/email/send/", follow=True).content.decode()
        assert "is confirmed already" in page
        assert emails() == []

    def test_is_not_written_where_the_old_one_was_kept_meanwhile(self, hers, alice):
        queue_email("confirm", alice.username, "http://testserver")
        assert emails() == []


class TestAnEmail:
    def test_is_in_the_language_of_the_page(self, browser, alice, monkeypatch):
        languages = []

        def rendered(*_: object) -> str:
            languages.append(get_language())
            return "About\nText"

        monkeypatch.setattr("shop.accounts.mailer.render_to_string", rendered)
        for language in ("de", "en"):
            browser.post(
                "/accounts/password_reset/",
                {"email": alice.username},
                headers={"Accept-Language": language},
            )
        assert len(emails()) == 2
        assert languages == ["de", "en"]
