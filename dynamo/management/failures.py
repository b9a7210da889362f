"""Failures of commands, as one line each."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError
from django.core.management.base import CommandError
from pynamodb.exceptions import PynamoDBException

from dynamo.errors import DynamoError
from dynamo.faults import fault_in


@contextmanager
def failures_in_one_line() -> Iterator[None]:
    """Turn what DynamoDB and this project's own errors say into a CommandError."""
    try:
        yield
    except (DynamoError, ClientError, BotoCoreError, PynamoDBException) as error:
        fault = fault_in(error)
        said = f"{fault} ({error})" if fault and fault is not error else str(error)
        raise CommandError(" ".join(said.split())) from error
