"""Signing in against profiles in DynamoDB."""

from contextlib import suppress

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest

from dynapages.calls import labelled_calls
from shop.accounts.models import User
from shop.accounts.names import BadUsername, username_of
from shop.accounts.queries import find_user
from shop.accounts.services import StaleAccount


class ProfileBackend(BaseBackend):
    """Authenticates by user name, in any case, and password."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **credentials: object,
    ) -> User | None:
        """Return the active user with this name and password, or None."""
        del request, credentials
        if username is None or password is None:
            return None
        user = None
        with suppress(BadUsername), labelled_calls("user"):
            user = find_user(username_of(username))
        # Every answer takes as long as a hash, so that timing does not show who is a user.
        if user is None:
            make_password(password)
            return None
        if _is_password(user, password) and user.is_active:
            return user
        return None

    def get_user(self, user_id: str) -> User | None:
        """Return the user of a session, or None if deleted or inactive."""
        with labelled_calls("user"):
            user = find_user(user_id)
        if user is None or not user.is_active:
            return None
        return user


def _is_password(user: User, password: str) -> bool:
    """Return whether a password is right; hash it anew where Django's hasher has changed."""
    try:
        return user.check_password(password)
    except StaleAccount:  # right, but changed before its hash could be upgraded
        return False
