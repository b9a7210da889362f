"""Problems: what a program is answered when something is wrong (RFC 9457, "Problem Details").

A `ProblemType` has a ``code`` that never changes, so that a program need not read the sentence,
which is translated. The setting ``API_PROBLEM_TYPES`` is what the address of each type begins with:
the code is added to it. Without it, ``type`` is ``about:blank``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from django.conf import settings
from django.http import HttpResponse, JsonResponse

PROBLEM_MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A kind of error of an API.

    ``code`` is stable: lower case and hyphens. ``meaning`` is for its documentation, in English.
    """

    code: str
    status: HTTPStatus
    meaning: str

    @property
    def address(self) -> str:
        """What a problem has as its ``type``."""
        base: str = settings.API_PROBLEM_TYPES
        if not base:
            return "about:blank"
        return base + self.code


BAD_REQUEST = ProblemType(
    "bad-request", HTTPStatus.BAD_REQUEST, "Parts of the request do not go together."
)
BAD_JSON = ProblemType("bad-json", HTTPStatus.BAD_REQUEST, "The body is not JSON.")
BAD_CURSOR = ProblemType(
    "bad-cursor", HTTPStatus.BAD_REQUEST, "The cursor was altered, or is of another list."
)
KEY_NEEDED = ProblemType("key-needed", HTTPStatus.UNAUTHORIZED, "No key, or one that is not valid.")
SCOPE_NEEDED = ProblemType(
    "scope-needed", HTTPStatus.FORBIDDEN, "The key's scope does not allow this."
)
FORBIDDEN = ProblemType("forbidden", HTTPStatus.FORBIDDEN, "This is not allowed.")
NOT_FOUND = ProblemType(
    "not-found", HTTPStatus.NOT_FOUND, "There is nothing at this address, or not for this key."
)
METHOD_NOT_ALLOWED = ProblemType(
    "method-not-allowed", HTTPStatus.METHOD_NOT_ALLOWED, "The header `Allow` has the methods."
)
LENGTH_REQUIRED = ProblemType(
    "length-required", HTTPStatus.LENGTH_REQUIRED, "The body came without its `Content-Length`."
)
TOO_LARGE = ProblemType(
    "too-large",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "The body has more bytes than are taken; `detail` says how many.",
)
UNSUPPORTED_MEDIA_TYPE = ProblemType(
    "unsupported-media-type", HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body is a form: send JSON."
)
UNSUPPORTED_ENCODING = ProblemType(
    "unsupported-encoding",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "The body has a `Content-Encoding`: send it uncompressed.",
)
INVALID = ProblemType(
    "invalid",
    HTTPStatus.UNPROCESSABLE_ENTITY,
    "`errors` lists what does not fit the schema, 20 values at most.",
)
VERSION_NEEDED = ProblemType(
    "version-needed",
    HTTPStatus.PRECONDITION_REQUIRED,
    "The write does not say which version it changes: send `If-Match`, or `version`.",
)
TOO_MANY_REQUESTS = ProblemType(
    "too-many-requests",
    HTTPStatus.TOO_MANY_REQUESTS,
    "A limit is used up: try again after `Retry-After` seconds.",
)
SERVER_FAULT = ProblemType(
    "server-fault", HTTPStatus.INTERNAL_SERVER_ERROR, "A fault of the site; its log has it."
)
UNAVAILABLE = ProblemType(
    "unavailable",
    HTTPStatus.SERVICE_UNAVAILABLE,
    "The database or the site is busy or away: try again after `Retry-After` seconds.",
)

PROBLEM_TYPES = (
    BAD_REQUEST,
    BAD_JSON,
    BAD_CURSOR,
    KEY_NEEDED,
    SCOPE_NEEDED,
    FORBIDDEN,
    NOT_FOUND,
    METHOD_NOT_ALLOWED,
    LENGTH_REQUIRED,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    UNSUPPORTED_ENCODING,
    INVALID,
    VERSION_NEEDED,
    TOO_MANY_REQUESTS,
    SERVER_FAULT,
    UNAVAILABLE,
)
"""Those of any API; a project adds its own."""
_OF_STATUS: Mapping[HTTPStatus, ProblemType] = {
    HTTPStatus.BAD_REQUEST: BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED: KEY_NEEDED,
    HTTPStatus.FORBIDDEN: FORBIDDEN,
    HTTPStatus.NOT_FOUND: NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED: METHOD_NOT_ALLOWED,
    HTTPStatus.LENGTH_REQUIRED: LENGTH_REQUIRED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: UNSUPPORTED_MEDIA_TYPE,
    HTTPStatus.UNPROCESSABLE_ENTITY: INVALID,
    HTTPStatus.PRECONDITION_REQUIRED: VERSION_NEEDED,
    HTTPStatus.TOO_MANY_REQUESTS: TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR: SERVER_FAULT,
    HTTPStatus.SERVICE_UNAVAILABLE: UNAVAILABLE,
}


def problem_type_of(status: HTTPStatus) -> ProblemType:
    """Return the type of an error of which nothing but its status is known."""
    named = _OF_STATUS.get(status)
    if named is not None:
        return named
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return SERVER_FAULT
    return BAD_REQUEST


def problem(
    kind: ProblemType, detail: object, *, status: HTTPStatus | None = None, **more: object
) -> HttpResponse:
    """Build the answer of an error to a program, with ``more`` members.

    ``detail`` is a sentence. ``status`` is that of the type, unless another one is given.
    """
    status = status or kind.status
    body = {
        "type": kind.address,
        "title": status.phrase,
        "status": status,
        "code": kind.code,
        "detail": str(detail),
    }
    response = JsonResponse(
        {**body, **more},
        status=status,
        content_type=PROBLEM_MEDIA_TYPE,
        json_dumps_params={"ensure_ascii": False},
    )
    response["Cache-Control"] = "no-store"
    return response
