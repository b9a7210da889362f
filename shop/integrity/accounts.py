"""The check of accounts: customers have one, and the right addresses and keys lead to it."""

from collections.abc import Iterator, Sequence
from functools import partial

from dynapages.items import Item, table_key
from dynapages.upkeep import Candidate, Difference, Handlers, Kind
from dynapages.writes import check, delete
from shop import keys
from shop.accounts.services import email_edges, profile_of
from shop.integrity.orders import ORDERS
from shop.integrity.shards import difference_of_presence, put_or_delete
from shop.models import ApiKeyItem, Profile, RevokedApiKey, ShopItem
from shop.table import Key, key_of, read_items, unless_changed

PROFILES = keys.USER_PREFIX, keys.PROFILE_PREFIX
"""How the keys of profiles begin."""
EDGES = keys.EMAIL_PREFIX, ""
"""How the keys of edges from e-mail addresses begin."""
API_KEYS = keys.API_KEYS, keys.api_key("")
"""How the keys of API keys begin."""
REVOKED = keys.revoked_api_key(""), ""
"""How the keys of marks that an API key was revoked begin."""


def account_kinds() -> Sequence[Kind]:
    """Return the edges from e-mail addresses, customers, and keys of the API."""
    return EmailEdges(), Customers(), RevokedKeys()


# E-mail addresses


class EmailEdges:
    """Edges from e-mail addresses to their users, as they are and as profiles say."""

    def __init__(self) -> None:
        self._stored: set[Key] = set()
        self._expected: set[Key] = set()

    def handlers(self) -> Handlers:
        return {PROFILES: self._add_profile, EDGES: self._add_edge}

    def candidates(self) -> Iterator[Candidate]:
        for key in sorted(self._stored ^ self._expected):
            yield Candidate(partial(_reread_edge, key))

    def _add_profile(self, profile: Item) -> None:
        self._expected.update(_edges_of(profile))

    def _add_edge(self, edge: Item) -> None:
        self._stored.add(key_of(edge))


def _edges_of(profile: Item) -> dict[Key, ShopItem]:
    """Return the edges that there should be to a stored profile, by their keys."""
    return {edge.key: edge for edge in email_edges(Profile.from_raw_data(dict(profile)))}


def _reread_edge(key: Key) -> Iterator[Difference]:
    """Compare an edge with the profile that it leads to, as both are now."""
    username = key[1].partition("#")[2]
    profile_key = keys.user(username), keys.profile(username)
    items = read_items([key, profile_key])
    profile = items.get(profile_key)
    expected = _edges_of(profile).get(key) if profile else None
    is_right = (key in items) is (expected is not None)
    if is_right:
        return
    same = unless_changed(profile_key, profile, Profile.email, Profile.email_confirmed)
    # Whoever reads the report need not learn the address.
    yield difference_of_presence(
        "address",
        f"user {username}",
        is_there=key in items,
        is_expected=expected is not None,
        actions=[put_or_delete(key, expected), same],
    )


# Customers


class Customers:
    """Customers who have orders and no account: whoever signs up by their name sees the orders."""

    def __init__(self) -> None:
        self._customers: set[str] = set()
        self._users: set[str] = set()

    def handlers(self) -> Handlers:
        return {PROFILES: self._add_profile, ORDERS: self._add_order}

    def candidates(self) -> Iterator[Candidate]:
        for username in sorted(self._customers - self._users):
            yield Candidate(partial(_reread_customer, username))

    def _add_profile(self, profile: Item) -> None:
        self._users.add(keys.username_in(profile["pk"]["S"]))

    def _add_order(self, order: Item) -> None:
        self._customers.add(keys.username_in(order["pk"]["S"]))


def _reread_customer(username: str) -> Iterator[Difference]:
    """Yield a difference for a customer who has no account."""
    # A password and an e-mail address cannot be derived: an operator makes the account.
    if profile_of(username) is None:
        yield Difference("account", f"customer {username}", "none", "one, as there are orders")


# Keys of the API


class RevokedKeys:
    """Keys of the API that are there, and are marked as revoked: they would be valid again."""

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._revoked: set[str] = set()

    def handlers(self) -> Handlers:
        return {API_KEYS: self._add_key, REVOKED: self._add_mark}

    def candidates(self) -> Iterator[Candidate]:
        for key_id in sorted(self._keys & self._revoked):
            yield Candidate(partial(_reread_key, key_id))

    def _add_key(self, item: Item) -> None:
        self._keys.add(item["sk"]["S"].removeprefix(keys.api_key("")))

    def _add_mark(self, item: Item) -> None:
        self._revoked.add(item["pk"]["S"].removeprefix(keys.revoked_api_key("")))


def _reread_key(key_id: str) -> Iterator[Difference]:
    """Yield a difference for a key that is there though it was revoked."""
    key = keys.API_KEYS, keys.api_key(key_id)
    mark_key = keys.revoked_api_key(key_id), keys.revoked_api_key(key_id)
    items = read_items([key, mark_key])
    if key not in items or mark_key not in items:
        return
    actions = [
        delete(ApiKeyItem, table_key(*key)),
        check(RevokedApiKey, table_key(*mark_key), RevokedApiKey.pk.exists()),
    ]
    yield difference_of_presence(
        "API key", key_id, is_there=True, is_expected=False, actions=actions
    )
