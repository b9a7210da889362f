"""Writes of accounts."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar

from django.contrib.auth.hashers import make_password
from django.core import signing
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dynamo.calls.client import client
from dynamo.errors import DynamoError
from dynamo.items import table_key
from dynamo.writes.transactions import (
    Action,
    ConditionFailed,
    delete,
    unchanged,
    update,
    write_one,
    write_together,
)
from shop import keys
from shop.accounts.items import Account, account_in, email_edge, profile_item
from shop.accounts.passwords import release_slot
from shop.models import Profile, ShopItem
from shop.table import key_of, put_of, set_or_remove

TAKEN_USERNAME = _("That user name is taken.")
LAST_WRITER_WINS = frozenset({"last_login"})
"""Attributes that are written even if another process has just changed them."""
OF_EMAIL = frozenset({"email", "email_confirmed", "new_email"})
"""What is confirmed is a certain address: none of these is written if another of them changed."""


class AccountConflict(DynamoError):
    """Another process was faster; nothing was written. ``field`` is the form field to blame."""

    field: ClassVar[str | None] = None


class UsernameTaken(AccountConflict):
    """Another user has this name."""

    field = "username"


class StaleAccount(AccountConflict):
    """The account has changed since it was read."""


def create_profile(
    *,
    username: str,
    password: str | None,
    now: datetime,
    email: str | None = None,
    is_staff: bool = False,
    external_id: str | None = None,
) -> Account:
    """Create a user; one without ``password`` cannot sign in until one is set.

    ``username`` and ``email`` are as `shop.accounts.names` returns them. Raises UsernameTaken.
    """
    account = Account(
        password=make_password(password),
        joined_at=now,
        email=email or None,
        is_staff=is_staff,
        external_id=external_id,
    )
    actions = [put_of(profile_item(username, account), Profile.pk.does_not_exist())]
    if account.email:
        actions.append(put_of(email_edge(username, account.email, confirmed=None)))
    release_slot()
    try:
        write_together(client(), actions)
    except ConditionFailed as error:
        raise UsernameTaken(TAKEN_USERNAME) from error
    return account


def ensure_profile(*, username: str, joined_at: datetime, external_id: str | None = None) -> bool:
    """Create an imported user without a password, if missing; return whether it was."""
    try:
        create_profile(username=username, password=None, now=joined_at, external_id=external_id)
    except UsernameTaken:
        return False
    return True


def change_account(*, username: str, before: Account, after: Account) -> None:
    """Write the attributes in which ``after`` differs from ``before``, except ``joined_at``.

    Raises StaleAccount when one of them has changed since ``before`` was read.
    """
    after = replace(after, joined_at=before.joined_at)
    actions = [*_changes_of_profile(username, before, after), *_moved_edge(username, before, after)]
    if not actions:
        return
    release_slot()
    try:
        write_together(client(), actions)
    except ConditionFailed as error:
        sentence = gettext(
            "This account was changed at the same moment. Nothing was done. Try again."
        )
        raise StaleAccount(sentence) from error


def end_sessions(username: str) -> None:
    """End all sessions of a user, copies of their cookies included."""
    action = update(
        Profile,
        table_key(keys.user(username), keys.profile(username)),
        [Profile.session_number.add(1)],
        Profile.pk.exists(),
    )
    with suppress(ConditionFailed):  # the user was deleted: there is no session any more
        write_one(client(), action)


def _changes_of_profile(username: str, before: Account, after: Account) -> Iterator[Action]:
    old, new = (profile_item(username, account).serialize() for account in (before, after))
    changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    if not changed:
        return
    guarded = (changed | OF_EMAIL if changed & OF_EMAIL else changed) - LAST_WRITER_WINS
    yield update(
        Profile,
        table_key(*key_of(old)),
        set_or_remove(Profile, sorted(changed), new),
        unchanged(old, Profile.pk, *(getattr(Profile, name) for name in sorted(guarded))),
    )


def _moved_edge(username: str, before: Account, after: Account) -> Iterator[Action]:
    if (before.email, before.email_confirmed) == (after.email, after.email_confirmed):
        return
    if before.email:
        gone = email_edge(username, before.email, confirmed=before.email_confirmed)
        yield delete(ShopItem, table_key(gone.pk, gone.sk))
    if after.email:
        yield put_of(email_edge(username, after.email, confirmed=after.email_confirmed))


def shut_profile(username: str) -> None:
    """Deactivate a user and erase all but the name, which stays taken; repeatable.

    The user's sessions end. Raises StaleAccount when the account changes meanwhile.
    """
    profile = Profile.find(keys.user(username), keys.profile(username))
    if profile is None:
        return
    before = account_in(profile)
    after = replace(
        before,
        password=before.password if before.password.startswith("!") else make_password(None),
        email=None,
        email_confirmed=None,
        new_email=None,
        totp_secret=None,
        totp_step=None,
        recovery_codes=None,
        is_staff=False,
        is_active=False,
        last_login=None,
        external_id=None,
    )
    change_account(username=username, before=before, after=after)


def delete_profile(username: str) -> None:
    """Delete a profile and the edge from its e-mail address, if they exist."""
    profile = Profile.find(keys.user(username), keys.profile(username))
    if profile is None:
        return
    gone = [table_key(profile.pk, profile.sk)]
    if profile.email:
        edge = email_edge(username, profile.email, confirmed=profile.email_confirmed)
        gone.append(table_key(edge.pk, edge.sk))
    write_together(client(), [delete(ShopItem, key) for key in gone])


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
