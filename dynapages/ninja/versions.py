"""Versions of what an API answers: ``ETag``, ``304 Not Modified``, and ``If-Match`` of writes.

An answer that has a ``version`` has it in front in its ETag, as ``"3-5b1f…"``: behind it stands a
hash of the content, which also changes by what makes no new version, such as a vote. ``If-Match``
compares the version alone. Follows RFC 9110, section 13.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from http import HTTPStatus
from typing import Annotated, Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Header
from pydantic_core import to_json

from dynapages.django.problems import VERSION_NEEDED
from dynapages.django.refusals import Refusal
from dynapages.ninja.strict import IF_MATCH, IF_NONE_MATCH

HASH_LENGTH = 32
"""Hexadecimal digits of a hash in an ETag: 128 bits."""
ANY_VERSION = "*"
MOST_DIGITS = 16
"""Of a version that is a number."""
NO_NUMBER = -1
"""A version that nothing has: they count from 0."""
NO_VERSION = ""
"""The version of what is to be created."""
VARYING = ("cost",)
"""Fields of a list that may differ though nothing has changed: what it cost to read this time."""
_ENTITY_TAG = re.compile(r'(?:W/)?"([A-Za-z0-9_.]+)(?:-[0-9a-f]+)?"')
"""The version in an ETag. A proxy that compresses makes it weak, which is no other version."""
IfMatch = Annotated[
    str | None,
    Header(
        alias=IF_MATCH,
        description='The ETag that was read, or its version alone, such as "3", in place of the '
        "body's “version”. An asterisk is any version.",
    ),
]
"""A parameter of an operation that writes a version."""
IfNoneMatch = Annotated[
    str | None,
    Header(
        alias=IF_NONE_MATCH,
        description="An asterisk: only if there is nothing yet. It says the same as an empty "
        "“version”.",
    ),
]
"""A parameter of an operation that may also create what it writes."""


class VersionNeeded(Refusal):
    """A write does not say which version it changes: neither a header does, nor its body."""

    problem_type = VERSION_NEEDED

    def __init__(self) -> None:
        super().__init__(_("Say which version you change: send “If-Match” or “version”."))


def entity_tag(data: object) -> str:
    """Return the ETag of an answer's content, with its version in front if it has one.

    That of a list is weak: it does not change with what the reading cost.
    """
    version: Any = None
    is_weak = False
    if isinstance(data, Mapping):
        version = data.get("version")
        is_weak = any(name in data for name in VARYING)
        data = {name: value for name, value in data.items() if name not in VARYING}
    digest = sha256(to_json(data)).hexdigest()[:HASH_LENGTH]
    if version is not None:
        return f'"{version}-{digest}"'
    if is_weak:
        return f'W/"{digest}"'
    return f'"{digest}"'


def version_seen(request: HttpRequest, in_body: str | int | None) -> str | None:
    """Return the version that a write is for, as text: of its ``If-Match``, or its body.

    None is any version (``If-Match: *``), and an empty text is none yet (``If-None-Match: *``).
    Raises VersionNeeded without all of them, and Refusal where they differ or a header has another
    form.
    """
    said: list[str | None] = []
    if IF_MATCH in request.headers:
        said.append(_version_in(request.headers[IF_MATCH]))
    if IF_NONE_MATCH in request.headers:
        if request.headers[IF_NONE_MATCH].strip() != ANY_VERSION:
            raise Refusal(_("“If-None-Match” takes * alone here: only if there is nothing yet."))
        said.append(NO_VERSION)
    if in_body is not None:
        said.append(str(in_body))
    if not said:
        raise VersionNeeded
    if any(version != said[0] for version in said):
        sentence = _("The headers and “version” say different things: send one of them.")
        raise Refusal(sentence)
    return said[0]


def number_seen(request: HttpRequest, in_body: int | None) -> int | None:
    """Return what `version_seen` does, of versions that are numbers.

    `NO_NUMBER` stands for an ETag of anything else, whose version is none of these.
    """
    version = version_seen(request, in_body)
    if version is None:
        return None
    is_number = version.isdecimal() and len(version) <= MOST_DIGITS
    if not is_number:
        return NO_NUMBER
    return int(version)


def conflict_status(request: HttpRequest) -> HTTPStatus:
    """Return the status of a write whose version is not the current one: 412 by a header."""
    if IF_MATCH in request.headers or IF_NONE_MATCH in request.headers:
        return HTTPStatus.PRECONDITION_FAILED
    return HTTPStatus.CONFLICT


def _version_in(header: str) -> str | None:
    """Return the version of an ``If-Match``, None for any. Raises Refusal for another form."""
    if header.strip() == ANY_VERSION:
        return None
    match = _ENTITY_TAG.fullmatch(header.strip())
    if match is None:
        sentence = _("“If-Match” takes one ETag as it was answered, such as %(example)s, or *.")
        raise Refusal(sentence % {"example": '"3"'})
    return match[1]
