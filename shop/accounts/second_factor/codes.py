"""Codes of an app, by RFC 6238, and recovery codes."""

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from hmac import compare_digest
from secrets import token_hex

import pyotp

ISSUER = "Dynashop"
RECOVERY_CODES = 10
RECOVERY_BYTES = 10
"""So many random bytes cannot be guessed: their hash needs neither salt nor time."""


def new_secret() -> str:
    """Return a secret for an app, in base 32."""
    return pyotp.random_base32()


def link_for_app(secret: str, username: str) -> str:
    """Return the ``otpauth:`` URL that brings a secret into an app."""
    return pyotp.TOTP(secret).provisioning_uri(name=username, issuer_name=ISSUER)


def step_of(secret: str, code: str, *, now: datetime, after: int | None) -> int | None:
    """Return the number of the half minute that a code is of, None for a wrong code.

    It may be one off, because clocks are, but must come after the latest that was used.
    """
    totp = pyotp.TOTP(secret)
    this = int(now.timestamp()) // totp.interval
    for step in (this - 1, this, this + 1):
        if step > (after or 0) and compare_digest(totp.generate_otp(step), code):
            return step
    return None


def new_recovery_codes() -> list[str]:
    """Return codes for those who have lost their app."""
    return [_grouped(token_hex(RECOVERY_BYTES)) for _ in range(RECOVERY_CODES)]


def without_blanks(typed: str) -> str:
    """Return a typed code without the blanks and dashes that make it readable."""
    return "".join(typed.split()).replace("-", "").lower()


def hashes_of(recovery_codes: Iterable[str]) -> list[str]:
    """Return what is stored of recovery codes."""
    return [sha256(without_blanks(code).encode()).hexdigest() for code in recovery_codes]


def _grouped(code: str) -> str:
    return "-".join(code[start : start + 5] for start in range(0, len(code), 5))
