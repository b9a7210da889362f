"""How an account becomes items: the one place where their keys are derived."""

from dataclasses import dataclass
from datetime import datetime

from shop import keys
from shop.models import Profile, ShopItem


@dataclass(frozen=True, slots=True)
class Account:
    """What is kept about a user besides the name. The datetimes are aware.

    ``password`` is a hash as Django spells it, and ``email`` as `shop.accounts.names.email_of`.
    """

    password: str
    joined_at: datetime
    email: str | None = None
    is_staff: bool = False
    is_active: bool = True
    last_login: datetime | None = None


def profile_item(username: str, account: Account) -> Profile:
    """Build a user's profile."""
    return Profile(
        pk=keys.user(username),
        sk=keys.profile(username),
        password=account.password,
        email=account.email,
        is_staff=account.is_staff,
        is_active=account.is_active,
        joined_at=account.joined_at,
        last_login=account.last_login,
    )


def account_in(profile: Profile) -> Account:
    """Read what `profile_item` wrote."""
    return Account(
        password=profile.password,
        joined_at=profile.joined_at,
        email=profile.email,
        is_staff=profile.is_staff,
        is_active=profile.is_active,
        last_login=profile.last_login,
    )


def email_edge(username: str, address: str) -> ShopItem:
    """Build the edge from an e-mail address to one who gave it.

    Nobody has shown that an address is theirs, so it may lead to several users: whoever gave
    it first must not keep its owner from giving it too.
    """
    return ShopItem(pk=keys.email(address), sk=keys.profile(username))
