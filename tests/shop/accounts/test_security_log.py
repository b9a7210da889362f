"""What the log tells of an account's security: a line of JSON for each event."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from shop.accounts import rate_limits
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    PASSWORD,
    change_password,
    new_browser,
    sign_in,
    sign_up,
)
from tests.support.accounts.emails import ask_for_link, choose_password, link_in_mail

Events = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def events(caplog):
    """The events logged since the last time it was asked."""

    def since() -> list[dict[str, Any]]:
        found = [json.loads(one.getMessage()) for one in caplog.records if one.name == "security"]
        caplog.clear()
        return found

    return since


class TestAnEvent:
    def test_is_a_sign_in(self, browser, alice, events):
        sign_in(browser, alice.username)
        network = browser.defaults["REMOTE_ADDR"]
        assert events() == [{"event": "sign-in", "user": alice.username, "network": network}]

    @pytest.mark.parametrize("is_name", [True, False])
    def test_is_a_wrong_password(self, browser, alice, events, is_name):
        sign_in(browser, alice.username.upper() if is_name else "My Secret Password!", "wrong")
        (event,) = events()
        name = alice.username if is_name else ""
        assert (event["event"], event["user"]) == ("sign-in-failed", name)

    def test_is_a_limit_that_was_exceeded(self, browser, alice, events):
        for _ in range(rate_limits.PASSWORDS_AT_A_NAME.times + 1):
            sign_in(browser, alice.username, "wrong")
        last = events()[-1]
        assert last["event"] == "too-many-attempts"
        assert (last["user"], last["form"]) == (alice.username, "LoginForm")

    @pytest.mark.parametrize(
        ("do", "told"),
        [
            (lambda hers: hers.post("/accounts/logout/"), "sign-out"),
            (change_password, "password-changed"),
            (lambda hers: hers.get("/staff/orders/"), "staff-page-refused"),
        ],
    )
    def test_is_what_somebody_does_who_is_signed_in(self, hers, alice, events, do, told):
        answer = do(hers)
        (event,) = events()
        assert (event["event"], event["user"]) == (told, alice.username)
        assert event.get("path", answer.request["PATH_INFO"]) == answer.request["PATH_INFO"]

    def test_is_a_new_account(self, browser, tables, fresh, events):
        name = fresh("carla")
        sign_up(browser, name)
        assert [(e["event"], e["user"]) for e in events()] == [
            ("account-made", name),
            ("sign-in", name),
        ]

    def test_is_a_password_chosen_by_a_link(self, browser, alice, events):
        ask_for_link(browser, alice.username)
        choose_password(browser, link_in_mail())
        assert [e["event"] for e in events()] == ["password-reset-asked", "password-reset"]

    def test_is_what_staff_send(self, browser, sam, events):
        sign_in(browser, sam.username)
        events()
        browser.get("/staff/orders/")
        assert events() == []
        browser.post("/staff/orders/move/", {"move": "SHIPPED"})
        (event,) = events()
        assert (event["event"], event["user"]) == ("staff-action", sam.username)
        assert event["path"] == "/staff/orders/move/"

    def test_holds_no_password_and_no_token(self, browser, alice, caplog):
        sign_in(browser, alice.username, "a wrong guess")
        sign_in(browser, alice.username)
        change_password(browser)
        ask_for_link(new_browser(), alice.username)
        link = link_in_mail()
        choose_password(new_browser(), link)
        for secret in ("a wrong guess", PASSWORD, NEW_PASSWORD, link.split("/")[-2]):
            assert secret not in caplog.text


class TestAnEventOfACommand:
    def test_is_an_account_made_or_changed(self, tables, fresh, events):
        name = fresh("carla")
        call_command("create_user", name, password=PASSWORD)
        call_command("create_user", name, update=True, staff=True, email="c@example.com")
        made, changed = events()
        assert (made["event"], made["user"]) == ("account-made", name)
        assert (changed["event"], changed["changed"]) == ("account-changed", "email staff")
