"""Keys of the API. The text of one is ``dynashop_<id>_<secret>``, as scanners for secrets like it.

The secret has 256 random bits, so that a fast hash of it is safe to store.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from secrets import compare_digest, token_hex, token_urlsafe

from django.utils.translation import gettext as _

from dynapages.django.callers import Caller, Scope
from dynapages.items import table_key
from dynapages.process import client
from dynapages.writes import ConditionFailed, delete, write_item, write_transaction
from shop import keys
from shop.accounts.queries import load_user
from shop.models import ApiKeyItem, RevokedApiKey
from shop.table import put_of

LONGEST_NAME = 100
MARKS_LAST = timedelta(days=90)
"""That the log can say of a key in use that it was revoked."""
_KEY_TEXT = re.compile(r"dynashop_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
"""The id of a key, and its secret."""


@dataclass(frozen=True, slots=True)
class ApiKey(Caller):
    """A key of the API without its secret; the id of its user is the user name."""

    name: str
    created_at: datetime


class Refused(StrEnum):
    """Why a key in a request is refused; the value is logged."""

    MALFORMED = "malformed"
    UNKNOWN = "unknown"
    REVOKED = "revoked"
    WRONG_SECRET = "wrong-secret"  # noqa: S105 - no secret
    USER_INACTIVE = "user-inactive"
    USER_NOT_STAFF = "user-not-staff"
    SCOPE = "scope"


class NoSuchKey(LookupError):
    """No key has this text; ``key_id`` is the id in it, empty where it has not a key's form."""

    def __init__(self, reason: Refused, key_id: str = "") -> None:
        super().__init__(key_id)
        self.reason = reason
        self.key_id = key_id


class KeyRefused(ValueError):
    """No such key can be made; the text is a sentence that says why."""


def create_key(*, name: str, scope: Scope, username: str, now: datetime) -> tuple[ApiKey, str]:
    """Create a key; return it with its text, which is stored nowhere. Raises KeyRefused."""
    _refuse_unless_valid(name, scope, username)
    key = ApiKey(token_hex(6), username, scope, name, now)
    # Made here and returned once: only its hash is stored.
    secret = token_urlsafe(32)
    item = ApiKeyItem(
        keys.API_KEYS,
        keys.api_key(key.id),
        id=key.id,
        username=key.user_id,
        scope=key.scope,
        name=key.name,
        created_at=key.created_at,
        secret_hash=_hash(secret),
    )
    write_item(client(), put_of(item, ApiKeyItem.pk.does_not_exist()))
    return key, f"dynashop_{key.id}_{secret}"


def find_key(text: str) -> ApiKey:
    """Return the key of a text. Raises NoSuchKey.

    Half a unit; one where there is no such key, none where the text has not a key's form. Reads are
    eventually consistent: a revoked key may be found for about a second. Whether its user is still
    active is for the caller to check.
    """
    # Whatever somebody sends costs a read only if it may be a key.
    match = _KEY_TEXT.fullmatch(text)
    if match is None:
        raise NoSuchKey(Refused.MALFORMED)
    key_id, secret = match.groups()
    item = ApiKeyItem.find(keys.API_KEYS, keys.api_key(key_id), consistent_read=False)
    if item is None:
        raise NoSuchKey(_why_missing(key_id), key_id)
    # In constant time, so that it does not show how much of a guess was right.
    if not compare_digest(item.secret_hash, _hash(secret)):
        raise NoSuchKey(Refused.WRONG_SECRET, key_id)
    return _key_of(item)


def _why_missing(key_id: str) -> Refused:
    """Return whether a key of this id was revoked lately, or is not known."""
    mark = keys.revoked_api_key(key_id)
    if RevokedApiKey.find(mark, mark, consistent_read=False):
        return Refused.REVOKED
    return Refused.UNKNOWN


def list_keys() -> list[ApiKey]:
    """Return all keys, the oldest first; one Query, strongly read."""
    items = ApiKeyItem.query(keys.API_KEYS, consistent_read=True)
    return sorted((_key_of(item) for item in items), key=_by_age)


def revoke_key(key_id: str, *, now: datetime) -> bool:
    """Delete a key, and mark its id for `MARKS_LAST`; return whether there was one."""
    key = table_key(keys.API_KEYS, keys.api_key(key_id))
    mark = keys.revoked_api_key(key_id)
    revoked = RevokedApiKey(mark, mark, expires_at=now + MARKS_LAST)
    actions = [delete(ApiKeyItem, key, ApiKeyItem.pk.exists()), put_of(revoked)]
    try:
        write_transaction(client(), actions)
    except ConditionFailed:
        return False
    return True


def _refuse_unless_valid(name: str, scope: Scope, username: str) -> None:
    """Raise KeyRefused where a key cannot have this name, or its user may not do so much."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise KeyRefused(_("The name of a key has 1 to 100 characters, in one line."))
    if not username and scope is not Scope.READ:
        raise KeyRefused(_("Name the user for whom the key writes: only scope “read” needs none."))
    if not username:
        return
    user = load_user(username)
    if user is None or not user.is_active:
        raise KeyRefused(_("There is no active user “%(user)s”.") % {"user": username})
    if scope is Scope.STAFF and not getattr(user, "is_staff", False):
        raise KeyRefused(_("“%(user)s” is not staff.") % {"user": username})


def _hash(secret: str) -> str:
    """Return what is stored of a secret; it has too many random bits to be guessed."""
    return sha256(secret.encode()).hexdigest()


def _by_age(key: ApiKey) -> tuple[datetime, str]:
    return key.created_at, key.id


def _key_of(item: ApiKeyItem) -> ApiKey:
    return ApiKey(item.id, item.username, Scope(item.scope), item.name, item.created_at)
