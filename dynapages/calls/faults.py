"""Faults: which failures of a call mean "come back later", and what a failure is in one sentence.

botocore and PynamoDB wrap the same failure differently; `fault_in` and `sentence_about` look
through both. Follows "Error handling with DynamoDB" of the Developer Guide.
"""

import re
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's own name
    CredentialRetrievalError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
)
from botocore.retries.standard import ThrottledRetryableChecker

from dynapages.calls.pool import OutOfTime
from dynapages.errors import DynamoError, gettext_noop

FAILURES: tuple[type[Exception], ...] = (DynamoError, ClientError, BotoCoreError)
"""Everything a call to DynamoDB may raise, also by `dynapages.pynamodb.models.DynamoModel`."""

# Sentences about faults
BUSY = gettext_noop("The database is too busy at the moment.")
UNREACHABLE = gettext_noop("The database cannot be reached at the moment.")
NO_CREDENTIALS = (
    "There are no AWS credentials; a DynamoDB at an endpoint URL of your own takes any."
)
_NO_DYNAMODB = gettext_noop("What answers at the database's address is not DynamoDB.")
_OUT_OF_ORDER = gettext_noop("The database is out of order at the moment.")
_NOT_SET_UP = gettext_noop("The database is not set up yet: a table or an index is missing.")

SECONDS_IN_A_MINUTE = 60
MOST_NAMED = 3
"""Names in a line; of others it says how many there are."""

# Errors by their codes, their messages, and their classes
_throttled: Any = ThrottledRetryableChecker()
_THROTTLED_CODES = frozenset(
    {
        *_throttled._throttled_error_codes,  # noqa: SLF001 - botocore's own list
        "TooManyRequests",
        "ReplicatedWriteConflictException",
    }
)
CANCELLED_AS_THROTTLED = frozenset(
    {"ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"}
)
"""Reasons for which DynamoDB cancels a transaction."""
_UNREACHABLE_CODES = frozenset(
    {
        "InternalFailure",
        "InternalServerError",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServiceUnavailable",
    }
)
_UNAUTHORIZED_CODES = frozenset(
    {
        "AccessDeniedException",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "IncompleteSignatureException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "RequestExpired",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""What an AWS service answers to wrong or expired credentials, or where a clock is wrong."""
_NO_INDEX = "does not have the specified index"
"""The ValidationException of a Query on an index that does not exist."""
_TOO_FEW_ACTIONS = re.compile(r"transactItems\b.*less than or equal to \d{1,2}\b", re.DOTALL)
"""The ValidationException of an engine from before transactions had up to 100 actions."""
_NO_CREDENTIALS_ERRORS = (PartialCredentialsError, CredentialRetrievalError)


# Faults


class Unavailable(DynamoError):
    """The database did not answer as it should."""

    retry_after = 5
    """Seconds until it is worth trying again."""
    detail = ""
    """What operators read in place of the text; empty where that is all."""


class Throttled(Unavailable):
    """More was asked than the tables' capacity allows at the moment."""

    retry_after = 2


class Unreachable(Unavailable):
    """The database cannot be reached, or took longer than the time limit."""

    def __init__(self, text: str = UNREACHABLE) -> None:
        super().__init__(text)


class Unauthorized(Unavailable):
    """The server's credentials are missing, wrong or expired, or its clock is wrong.

    ``detail`` is what the service says, which is for operators alone.
    """

    retry_after = 30

    def __init__(self, detail: str) -> None:
        super().__init__(gettext_noop("There is no access to the database at the moment."))
        self.detail = detail


class NotSetUp(Unavailable):
    """A table or index that the models declare does not exist."""

    retry_after = 30


class EngineTooOld(Unavailable):
    """An engine takes fewer actions in a transaction than Amazon DynamoDB does."""

    retry_after = 30

    def __init__(self) -> None:
        super().__init__(
            "The database takes fewer than 100 actions in a transaction; "
            "DynamoDB Local takes 100 from version 1.21.0 on."
        )


def patience_ended(fault: Unavailable | None, seconds: float) -> Unavailable:
    """Return the fault of a batch job that has met this one for as long as it waits."""
    how_long = f"{seconds:.0f} seconds"
    if seconds >= 2 * SECONDS_IN_A_MINUTE:
        how_long = f"{seconds / SECONDS_IN_A_MINUTE:.0f} minutes"
    if isinstance(fault, Throttled):
        return Throttled(f"The database was too busy for {how_long}.")
    return Unreachable(f"The database gave no answer for {how_long}.")


# Finding the fault in an error


def fault_in(error: BaseException) -> Unavailable | None:
    """Return the fault that caused ``error``, or None: it is then a mistake in the request."""
    for cause in _causes(error):
        if isinstance(cause, Unavailable):
            return cause
        if isinstance(cause, HTTPClientError | ConnectionError | OutOfTime):
            return Unreachable()
        if isinstance(cause, NoCredentialsError):
            return Unauthorized(NO_CREDENTIALS)
        if isinstance(cause, _NO_CREDENTIALS_ERRORS):
            return Unauthorized(_in_one_line(cause))
        if isinstance(cause, ClientError):
            fault = _fault_of(cause)
            if fault is not None:
                return fault
    return None


def sentence_about(failure: BaseException) -> str:
    """Return what went wrong as one line, with what to do where that is known."""
    fault = fault_in(failure)
    if fault is not None:
        return fault.detail or str(fault)
    return _in_one_line(_wrapped_in(failure) or failure)


def _fault_of(error: ClientError) -> Unavailable | None:
    """Return the fault that DynamoDB's answer means, by its code, status or message; or None."""
    details = error.response.get("Error", {})
    code = details.get("Code", "")
    message = details.get("Message", "")
    # A front end's answer has its status as code; PynamoDB's errors have no other.
    status_in_code = int(code) if code.isdigit() else 0
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", status_in_code)
    if code in _THROTTLED_CODES or status == HTTPStatus.TOO_MANY_REQUESTS:
        return Throttled(BUSY)
    if code in _UNREACHABLE_CODES or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Unreachable(_OUT_OF_ORDER)
    if code in _UNAUTHORIZED_CODES:
        return Unauthorized(f"DynamoDB refuses this server: {code}. {message}".strip())
    if code == "ResourceNotFoundException" or _NO_INDEX in message:
        return NotSetUp(_NOT_SET_UP)
    if _TOO_FEW_ACTIONS.search(message):
        return EngineTooOld()
    is_a_web_page = message.lstrip().startswith("<")
    return Unreachable(_NO_DYNAMODB) if is_a_web_page else None


def _in_one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, and what caused it, one after another; a circle of causes ends."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = _wrapped_in(current) or current.__cause__


def _wrapped_in(error: BaseException) -> BaseException | None:
    """Return the error that one of PynamoDB's has as its attribute ``cause``."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else None


def few_of(names: Sequence[str]) -> str:
    """Format names for a line that a person reads: the first three, and how many others."""
    named = ", ".join(names[:MOST_NAMED])
    others = len(names) - MOST_NAMED
    if others <= 0:
        return named
    return f"{named} and {others} more"
