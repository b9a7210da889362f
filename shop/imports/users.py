"""Customers of an import, made users who cannot sign in until somebody gives them a password."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from dynamo.calls.client import pool
from shop import keys
from shop.accounts.services import ensure_profile
from shop.table import read_items


def ensure_users(joined: Mapping[str, datetime]) -> int:
    """Create the users who do not exist, given when each joined; say how many those were.

    Whoever exists is left as they are. Repeatable; give some hundreds at a time.
    """
    missing = joined.keys() - _existing(joined)
    created = pool().gather(
        [
            partial(ensure_profile, username=username, joined_at=joined[username])
            for username in sorted(missing)
        ]
    )
    return sum(created)


def _existing(usernames: Mapping[str, datetime]) -> set[str]:
    found = read_items((keys.user(name), keys.profile(name)) for name in usernames)
    return {keys.username_in(partition) for partition, _ in found}
