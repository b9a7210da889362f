"""Headers of responses in the OpenAPI document of an API: what each says, and where it stands."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

LIST_PARAMETER = "cursor"
"""What every operation that lists takes."""
_HEADERS: Mapping[str, tuple[str, bool]] = {
    "ETag": (
        "Names this content: `If-None-Match` with it is answered 304 while that is the same.",
        True,
    ),
    "Link": ("The links of the list, as in its fields (RFC 8288).", True),
    "Location": ("The address of what was made, in this API.", True),
    "Retry-After": ("After how many seconds to try again.", False),
    "WWW-Authenticate": ("How a key is sent.", True),
    "Idempotent-Replayed": (
        "Is `true` where the request was carried out before, by the same `Idempotency-Key`.",
        False,
    ),
}
"""By name, what a header says, and whether a response that is described with it always has it."""
_WAIT = (HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
"""Statuses that may say when to try again."""
_NEVER_STORED = (
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
"""Statuses of answers that are not given again to the same ``Idempotency-Key``."""


def describe_headers(schema: dict[str, Any], headers_of_keys: Mapping[str, str]) -> None:
    """Add the headers of responses to a document.

    ``headers_of_keys`` are further ones, of every answer to a key, with what each says.
    """
    components = {}
    for name, (description, is_always_there) in _HEADERS.items():
        components[name] = _header(description, is_required=is_always_there)
    for name, description in headers_of_keys.items():
        components[name] = _header(description, is_required=False)
    schema["components"]["headers"] = components
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            is_list = any(each["name"] == LIST_PARAMETER for each in operation["parameters"])
            for status, response in operation["responses"].items():
                names = _names_in(response, HTTPStatus(status), method, is_list=is_list)
                response["headers"] = {
                    name: _reference(name) for name in (*names, *headers_of_keys)
                }


def _header(description: str, *, is_required: bool) -> dict[str, Any]:
    return {"description": description, "required": is_required, "schema": {"type": "string"}}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/headers/{name}"}


def _names_in(
    response: Mapping[str, Any], status: HTTPStatus, method: str, *, is_list: bool
) -> Iterable[str]:
    """Yield the names of the headers of a response."""
    is_answer = status < HTTPStatus.BAD_REQUEST
    has_content = "content" in response
    if status is HTTPStatus.NOT_MODIFIED or (is_answer and has_content):
        yield "ETag"
    if status is HTTPStatus.OK and is_list:
        yield "Link"
    if status is HTTPStatus.CREATED:
        yield "Location"
    if status is HTTPStatus.UNAUTHORIZED:
        yield "WWW-Authenticate"
    if status in _WAIT:
        yield "Retry-After"
    if method != "get" and status not in _NEVER_STORED:
        yield "Idempotent-Replayed"
