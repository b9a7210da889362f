"""The OpenAPI document of an API: what ninja writes, completed; made once, with an ETag."""

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

from dynapages.django.access import SHARED_SECONDS
from dynapages.django.problems import PROBLEM_MEDIA_TYPE, ProblemType
from dynapages.ninja.keys import IDEMPOTENCY_KEY, LONGEST_KEY, KeyAuth, NoKey
from dynapages.ninja.parameters import simplify_parameters
from dynapages.ninja.response_headers import describe_headers
from dynapages.ninja.strict import IF_MATCH
from dynapages.ninja.versions import entity_tag

COMPONENT = "#/components/schemas/"
ANSWERED_PROBLEMS = (400, 401, 403, 404, 409, 422, 429, 500, 503)
"""The statuses of problems that any operation may be answered with."""
REFUSED_BODIES = (
    HTTPStatus.LENGTH_REQUIRED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
)
"""The further ones of any write."""
KEY_DESCRIPTION = (
    "A key of this API, in the header `Authorization`. The scope that an operation needs stands "
    "beside it: a key of the scope `write` may also read, one of `staff` may do all."
)
_IDEMPOTENCY = {
    "in": "header",
    "name": IDEMPOTENCY_KEY,
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY},
    "description": "Any text that names this request: sent again with it, it is done once.",
}


class FaultOfValue(BaseModel):
    """What is wrong with the value at a place: ``code`` is stable, ``detail`` a sentence.

    Codes are ``missing``, ``unknown``, ``given-twice``, ``not-taken``, ``wrong-type``,
    ``not-allowed``, ``too-long``, ``too-short``, ``too-large``, ``too-small``, and ``invalid`` for
    all else.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(use_attribute_docstrings=True)
    at: str = Field(examples=["body.rating"])
    """Where in the request."""
    code: str
    """What is wrong, for programs."""
    detail: str
    """What is allowed, for people."""


class ProblemBody(BaseModel):
    """An error (RFC 9457): ``code`` is stable, ``detail`` a sentence that says what is allowed.

    An operation whose problems have more members declares a subclass as the response of their
    status; `dynapages.django.problems.problem` builds the answer.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(use_attribute_docstrings=True)
    type: str
    """The address that says what the code means."""
    title: str
    """The status in words."""
    status: int
    """That of the response."""
    code: str
    detail: str
    """What went wrong and what is allowed, for people, in their language."""
    errors: list[FaultOfValue] = Field(default_factory=list)
    """With “invalid”: what does not fit."""


class Document:
    """The bytes of a document, and the answer that has them."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._content = to_json(schema)
        self._tag = entity_tag(schema)

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Answer the document, or 304 to who has it."""
        response = HttpResponse(self._content, content_type="application/json; charset=utf-8")
        response["ETag"] = self._tag
        patch_cache_control(response, public=True, max_age=0, s_maxage=SHARED_SECONDS)
        conditional = get_conditional_response(request, etag=self._tag, response=response)
        return conditional or response


class ScopedSchema(OpenAPISchema):
    """What ninja writes of an API, with the scopes that operations need."""

    def operation_security(self, operation: Operation) -> list[dict[str, Any]] | None:
        """Return the keys that an operation may be called with, by the names of their schemes."""
        requirements: list[dict[str, Any]] | None = super().operation_security(operation)
        for auth in operation.auth_callbacks:
            if isinstance(auth, KeyAuth):
                self.securitySchemes[KeyAuth.__name__]["description"] = KEY_DESCRIPTION
                for requirement in requirements or ():
                    if KeyAuth.__name__ in requirement:
                        requirement[KeyAuth.__name__] = [auth.scope.value]
        return requirements


