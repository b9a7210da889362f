"""The staff's page of the API's keys, and the commands that make, list and revoke them."""

import logging
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dynapages.django.callers import Scope
from shop.api_keys.services import ApiKey, NoSuchKey, create_key, find_key, list_keys
from tests.support.comments.faulty import unreachable
from tests.support.security_log import events

pytestmark = pytest.mark.usefixtures("tables")
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


def made(name: str = "Till", username: str = "") -> ApiKey:
    return create_key(name=name, scope=Scope.READ, username=username, now=NOW)[0]


def run(*arguments: str, **options: Any) -> tuple[str, str]:
    """What a command prints, and what it says besides."""
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


class TestThePageOfKeys:
    def test_shows_name_scope_user_and_day(self, sam, alice):
        key = made("Till <3>", alice.username)
        row = sam.get("/staff/api-keys/").page.one("tr", data_api_key=key.id)
        assert [cell.text for cell in row.all("th") + row.all("td")][:3] == [
            "Till <3>",
            "read",
            alice.username,
        ]
        assert row.one("time")["datetime"] == "2026-11-20T09:30:00Z"

    def test_revokes_one_at_a_press(self, sam):
        key, text = create_key(name="Till", scope=Scope.READ, username="", now=NOW)
        row = sam.get("/staff/api-keys/").page.one("tr", data_api_key=key.id)
        assert "revoked." in sam.browser.post(row.one("form")["action"], follow=True).text
        with pytest.raises(NoSuchKey):
            find_key(text)
        again = sam.browser.post(f"/staff/api-keys/{key.id}/revoke/", follow=True)
        assert "revoked already" in again.text

    def test_revokes_nothing_for_customers(self, alice):
        key = made()
        assert alice.browser.post(f"/staff/api-keys/{key.id}/revoke/").status_code == 404
        assert key in list_keys()

    def test_is_linked_from_the_account_of_staff_alone(self, sam, alice):
        assert sam.get("/account/").page.all("a", href="/staff/api-keys/")
        assert not alice.get("/account/").page.all("a", href="/staff/api-keys/")


class TestTheCommands:
    def test_print_the_key_alone_and_say_that_it_is_not_shown_again(self, alice):
        name = alice.username.upper()
        out, err = run("create_api_key", "Till 3", "--scope", "write", "--user", name)
        key = find_key(out.strip())
        assert (key.name, key.scope, key.user_id) == ("Till 3", Scope.WRITE, alice.username)
        assert "will not be shown again" in err

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["Till", "--scope", "write"], "Name the user"),
            (["Till", "--scope", "read", "--user", "nobody-at-all"], "no active user"),
            (["", "--scope", "read"], "1 to 100 characters"),
            (["Till", "--scope", "all"], "invalid choice: 'all'"),
        ],
    )
    def test_refuse_in_a_sentence(self, arguments, sentence):
        with pytest.raises(CommandError, match=sentence):
            run("create_api_key", *arguments)

    def test_list_all_keys(self, alice):
        key = made("Till 7", alice.username)
        line = f"{key.id}  2026-11-20  read   {alice.username}  Till 7"
        assert line in run("revoke_api_key")[0].splitlines()

    def test_revoke_one_once(self):
        key = made()
        assert run("revoke_api_key", key.id)[0] == f"The key {key.id} is revoked.\n"
        assert key not in list_keys()
        with pytest.raises(CommandError, match="There is no key"):
            run("revoke_api_key", key.id)

    @pytest.mark.parametrize(
        "arguments", [["create_api_key", "Till", "--scope", "read"], ["revoke_api_key"]]
    )
    def test_say_in_one_line_that_the_database_is_away(self, arguments):
        with unreachable(), pytest.raises(CommandError, match="database"):
            run(*arguments)


class TestTheSecurityLog:
    def test_says_when_a_command_made_and_revoked_a_key(self, caplog, alice):
        with caplog.at_level(logging.INFO, "security"):
            text = run("create_api_key", "Till", "--scope", "read", "--user", alice.username)[0]
            key_id = text.split("_")[1]
            run("revoke_api_key", key_id)
        assert events(caplog) == [
            {
                "event": "api-key-made",
                "user": alice.username,
                "key": key_id,
                "scope": "read",
                "by": "create_api_key",
            },
            {"event": "api-key-revoked", "user": "", "key": key_id, "by": "revoke_api_key"},
        ]

    def test_says_who_revoked_one_in_the_shop(self, caplog, sam):
        key = made()
        with caplog.at_level(logging.INFO, "security"):
            sam.browser.post(f"/staff/api-keys/{key.id}/revoke/")
        (event,) = events(caplog, "api-key-revoked")
        assert (event["user"], event["key"]) == (sam.username, key.id)
        assert event["network"]
