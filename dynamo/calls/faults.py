"""Faults: which failures of a call mean "come back later", and what a failure is in one sentence.

botocore and PynamoDB wrap the same failure differently; `fault_in` and `sentence_about` look
through both. Follows "Error handling with DynamoDB" of the Developer Guide.
"""

from collections.abc import Iterator

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's own name
    HTTPClientError,
    NoCredentialsError,
)
from pynamodb.exceptions import PynamoDBException

from dynamo.errors import DynamoError

_THROTTLED = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "LimitExceededException",
    }
)
BUSY = "The database is too busy at the moment."
_UNREACHABLE = frozenset({"InternalServerError", "ServiceUnavailable", "InternalFailure"})
_NO_INDEX = "does not have the specified index"
"""The ValidationException of a Query on an index that does not exist."""

FAILURES = (DynamoError, ClientError, BotoCoreError, PynamoDBException)
"""Everything a call to DynamoDB may raise, by whichever library it is made."""
NO_CREDENTIALS = "There are no AWS credentials, and DYNAMODB_ENDPOINT_URL names no other DynamoDB."


class Unavailable(DynamoError):
    """The database did not answer as it should."""

    retry_after = 5
    """Seconds until it is worth trying again."""


class Throttled(Unavailable):
    """More was asked than the tables' capacity allows at the moment."""

    retry_after = 2


class Unreachable(Unavailable):
    """The database cannot be reached, or took longer than the time limit."""


class NotSetUp(Unavailable):
    """A table or index that the models declare does not exist."""

    retry_after = 30


def fault_in(error: BaseException) -> Unavailable | None:
    """Return the fault that caused ``error``, or None: it is then a mistake in the request."""
    for cause in _causes(error):
        if isinstance(cause, Unavailable):
            return cause
        if isinstance(cause, HTTPClientError | ConnectionError):
            return Unreachable("The database cannot be reached at the moment.")
        if isinstance(cause, ClientError):
            error_of_call = cause.response.get("Error", {})
            return _fault_of(error_of_call.get("Code", ""), error_of_call.get("Message", ""))
    return None


def sentence_about(failure: BaseException) -> str:
    """Return what went wrong as one line, with what to do where that is known."""
    fault = fault_in(failure)
    if fault is not None:
        return str(fault)
    wrapped = failure.cause if isinstance(failure, PynamoDBException) else None
    if isinstance(wrapped or failure, NoCredentialsError):
        return NO_CREDENTIALS
    return " ".join(str(wrapped or failure).split())


def _fault_of(code: str, message: str) -> Unavailable | None:
    if code in _THROTTLED:
        return Throttled(BUSY)
    if code in _UNREACHABLE:
        return Unreachable("The database is out of order at the moment.")
    if code == "ResourceNotFoundException" or _NO_INDEX in message:
        return NotSetUp("The database is not set up yet: “manage.py create_tables” does it.")
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        wrapped = current.cause if isinstance(current, PynamoDBException) else None
        current = wrapped or current.__cause__
