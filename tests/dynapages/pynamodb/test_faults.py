"""What PynamoDB's errors say of the database."""

import pytest
from botocore.exceptions import ClientError, NoCredentialsError
from pynamodb.exceptions import GetError, QueryError

from dynapages.calls import Throttled, Unreachable, fault_in, sentence_about


def answer(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code}}, "Query")


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (GetError("Failed to get item", answer("503")), Unreachable),
        (QueryError("Failed to query items", answer("ThrottlingException")), Throttled),
        (QueryError("no cause at all"), type(None)),
    ],
)
def test_a_fault_is_found_within_the_error(error, fault):
    assert isinstance(fault_in(error), fault)


def test_a_sentence_about_missing_credentials_says_where_else_a_database_may_be():
    assert "a DynamoDB at an endpoint URL of your own takes any" in sentence_about(
        GetError(cause=NoCredentialsError())
    )
