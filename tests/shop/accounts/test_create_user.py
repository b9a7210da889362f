"""``manage.py create_user``, and what knowing the user of a request costs."""

from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

from dynapages.calls import metered
from shop.accounts.queries import find_user, users_with_email
from shop.accounts.services import ensure_profile
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    PASSWORD,
)
from tests.support.comments.faulty import unreachable

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]


def create_user(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("create_user", *arguments, stdout=out, **options)
    return out.getvalue()


class TestCreateUser:
    def test_creates_a_customer(self, fresh):
        name = fresh("carla")
        assert create_user(name, "--password", PASSWORD) == f"Created {name}.\n"
        user = find_user(name)
        assert user.check_password(PASSWORD)
        assert (user.is_staff, user.email) == (False, "")

    def test_creates_staff_with_an_address(self, fresh):
        name = fresh("sam")
        address = f"{name}@example.com"
        create_user(name, "--password", PASSWORD, "--staff", "--email", address.upper())
        assert find_user(name).is_staff
        assert users_with_email(address) == [find_user(name)]

    def test_asks_twice_for_a_password_that_is_not_given(self, fresh, terminal):
        terminal(NEW_PASSWORD, PASSWORD, PASSWORD, PASSWORD)
        name = fresh("carla")
        with pytest.raises(CommandError, match="differ"):
            create_user(name)
        create_user(name)
        assert find_user(name).check_password(PASSWORD)

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["-", "--password", PASSWORD], "A user name has 3 to 64"),
            (["carla-x", "--password", "sunflower"], "too common"),
            (["carla-x", "--password", "lampshade"], "only letters"),
            (["carla-x", "--password", "carla-x1"], "too similar"),
            (["carla-x", "--password", PASSWORD, "--email", "nowhere"], "valid email"),
            (["carla-x"], "no terminal"),
        ],
    )
    def test_refuses_in_a_line(self, arguments, sentence):
        with pytest.raises(CommandError, match=sentence):
            create_user(*arguments)

    def test_refuses_a_name_that_is_taken(self, alice):
        with pytest.raises(CommandError, match="already; --update"):
            create_user(alice.username.upper(), "--password", NEW_PASSWORD)
        assert find_user(alice.username).check_password(PASSWORD)


class TestCreateUserWithUpdate:
    def test_gives_a_password_to_who_is_imported_or_not_there(self, fresh):
        name, imported = fresh("carla"), fresh("imported")
        ensure_profile(username=imported, joined_at=datetime(2017, 5, 16, tzinfo=UTC))
        for username, told in ((imported, "Updated"), (name, "Created"), (name, "Updated")):
            said = create_user(username, "--password", PASSWORD, "--update")
            assert said == f"{told} {username}.\n"
            assert find_user(username).check_password(PASSWORD)

    def test_changes_what_is_given_alone(self, sam):
        create_user(sam.username, "--update", "--email", "sam@example.com")
        user = find_user(sam.username)
        assert (user.is_staff, user.email) == (True, "sam@example.com")
        assert user.check_password(PASSWORD)
        create_user(sam.username, "--update", "--no-staff")
        assert not find_user(sam.username).is_staff


class TestEnsureProfile:
    def test_creates_a_user_once(self, fresh):
        name = fresh("imported")
        joined_at = datetime(2017, 5, 16, 15, 5, 35, tzinfo=UTC)
        assert ensure_profile(username=name, joined_at=joined_at)
        assert not ensure_profile(username=name, joined_at=datetime(2018, 1, 1, tzinfo=UTC))
        user = find_user(name)
        assert user.joined_at == joined_at
        assert not user.has_usable_password()


@pytest.fixture
def terminal(monkeypatch):
    """A terminal at which these passwords are typed, one after the other."""

    def type_in(*passwords: str) -> None:
        typed = iter(passwords)
        module = "shop.accounts.management.commands.create_user"
        monkeypatch.setattr(f"{module}.getpass", lambda _prompt: next(typed))
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)

    return type_in


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
        assert meter.log == []


class TestAUser:
    def test_is_only_made_by_the_service(self):
        with pytest.raises(TypeError, match="create_profile"):
            get_user_model()(username="carla").save()


@pytest.mark.parametrize("path", ["/accounts/login/", "/no/such/page"])
def test_pages_say_that_the_database_is_away_and_sign_nobody_out(hers, path):
    session = hers.cookies["sessionid"].value
    with unreachable():
        response = hers.get(path)
    assert (response.status_code, response.has_header("Retry-After")) == (503, True)
    assert hers.cookies["sessionid"].value == session
