"""Confirming an e-mail address, by a link that was sent to it."""

from dataclasses import dataclass, replace
from datetime import timedelta

from django.core import signing

from shop import keys
from shop.accounts.items import Account, account_in
from shop.accounts.services import change_account
from shop.models import Profile

SALT = "shop.accounts.confirm"
VALID = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What a link has done.

    ``is_news`` is False where the address was confirmed before. ``given_up`` is the confirmed
    address that it replaced, empty if there was none.
    """

    is_news: bool
    given_up: str = ""


def token_for(username: str, address: str) -> str:
    """Return a token that proves, by having arrived, that an address is a user's."""
    return signing.dumps([username, address], salt=SALT)


def in_token(token: str) -> tuple[str, str]:
    """Return the user name and the address of a token. Raises BadSignature, also when too old."""
    username, address = signing.loads(token, salt=SALT, max_age=VALID)
    return username, address


def confirm(username: str, address: str) -> Confirmed | None:
    """Note that an address is a user's, in place of the one before if it was to be changed.

    Returns None where the user is gone, or has given another address since. Raises StaleAccount.
    """
    profile = Profile.find(keys.user(username), keys.profile(username))
    if profile is None or address not in {profile.email, profile.new_email}:
        return None
    before = account_in(profile)
    after = _with_confirmed(before, address)
    change_account(username=username, before=before, after=after)
    is_given_up = before.email_confirmed and before.email != address
    return Confirmed(before != after, given_up=(before.email or "") if is_given_up else "")


def _with_confirmed(account: Account, address: str) -> Account:
    if address == account.new_email:
        return replace(account, email=address, email_confirmed=True, new_email=None)
    return replace(account, email_confirmed=True)
