"""The items of an account, and their keys."""

from dataclasses import asdict, dataclass, fields
from datetime import datetime

from shop import keys
from shop.models import Profile, ShopItem


@dataclass(frozen=True, slots=True)
class Account:
    """What is stored about a user besides the name.

    ``password`` is a hash in Django's format, ``email`` is as `shop.accounts.names.email_of`
    returns it, and the datetimes are aware. ``external_id`` is the name that an imported user had,
    where it could not be kept. ``session_number`` tells a user's sessions from those before.
    ``email_confirmed`` is True or None. ``new_email`` replaces ``email`` when it is confirmed. The
    last three are the second factor's: a secret in base 32, the half minute since 1970 of the
    latest code, and SHA-256 hashes.
    """

    password: str
    joined_at: datetime
    email: str | None = None
    is_staff: bool = False
    is_active: bool = True
    last_login: datetime | None = None
    external_id: str | None = None
    session_number: int | None = None
    email_confirmed: bool | None = None
    new_email: str | None = None
    totp_secret: str | None = None
    totp_step: int | None = None
    recovery_codes: list[str] | None = None


def profile_item(username: str, account: Account) -> Profile:
    """Build a user's profile."""
    return Profile(pk=keys.user(username), sk=keys.profile(username), **asdict(account))


def account_in(profile: Profile) -> Account:
    """Read what `profile_item` wrote."""
    return Account(**{field.name: getattr(profile, field.name) for field in fields(Account)})


def email_edge(username: str, address: str, *, confirmed: bool | None) -> ShopItem:
    """Build the edge from an e-mail address to one of its users."""
    to_user = keys.confirmed(username) if confirmed else keys.profile(username)
    return ShopItem(pk=keys.email(address), sk=to_user)
