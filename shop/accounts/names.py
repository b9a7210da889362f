"""How user names and e-mail addresses are spelled."""

import re

USERNAME = re.compile(r"[a-z0-9][a-z0-9._-]{2,63}")
LONGEST_USERNAME = 64
USERNAME_RULE = (
    "A user name has 3 to 64 of the letters a to z, digits, dots, dashes and underscores, "
    "and begins with a letter or digit."
)


class BadUsername(ValueError):
    """Nobody can have this user name; the text says which ones there are."""

    def __init__(self) -> None:
        super().__init__(USERNAME_RULE)


def username_of(typed: str) -> str:
    """Give the user name that somebody means: lower-case, without the blanks around it.

    Raises BadUsername. A ``#``, which separates the parts of keys, is never in one.
    """
    username = typed.strip().lower()
    if not USERNAME.fullmatch(username):
        raise BadUsername
    return username


def email_of(typed: str) -> str:
    """Give the spelling of an e-mail address under which it is kept and found."""
    return typed.strip().lower()
