import socket

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
from pynamodb.exceptions import GetError, QueryError

from dynamo.calls.client import Connection, build_client
from dynamo.calls.faults import (
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


def answer(code: str, status: int = 400) -> ClientError:
    response = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "Query")


def too_many_actions(most: int) -> ClientError:
    message = f"'transactItems' …: Member must have length less than or equal to {most}"
    error = {"Code": "ValidationException", "Message": message}
    return ClientError({"Error": error}, "TransactWriteItems")


class TestAnAbsentDatabase:
    @pytest.mark.parametrize(
        "error",
        [
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
        ],
    )
    def test_is_unreachable(self, error):
        assert isinstance(fault_in(error), Unreachable)

    def test_is_unreachable_to_a_client_that_calls_it(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and does not listen: nobody else can, either
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
            client = build_client(
                Connection("us-east-1", url, access_key="x", secret_key="x", attempts=1)
            )
            with pytest.raises(EndpointConnectionError) as raised:
                client.list_tables()
        assert isinstance(fault_in(raised.value), Unreachable)


class TestABusyDatabase:
    @pytest.mark.parametrize(
        "code",
        [
            "ProvisionedThroughputExceededException",
            "ThrottlingException",
            "RequestLimitExceeded",
            "Throttling",
            "ThrottledException",
            "TooManyRequests",
            "TooManyRequestsException",
            "ReplicatedWriteConflictException",
        ],
    )
    def test_is_throttled(self, code):
        assert isinstance(fault_in(answer(code)), Throttled)

    def test_is_throttled_by_its_status_alone(self):
        assert isinstance(fault_in(answer("429", 429)), Throttled)

    @pytest.mark.parametrize("fault", [Throttled, Unreachable])
    def test_says_when_to_come_back(self, fault):
        assert fault.retry_after > 0


class TestAServerWithoutAccess:
    @pytest.mark.parametrize(
        "error",
        [
            answer("ExpiredToken"),
            answer("ExpiredTokenException"),
            answer("UnrecognizedClientException"),
            answer("InvalidSignatureException"),
            answer("RequestTimeTooSkewed", 403),
            answer("AccessDeniedException"),
            NoCredentialsError(),
            PartialCredentialsError(provider="env", cred_var="AWS_SECRET_ACCESS_KEY"),
        ],
    )
    def test_is_told_apart(self, error):
        fault = fault_in(error)
        assert isinstance(fault, Unauthorized)
        assert "AWS" not in str(fault)  # which visitors read
        assert fault.detail == sentence_about(error)


class TestAFaultWithinAnotherError:
    def test_is_found_behind_pynamodbs(self):
        error = QueryError("Failed to query items", answer("ThrottlingException"))
        assert isinstance(fault_in(error), Throttled)

    def test_is_found_behind_pynamodbs_by_the_status_of_a_front_end(self):
        without_status = ClientError({"Error": {"Code": "503", "Message": "<html>"}}, "GetItem")
        assert isinstance(fault_in(GetError("Failed to get item", without_status)), Unreachable)

    def test_is_found_behind_an_error_of_ours(self):
        error = LookupError("no such product")
        error.__cause__ = GetError(cause=EndpointConnectionError(endpoint_url=URL))
        assert isinstance(fault_in(error), Unreachable)

    def test_is_itself_when_it_was_named_before(self):
        fault = Unavailable("later")
        assert fault_in(fault) is fault

    def test_is_sought_without_end_in_no_circle(self):
        error = LookupError()
        error.__cause__ = error
        assert fault_in(error) is None


class TestATableOrIndexThatIsNotThere:
    @pytest.mark.parametrize(
        "error",
        [
            answer("ResourceNotFoundException"),
            ClientError(
                {
                    "Error": {
                        "Code": "ValidationException",
                        "Message": "The table does not have the specified index: ranked",
                    }
                },
                "Query",
            ),
        ],
    )
    def test_says_how_to_set_it_up(self, error):
        fault = fault_in(error)
        assert isinstance(fault, NotSetUp)
        assert "create_tables" in str(fault)


class TestAnEngineThatTakesFewActions:
    def test_is_told_apart_from_a_transaction_that_no_engine_takes(self):
        assert isinstance(fault_in(too_many_actions(25)), EngineTooOld)
        assert fault_in(too_many_actions(100)) is None


class TestAMistake:
    @pytest.mark.parametrize(
        "error",
        [
            ValueError("x"),
            answer("ValidationException"),
            answer("ConditionalCheckFailedException"),
            ClientError({}, "Query"),
            QueryError("no cause at all"),
        ],
    )
    def test_is_no_fault(self, error):
        assert fault_in(error) is None
