"""Writes of second factors. All raise StaleAccount."""

from datetime import datetime
from enum import Enum, auto

from shop.accounts.models import User
from shop.accounts.second_factor.codes import (
    hashes_of,
    new_recovery_codes,
    step_of,
    without_blanks,
)


def turn_on(user: User, secret: str, *, step: int) -> list[str]:
    """Store a secret, of which a code was shown; return the recovery codes, stored as hashes.

    All sessions of the user end.
    """
    codes = new_recovery_codes()
    user.totp_secret, user.totp_step, user.recovery_codes = secret, step, hashes_of(codes)
    _end_sessions(user)
    user.save()
    return codes


def turn_off(user: User) -> None:
    """Forget the secret and the recovery codes; all sessions of the user end."""
    user.totp_secret = user.totp_step = user.recovery_codes = None
    _end_sessions(user)
    user.save()


class Code(Enum):
    """What a right code was."""

    OF_APP = auto()
    OF_RECOVERY = auto()


def accept(user: User, typed: str, *, now: datetime) -> Code | None:
    """Use up a code of the app or a recovery code; return which it was, None if it was wrong."""
    if user.totp_secret is None:
        return None
    code = without_blanks(typed)
    step = step_of(user.totp_secret, code, now=now, after=user.totp_step)
    (hashed,) = hashes_of([code])
    left = user.recovery_codes or []
    if step is not None:
        user.totp_step = step
    elif hashed in left:
        user.recovery_codes = [each for each in left if each != hashed]
    else:
        return None
    user.save()
    return Code.OF_RECOVERY if step is None else Code.OF_APP


def _end_sessions(user: User) -> None:
    user.session_number = (user.session_number or 0) + 1
