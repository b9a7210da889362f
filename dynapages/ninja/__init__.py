"""For django-ninja: lists with cursors, keys of callers, strict requests, errors as problems.

An operation that lists is one of `lists`. `KeyAuth` asks the project who sends a key: the setting
``API_AUTHENTICATOR`` is the dotted path of a function with the arguments of
`dynapages.ninja.keys.Authenticate`. `ProblemAPI` refuses what an operation does not know, and
answers each error with a problem (RFC 9457), never with HTML; so do the middleware and handlers of
`dynapages.django` for all addresses that begin with ``API_PATH``.
"""

from dynapages.django.callers import OPERATION
from dynapages.django.problems import ProblemType, problem
from dynapages.ninja.addresses import ApiAddress, api_address
from dynapages.ninja.api import ProblemAPI, no_such_address
from dynapages.ninja.conflicts import Conflict, conflict
from dynapages.ninja.document import ProblemBody
from dynapages.ninja.keys import (
    IDEMPOTENCY_KEY,
    KEY_OR_NOBODY,
    LONGEST_KEY,
    KeyAuth,
    caller_of,
    token_of,
    visitor_of,
)
from dynapages.ninja.lists import Listing, ListOf, PageOf, lists
from dynapages.ninja.shapes import (
    Address,
    IdText,
    Moment,
    PartialBody,
    PlainText,
    QueryParameters,
    RequestBody,
    ResponseBody,
    StrictFlag,
    StrictNumber,
    TextForm,
)
from dynapages.ninja.versions import (
    IfMatch,
    IfNoneMatch,
    VersionNeeded,
    conflict_status,
    number_seen,
    version_seen,
)

__all__ = [
    "IDEMPOTENCY_KEY",
    "KEY_OR_NOBODY",
    "LONGEST_KEY",
    "OPERATION",
    "Address",
    "ApiAddress",
    "Conflict",
    "IdText",
    "IfMatch",
    "IfNoneMatch",
    "KeyAuth",
    "ListOf",
    "Listing",
    "Moment",
    "PageOf",
    "PartialBody",
    "PlainText",
    "ProblemAPI",
    "ProblemBody",
    "ProblemType",
    "QueryParameters",
    "RequestBody",
    "ResponseBody",
    "StrictFlag",
    "StrictNumber",
    "TextForm",
    "VersionNeeded",
    "api_address",
    "caller_of",
    "conflict",
    "conflict_status",
    "lists",
    "no_such_address",
    "number_seen",
    "problem",
    "token_of",
    "version_seen",
    "visitor_of",
]