def complete(
    schema: dict[str, Any],
    problem_types: Iterable[ProblemType],
    headers_of_keys: Mapping[str, str],
) -> None:
    """Add the problems of each operation to a document, and leave out what nothing refers to.

    ``headers_of_keys`` are headers of every answer to a key, with what each says.
    """
    components = schema["components"]
    components.get("securitySchemes", {}).pop(NoKey.__name__, None)
    body = ProblemBody.model_json_schema(ref_template=COMPONENT + "{model}")
    components["schemas"] |= body.pop("$defs")
    body["title"] = "Problem"
    body["description"] = (ProblemBody.__doc__ or "").partition("\n")[0]
    components["schemas"]["Problem"] = body
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            simplify_parameters(operation, components["schemas"])
            _describe_operation(operation, is_read=method == "get")
    describe_headers(schema, headers_of_keys)
    _leave_out_unused(schema)
    for name in _problems_in(schema["paths"]):
        # Codes may be added: a client that was made before must not break at one of these.
        components["schemas"][name]["properties"]["code"] = {
            "description": "What went wrong, for programs; it never changes.",
            "anyOf": [{"$ref": f"{COMPONENT}ProblemCode"}, {"type": "string"}],
        }
    components["schemas"]["ProblemCode"] = {
        "title": "ProblemCode",
        "description": "What went wrong, for programs; there may be more codes in future.",
        "type": "string",
        "enum": sorted({kind.code for kind in problem_types}),
    }


def _describe_operation(operation: dict[str, Any], *, is_read: bool) -> None:
    """Complete an operation: its keys, and the problems it may be answered with."""
    # Pages of documents show it as it is, marks of code included.
    summary = operation.pop("description", "") or operation["summary"]
    operation["summary"] = summary.replace("``", "")
    # In OpenAPI, that a key may be left out is an empty requirement.
    security: list[dict[str, Any]] = []
    for requirement in operation.get("security", ()):
        if NoKey.__name__ in requirement:
            security.append({})
        else:
            security.append(requirement)
    operation["security"] = security
    for requirement in security:
        for scope in requirement.get(KeyAuth.__name__, ()):
            operation["description"] = _sentence_of_keys(scope, is_optional={} in security)
    statuses = [HTTPStatus(number) for number in ANSWERED_PROBLEMS]
    responses = operation["responses"]
    if is_read:
        statuses.remove(HTTPStatus.CONFLICT)
        # It has no body: who sends If-None-Match has that already.
        responses[HTTPStatus.NOT_MODIFIED.value] = {
            "description": HTTPStatus.NOT_MODIFIED.phrase,
        }
    else:
        operation["parameters"].append(_IDEMPOTENCY)
        statuses += REFUSED_BODIES
    if any(parameter["name"] == IF_MATCH for parameter in operation["parameters"]):
        statuses.append(HTTPStatus.PRECONDITION_FAILED)
        # A deletion is of any version, unless a header names one.
        if "requestBody" in operation:
            statuses.append(HTTPStatus.PRECONDITION_REQUIRED)
    for status in statuses:
        response = responses.setdefault(status.value, {"description": status.phrase})
        # An operation may have declared a problem with more members.
        content = response.pop("content", {}).get("application/json")
        if content is None:
            content = {"schema": {"$ref": f"{COMPONENT}Problem"}}
        response["content"] = {PROBLEM_MEDIA_TYPE: content}
    operation["responses"] = dict(sorted(responses.items()))


def _sentence_of_keys(scope: str, *, is_optional: bool) -> str:
    if is_optional:
        return f"Needs no key. With one, of the scope `{scope}`, it answers what its user may see."
    return f"Needs a key of the scope `{scope}`."


def _leave_out_unused(schema: dict[str, Any]) -> None:
    """Leave out each component that no operation refers to, by whatever way."""
    schemas = schema["components"]["schemas"]
    used: set[str] = set()
    found = _names_in(schema["paths"])
    while found - used:
        used |= found
        for name in list(found):
            found |= _names_in(schemas[name])
    schema["components"]["schemas"] = {
        name: component for name, component in schemas.items() if name in used
    }


def _problems_in(paths: Mapping[str, Any]) -> set[str]:
    """Return the names of the components that problems have."""
    names: set[str] = set()
    for operations in paths.values():
        for operation in operations.values():
            for response in operation["responses"].values():
                content = response.get("content", {}).get(PROBLEM_MEDIA_TYPE)
                # Not those within them, which are no problems themselves.
                if content is not None:
                    names.add(content["schema"]["$ref"].removeprefix(COMPONENT))
    return names


def _names_in(part: object) -> set[str]:
    """Return the names of the components that a part of a document refers to."""
    text = to_json(part).decode()
    return set(re.findall(rf'"{re.escape(COMPONENT)}([^"]+)"', text))
