"""Reads of accounts: users by their names, and by their e-mail addresses."""

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser

from shop import keys
from shop.accounts.models import User
from shop.accounts.names import BadUsername, email_of, username_of
from shop.models import Profile, ShopItem

MOST_USERS_OF_AN_ADDRESS = 20


def find_user(username: str) -> User | None:
    """Read a user strongly (A1), by what `username_of` returns; None where there is none.

    So a new password holds at once.
    """
    profile = Profile.find(keys.user(username), keys.profile(username))
    if profile is None:
        return None
    return User.of(profile)


def load_user(username: str) -> AbstractBaseUser | None:
    """Read a user of the project's user model, be it another one; None where there is none."""
    users = get_user_model()
    if users is User:
        return find_user(username)
    return users._default_manager.filter(**{users.USERNAME_FIELD: username}).first()  # noqa: SLF001 - Django documents it


def is_user(username: str) -> bool:
    """Return whether the project's user model, be it another one, has a user of this name."""
    return load_user(username) is not None


def users_with_email(address: str) -> list[User]:
    """Read the users who gave this e-mail address, at most twenty; who confirmed it come first."""
    users = []
    # Anybody can give an account an address, so there may be many.
    for edge in ShopItem.query(keys.email(address), limit=MOST_USERS_OF_AN_ADDRESS):
        user = find_user(edge.sk.partition("#")[2])
        if user is not None:
            users.append(user)
    return users


def users_called(typed: str) -> list[User]:
    """Read the users whose e-mail address or user name was typed, in any case."""
    if "@" in typed:
        return users_with_email(email_of(typed))
    try:
        user = find_user(username_of(typed))
    except BadUsername:
        return []
    return [user] if user else []
