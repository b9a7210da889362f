"""Confirming an e-mail address, by a link that was sent to it."""

from dataclasses import replace
from datetime import timedelta

from django.core import signing

from shop import keys
from shop.accounts.items import account_in
from shop.accounts.services import change_account
from shop.models import Profile

SALT = "shop.accounts.confirm"
VALID = timedelta(days=7)


def token_for(username: str, address: str) -> str:
    """Return a token that proves, by having arrived, that an address is a user's."""
    return signing.dumps([username, address], salt=SALT)


def in_token(token: str) -> tuple[str, str]:
    """Return the user name and the address of a token. Raises BadSignature, also when too old."""
    username, address = signing.loads(token, salt=SALT, max_age=VALID)
    return username, address


def confirm(username: str, address: str) -> bool:
    """Note that an address is a user's; return False if the user has another one, or is gone.

    Raises StaleAccount.
    """
    profile = Profile.find(keys.user(username), keys.profile(username))
    if profile is None or profile.email != address:
        return False
    before = account_in(profile)
    change_account(username=username, before=before, after=replace(before, email_confirmed=True))
    return True
