"""What the log tells of an account's security: a line of JSON for each event."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from shop.accounts import rate_limits
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    PASSWORD,
    Person,
    change_password,
    new_browser,
    sign_in,
    sign_up,
)
from tests.support.accounts.letters import ask_for_link, choose_password, link_in_mail

Events = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def events(caplog: pytest.LogCaptureFixture) -> Events:
    """The events logged since the last time it was asked."""

    def since() -> list[dict[str, Any]]:
        found = [json.loads(one.getMessage()) for one in caplog.records if one.name == "security"]
        caplog.clear()
        return found

    return since


class TestAnEvent:
    def test_is_a_sign_in(self, browser: Client, alice: Person, events: Events) -> None:
        sign_in(browser, alice.username)
        network = browser.defaults["REMOTE_ADDR"]
        assert events() == [{"event": "sign-in", "user": alice.username, "network": network}]

    def test_is_a_wrong_password(self, browser: Client, alice: Person, events: Events) -> None:
        sign_in(browser, alice.username.upper(), "wrong")
        (event,) = events()
        assert (event["event"], event["user"]) == ("sign-in-failed", alice.username)

    def test_names_nobody_where_no_name_was_typed(
        self, browser: Client, tables: None, events: Events
    ) -> None:
        sign_in(browser, "My Secret Password!", "wrong")
        assert events()[0]["user"] == ""

    def test_is_a_limit_that_was_exceeded(
        self, browser: Client, alice: Person, events: Events
    ) -> None:
        for _ in range(rate_limits.PASSWORDS_AT_A_NAME.times + 1):
            sign_in(browser, alice.username, "wrong")
        last = events()[-1]
        assert last["event"] == "too-many-attempts"
        assert (last["user"], last["form"]) == (alice.username, "LoginForm")

    def test_is_a_sign_out(self, browser: Client, alice: Person, events: Events) -> None:
        sign_in(browser, alice.username)
        events()
        browser.post("/accounts/logout/")
        (event,) = events()
        assert (event["event"], event["user"]) == ("sign-out", alice.username)

    def test_is_a_new_account(
        self, browser: Client, tables: None, fresh: Callable[[str], str], events: Events
    ) -> None:
        name = fresh("carla")
        sign_up(browser, name)
        assert [(e["event"], e["user"]) for e in events()] == [
            ("account-made", name),
            ("sign-in", name),
        ]

    def test_is_a_new_password(self, browser: Client, alice: Person, events: Events) -> None:
        sign_in(browser, alice.username)
        events()
        change_password(browser)
        assert [(e["event"], e["user"]) for e in events()] == [("password-changed", alice.username)]

    def test_is_a_password_chosen_by_a_link(
        self, browser: Client, alice: Person, events: Events
    ) -> None:
        ask_for_link(browser, alice.username)
        choose_password(browser, link_in_mail())
        assert [e["event"] for e in events()] == ["password-reset-asked", "password-reset"]

    def test_is_what_staff_send(self, browser: Client, sam: Person, events: Events) -> None:
        sign_in(browser, sam.username)
        events()
        browser.get("/staff/orders/")
        assert events() == []
        browser.post("/staff/orders/move/", {"move": "SHIPPED"})
        (event,) = events()
        assert (event["event"], event["user"]) == ("staff-action", sam.username)
        assert event["path"] == "/staff/orders/move/"

    def test_is_a_page_of_staff_that_a_customer_asks_for(
        self, browser: Client, alice: Person, events: Events
    ) -> None:
        sign_in(browser, alice.username)
        events()
        browser.get("/staff/orders/")
        (event,) = events()
        assert (event["event"], event["path"]) == ("staff-page-refused", "/staff/orders/")

    def test_holds_no_password_and_no_token(
        self, browser: Client, alice: Person, caplog: pytest.LogCaptureFixture
    ) -> None:
        sign_in(browser, alice.username, "a wrong guess")
        sign_in(browser, alice.username)
        change_password(browser)
        ask_for_link(new_browser(), alice.username)
        link = link_in_mail()
        choose_password(new_browser(), link)
        for secret in ("a wrong guess", PASSWORD, NEW_PASSWORD, link.split("/")[-2]):
            assert secret not in caplog.text


class TestAnEventOfACommand:
    def test_is_an_account_made_or_changed(
        self, tables: None, fresh: Callable[[str], str], events: Events
    ) -> None:
        name = fresh("carla")
        call_command("create_user", name, password=PASSWORD)
        call_command("create_user", name, update=True, staff=True, email="c@example.com")
        made, changed = events()
        assert (made["event"], made["user"]) == ("account-made", name)
        assert (changed["event"], changed["changed"]) == ("account-changed", "email staff")
