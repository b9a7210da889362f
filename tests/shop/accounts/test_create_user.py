"""``manage.py create_user``."""

from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from shop.accounts.queries import find_user, users_with_email
from shop.accounts.services import ensure_profile
from tests.support.accounts.cast import NEW_PASSWORD, PASSWORD, Person

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]


def create_user(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("create_user", *arguments, stdout=out, **options)
    return out.getvalue()


class TestCreateUser:
    def test_creates_a_customer(self, fresh: Callable[[str], str]) -> None:
        name = fresh("carla")
        assert create_user(name, "--password", PASSWORD) == f"Created {name}.\n"
        user = find_user(name)
        assert user.check_password(PASSWORD)
        assert (user.is_staff, user.email) == (False, "")

    def test_creates_staff_with_an_address(self, fresh: Callable[[str], str]) -> None:
        name = fresh("sam")
        address = f"{name}@example.com"
        create_user(name, "--password", PASSWORD, "--staff", "--email", address.upper())
        assert find_user(name).is_staff
        assert users_with_email(address) == [find_user(name)]

    def test_asks_twice_for_a_password_that_is_not_given(
        self, fresh: Callable[[str], str], terminal: Callable[..., None]
    ) -> None:
        terminal(PASSWORD, PASSWORD)
        name = fresh("carla")
        create_user(name)
        assert find_user(name).check_password(PASSWORD)

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["-", "--password", PASSWORD], "A user name has 3 to 64"),
            (["carla-x", "--password", "sunflower"], "too common"),
            (["carla-x", "--password", "lampshade"], "letters alone"),
            (["carla-x", "--password", "carla-x1"], "too similar"),
            (["carla-x", "--password", PASSWORD, "--email", "nowhere"], "valid email"),
            (["carla-x"], "no terminal"),
        ],
    )
    def test_refuses_in_a_line(self, arguments: list[str], sentence: str) -> None:
        with pytest.raises(CommandError, match=sentence):
            create_user(*arguments)

    def test_refuses_two_different_passwords(
        self, fresh: Callable[[str], str], terminal: Callable[..., None]
    ) -> None:
        terminal(PASSWORD, NEW_PASSWORD)
        with pytest.raises(CommandError, match="differ"):
            create_user(fresh("carla"))

    def test_refuses_a_name_that_is_taken(self, alice: Person) -> None:
        with pytest.raises(CommandError, match="already; --update"):
            create_user(alice.username.upper(), "--password", NEW_PASSWORD)
        assert find_user(alice.username).check_password(PASSWORD)


class TestCreateUserWithUpdate:
    def test_gives_an_imported_user_a_password(self, fresh: Callable[[str], str]) -> None:
        name = fresh("imported")
        ensure_profile(username=name, joined_at=datetime(2017, 5, 16, tzinfo=UTC))
        assert create_user(name, "--password", PASSWORD, "--update") == f"Updated {name}.\n"
        assert find_user(name).check_password(PASSWORD)

    def test_leaves_what_is_not_given(self, sam: Person) -> None:
        create_user(sam.username, "--update", "--email", "sam@example.com")
        user = find_user(sam.username)
        assert (user.is_staff, user.email) == (True, "sam@example.com")
        assert user.check_password(PASSWORD)

    def test_takes_away_what_is_said_to_go(self, sam: Person) -> None:
        create_user(sam.username, "--update", "--no-staff")
        assert not find_user(sam.username).is_staff

    def test_creates_who_does_not_exist(self, fresh: Callable[[str], str]) -> None:
        name = fresh("carla")
        for _ in range(2):
            create_user(name, "--password", PASSWORD, "--update")
        assert find_user(name).check_password(PASSWORD)


class TestEnsureProfile:
    def test_creates_a_user_once(self, fresh: Callable[[str], str]) -> None:
        name = fresh("imported")
        joined_at = datetime(2017, 5, 16, 15, 5, 35, tzinfo=UTC)
        assert ensure_profile(username=name, joined_at=joined_at)
        assert not ensure_profile(username=name, joined_at=datetime(2018, 1, 1, tzinfo=UTC))
        user = find_user(name)
        assert user.joined_at == joined_at
        assert not user.has_usable_password()

    def test_leaves_a_user_who_has_a_password_alone(self, alice: Person) -> None:
        assert not ensure_profile(username=alice.username, joined_at=datetime.now(UTC))
        assert find_user(alice.username).check_password(PASSWORD)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A terminal at which these passwords are typed, one after the other."""

    def type_in(*passwords: str) -> None:
        typed = iter(passwords)
        module = "shop.accounts.management.commands.create_user"
        monkeypatch.setattr(f"{module}.getpass", lambda _prompt: next(typed))
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)

    return type_in
