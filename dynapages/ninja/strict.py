"""What a request says and its operation does not know is refused, by a sentence that names it.

Of the query: parameters of other names, and one value that is given twice. Of the body: text that
is not JSON, a name that is there twice, and anything at all where an operation takes no body; a
form, and what is compressed, by a sentence of its own. Of the headers: ``If-Match`` and
``If-None-Match`` where no version is compared. Fields of bodies are refused by their
`dynapages.ninja.shapes.RequestBody`.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.errors import ValidationError
from ninja.operation import Operation
from ninja.parser import Parser

from dynapages.django.problems import BAD_JSON, UNSUPPORTED_ENCODING, UNSUPPORTED_MEDIA_TYPE
from dynapages.django.refusals import Refusal

IF_MATCH = "If-Match"
IF_NONE_MATCH = "If-None-Match"
IDENTITY = "identity"
"""The ``Content-Encoding`` that is none."""
FORM_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
UNKNOWN = "extra_forbidden"
"""The type of an error, as pydantic calls it: a name that is not known."""
TWICE = "given_twice"
"""The type of an error of our own: more than one value, where there is one."""
NOT_TAKEN = "not_taken"
"""The type of an error of our own: a header, which the operation would ignore."""
_BODY = "dynapages.json_body"
"""In ``request.META``: the value of the JSON in the body."""


class BadJSON(Refusal):
    """The body of a request is not JSON, or has a name twice."""

    problem_type = BAD_JSON


class UnsupportedMediaType(Refusal):
    """The body of a request is a form."""

    problem_type = UNSUPPORTED_MEDIA_TYPE


class UnsupportedEncoding(Refusal):
    """The body of a request is compressed."""

    problem_type = UNSUPPORTED_ENCODING


class StrictParser(Parser):
    """Hands on the JSON of a body that `refuse_unknown` has read, so that it is read once."""

    def parse_body(self, request: HttpRequest) -> Any:  # noqa: ANN401 - any JSON
        """Return the JSON of a body that is not empty."""
        return request.META[_BODY]


def refuse_unknown(request: HttpRequest, operation: Operation) -> None:
    """Raise an error for what a request says and an operation does not know.

    Raises ValidationError, and what `body_of` raises.
    """
    errors = [*_faults_of_query(request, operation), *_faults_of_headers(request, operation)]
    if request.body:
        # Here, because ninja would answer text that is no JSON without saying where it breaks off.
        body = body_of(request)
        request.META[_BODY] = body
        if not _takes_body(operation):
            errors += _faults_of_body(body)
    if errors:
        raise ValidationError(errors)


def refuse_parameters(request: HttpRequest) -> None:
    """Raise ValidationError for each parameter of a request that takes none, and ``If-Match``."""
    errors = [_unknown_parameter(name, ()) for name in request.GET]
    if IF_MATCH in request.headers:
        errors.append({"type": NOT_TAKEN, "loc": ("header", IF_MATCH)})
    if errors:
        raise ValidationError(errors)


def body_of(request: HttpRequest) -> Any:  # noqa: ANN401 - any JSON
    """Return the JSON of a request, whatever its ``Content-Type``.

    Raises BadJSON, UnsupportedMediaType for a form, and UnsupportedEncoding.
    """
    encoding = request.headers.get("Content-Encoding", IDENTITY).strip().lower()
    if encoding not in {"", IDENTITY}:
        raise UnsupportedEncoding(_("Send the body uncompressed, without Content-Encoding."))
    try:
        return json_of(request.body)
    except BadJSON as error:
        # JSON as well comes with the type of a form, which is curl's for anything.
        if request.content_type not in FORM_TYPES:
            raise
        raise UnsupportedMediaType(_("The body is a form: send JSON.")) from error


def json_of(body: bytes) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of JSON in UTF-8. Raises BadJSON, which says where it is broken."""
    try:
        value = json.loads(
            body.decode("utf-8-sig"),
            object_pairs_hook=_object_of,
            parse_float=_number_of,
            parse_constant=_refuse_constant,
        )
        # Half a character, as in "\\ud800", is text that nothing can store or answer.
        if b"\\u" in body:
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        sentence = _("The body is not JSON: look at line %(line)s, column %(column)s.")
        values = {"line": error.lineno, "column": error.colno}
        raise BadJSON(sentence % values) from error
    except UnicodeError as error:
        raise BadJSON(_("The body is not JSON: it has to be text in UTF-8.")) from error
    except RecursionError as error:
        raise BadJSON(_("The body is nested too deeply.")) from error
    except ValueError as error:  # of Python's own limit
        raise BadJSON(_("The body has a number with too many digits.")) from error
    return value


def _object_of(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON. Raises BadJSON for a name that is there twice."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            sentence = _("“%(name)s” is in the body twice: send it once.")
            shown = name.encode(errors="replace").decode()  # half a character is a “?”
            raise BadJSON(sentence % {"name": shown})
        found[name] = value
    return found


def _number_of(text: str) -> int | float:
    """Return a number that is written with a point or an exponent, as an int if it is whole.

    To JSON Schema 5.0 is the same whole number as 5, and some languages write it so.
    """
    number = float(text)
    if number.is_integer():
        return int(number)
    return number


def _refuse_constant(name: str) -> NoReturn:
    """Raise BadJSON for what Python takes for a number, such as ``NaN``."""
    raise BadJSON(_("The body is not JSON: %(name)s is no number.") % {"name": name})


def _names_in(operation: Operation, source: str) -> tuple[str, ...]:
    """Return the names of what an operation takes of a source: ``query``, or ``header``."""
    names: list[str] = []
    for model in operation.models:
        if model.__ninja_param_source__ == source:
            names += model.__ninja_flatten_map__
    return tuple(names)


def _takes_body(operation: Operation) -> bool:
    return any(model.__ninja_param_source__ == "body" for model in operation.models)


def _faults_of_query(request: HttpRequest, operation: Operation) -> Iterable[dict[str, Any]]:
    """Yield an error for each unknown parameter, and for each one that has several values."""
    known = _names_in(operation, "query")
    several: set[str] = set()  # those that are lists
    for model in operation.models:
        several.update(getattr(model, "__ninja_collection_fields__", ()))
    for name, values in request.GET.lists():
        if name not in known:
            yield _unknown_parameter(name, known)
        elif name not in several and len(values) > 1:
            yield {"type": TWICE, "loc": ("query", name)}


def _unknown_parameter(name: str, allowed: Sequence[str]) -> dict[str, Any]:
    return {"type": UNKNOWN, "loc": ("query", name), "allowed": allowed}


def _faults_of_headers(request: HttpRequest, operation: Operation) -> Iterable[dict[str, Any]]:
    """Yield an error for each header that asks for a version where none is compared."""
    known = [name.lower() for name in _names_in(operation, "header")]
    if "GET" in operation.methods:
        known.append(IF_NONE_MATCH.lower())  # every read is answered 304 by it
    for name in (IF_MATCH, IF_NONE_MATCH):
        if name in request.headers and name.lower() not in known:
            yield {"type": NOT_TAKEN, "loc": ("header", name)}


def _faults_of_body(body: object) -> Iterable[dict[str, Any]]:
    """Yield an error for each part of a body that is not wanted; an empty object says nothing."""
    if isinstance(body, dict):
        for name in body:
            yield {"type": UNKNOWN, "loc": ("body", name), "allowed": ()}
    else:
        yield {"type": UNKNOWN, "loc": ("body",), "allowed": ()}
