"""Who calls an API: keys in requests, the user of a key, and a name for a request sent twice."""

from collections.abc import Callable, Sequence
from secrets import token_bytes

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.module_loading import import_string
from ninja.security import HttpBearer

from dynapages.django.access import Visitor
from dynapages.django.callers import Caller, Scope

ANONYMOUS = Caller("", "", None)
"""Who sends no key."""
Authenticate = Callable[[HttpRequest, str, Scope], Caller | None]
"""Returns who sends a request with the text of a key for a scope, None for no such key.

It may raise Refusal, such as TooManyRequests, and ScopeNeeded for a key of another scope.
"""
IDEMPOTENCY_KEY = "Idempotency-Key"
LONGEST_KEY = 255


class KeyAuth(HttpBearer):
    """Requires a key that allows a scope, in ``Authorization: Bearer``."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> Caller | None:
        """Return who sends a request with a key."""
        authenticate: Authenticate = import_string(settings.API_AUTHENTICATOR)
        return authenticate(request, token, self.scope)


class NoKey:
    """Lets who sends no key be `ANONYMOUS`."""

    openapi_security_schema: None = None

    def __call__(self, request: HttpRequest) -> Caller | None:
        # A wrong key is refused: its sender would take what is public for what is theirs.
        if "Authorization" in request.headers:
            return None
        return ANONYMOUS


KEY_OR_NOBODY: Sequence[KeyAuth | NoKey] = [KeyAuth(Scope.READ), NoKey()]
"""The ``auth`` of an operation that may be called without a key."""


def caller_of(request: HttpRequest) -> Caller:
    """Return who sends a request, as `KeyAuth` found; `ANONYMOUS` where no key is looked at."""
    caller: Caller = getattr(request, "auth", ANONYMOUS)  # ninja sets it
    return caller


def visitor_of(request: HttpRequest) -> Visitor:
    """Return the same as a visitor of pages, whom the key has confirmed."""
    user_id = caller_of(request).user_id

    def is_confirmed() -> bool:
        return bool(user_id)

    return Visitor(user_id, is_confirmed)


def token_of(request: HttpRequest) -> bytes:
    """Return 16 bytes, the same for a caller's ``Idempotency-Key`` and body, else random ones."""
    key = request.headers.get(IDEMPOTENCY_KEY)
    if not key:
        return token_bytes(16)
    # Two callers may send the same key, and one caller the same key with another body.
    content = f"{caller_of(request).id}/{key}/".encode() + request.body
    return salted_hmac("dynapages.ninja", content, algorithm="sha256").digest()[:16]
