"""Confirming an e-mail address: the tokens in e-mails, and what following their link writes."""

from datetime import timedelta

from django.core import signing

from dynapages.work import Owed
from shop.accounts.emails import owed_email
from shop.accounts.services import change_account, profile_of

CONFIRM_SALT = "shop.accounts.confirm"
REPLIES_SALT = "shop.accounts.replies"
"""Of tokens for the choice whether replies are e-mailed; they are valid for ever."""
TOKEN_LIFETIME = timedelta(days=7)


def token_for(username: str, address: str, *, salt: str = CONFIRM_SALT) -> str:
    """Return a token that proves, by having arrived, that an address is a user's."""
    return signing.dumps([username, address], salt=salt)


def read_token(token: str) -> tuple[str, str]:
    """Return the user name and the address of a token. Raises BadSignature, also when too old."""
    username, address = signing.loads(token, salt=CONFIRM_SALT, max_age=TOKEN_LIFETIME)
    return username, address


def confirm(username: str, address: str, *, site: str = "") -> bool | None:
    """Note that an address is a user's, in place of the one before if it was to be changed.

    Returns whether that is news; None where the user is gone, or has given another address since. A
    confirmed address that is replaced is owed an e-mail, where ``site`` says what its links begin
    with. Raises StaleAccount.
    """
    profile = profile_of(username)
    # A link of an address that was given up since means nothing any more.
    if profile is None or address not in {profile.email, profile.new_email}:
        return None
    before = profile.serialize()
    owes: list[Owed] = []
    # The address before must hear of it: the account may have been taken over.
    is_replaced = profile.email_confirmed and profile.email and profile.email != address
    if site and is_replaced:
        owes.append(owed_email("moved", username, site, given_up=profile.email))
    profile.email_confirmed = True
    if address == profile.new_email:
        profile.email = address
        profile.new_email = None
    change_account(before=before, after=profile, owes=owes)
    return before != profile.serialize()
