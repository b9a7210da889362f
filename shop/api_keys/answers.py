"""Stored answers: a request that is sent again with its ``Idempotency-Key`` is answered as before.

Follows "The Idempotency-Key HTTP Header Field" of the IETF. An item says first that the request is
carried out, then what was answered. Once it has expired, it means the same as none.
"""

from contextlib import suppress
from datetime import datetime, timedelta
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


def begin(name: str, digest: str, *, now: datetime) -> HttpResponse | None:
    """Return the stored answer, or None where the request is to be carried out by the caller.

    ``name`` is unique to the API key and the idempotency key; ``digest`` is of the whole request.
    After None the caller must `finish` or `forget`. A run that did neither, for longer than a
    request can take, is taken over. Raises KeyInUse and KeyReused.
    """
    longest_run = timedelta(seconds=settings.WRITE_SECONDS + OTHER_WORK_SECONDS)
    abandoned_since = now - longest_run
    key = keys.answer(name)["pk"]
    own = ApiAnswer(
        key, key, digest=digest, run=uuid4().hex, since=now, expires_at=now + ANSWERS_LAST
    )
    is_free = ApiAnswer.pk.does_not_exist() | (ApiAnswer.expires_at <= now)
    # Its process died, or it would have finished or been forgotten by now.
    is_abandoned = _RUNNING & (ApiAnswer.since <= abandoned_since) & (ApiAnswer.digest == digest)
    try:
        write_item(client(), put_of(own, is_free | is_abandoned, return_item=True))
    except ConditionFailed as error:
        stored = ApiAnswer.from_raw_data(dict(error.failed[0]))
    else:
        return None
    if stored.run == own.run:  # written at the first attempt, whose answer was lost
        return None
    if stored.digest != digest:
        raise KeyReused(_("This Idempotency-Key was sent with another request: use a new one."))
    if stored.status_code is None:
        sentence = _("A request with this Idempotency-Key is still running. Try again.")
        seconds_left = (stored.since - abandoned_since).total_seconds()
        raise KeyInUse(sentence, retry_after=max(1, seconds_left))
    return HttpResponse(stored.body, stored.content_type, int(stored.status_code))


def finish(name: str, answer: HttpResponse, *, now: datetime) -> None:
    """Store the answer, for 24 hours from now. One write: a unit for each KB.

    A body over `LARGEST_BODY` is left out: the same request is then answered without one, rather
    than carried out twice. Of two runs, as of one that was taken over, the first answer stays.
    """
    # An item has 400 KB at the most.
    body = answer.content if len(answer.content) <= LARGEST_BODY else b""
    changes = [
        ApiAnswer.status_code.set(answer.status_code),
        ApiAnswer.content_type.set(answer.get("Content-Type", "")),
        ApiAnswer.body.set(body),
        ApiAnswer.expires_at.set(now + ANSWERS_LAST),
    ]
    with suppress(ConditionFailed):
        write_item(client(), update(ApiAnswer, wire_key(keys.answer(name)), changes, _RUNNING))


def forget(name: str) -> None:
    """Delete the note that a request is running, so that it is carried out when sent again.

    For answers such as 429 and 503, which are not those of the request itself.
    """
    with suppress(ConditionFailed):
        write_item(client(), delete(ApiAnswer, wire_key(keys.answer(name)), _RUNNING))
