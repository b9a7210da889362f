"""Faults: which failures of a call mean "come back later", and for how long.

A page must tell a throttled or absent database from a mistake of its own. botocore and PynamoDB
wrap the same failure differently; `fault_in` looks through both.
"""

from collections.abc import Iterator

from botocore.exceptions import (
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's own name
    HTTPClientError,
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
BUSY = "The database is busier than it can bear at the moment."
_UNREACHABLE = frozenset({"InternalServerError", "ServiceUnavailable", "InternalFailure"})


_NO_INDEX = "does not have the specified index"
"""What DynamoDB says, as a ValidationException, of a Query on an index that is not there."""


class Unavailable(DynamoError):
    """The database did not answer as it should; ``retry_after`` says when to ask again."""

    retry_after = 5
    """Seconds."""


class Throttled(Unavailable):
    """More was asked than the tables' capacity allows at the moment."""

    retry_after = 2


class Unreachable(Unavailable):
    """The database is away, or took longer than the time limit."""


class NotSetUp(Unavailable):
    """A table or index that the models declare is not there."""

    retry_after = 30


def fault_in(error: BaseException) -> Unavailable | None:
    """Find the fault a failed call comes down to; None when it is another kind of mistake."""
    for cause in _causes(error):
        if isinstance(cause, Unavailable):
            return cause
        if isinstance(cause, HTTPClientError | ConnectionError):
            return Unreachable("The database cannot be reached at the moment.")
        if isinstance(cause, ClientError):
            error_of_call = cause.response.get("Error", {})
            return _fault_of(error_of_call.get("Code", ""), error_of_call.get("Message", ""))
    return None


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
