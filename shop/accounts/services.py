"""Writes of accounts: creating, changing, shutting and deleting profiles.

An e-mail address has an edge to its user, which is written in the transaction of the profile.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import ClassVar

from django.contrib.auth.hashers import make_password
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dynapages.errors import DynamoError
from dynapages.items import Item, table_key
from dynapages.process import client, write_actions
from dynapages.pynamodb import unchanged, update
from dynapages.work import Owed
from dynapages.writes import Action, ConditionFailed, delete, write_item
from shop import keys
from shop.accounts.hashing import release_slot
from shop.models import Profile, ShopItem
from shop.table import put_of, set_or_remove
from shop.work import actions_of, do_at_once

TAKEN_USERNAME = _("That user name is taken.")
LAST_WRITER_WINS = frozenset({"last_login"})
"""Attributes that are written even if another process has just changed them."""
EMAIL_ATTRIBUTES = frozenset({"email", "email_confirmed", "new_email"})
"""What is confirmed is a certain address: none of these is written if another of them changed."""
SIGN_IN_ATTRIBUTES = frozenset({"totp_secret", "totp_step", "recovery_codes", "last_login"})
ERASED_ATTRIBUTES = EMAIL_ATTRIBUTES | SIGN_IN_ATTRIBUTES | {"external_id", "mutes_replies"}
"""What `shut_profile` removes."""


class AccountConflict(DynamoError):
    """Another process was faster; nothing was written. ``field`` is the form field to blame."""

    field: ClassVar[str | None] = None


class UsernameTaken(AccountConflict):
    """Another user has this name."""

    field = "username"


class StaleAccount(AccountConflict):
    """The account has changed since it was read."""


# Reading and creating


def profile_of(username: str) -> Profile | None:
    """Read a user's profile strongly; None where there is none."""
    return Profile.find(keys.user(username), keys.profile(username))


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
    # All or nothing: a name without its edge could not be found by its address.
    actions = [put_of(profile, Profile.pk.does_not_exist())]
    actions += [put_of(edge) for edge in email_edges(profile)]
    actions += actions_of(owes)
    release_slot()
    try:
        write_actions(actions)
    except ConditionFailed as error:
        raise UsernameTaken(TAKEN_USERNAME) from error
    do_at_once(owes)
    return profile


def ensure_profile(*, username: str, joined_at: datetime, external_id: str | None = None) -> bool:
    """Create an imported user without a password, if missing; return whether it was."""
    try:
        create_profile(username=username, password=None, now=joined_at, external_id=external_id)
    except UsernameTaken:
        return False
    return True


# Changing


def change_account(*, before: Item, after: Profile, owes: Sequence[Owed] = ()) -> None:
    """Write the attributes in which a profile differs from the item that was read of it.

    ``owes`` is what is owed then, such as an e-mail. Raises StaleAccount when one of the attributes
    has changed since then.
    """
    actions = [*_profile_updates(before, after), *_edge_updates(before, after), *actions_of(owes)]
    if not actions:
        return
    release_slot()
    try:
        write_actions(actions)
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


# Erasing


def shut_profile(username: str) -> bool:
    """Deactivate a user and erase all but the name, which nobody can take then.

    Returns whether there was anything to change. Raises StaleAccount.
    """
    profile = profile_of(username)
    if profile is None:
        return False
    # What is written is what differs from this.
    before = profile.serialize()
    if not profile.password.startswith("!"):  # which an unusable one does; each is another
        profile.password = make_password(None)
    for name in ERASED_ATTRIBUTES:
        setattr(profile, name, None)
    profile.is_staff = False
    profile.is_active = False
    change_account(before=before, after=profile)
    return profile.serialize() != before


def delete_profile(username: str) -> None:
    """Delete a profile and the edge from its e-mail address, if they exist."""
    profile = profile_of(username)
    if profile is not None:
        items = [profile, *email_edges(profile)]
        write_actions([delete(ShopItem, table_key(item.pk, item.sk)) for item in items])


# What is written


def _profile_updates(old: Item, after: Profile) -> Iterator[Action]:
    """Yield the update of what differs, if anything does, unless it has changed meanwhile."""
    new = after.serialize()
    changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    if not changed:
        return
    # Only what is written must be as it was read, so that unrelated changes do not collide.
    guarded = changed - LAST_WRITER_WINS
    if changed & EMAIL_ATTRIBUTES:
        guarded |= EMAIL_ATTRIBUTES
    guarded_attributes = [getattr(Profile, name) for name in sorted(guarded)]
    yield update(
        Profile,
        table_key(after.pk, after.sk),
        set_or_remove(Profile, sorted(changed), new),
        unchanged(old, Profile.pk, *guarded_attributes),
    )


def email_edges(profile: Profile) -> Iterator[ShopItem]:
    """Yield the edge from a profile's e-mail address, if it has one."""
    if profile.email:
        username = keys.username_in(profile.pk)
        if profile.email_confirmed:
            sort_key = keys.confirmed(username)
        else:
            sort_key = keys.profile(username)
        yield ShopItem(pk=keys.email(profile.email), sk=sort_key)


def _edge_updates(before: Item, after: Profile) -> Iterator[Action]:
    """Yield the actions that replace the edge of an e-mail address by that of another one."""
    stored = Profile.from_raw_data(dict(before))
    old = {(edge.pk, edge.sk) for edge in email_edges(stored)}
    new = {(edge.pk, edge.sk): edge for edge in email_edges(after)}
    for key in old - new.keys():
        yield delete(ShopItem, table_key(*key))
    for key, edge in new.items():
        if key not in old:
            yield put_of(edge)
