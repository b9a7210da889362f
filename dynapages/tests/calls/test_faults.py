import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ReadTimeoutError,
)

from dynapages.calls.faults import (
    EngineTooOld,
    NotSetUp,
    Throttled,
    Unauthorized,
    Unavailable,
    Unreachable,
    fault_in,
    sentence_about,
)

URL = "http://127.0.0.1:9"


class Wrapping(Exception):
    """An error as PynamoDB raises it: with another one as its attribute ``cause``."""

    def __init__(self, cause: Exception | None = None) -> None:
        super().__init__("Failed to query items")
        self.cause = cause


NO_INDEX = "The table does not have the specified index: ranked"
TOO_MANY = "'transactItems' …: Member must have length less than or equal to {}"


def answer(code: str, status: int = 400) -> ClientError:
    response = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "Query")


def refused(message: str) -> ClientError:
    return ClientError({"Error": {"Code": "ValidationException", "Message": message}}, "Query")


FAULTS: dict[type[Unavailable], list[Exception]] = {
    Unreachable: [
        EndpointConnectionError(endpoint_url=URL),
        ConnectTimeoutError(endpoint_url=URL),
        ReadTimeoutError(endpoint_url=URL),
        ConnectionClosedError(endpoint_url=URL),
        HTTPClientError(error="reset"),
        answer("InternalServerError", 500),
        answer("ServiceUnavailable", 503),
        answer("InternalServerErrorException", 500),
        answer("503", 503),
        answer("RequestTimeout"),
        Wrapping(ClientError({"Error": {"Code": "503"}}, "GetItem")),
    ],
    Throttled: [
        answer("ProvisionedThroughputExceededException"),
        answer("ThrottlingException"),
        answer("RequestLimitExceeded"),
        answer("Throttling"),
        answer("ThrottledException"),
        answer("TooManyRequests"),
        answer("TooManyRequestsException"),
        answer("ReplicatedWriteConflictException"),
        answer("429", 429),
        Wrapping(answer("ThrottlingException")),
    ],
    Unauthorized: [
        answer("ExpiredToken"),
        answer("ExpiredTokenException"),
        answer("UnrecognizedClientException"),
        answer("InvalidSignatureException"),
        answer("RequestTimeTooSkewed", 403),
        answer("AccessDeniedException"),
        NoCredentialsError(),
        PartialCredentialsError(provider="env", cred_var="AWS_SECRET_ACCESS_KEY"),
    ],
    NotSetUp: [answer("ResourceNotFoundException"), refused(NO_INDEX)],
    EngineTooOld: [refused(TOO_MANY.format(25))],
    type(None): [
        refused(TOO_MANY.format(100)),
        ValueError("x"),
        answer("ValidationException"),
        answer("ConditionalCheckFailedException"),
        ClientError({}, "Query"),
        Wrapping(),
    ],
}
"""What an error says of the database; of a mistake it says nothing."""


class TestAFault:
    @pytest.mark.parametrize(
        ("fault", "error"), [(fault, error) for fault, errors in FAULTS.items() for error in errors]
    )
    def test_is_what_the_error_says_of_the_database(self, fault, error):
        assert type(fault_in(error)) is fault

    @pytest.mark.parametrize("error", FAULTS[Unauthorized])
    def test_of_access_tells_the_operator_alone_what_is_missing(self, error):
        fault = fault_in(error)
        assert "AWS" not in str(fault)
        assert fault.detail == sentence_about(error)

    def test_is_found_behind_an_error_of_ours(self):
        error = LookupError("no such product")
        error.__cause__ = Wrapping(EndpointConnectionError(endpoint_url=URL))
        assert isinstance(fault_in(error), Unreachable)

    def test_is_sought_without_end_in_no_circle(self):
        error = LookupError()
        error.__cause__ = error
        assert fault_in(error) is None


class TestASentence:
    @pytest.mark.parametrize("failure", [NoCredentialsError(), Wrapping(NoCredentialsError())])
    def test_about_missing_credentials_says_where_else_a_database_may_be(self, failure):
        assert "a DynamoDB at an endpoint URL of your own takes any" in sentence_about(failure)
