"""What Django 5.2 calls differently: the settings are written in the words of the newest Django.

When Django 5.2 is no longer supported (April 2028), this module and django-csp can go.
"""

from collections.abc import Mapping, Sequence
from typing import TypedDict

import django

FORMER_NAMES = {"username": "EMAIL_HOST_USER", "password": "EMAIL_HOST_PASSWORD"}
"""The settings of options of a mailer that are not called ``EMAIL_`` and the option."""
_HAS_POLICY = django.VERSION >= (6, 0)
_HAS_MAILERS = django.VERSION >= (6, 1)
POLICY_MIDDLEWARE = "csp.middleware.CSPMiddleware"
if _HAS_POLICY:
    POLICY_MIDDLEWARE = "django.middleware.csp.ContentSecurityPolicyMiddleware"


class Mailer(TypedDict):
    """An entry of MAILERS."""

    BACKEND: str
    OPTIONS: Mapping[str, str | int | bool]


def former_settings(mailer: Mailer, policy: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Return the settings that this Django reads instead of MAILERS and SECURE_CSP, by their names.

    They are left out where Django would refuse or warn of them.
    """
    former: dict[str, object] = {}
    if not _HAS_POLICY:
        former["CONTENT_SECURITY_POLICY"] = {"DIRECTIVES": policy}
    if not _HAS_MAILERS:
        former["EMAIL_BACKEND"] = mailer["BACKEND"]
        for option, value in mailer["OPTIONS"].items():
            former[FORMER_NAMES.get(option, f"EMAIL_{option.upper()}")] = value
    return former
