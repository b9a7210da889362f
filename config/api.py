"""The site's API, ``/api/v1/``: who may call it how often, and what is answered once (docs/api.md).

A key is read in a first round, its user and its limit in a second. Cookies count for nothing here,
so no request needs a CSRF token.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import wraps
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from comments import api as comments_api
from config.api_page import OperationsPage, as_page
from dynapages.calls import clock, fault_in, labelled_calls
from dynapages.django.attempts import mark_second_attempt
from dynapages.django.callers import Caller, Scope
from dynapages.django.middleware import READING
from dynapages.django.rate_limits import NamedLimit, in_words, limiter
from dynapages.django.refusals import Refusal, ScopeNeeded, TooManyRequests
from dynapages.django.security_log import log_event
from dynapages.ninja import IDEMPOTENCY_KEY, LONGEST_KEY, ProblemAPI
from dynapages.process import pool
from dynapages.pynamodb import FAILURES
from dynapages.writes import Spent
from shop import api as shop_api
from shop.accounts.queries import load_user
from shop.api_keys import answers
from shop.api_keys.answers import Attempt, begin, finish, forget, release
from shop.api_keys.services import NoSuchKey, Refused, find_key

READ_LIMIT = NamedLimit(600, timedelta(minutes=1), "api-reads/{}")
WRITE_LIMIT = NamedLimit(300, timedelta(minutes=1), "api-writes/{}")
"""Of one key, by its id."""
TAGS = [
    {"name": "comments", "description": "Comments, votes and replies, and lists by them."},
    {"name": "shop", "description": "The catalogue and orders."},
]
"""What the document says of its two groups of operations."""
LIMIT_HEADERS = {
    "RateLimit-Policy": 'The limit of the key: `"writes";q=300;w=60` is 300 in 60 seconds. '
    "Not with a 429 by another limit.",
    "RateLimit": 'How many are left: `"writes";r=299`; `t` is in how many seconds there are more. '
    "Not with a 429 by another limit.",
}
"""What the document says of the headers of a key's limit."""
RESPONSE_HEADERS = "dynashop.api_headers"
"""In ``request.META``: headers of the response."""
PRECONDITIONS = ("If-Match", "If-None-Match")
"""Headers that are part of what a write asks for."""
ATTEMPT = "dynashop.api_attempt"
"""In ``request.META``: the attempt that is to be ended, of a request with an Idempotency-Key."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _LimitUse:
    """A request that was counted: by which limit of a key, and what is left of that."""

    name: str
    limit: NamedLimit
    spent: Spent


class _Answered(Exception):
    """The request was answered before, by the response that is its argument."""


def authenticate(request: HttpRequest, text: str, scope: Scope) -> Caller | None:
    """Return who sends a request with a key, as `dynapages.ninja.keys.Authenticate`.

    None for a key that is not there, or whose user is not active, or not of the staff any more. Why
    a key is refused is logged: somebody may guess keys, or hold one that was revoked.
    """
    try:
        with labelled_calls("key"):
            key = find_key(text)
    except NoSuchKey as error:
        _log_refused_key(request, error.reason, key_id=error.key_id)
        return None
    if not key.allows(scope):
        _log_refused_key(request, Refused.SCOPE, key_id=key.id, username=key.user_id, needed=scope)
        sentence = _("This needs a key of the scope “%(scope)s”.") % {"scope": scope}
        raise ScopeNeeded(sentence)

    # In one round: the limit is counted while the user is read.
    with pool().together() as together, labelled_calls("key"):
        count = together.start(_count_use, is_read=request.method in READING, key_id=key.id)
        user = load_user(key.user_id) if key.user_id else None
        use = count.result()
    _note_use(request, use)
    is_active = user is not None and user.is_active
    reason = None
    if key.user_id and not is_active:
        reason = Refused.USER_INACTIVE
    elif key.scope is Scope.STAFF and not getattr(user, "is_staff", False):
        reason = Refused.USER_NOT_STAFF
    if reason is not None:
        _log_refused_key(request, reason, key_id=key.id, username=key.user_id)
        return None
    if request.method not in READING and IDEMPOTENCY_KEY in request.headers:
        _begin_once(request, key.id, request.headers[IDEMPOTENCY_KEY])
    return replace(key, user=user)


def _log_refused_key(
    request: HttpRequest, reason: Refused, *, key_id: str, username: str = "", **more: str
) -> None:
    """Log that a key was refused: by its id, never its text, which may be right but for a letter.

    ``key_id`` is empty for a text that has not a key's form.
    """
    if key_id:
        more["key"] = key_id
    log_event("api-key-refused", user=username, request=request, reason=reason, **more)


def _count_use(*, is_read: bool, key_id: str) -> _LimitUse:
    """Count a request of a key. A thread of the pool does, where no language is active."""
    name, limit = "writes", WRITE_LIMIT
    if is_read:
        name, limit = "reads", READ_LIMIT
    use = limit.use(key_id)
    return _LimitUse(name, limit, limiter().spend(use.name, limit, now=clock.now()))


def _note_use(request: HttpRequest, use: _LimitUse) -> None:
    """Note the headers of a key's limit for the answer. Raises TooManyRequests above the limit."""
    limit, spent = use.limit, use.spent
    wait_seconds = int(spent.wait) + 1
    wait = f";t={wait_seconds}" if spent.wait else ""
    request.META[RESPONSE_HEADERS] = {
        "RateLimit-Policy": f'"{use.name}";q={limit.times};w={int(limit.window.total_seconds())}',
        "RateLimit": f'"{use.name}";r={spent.left}{wait}',
    }
    if spent.wait:
        sentence = _("This key has sent too many requests. Try again in %(wait)s.")
        text = sentence % {"wait": in_words(wait_seconds)}
        raise TooManyRequests(text, retry_after=spent.wait)


