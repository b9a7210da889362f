"""Errors of an API as problems (RFC 9457), and a sentence for each value that does not fit.

Sentences are translated and say what is allowed; ``code`` is what a program reads.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from dynapages.calls.faults import FAILURES
from dynapages.django.paging import grouped
from dynapages.django.problems import (
    INVALID,
    KEY_NEEDED,
    NOT_FOUND,
    TOO_LARGE,
    ProblemType,
    problem,
    problem_type_of,
)
from dynapages.django.refusals import Refusal, refusal_of
from dynapages.ninja.strict import NOT_TAKEN, TWICE, UNKNOWN

Sentences = Mapping[type[Exception], tuple[ProblemType, object]]
"""By errors of a project, the type of their problem; and its sentence, None for that of each."""
Handler = Callable[[HttpRequest, Any], HttpResponse]
MOST_FAULTS = 20
"""Values that one answer says something of: a short request must not make a long answer."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """What a program is told of a value: a code that is ours, and never changes; and a sentence."""

    code: str
    sentence: object


_NOT_TEXT = _Fault("wrong-type", gettext_lazy("This has to be text."))
_NOT_WHOLE = _Fault("wrong-type", gettext_lazy("This has to be a whole number."))
_NOT_FLAG = _Fault("wrong-type", gettext_lazy("This has to be true or false."))
_NOT_LIST = _Fault("wrong-type", gettext_lazy("This has to be a list."))
_NOT_OBJECT = _Fault("wrong-type", gettext_lazy("This has to be an object."))
_NOT_ALLOWED = _Fault("not-allowed", gettext_lazy("Allowed are %(expected)s."))
_EMPTY = _Fault("too-short", gettext_lazy("This must not be empty."))
_TOO_SHORT = ("string_too_short", "too_short")
_IN_QUOTES = re.compile(r"'([^']*)'")
"""A value in pydantic's ``expected``: “'a', 'b' or 'c'”, “<Letter.A: 'a'> or <Letter.B: 'b'>”."""
_OTHERWISE = "invalid"
"""The code of what a check of its own says in its own sentence."""
_FAULTS: Mapping[str, _Fault] = {
    "missing": _Fault("missing", gettext_lazy("This is needed.")),
    TWICE: _Fault("given-twice", gettext_lazy("This is given twice: give it once.")),
    NOT_TAKEN: _Fault("not-taken", gettext_lazy("This header is not taken here: leave it out.")),
    "string_type": _NOT_TEXT,
    "string_unicode": _Fault(
        "wrong-type", gettext_lazy("This has to be text of Unicode characters.")
    ),
    "string_pattern_mismatch": _Fault(
        "invalid", gettext_lazy("The text has characters that are not allowed here.")
    ),
    "int_type": _NOT_WHOLE,
    "int_parsing": _NOT_WHOLE,
    "int_from_float": _NOT_WHOLE,
    "int_parsing_size": _Fault("too-large", gettext_lazy("This number is too large.")),
    "bool_type": _NOT_FLAG,
    "bool_parsing": _NOT_FLAG,
    "list_type": _NOT_LIST,
    "model_type": _NOT_OBJECT,
    "model_attributes_type": _NOT_OBJECT,
    "dict_type": _NOT_OBJECT,
    "string_too_long": _Fault(
        "too-long", gettext_lazy("The text has at most %(max_length)s characters.")
    ),
    "string_too_short": _Fault(
        "too-short", gettext_lazy("The text has at least %(min_length)s characters.")
    ),
    "too_long": _Fault("too-long", gettext_lazy("The list has at most %(max_length)s entries.")),
    "too_short": _Fault("too-short", gettext_lazy("The list has at least %(min_length)s entries.")),
    "greater_than_equal": _Fault("too-small", gettext_lazy("This is at least %(ge)s.")),
    "less_than_equal": _Fault("too-large", gettext_lazy("This is at most %(le)s.")),
    "enum": _NOT_ALLOWED,
    "literal_error": _NOT_ALLOWED,
}
"""By the types of pydantic's errors: those may change, and its sentences are in English alone."""
_UNKNOWN_CODE = "unknown"
_UNKNOWN_WITH_ALLOWED = gettext_lazy("This is not known here: allowed are %(allowed)s.")
_UNKNOWN = gettext_lazy("This is not known here: leave it out.")


def answer_errors(api: NinjaAPI) -> None:
    """Have an API answer each error that a caller can see with a problem."""
    handlers: dict[type[Exception], Handler] = {
        Http404: partial(as_problem, NOT_FOUND, None),
        RequestDataTooBig: _too_large,
        HttpError: _of_status,
        ValidationError: _invalid,
    }
    for error, handler in handlers.items():
        api.add_exception_handler(error, handler)
    refused: list[type[Exception]] = [Refusal, *FAILURES]
    for failure in refused:
        api.add_exception_handler(failure, _refused)


def as_problem(
    kind: ProblemType, sentence: object, _request: HttpRequest, error: Exception
) -> HttpResponse:
    """Answer with a sentence, or with that of the error where there is none."""
    return problem(kind, sentence or error)


def _too_large(_request: HttpRequest, _error: Exception) -> HttpResponse:
    sentence = _("The body is too large: it may have %(most)s bytes.")
    return problem(TOO_LARGE, sentence % {"most": grouped(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)})


def _of_status(_request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ANN401 - ninja's
    if not isinstance(error, AuthenticationError):
        status = HTTPStatus(error.status_code)
        return problem(problem_type_of(status), error.message, status=status)
    sentence = _("Send a key of the API that is valid: “Authorization: Bearer …”.")
    response = problem(KEY_NEEDED, sentence)
    response["WWW-Authenticate"] = "Bearer"
    return response


def _invalid(_request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ANN401 - ninja's
    errors = []
    for each in error.errors[:MOST_FAULTS]:
        fault = _fault_of(each)
        at = ".".join(map(str, each["loc"]))
        errors.append({"at": at, "code": fault.code, "detail": fault.sentence})
    sentence = " ".join(f"{each['at']}: {each['detail']}" for each in errors)
    return problem(INVALID, sentence, errors=errors)


def _fault_of(error: Mapping[str, Any]) -> _Fault:
    """Return what is wrong with a value, in a sentence of ours or in that of its own check."""
    if error["type"] == UNKNOWN:
        allowed = error.get("allowed")
        if not allowed:
            return _Fault(_UNKNOWN_CODE, str(_UNKNOWN))
        sentence = str(_UNKNOWN_WITH_ALLOWED) % {"allowed": ", ".join(allowed)}
        return _Fault(_UNKNOWN_CODE, sentence)
    known = _FAULTS.get(error["type"])
    if known is None:
        return _Fault(_OTHERWISE, str(error["msg"]).removeprefix("Value error, "))
    values = dict(error.get("ctx", {}))
    if error["type"] in _TOO_SHORT and values.get("min_length") == 1:
        return _Fault(_EMPTY.code, str(_EMPTY.sentence))
    # Pydantic's own list is half English, and may show what Python calls the values.
    if "expected" in values:
        allowed = _IN_QUOTES.findall(values["expected"])
        values["expected"] = ", ".join(allowed)
    return _Fault(known.code, str(known.sentence) % values)


def _refused(request: HttpRequest, error: Any) -> HttpResponse:  # noqa: ANN401 - ninja's
    response = refusal_of(request, error)
    # What nobody can do anything about is for the log, and answered with 500.
    if response is None:
        raise error
    return response
