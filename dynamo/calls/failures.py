"""Failures of calls, told to whoever runs a command: one sentence, never a traceback."""

from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError
from pynamodb.exceptions import PynamoDBException

from dynamo.calls.faults import fault_in
from dynamo.errors import DynamoError

FAILURES = (DynamoError, ClientError, BotoCoreError, PynamoDBException)
"""All that a call to DynamoDB may raise, whichever library made it."""
NO_CREDENTIALS = "There are no AWS credentials, and DYNAMODB_ENDPOINT_URL names no other DynamoDB."


def sentence_about(failure: BaseException) -> str:
    """Say what went wrong, and what to do where that is known."""
    fault = fault_in(failure)
    if fault is not None:
        return str(fault)
    cause = _botocore_cause(failure)
    if isinstance(cause, NoCredentialsError):
        return NO_CREDENTIALS
    return " ".join(str(cause).split())


def _botocore_cause(failure: BaseException) -> BaseException:
    wrapped = failure.cause if isinstance(failure, PynamoDBException) else None
    return wrapped or failure
