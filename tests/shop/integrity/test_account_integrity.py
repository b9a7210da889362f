"""The check of accounts: an e-mail address leads to its user, and to nobody else."""

import pytest
from django.utils import timezone

from dynapages.django.callers import Scope
from dynapages.upkeep import Difference
from shop import keys
from shop.accounts.confirmation import confirm
from shop.accounts.queries import find_user, users_with_email
from shop.accounts.services import create_profile, shut_profile
from shop.api_keys.services import create_key, revoke_key
from tests.support.orders.making import made_order, put
from tests.support.shop.checks import Key, differences, lose, spoil, stored, told

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def ann(fresh):
    """The name of a user with an e-mail address."""
    username = fresh("ann")
    create_profile(
        username=username, password=None, now=timezone.now(), email=f"{username}@mail.example"
    )
    return username


def address_of(username: str) -> str:
    return f"{username}@mail.example"


def edge_to(username: str) -> Key:
    return keys.email(address_of(username)), keys.profile(username)


def found(username: str) -> list[Difference]:
    return told("accounts", "address", f"user {username}")


class TestTheCheckOfAccounts:
    def test_finds_nothing_wrong_with_what_the_shop_wrote(self, ann):
        confirm(ann, address_of(ann))
        assert found(ann) == []

    def test_finds_a_user_by_the_address_again(self, ann):
        lose(edge_to(ann))
        assert users_with_email(address_of(ann)) == []
        (difference,) = found(ann)
        assert (difference.stored, difference.expected) == ("none", "there")
        assert difference.repair()
        assert [user.username for user in users_with_email(address_of(ann))] == [ann]

    def test_takes_away_the_edge_from_an_address_that_the_user_has_no_more(self, ann):
        stray = keys.email("old@mail.example"), keys.profile(ann)
        spoil(stray)
        (difference,) = found(ann)
        assert (difference.stored, difference.expected) == ("there", "none")
        assert difference.repair()
        assert stored(stray) is None
        assert stored(edge_to(ann)) is not None

    def test_takes_away_the_edge_to_a_user_who_does_not_exist(self, fresh):
        username = fresh("nobody")
        stray = edge_to(username)
        spoil(stray)
        (difference,) = found(username)
        assert difference.repair()
        assert stored(stray) is None

    def test_knows_which_addresses_are_confirmed(self, ann):
        confirm(ann, address_of(ann))
        lose((keys.email(address_of(ann)), keys.confirmed(ann)))
        spoil(edge_to(ann))
        assert [difference.repair() for difference in found(ann)] == [True, True]
        assert stored((keys.email(address_of(ann)), keys.confirmed(ann))) is not None
        assert stored(edge_to(ann)) is None

    def test_changes_nothing_where_the_address_changed_meanwhile(self, ann):
        lose(edge_to(ann))
        (difference,) = found(ann)
        user = find_user(ann)
        user.email = f"other-{address_of(ann)}"
        user.save()
        assert not difference.repair()
        assert stored(edge_to(ann)) is None

    def test_does_not_show_the_address(self, ann):
        lose(edge_to(ann))
        rows = [difference.as_dict() for difference in differences("accounts")]
        assert rows
        assert "mail.example" not in str(rows)


class TestTheCheckOfCustomers:
    def test_finds_one_who_has_orders_and_no_account(self, fresh):
        """Whoever signs up by that name sees the orders."""
        order = made_order(fresh("alex"))
        put(order)
        (difference,) = told("accounts", "account", f"customer {order.username}")
        assert difference.stored == "none"
        assert difference.repair is None

    def test_finds_none_where_the_account_was_shut(self, ann):
        put(made_order(ann))
        shut_profile(ann)
        assert told("accounts", "account", f"customer {ann}") == []


class TestTheCheckOfKeys:
    @pytest.fixture
    def key(self):
        key, _text = create_key(name="Till", scope=Scope.READ, username="", now=timezone.now())
        return key

    def test_takes_away_one_that_was_revoked(self, key):
        place = keys.API_KEYS, keys.api_key(key.id)
        item = stored(place)
        revoke_key(key.id, now=timezone.now())
        spoil(place, **item)
        (difference,) = told("accounts", "API key", key.id)
        assert (difference.stored, difference.expected) == ("there", "none")
        assert difference.repair()
        assert stored(place) is None

    def test_leaves_the_others(self, key):
        assert told("accounts", "API key", key.id) == []
        revoke_key(key.id, now=timezone.now())
        assert told("accounts", "API key", key.id) == []
