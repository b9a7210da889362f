"""Keys of the API: made, found by their text, listed, revoked."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from dynapages.calls import metered
from dynapages.django.callers import Caller, Scope
from shop import keys
from shop.accounts.queries import find_user
from shop.accounts.services import create_profile, shut_profile
from shop.api_keys.answers import begin
from shop.api_keys.services import (
    ApiKey,
    KeyRefused,
    NoSuchKey,
    Refused,
    create_key,
    find_key,
    list_keys,
    revoke_key,
)
from shop.integrity.checks import CHECKS, shop_differences
from shop.models import ApiKeyItem, RevokedApiKey

pytestmark = pytest.mark.usefixtures("tables")
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


@pytest.fixture
def person(fresh):
    """Makes a user, and returns their name."""

    def make(*, is_staff: bool = False) -> str:
        username = fresh("kim")
        create_profile(username=username, password=None, now=NOW, is_staff=is_staff)
        return username

    return make


def made(scope: Scope = Scope.READ, username: str = "", name: str = "Till") -> tuple[ApiKey, str]:
    return create_key(name=name, scope=scope, username=username, now=NOW)


def refusal_of(text: str) -> tuple[Refused, str]:
    """Why no key has this text, and the id in it."""
    with pytest.raises(NoSuchKey) as raised:
        find_key(text)
    return raised.value.reason, raised.value.key_id


class TestAScope:
    def test_includes_the_narrower_ones(self):
        allowed = {
            (each, other) for each in Scope for other in Scope if Caller("", "", each).allows(other)
        }
        assert allowed == {
            *((Scope.STAFF, other) for other in Scope),
            *((Scope.WRITE, Scope.WRITE), (Scope.WRITE, Scope.READ), (Scope.READ, Scope.READ)),
        }


class TestAKey:
    def test_is_found_by_its_text(self, person):
        username = person()
        key, text = made(Scope.WRITE, username, "Till 3")
        assert key == ApiKey(key.id, username, Scope.WRITE, "Till 3", NOW)
        assert find_key(text) == key

    def test_is_found_without_a_user(self):
        key, text = made()
        assert find_key(text) == key
        assert key.user_id == ""

    def test_has_a_text_that_scanners_for_secrets_can_know(self):
        key, text = made()
        assert re.fullmatch(rf"dynashop_{key.id}_[\w-]{{43}}", text)

    def test_is_stored_without_its_secret(self):
        key, text = made()
        item = ApiKeyItem.find(keys.API_KEYS, keys.api_key(key.id))
        assert text.partition(f"{key.id}_")[2] not in str(item.serialize())

    def test_is_not_found_by_another_secret(self):
        key, text = made()
        _, other = made()
        assert refusal_of(text[:-43] + other[-43:]) == (Refused.WRONG_SECRET, key.id)

    @pytest.mark.real_engine
    def test_costs_half_a_unit_to_find(self):
        _, text = made()
        with metered() as meter:
            find_key(text)
        assert (meter.calls, meter.units) == (1, 0.5)

    @pytest.mark.parametrize(
        "text",
        ["", "dynashop_", "dynashop_0123456789ab_short", "x" * 9_000, "dynashop_a#b_" + "x" * 43],
    )
    def test_is_not_looked_for_by_what_is_none(self, text):
        with metered() as meter:
            assert refusal_of(text) == (Refused.MALFORMED, "")
        assert meter.calls == 0

    def test_is_not_found_once_it_is_revoked(self):
        key, text = made()
        assert revoke_key(key.id, now=NOW)
        assert refusal_of(text) == (Refused.REVOKED, key.id)
        assert not revoke_key(key.id, now=NOW)

    def test_that_was_never_made_is_not_known(self):
        text = f"dynashop_{'0' * 12}_{'x' * 43}"
        assert refusal_of(text) == (Refused.UNKNOWN, "0" * 12)

    def test_leaves_nothing_but_its_id_for_90_days(self, person):
        key, _ = made(Scope.WRITE, person(), "Till 3")
        revoke_key(key.id, now=NOW)
        mark = keys.revoked_api_key(key.id)
        item = RevokedApiKey.find(mark, mark)
        assert item.expires_at == NOW + timedelta(days=90)
        assert item.serialize().keys() == {"pk", "sk", "expires_at"}

    def test_is_listed_the_oldest_first(self):
        first, second = made(name="First")[0], made(name="Second")[0]
        later = create_key(name="Later", scope=Scope.READ, username="", now=datetime.now(UTC))[0]
        listed = list_keys()
        assert {first, second, later} <= set(listed)
        assert listed[-1] == later
        revoke_key(first.id, now=NOW)
        assert first not in list_keys()


class TestAKeyIsRefused:
    @pytest.mark.parametrize("scope", [Scope.WRITE, Scope.STAFF])
    def test_that_writes_for_nobody(self, scope):
        with pytest.raises(KeyRefused, match="Name the user"):
            made(scope)

    @pytest.mark.parametrize("scope", Scope)
    def test_of_somebody_who_does_not_exist(self, fresh, scope):
        with pytest.raises(KeyRefused, match="no active user"):
            made(scope, fresh("nobody"))

    def test_of_somebody_who_may_not_sign_in(self, person):
        username = person()
        shut_profile(username)
        assert not find_user(username).is_active
        with pytest.raises(KeyRefused, match="no active user"):
            made(Scope.READ, username)

    def test_for_staff_of_a_customer(self, person):
        with pytest.raises(KeyRefused, match="is not staff"):
            made(Scope.STAFF, person())
        assert made(Scope.STAFF, person(is_staff=True))[0].scope is Scope.STAFF

    @pytest.mark.parametrize("name", ["", "  ", "x" * 101, "two\nlines"])
    def test_without_a_name_of_1_to_100_characters(self, name):
        with pytest.raises(KeyRefused, match="1 to 100 characters"):
            made(name=name)


def test_the_integrity_check_has_nothing_to_say_about_keys_and_answers():
    key = made()[0]
    begin("once", "digest", now=NOW)
    names = {key.id, keys.API_KEYS, keys.answer("once")["pk"]}
    found = [each for _, each in shop_differences(CHECKS)]
    assert [each for each in found if any(name in each.subject for name in names)] == []
