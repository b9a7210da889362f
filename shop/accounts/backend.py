"""Signing in against profiles in DynamoDB."""

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest

from dynamo.calls.meter import labelled_calls
from shop.accounts.models import User
from shop.accounts.names import BadUsername, username_of
from shop.accounts.queries import NoSuchUser, find_user
from shop.accounts.services import StaleAccount


class ProfileBackend(BaseBackend):
    """Lets those in who know a profile's password, whatever the case of the name they type."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **credentials: object,
    ) -> User | None:
        """Give the user of that name if the password is theirs and they are active."""
        del request, credentials
        if username is None or password is None:
            return None
        try:
            with labelled_calls("user"):
                user = find_user(username_of(username))
        except (BadUsername, NoSuchUser):
            make_password(password)  # takes the time that checking it would have taken
            return None
        return user if _is_password(user, password) and user.is_active else None

    def get_user(self, user_id: str) -> User | None:
        """Give the user a session belongs to, unless they are gone or no longer active."""
        try:
            with labelled_calls("user"):
                user = find_user(user_id)
        except NoSuchUser:
            return None
        return user if user.is_active else None


def _is_password(user: User, password: str) -> bool:
    try:
        return user.check_password(password)
    except StaleAccount:  # it was right, but got changed before its hash could be renewed
        return False
