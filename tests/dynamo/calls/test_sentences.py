"""Failures of calls as one sentence for the person who runs a command."""

import pytest
from botocore.exceptions import ClientError, NoCredentialsError
from pynamodb.exceptions import GetError

from dynamo.calls.faults import sentence_about

WITHOUT_CREDENTIALS = NoCredentialsError()


class TestASentence:
    @pytest.mark.parametrize("failure", [WITHOUT_CREDENTIALS, GetError(cause=WITHOUT_CREDENTIALS)])
    def test_about_missing_credentials_says_where_else_a_database_may_be(self, failure):
        assert "DYNAMODB_ENDPOINT_URL" in sentence_about(failure)

    def test_is_one_line(self):
        message = "Two validation errors:\n  first;\n  second"
        failure = ClientError(
            {"Error": {"Code": "ValidationException", "Message": message}}, "Query"
        )
        assert "Two validation errors: first; second" in sentence_about(failure)
