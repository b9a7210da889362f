"""Between the password and the code: who is signing in stands in the session, but is not yet in."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from dynamo.calls import clock
from shop.accounts.models import SECOND_FACTOR, User
from shop.accounts.queries import NoSuchUser, find_user

KEY = "signing_in"
LASTS = timedelta(minutes=10)


def needs_second_factor(user: User) -> bool:
    """Return whether a user has a second factor, or must have one (``REQUIRE_STAFF_2FA``)."""
    return bool(user.totp_secret) or (settings.REQUIRE_STAFF_2FA and user.is_staff)


def begin(session: SessionBase, user: User, *, next_url: str, now: datetime) -> None:
    """Note that a user's password was right."""
    session[KEY] = {
        "user": user.username,
        "at": int(now.timestamp()),
        "hash": user.get_session_auth_hash(),
        "next": next_url,
    }


def user_signing_in(request: HttpRequest) -> User | None:
    """Return the user of `begin`, unless it is too long ago or the password has changed since."""
    begun: dict[str, Any] = request.session.get(KEY, {})
    if not begun or clock.now().timestamp() - begun["at"] > LASTS.total_seconds():
        return None
    try:
        user = find_user(begun["user"])
    except NoSuchUser:
        return None
    is_same = constant_time_compare(begun["hash"], user.get_session_auth_hash())
    return user if is_same and user.is_active else None


def finish(request: HttpRequest, user: User) -> str:
    """Sign a user in who has shown a code; return the URL to go on to."""
    begun = request.session.pop(KEY, {})
    login(request, user)
    request.session[SECOND_FACTOR] = True
    return str(begun.get("next") or settings.LOGIN_REDIRECT_URL)
