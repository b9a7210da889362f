"""Canonical user names and e-mail addresses."""

import re

from django.conf import settings
from django.utils.translation import gettext_lazy as _

USERNAME = re.compile(r"[a-z0-9][a-z0-9._-]{2,63}")
LONGEST_USERNAME = 64
USERNAME_RULE = _(
    "A user name has 3 to 64 of the letters a to z, digits, dots, dashes and underscores, "
    "and begins with a letter or digit."
)

RESERVED_WORDS = frozenset(
    {
        "abuse",
        "account",
        "accounts",
        "admin",
        "administrator",
        "admins",
        "billing",
        "care",
        "customer",
        "customers",
        "help",
        "helpdesk",
        "hostmaster",
        "info",
        "moderator",
        "moderators",
        "news",
        "noreply",
        "official",
        "owner",
        "payment",
        "payments",
        "postmaster",
        "privacy",
        "refund",
        "refunds",
        "root",
        "sales",
        "security",
        "service",
        "shop",
        "staff",
        "store",
        "support",
        "system",
        "team",
        "webmaster",
    }
)
"""What a visitor could take for the shop itself, alone or joined to each other."""
_LOOKS_LIKE = str.maketrans("0134578l", "oieastbi")
_words = "|".join(sorted(word.translate(_LOOKS_LIKE) for word in RESERVED_WORDS))
_OF_RESERVED_WORDS = re.compile(rf"(?:the)?(?:(?:{_words})(?:and|at|from|of|the)?)+")


def is_reserved(username: str) -> bool:
    """Return whether a user name is reserved for the shop; ``create_user`` may give it.

    Such have the shop's name in them, or `RESERVED_WORDS` alone, however dotted or with digits.
    """
    # Compared as it looks: "dyna5h0p" is taken for "dynashop".
    brand = re.sub(r"[^a-z0-9]", "", settings.SITE_NAME.lower()).translate(_LOOKS_LIKE)
    joined = re.sub(r"[._-]", "", username)
    # Digits inside may stand for letters, as in ``supp0rt``; or they are to be left out.
    for digits_left_out in (re.sub(r"[0-9]", "", joined), joined.rstrip("0123456789")):
        plain = digits_left_out.translate(_LOOKS_LIKE)
        if _OF_RESERVED_WORDS.fullmatch(plain):
            return True
        if brand and brand in plain:
            return True
    return False


class BadUsername(ValueError):
    """Not a valid user name; the text is the rule."""

    def __init__(self) -> None:
        super().__init__(USERNAME_RULE)


def username_of(typed: str) -> str:
    """Return a typed user name in lower case; never with a ``#``. Raises BadUsername."""
    username = typed.strip().lower()
    if not USERNAME.fullmatch(username):
        raise BadUsername
    return username


def email_of(typed: str) -> str:
    """Return an e-mail address as it is stored and looked up."""
    return typed.strip().lower()
