"""Writes of accounts."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import ClassVar

from django.contrib.auth.hashers import make_password
from django.core import signing
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dynapages.errors import DynamoError
from dynapages.items import Item, table_key
from dynapages.process import client, write
from dynapages.pynamodb import unchanged, update
from dynapages.work import Owed
from dynapages.writes import Action, ConditionFailed, delete, write_item
from shop import keys
from shop.accounts.emails import owed_email
from shop.accounts.passwords import release_slot
from shop.models import Profile, ShopItem
from shop.table import put_of, set_or_remove
from shop.work import actions_of, do_at_once

TAKEN_USERNAME = _("That user name is taken.")
LAST_WRITER_WINS = frozenset({"last_login"})
"""Attributes that are written even if another process has just changed them."""
OF_EMAIL = frozenset({"email", "email_confirmed", "new_email"})
"""What is confirmed is a certain address: none of these is written if another of them changed."""
OF_SIGN_IN = frozenset({"totp_secret", "totp_step", "recovery_codes", "last_login"})
ERASED = OF_EMAIL | OF_SIGN_IN | {"external_id", "mutes_replies"}
"""What `shut_profile` removes."""


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
    owes: Sequence[Owed] = (),
) -> Profile:
    """Create a user; one without ``password`` cannot sign in until one is set.

    ``username`` and ``email`` are as `shop.accounts.names` returns them; ``owes`` is what is owed
    then, such as an e-mail. Raises UsernameTaken.
    """
    profile = Profile(
        pk=keys.user(username),
        sk=keys.profile(username),
        password=make_password(password),
        joined_at=now,
        email=email or None,
        is_staff=is_staff,
        is_active=True,
        external_id=external_id,
    )
    actions = [put_of(profile, Profile.pk.does_not_exist())]
    actions += [put_of(edge) for edge in _email_edges(profile)]
    actions += actions_of(owes)
    release_slot()
    try:
        write(actions)
    except ConditionFailed as error:
        raise UsernameTaken(TAKEN_USERNAME) from error
    do_at_once(owes)
    return profile


def profile_of(username: str) -> Profile | None:
    """Read a user's profile strongly; None where there is none."""
    return Profile.find(keys.user(username), keys.profile(username))


def ensure_profile(*, username: str, joined_at: datetime, external_id: str | None = None) -> bool:
    """Create an imported user without a password, if missing; return whether it was."""
    try:
        create_profile(username=username, password=None, now=joined_at, external_id=external_id)
    except UsernameTaken:
        return False
    return True


def change_account(*, before: Item, after: Profile, owes: Sequence[Owed] = ()) -> None:
    """Write the attributes in which a profile differs from the item that was read of it.

    ``owes`` is what is owed then, such as an e-mail. Raises StaleAccount when one of the attributes
    has changed since then.
    """
    actions = [*_changes_of_profile(before, after), *_moved_edge(before, after), *actions_of(owes)]
    if not actions:
        return
    release_slot()
    try:
        write(actions)
    except ConditionFailed as error:
        raise StaleAccount(
            gettext("This account was changed at the same moment. Nothing was changed. Try again.")
        ) from error
    do_at_once(owes)


def end_sessions(username: str) -> None:
    """End all sessions of a user, copies of their cookies included."""
    action = update(
        Profile,
        table_key(keys.user(username), keys.profile(username)),
        [Profile.session_number.add(1)],
        Profile.pk.exists(),
    )
    with suppress(ConditionFailed):  # the user was deleted: there is no session any more
        write_item(client(), action)


def _changes_of_profile(old: Item, after: Profile) -> Iterator[Action]:
    new = after.serialize()
    changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    if not changed:
        return
    guarded = (changed | OF_EMAIL if changed & OF_EMAIL else changed) - LAST_WRITER_WINS
    yield update(
        Profile,
        table_key(after.pk, after.sk),
        set_or_remove(Profile, sorted(changed), new),
        unchanged(old, Profile.pk, *(getattr(Profile, name) for name in sorted(guarded))),
    )


def _email_edges(profile: Profile) -> Iterator[ShopItem]:
    """Yield the edge from a profile's e-mail address, if it has one."""
    if profile.email:
        to_user = keys.confirmed if profile.email_confirmed else keys.profile
        sk = to_user(keys.username_in(profile.pk))
        yield ShopItem(pk=keys.email(profile.email), sk=sk)


def _moved_edge(before: Item, after: Profile) -> Iterator[Action]:
    old = {(edge.pk, edge.sk) for edge in _email_edges(Profile.from_raw_data(dict(before)))}
    new = {(edge.pk, edge.sk): edge for edge in _email_edges(after)}
    yield from (delete(ShopItem, table_key(*key)) for key in old - new.keys())
    yield from (put_of(edge) for key, edge in new.items() if key not in old)


def shut_profile(username: str) -> bool:
    """Deactivate a user and erase all but the name, which stays taken; return whether it was open.

    Raises StaleAccount.
    """
    profile = profile_of(username)
    if profile is None:
        return False
    before = profile.serialize()
    if not profile.password.startswith("!"):
        profile.password = make_password(None)
    for name in ERASED:
        setattr(profile, name, None)
    profile.is_staff = profile.is_active = False
    change_account(before=before, after=profile)
    return profile.serialize() != before


def delete_profile(username: str) -> None:
    """Delete a profile and the edge from its e-mail address, if they exist."""
    profile = profile_of(username)
    if profile is not None:
        gone = [profile, *_email_edges(profile)]
        write([delete(ShopItem, table_key(it.pk, it.sk)) for it in gone])


SALT = "shop.accounts.confirm"
OF_REPLIES = "shop.accounts.replies"  # of the choice whether replies are e-mailed
VALID = timedelta(days=7)


def token_for(username: str, address: str, *, salt: str = SALT) -> str:
    """Return a token that proves, by having arrived, that an address is a user's."""
    return signing.dumps([username, address], salt=salt)


def in_token(token: str) -> tuple[str, str]:
    """Return the user name and the address of a token. Raises BadSignature, also when too old."""
    username, address = signing.loads(token, salt=SALT, max_age=VALID)
    return username, address


def confirm(username: str, address: str, *, site: str = "") -> bool | None:
    """Note that an address is a user's, in place of the one before if it was to be changed.

    Returns whether that is news; None where the user is gone, or has given another address since. A
    confirmed address that is replaced is owed an e-mail, where ``site`` says what its links begin
    with. Raises StaleAccount.
    """
    profile = profile_of(username)
    if profile is None or address not in {profile.email, profile.new_email}:
        return None
    before, replaced = profile.serialize(), profile.email if profile.email_confirmed else None
    profile.email_confirmed = True
    if address == profile.new_email:
        profile.email, profile.new_email = address, None
    owes: list[Owed] = []
    if site and replaced and replaced != address:
        owes.append(owed_email("moved", username, site, given_up=replaced))
    change_account(before=before, after=profile, owes=owes)
    return before != profile.serialize()