def _begin_once(request: HttpRequest, key_id: str, idempotency_key: str) -> None:
    """Note that a write with an Idempotency-Key begins; raise _Answered where it was answered.

    Raises Refusal for a key of another length, or that came with another request.
    """
    if not 0 < len(idempotency_key) <= LONGEST_KEY:
        sentence = _("An Idempotency-Key has 1 to %(most)s characters.")
        raise Refusal(sentence % {"most": LONGEST_KEY})
    name = f"{key_id}/{idempotency_key}"
    lines = [f"{request.method} {request.get_full_path()}"]
    for header in PRECONDITIONS:
        if header in request.headers:
            lines.append(f"{header}: {request.headers[header]}")
    sent = "\n".join([*lines, ""]).encode() + request.body
    # The same key with another request is a fault of the program: so what was sent is compared.
    with labelled_calls("answer"):
        attempt = begin(name, sha256(sent).hexdigest(), now=clock.now())
    answer = attempt.answer
    if answer is not None:
        answer["Idempotent-Replayed"] = "true"
        add_never_cache_headers(answer)
        raise _Answered(answer)
    if attempt.is_second:
        mark_second_attempt(request)
    request.META[ATTEMPT] = attempt


def _answer_once(run: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Store the answer of an operation that was begun; add the headers of its limit; log writes."""

    @wraps(run)
    def answered(request: HttpRequest, **values: Any) -> HttpResponse:  # noqa: ANN401 - ninja's
        response = None
        try:
            response = run(request, **values)
        finally:
            if ATTEMPT in request.META:
                _end_attempt(request.META[ATTEMPT], response)
        caller = getattr(request, "auth", None)
        # What refuses a request behind its key is a limit of the user's: the key's is not used up.
        is_limit_of_user = (
            caller is not None and response.status_code == HTTPStatus.TOO_MANY_REQUESTS
        )
        # A refusal has them as well: they are set before anything of the operation runs.
        if not is_limit_of_user:
            for name, value in request.META.get(RESPONSE_HEADERS, {}).items():
                response[name] = value
        if caller is not None and request.method not in READING:
            log_event(
                "api-write",
                user=caller.user_id,
                request=request,
                path=request.path,
                status=response.status_code,
                key=caller.id,
            )
        return response

    return answered


def _end_attempt(attempt: Attempt, answer: HttpResponse | None) -> None:
    """Store the answer, unless it says to come back; where that fails, what was done stays done."""
    try:
        with labelled_calls("answer"):
            if answer is None or answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                release(attempt)
            elif answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
                forget(attempt)
            else:
                finish(attempt, answer, now=clock.now())
    except FAILURES as failure:
        fault = fault_in(failure)
        if fault is None:
            raise
        logger.warning("The answer to a request with an Idempotency-Key was not kept: %s", fault)


def _stored_response(_request: HttpRequest, answered: Any) -> HttpResponse:  # noqa: ANN401 - ninja's
    """Return the response that an `_Answered` holds."""
    response: HttpResponse = answered.args[0]
    return response


api = ProblemAPI(
    title="Dynashop",
    version="1",
    description="Lists, comments, orders and products: [how to use them](../../docs/api/).",
    urls_namespace="api",
    # An operation has no address of its own: its link would be in the button that unfolds it.
    docs=OperationsPage({"deepLinking": False}),
    docs_decorator=as_page,
    servers=[{"url": settings.SITE_URL or "/"}],
    errors={**comments_api.ERRORS, **shop_api.ERRORS},
    headers_of_keys=LIMIT_HEADERS,
    openapi_extra={"tags": TAGS},
    problem_types=(*shop_api.PROBLEM_TYPES, *answers.PROBLEM_TYPES),
)
api.add_exception_handler(_Answered, _stored_response)
api.add_decorator(_answer_once, mode="view")
api.add_router("", comments_api.router)
api.add_router("", shop_api.router)
