"""Users for the customers of an import; they cannot sign in until a password is set."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from dynamo.calls.client import pool
from shop import keys
from shop.accounts.services import ensure_profile
from shop.table import read_items


def ensure_users(joined: Mapping[str, datetime], originals: Mapping[str, str]) -> int:
    """Create missing users, given when each joined; return how many were created. Repeatable.

    ``originals`` are the names before the import of those whose name was mapped.
    """
    missing = joined.keys() - _existing(joined)
    created = pool().gather(
        [
            partial(
                ensure_profile,
                username=username,
                joined_at=joined[username],
                external_id=originals.get(username),
            )
            for username in sorted(missing)
        ]
    )
    return sum(created)


def _existing(usernames: Mapping[str, datetime]) -> set[str]:
    found = read_items((keys.user(name), keys.profile(name)) for name in usernames)
    return {keys.username_in(partition) for partition, _ in found}
