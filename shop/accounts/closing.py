"""Closing an account: deactivate it for good, or delete it."""

from dataclasses import replace

from django.contrib.auth.hashers import make_password

from dynamo.calls.client import client
from dynamo.items import table_key
from dynamo.writes.actions import delete
from dynamo.writes.transactions import write_together
from shop import keys
from shop.accounts.items import account_in, email_edge
from shop.accounts.services import change_account
from shop.models import Profile, ShopItem


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
