"""Single values of a row: texts, flags, numbers and ids, each parsed or refused with its reason."""

import re
from collections.abc import Collection

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError

from comments.users import has_address, id_field
from dynapages.files.records import RowRefused, short_text, text_of

LONGEST_ID = 128
LONGEST_USER_ID = 254
LONGEST_BODY = 100_000
"""Bytes of UTF-8."""
_VOTES = re.compile(r"\d{1,9}(?:\.0{1,9})?", re.ASCII)
"""A table that has no integers writes 3 as 3.0."""
_EMPTY_TEXTS = frozenset({"", "[]", "{}"})
YES = "true"
NO = "false"
_FLAGS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1", "1.0"), YES),
    **dict.fromkeys(("false", "f", "no", "n", "0", "0.0"), NO),
}
"""How files write yes and no: PostgreSQL as t and f, Amazon as Y and N, pandas as 1.0 and 0.0."""


def word_of(value: object) -> str:
    """Return a value as a word in lower case; the booleans of JSON are words too."""
    if value is None:
        return ""
    return str(value).strip().lower()


def plain_text(name: str, value: object) -> str:
    """Return the value of a field as text. Raises RowRefused for what is none."""
    if name in {"verified", "rating", "state"} and isinstance(value, bool):
        return str(value)
    return text_of(name, value)


def is_among(word: str, allowed: Collection[str]) -> bool:
    """Return whether a word is allowed, by itself or as a way to write `YES` or `NO`."""
    return word in allowed or _FLAGS.get(word) in allowed


def is_yes(name: str, text: str) -> bool:
    """Return whether a text means yes. Raises RowRefused where it means neither yes nor no."""
    word = word_of(text)
    if word and word not in _FLAGS:
        raise RowRefused(f"{name}: “{text[:20]}” is neither true nor false")
    return _FLAGS.get(word) == YES


def votes_from(name: str, text: str) -> int | None:
    """Return a number of votes, None for an empty text. Raises RowRefused."""
    word = text.strip()
    if not word:
        return None
    if not _VOTES.fullmatch(word):
        raise RowRefused(
            f"{name}: “{text[:20]}” is no whole number from 0 to 999999999: --columns {name}= "
            f"leaves it out"
        )
    whole, _point, _zeros = word.partition(".")
    return int(whole)


def is_filled(value: object) -> bool:
    """Return whether a value, maybe a list or one written as JSON, holds anything."""
    if isinstance(value, str):
        return value.strip() not in _EMPTY_TEXTS
    return bool(value)


def comment_id_from(text: str, *, prefix: str = "") -> str:
    """Return the id of a comment, with what is put before all of a file. Raises RowRefused."""
    if not text:
        raise RowRefused("id is missing")
    comment_id = prefix + text
    short_text("id", comment_id, LONGEST_ID)
    if not comment_id.isprintable() or comment_id != comment_id.strip():
        raise RowRefused("id holds characters that cannot be seen, or white space at an end")
    # Browsers resolve such parts of an address before they send it.
    if {".", ".."} & set(comment_id.split("/")):
        raise RowRefused("id has a part “.” or “..”, which no address can hold")
    return comment_id


def user_id_from(text: str) -> str:
    """Return the id of a user as the project's user model has it, or "".

    What an id may be is for its field to say; ``#`` separates the parts of keys.
    """
    if not text:
        return ""
    if has_address(text):
        raise RowRefused("username is an e-mail address: the id of the user is needed")
    users, field = get_user_model(), id_field()
    if field.name == users.USERNAME_FIELD:
        text = users.normalize_username(text)
    try:
        user_id = str(field.clean(text, None))
    except ValidationError as error:
        raise RowRefused(f"username: {error.messages[0]}") from error
    # A number can be written in many ways: only one of them is the id.
    if user_id.casefold() != text.strip().casefold():
        raise RowRefused(f"username: “{text[:20]}” is not written as ids of users are")
    if "#" in user_id:
        raise RowRefused("username holds a “#”")
    return short_text("username", user_id, LONGEST_USER_ID)


def body_from(text: str) -> str:
    """Return the text of a comment. Raises RowRefused for one that is too long to store."""
    size = len(text.encode())
    if size > LONGEST_BODY:
        raise RowRefused(f"body has {size:,} bytes, more than {LONGEST_BODY:,}")
    return text
