"""Writes of second factors. All raise StaleAccount."""

from datetime import datetime, timedelta
from hashlib import sha256
from hmac import compare_digest
from secrets import token_hex
from textwrap import wrap
from typing import Any, Literal

import pyotp
from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from dynapages.calls import clock
from shop.accounts.emails import owed_email
from shop.accounts.models import SECOND_FACTOR, User
from shop.accounts.queries import find_user

RECOVERY_CODES = 10
RECOVERY_BYTES = 10
"""So many random bytes cannot be guessed: their hash needs neither salt nor time."""
GROUP_OF_DIGITS = 5
"""Of a recovery code, between two dashes."""
SIGNING_IN = "signing_in"
"""In a session: who has typed the right password, and is to show a code."""
SIGNING_IN_LASTS = timedelta(minutes=10)


def step_of(secret: str, code: str, *, now: datetime, after: int | None) -> int | None:
    """Return the number of the half minute that a code is of, None for a wrong code.

    It may be one off, because clocks are, but must come after the latest that was used.
    """
    totp = pyotp.TOTP(secret)
    this = int(now.timestamp()) // totp.interval
    for step in (this - 1, this, this + 1):
        # A code that was used once, or one before it, is refused: somebody may have seen it.
        if step > (after or 0) and compare_digest(totp.generate_otp(step), code):
            return step
    return None


def without_blanks(typed: str) -> str:
    """Return a typed code without the blanks and dashes that make it readable."""
    return "".join(typed.split()).replace("-", "").lower()


def hash_of(recovery_code: str) -> str:
    """Return what is stored of a recovery code."""
    return sha256(without_blanks(recovery_code).encode()).hexdigest()


# Signing in with a second factor


def needs_second_factor(user: User) -> bool:
    """Return whether a user has a second factor, or must have one (``REQUIRE_STAFF_2FA``)."""
    return bool(user.totp_secret) or (settings.REQUIRE_STAFF_2FA and user.is_staff)


def begin(session: SessionBase, user: User, *, next_url: str, now: datetime) -> None:
    """Note in the session that a user's password was right: a code is to follow."""
    session[SIGNING_IN] = {
        "user": user.username,
        "at": int(now.timestamp()),
        "hash": user.get_session_auth_hash(),
        "next": next_url,
    }


def user_signing_in(request: HttpRequest) -> User | None:
    """Return the user of `begin`, unless it is too long ago or the password has changed since."""
    begun: dict[str, Any] = request.session.get(SIGNING_IN, {})
    if not begun or clock.now().timestamp() - begun["at"] > SIGNING_IN_LASTS.total_seconds():
        return None
    user = find_user(begun["user"])
    if user is None:
        return None
    is_same = constant_time_compare(begun["hash"], user.get_session_auth_hash())
    return user if is_same and user.is_active else None


def finish(request: HttpRequest, user: User) -> str:
    """Sign a user in who has shown a code; return the URL to go on to."""
    begun = request.session.pop(SIGNING_IN, {})
    login(request, user)
    request.session[SECOND_FACTOR] = True
    return str(begun.get("next") or settings.LOGIN_REDIRECT_URL)


# Turning it on and off, and using codes up


def turn_on(user: User, secret: str, *, step: int) -> list[str]:
    """Store a secret, of which a code was shown; end all sessions; return the recovery codes."""
    codes = [_new_recovery_code() for _number in range(RECOVERY_CODES)]
    user.totp_secret = secret
    user.totp_step = step
    user.recovery_codes = [hash_of(code) for code in codes]
    _end_sessions(user)
    user.save()
    return codes


def turn_off(user: User) -> None:
    """Forget the secret and the recovery codes; all sessions of the user end."""
    user.totp_secret = None
    user.totp_step = None
    user.recovery_codes = None
    _end_sessions(user)
    user.save()


def accept(
    user: User, typed: str, *, now: datetime, site: str
) -> Literal["app", "recovery"] | None:
    """Use up a code of the app or a recovery code; return which it was, None if it was wrong.

    For a recovery code the user is owed an e-mail, whose links begin with ``site``.
    """
    if user.totp_secret is None:
        return None
    code = without_blanks(typed)
    step = step_of(user.totp_secret, code, now=now, after=user.totp_step)
    if step is not None:
        user.totp_step = step
        user.save()
        return "app"
    # Not a code of the app: maybe one of those on paper, each of which works once.
    hashed = hash_of(code)
    unused = user.recovery_codes or []
    if hashed not in unused:
        return None
    user.recovery_codes = [each for each in unused if each != hashed]
    user.owe(owed_email("recovery_code", user.username, site))
    user.save()
    return "recovery"


def _new_recovery_code() -> str:
    return "-".join(wrap(token_hex(RECOVERY_BYTES), GROUP_OF_DIGITS))


def _end_sessions(user: User) -> None:
    """Set another number of sessions: earlier ones end when the user is saved."""
    user.session_number = (user.session_number or 0) + 1
