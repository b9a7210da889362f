"""The user of a request: what it costs to know them, and that no SQL is ever asked."""

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connections

from dynamo.calls.meter import metered
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    change_password,
    sign_in,
    sign_up,
    signed_in_name,
)
from tests.support.comments.faulty import unreachable


class TestKnowingTheUser:
    def test_costs_one_read_on_a_page_that_names_them_and_none_on_others(self, hers):
        for path, reads in (("/accounts/login/", ["GetItem"]), ("/healthz", [])):
            with metered() as meter:
                hers.get(path)
            assert [call.operation for call in meter.labelled("user")] == reads

    @pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/sign-up/", "/no/such/page"])
    def test_costs_nothing_when_nobody_is_signed_in(self, browser, path):
        with metered() as meter:
            browser.get(path)
        assert meter.calls == []


class TestNoSql:
    def test_is_there_to_be_asked(self):
        assert connections["default"].vendor == "unknown"
        assert connections["default"].settings_dict["ENGINE"] == "django.db.backends.dummy"

    def test_is_missed_by_the_life_of_an_account(self, browser, tables, fresh):
        name = fresh("carla")
        sign_up(browser, name)
        change_password(browser)
        browser.post("/accounts/logout/")
        sign_in(browser, name, NEW_PASSWORD)
        browser.post("/accounts/password_reset/", {"email": name})
        assert signed_in_name(browser) == name

    def test_is_missed_by_the_checks(self, capsys):
        call_command("check", fail_level="WARNING")
        assert "no issues" in capsys.readouterr().out

    def test_user_is_only_made_by_the_service(self):
        with pytest.raises(TypeError, match="create_profile"):
            get_user_model()(username="carla").save()


@pytest.mark.parametrize("path", ["/accounts/login/", "/no/such/page"])
def test_pages_say_that_the_database_is_away_and_sign_nobody_out(hers, path):
    session = hers.cookies["sessionid"].value
    with unreachable():
        response = hers.get(path)
    assert (response.status_code, response.has_header("Retry-After")) == (503, True)
    assert hers.cookies["sessionid"].value == session
