"""Stored answers: a request that is sent again with its ``Idempotency-Key`` is answered as before.

Follows "The Idempotency-Key HTTP Header Field" of the IETF. An item says first that the request is
carried out, then what was answered. Where a fault ends it, or its process dies, the item stays:
the next attempt is told that it is a second one. Once it has expired, it means the same as none.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from uuid import uuid4

from django.conf import settings
from django.http import HttpResponse
from django.utils.translation import gettext as _
from pynamodb.expressions.condition import Condition

from dynapages.django.problems import ProblemType
from dynapages.django.refusals import Refusal
from dynapages.items import wire_key
from dynapages.process import client
from dynapages.pynamodb import update
from dynapages.writes import ConditionFailed, delete, write_item
from shop import keys
from shop.models import ApiAnswer
from shop.table import put_of

ANSWERS_LAST = timedelta(days=1)
LARGEST_BODY = 300_000
"""Bytes, with which an item stays below DynamoDB's 400 KB."""
OTHER_WORK_SECONDS = 4.0
"""That a request may take besides its calls to the database."""
STORED_HEADERS = {
    "Content-Type": ApiAnswer.content_type,
    "ETag": ApiAnswer.etag,
    "Location": ApiAnswer.location,
}
"""The headers that belong to an answer itself, and what they are stored in."""
_LONG_AGO = datetime.fromtimestamp(0, UTC)
_RUNNING: Condition = ApiAnswer.digest.exists() & ApiAnswer.status_code.does_not_exist()


KEY_REUSED = ProblemType(
    "idempotency-key-reused",
    HTTPStatus.CONFLICT,
    "The `Idempotency-Key` was sent with another request before.",
)
KEY_IN_USE = ProblemType(
    "idempotency-key-in-use",
    HTTPStatus.CONFLICT,
    "The same request is still running: try again after `Retry-After` seconds.",
)
PROBLEM_TYPES = (KEY_REUSED, KEY_IN_USE)


class KeyReused(Refusal):
    """The idempotency key was sent with another request."""

    problem_type = KEY_REUSED


class KeyInUse(Refusal):
    """The idempotency key was sent with this request, which still runs."""

    problem_type = KEY_IN_USE


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt at the request of a ``name``, by the id of its ``run``.

    With the stored ``answer`` of an earlier one it is over. Without, the caller carries the request
    out, then calls `finish`, `release` or `forget`. It ``is_second`` where an earlier one may have
    carried the request out, but has no answer: its process died, or it was released.
    """

    name: str
    run: str
    is_second: bool = False
    answer: HttpResponse | None = None


def begin(name: str, digest: str, *, now: datetime) -> Attempt:
    """Return an attempt at a request, which has the answer where there is one already.

    ``name`` is unique to the API key and the idempotency key; ``digest`` is of the whole request.
    An attempt without an end, for longer than a request can take, is taken over. One write, two
    where an attempt is taken over. Raises KeyInUse and KeyReused.
    """
    key = keys.answer(name)["pk"]
    own = ApiAnswer(
        key, key, digest=digest, run=uuid4().hex, since=now, expires_at=now + ANSWERS_LAST
    )
    is_free = ApiAnswer.pk.does_not_exist() | (ApiAnswer.expires_at <= now)
    stored = _put_or_find(own, is_free)
    if stored is None:
        return Attempt(name, own.run)
    if stored.digest != digest:
        raise KeyReused(_("This Idempotency-Key was sent with another request: use a new one."))
    if stored.status_code is not None:
        return Attempt(name, own.run, answer=_answer_in(stored))
    # Its process died, or it would have ended by now.
    longest_run = timedelta(seconds=settings.WRITE_SECONDS + OTHER_WORK_SECONDS)
    seconds_left = (stored.since + longest_run - now).total_seconds()
    if seconds_left <= 0:
        is_same_run = _RUNNING & (ApiAnswer.run == stored.run)
        if _put_or_find(own, is_same_run) is None:
            return Attempt(name, own.run, is_second=True)
    sentence = _("A request with this Idempotency-Key is still running. Try again.")
    raise KeyInUse(sentence, retry_after=max(1, seconds_left))


def finish(attempt: Attempt, answer: HttpResponse, *, now: datetime) -> None:
    """Store the answer, for 24 hours from now. One write: a unit for each KB.

    A body over `LARGEST_BODY` is left out: the same request is then answered without one, rather
    than carried out twice. Of two runs, as of one that was taken over, the first answer stays.
    """
    # An item has 400 KB at the most.
    body = answer.content if len(answer.content) <= LARGEST_BODY else b""
    changes = [
        ApiAnswer.status_code.set(answer.status_code),
        ApiAnswer.body.set(body),
        ApiAnswer.expires_at.set(now + ANSWERS_LAST),
    ]
    for header, attribute in STORED_HEADERS.items():
        if header in answer:
            changes.append(attribute.set(answer[header]))
    key = wire_key(keys.answer(attempt.name))
    with suppress(ConditionFailed):
        write_item(client(), update(ApiAnswer, key, changes, _RUNNING))


def release(attempt: Attempt) -> None:
    """Let the same request begin again at once, as a second attempt.

    For faults, such as 503: whether the request was carried out is not known.
    """
    is_own = _RUNNING & (ApiAnswer.run == attempt.run)
    key = wire_key(keys.answer(attempt.name))
    with suppress(ConditionFailed):
        write_item(client(), update(ApiAnswer, key, [ApiAnswer.since.set(_LONG_AGO)], is_own))


def forget(attempt: Attempt) -> None:
    """Delete the note of an attempt, as if the request had never been sent.

    For 429: nothing was done. A second attempt is released, as the one before may have done it.
    """
    if attempt.is_second:
        release(attempt)
        return
    is_own = _RUNNING & (ApiAnswer.run == attempt.run)
    with suppress(ConditionFailed):
        write_item(client(), delete(ApiAnswer, wire_key(keys.answer(attempt.name)), is_own))


def _put_or_find(own: ApiAnswer, condition: Condition) -> ApiAnswer | None:
    """Put the note of a run on a condition, else return the item that does not meet it."""
    try:
        write_item(client(), put_of(own, condition, return_item=True))
    except ConditionFailed as error:
        stored = ApiAnswer.from_raw_data(dict(error.failed[0]))
    else:
        return None
    if stored.run == own.run:  # written at the first call, whose answer was lost
        return None
    return stored


def _answer_in(stored: ApiAnswer) -> HttpResponse:
    """Build the response that an item has."""
    answer = HttpResponse(stored.body, status=int(stored.status_code))
    del answer["Content-Type"]  # Django's default
    for header, attribute in STORED_HEADERS.items():
        value = getattr(stored, attribute.attr_name)
        if value is not None:
            answer[header] = value
    return answer
