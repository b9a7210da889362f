"""Requests are signed, and answers read, as botocore does it."""

import json
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from io import BytesIO
from types import MappingProxyType
from typing import Any

import botocore.session
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest, AWSResponse
from botocore.credentials import Credentials, RefreshableCredentials
from botocore.exceptions import NoCredentialsError
from botocore.parsers import JSONParser
from botocore.serialize import create_serializer
from hypothesis import given
from hypothesis import strategies as st
from urllib3 import HTTPResponse

from dynapages.calls import clock
from dynapages.calls.clock import Clock
from dynapages.calls.transport import Damaged, Http, Signer, body_of, parsed_answer

MODEL = botocore.session.get_session().get_service_model("dynamodb")
BLOBS = st.binary(max_size=4).map(lambda raw: b64encode(raw).decode())
SCALARS = st.one_of(
    st.builds(lambda text: {"S": text}, st.text(max_size=4)),
    st.builds(lambda number: {"N": str(number)}, st.integers()),
    st.builds(lambda flag: {"BOOL": flag}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(lambda raw: {"B": raw}, BLOBS),
    st.builds(lambda raws: {"BS": raws}, st.lists(BLOBS, min_size=1, max_size=3)),
    st.builds(lambda texts: {"SS": texts}, st.lists(st.text(max_size=3), min_size=1, max_size=3)),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(lambda values: {"L": values}, st.lists(inner, max_size=3)),
        st.builds(lambda values: {"M": values}, st.dictionaries(st.text(max_size=3), inner)),
    ),
    max_leaves=8,
)
ITEMS = st.dictionaries(st.text(min_size=1, max_size=3), VALUES, max_size=4)


def answer(body: bytes, status: int = 200) -> AWSResponse:
    raw = HTTPResponse(BytesIO(body), preload_content=False)
    return AWSResponse("http://db", status, {"x-amzn-RequestId": "R1"}, raw)


def both(operation: str, body: Any, status: int = 200) -> list[Any]:
    """What botocore and the library make of an answer."""
    model = MODEL.operation_model(operation)
    content = json.dumps(body).encode()
    response = {"body": content, "headers": {"x-amzn-requestid": "R1"}, "status_code": status}
    theirs = JSONParser().parse(response, model.output_shape)
    if status >= 300 and (shape := MODEL.shape_for_error_code(theirs["Error"]["Code"])):
        theirs |= {k: v for k, v in JSONParser().parse(response, shape).items() if k != "Error"}
    return [theirs, parsed_answer(answer(content, status), model)]


class TestAnAnswer:
    @given(items=st.lists(ITEMS, max_size=3))
    def test_is_read_as_botocore_reads_it(self, items):
        key = items[0] if items else {}
        theirs, ours = both("Query", {"Items": items, "Count": 1, "LastEvaluatedKey": key})
        assert ours == theirs
        theirs, ours = both("BatchGetItem", {"Responses": {"comments": items}})
        assert ours == theirs

    def test_keeps_what_is_not_an_item(self):
        answer = {"ConsumedCapacity": {"TableName": "t", "CapacityUnits": 1.5}, "ScannedCount": 3}
        theirs, ours = both("Query", answer)
        assert ours == theirs

    def test_keeps_attributes_that_are_called_as_types_are(self):
        item = {"B": {"S": "text"}, "BS": {"L": [{"S": "a"}]}, "x": {"M": {"B": {"B": "AA=="}}}}
        theirs, ours = both("GetItem", {"Item": item})
        assert ours == theirs

    def test_has_moments_where_botocore_has_them(self):
        table = {"TableName": "t", "CreationDateTime": 1.5e9, "TableStatus": "ACTIVE"}
        theirs, ours = both("DescribeTable", {"Table": table})
        assert ours == theirs
        assert isinstance(ours["Table"]["CreationDateTime"], datetime)

    @pytest.mark.parametrize(
        "body",
        [
            {"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"},
            {"__type": "com.amazon.coral.validate#ValidationException", "message": "wrong"},
            {"__type": "ThrottlingException:http://internal/", "Message": "too fast"},
            {
                "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
                "message": "The conditional request failed",
                "Item": {"pk": {"B": "AQI="}},
            },
            {
                "__type": "x#TransactionCanceledException",
                "Message": "cancelled",
                "CancellationReasons": [{"Code": "None"}, {"Code": "A", "Item": {"a": {"N": "1"}}}],
            },
        ],
    )
    def test_that_refuses_has_the_parts_that_botocore_gives_it(self, body):
        theirs, ours = both("TransactWriteItems", body, 400)
        assert ours["Error"] == theirs["Error"]
        assert {k: v for k, v in ours.items() if k != "ResponseMetadata"} == {
            k: v for k, v in theirs.items() if k != "ResponseMetadata"
        }

    @pytest.mark.parametrize("body", [b"", b"[]", b"5", b'{"Item": {', b'{"a": "\xe4"}'])
    def test_that_is_no_object_is_damaged(self, body):
        with pytest.raises(Damaged):
            parsed_answer(answer(body), MODEL.operation_model("GetItem"))

    def test_of_a_front_end_has_its_status_as_its_code(self):
        found = parsed_answer(answer(b"<html>\xe4", 503), MODEL.operation_model("GetItem"))
        assert found["Error"] == {"Code": "503", "Message": "<html>\ufffd"}


class TestARequest:
    @given(items=st.lists(ITEMS, min_size=1, max_size=3))
    def test_has_the_body_that_botocore_sends(self, items):
        raw = [decoded(item) for item in items]
        parameters = {"RequestItems": {"t": [{"PutRequest": {"Item": item}} for item in raw]}}
        model = MODEL.operation_model("BatchWriteItem")
        theirs = create_serializer("json").serialize_to_request(parameters, model)
        assert json.loads(body_of(parameters)) == json.loads(theirs["body"])

    def test_may_be_of_any_mapping(self):
        assert body_of({"Key": MappingProxyType({"pk": {"B": b"\1"}})}) == (
            b'{"Key":{"pk":{"B":"AQ=="}}}'
        )

    def test_is_not_made_of_what_has_no_form(self):
        with pytest.raises(TypeError, match="no value that DynamoDB takes"):
            body_of({"Key": {"pk": {"S": object()}}})


def decoded(item: Any) -> Any:
    """Return an item with its bytes, as a caller has it."""
    model = MODEL.operation_model("GetItem").output_shape
    body = json.dumps({"Item": item}).encode()
    return JSONParser().parse({"body": body, "headers": {}, "status_code": 200}, model)["Item"]


KEYS = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
FORM = {"content-type": "application/x-www-form-urlencoded"}


def signed(url: str, body: bytes = b"", *, by: Credentials = KEYS, **headers: str) -> Any:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Signer("us-east-1", by, service="service").sign(Http(url, seconds=1, size=1), body, sent)


class TestASignature:
    @pytest.mark.parametrize(
        ("body", "headers", "signature"),
        [
            (b"", {}, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
            (
                b"Param1=value1",
                FORM,
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
            (
                b"",
                {"my-header1": "value1"},
                "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
            ),
            (
                b"",
                {"my-header1": "VALUE1"},
                "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
            ),
        ],
    )
    def test_is_that_of_the_published_vectors(self, monkeypatch, body, headers, signature):
        """They are those of AWS's "Signature Version 4 test suite" that post to ``/``."""
        moment = datetime(2015, 8, 30, 12, 36, tzinfo=UTC).timestamp()
        monkeypatch.setattr(clock, "process_clock", Clock(local=lambda: moment))
        found = signed("https://example.amazonaws.com", body, **headers)
        assert found["authorization"].endswith(f"Signature={signature}")

    @pytest.mark.parametrize(
        "url",
        [
            "https://dynamodb.eu-central-1.amazonaws.com",
            "https://dynamodb.example:443/",
            "http://127.0.0.1:8000",
            "http://localhost/behind/a/path",
        ],
    )
    @given(body=st.binary(max_size=50), token=st.sampled_from([None, "a/token=="]))
    def test_is_botocores(self, url, body, token):
        keys = Credentials("AKID", "secret", token)
        sent = {"content-type": "application/x-amz-json-1.0", "x-amz-target": "DynamoDB_2.Query"}
        ours = signed(url, body, by=keys, **sent)
        request = AWSRequest("POST", url, {**sent, "X-Amz-Date": ours["x-amz-date"]}, body)
        request.context["timestamp"] = ours["x-amz-date"]
        if token:
            request.headers["X-Amz-Security-Token"] = token
        theirs = SigV4Auth(keys, "service", "us-east-1")
        text = theirs.string_to_sign(request, theirs.canonical_request(request))
        assert ours["authorization"].endswith(f"Signature={theirs.signature(text, request)}")
        assert ours.get("x-amz-security-token") == token

    def test_is_by_credentials_that_are_refreshed(self):
        numbers = iter("12")

        def fresh() -> dict[str, str]:
            key = f"AKID{next(numbers)}"
            until = (datetime.now(UTC) + timedelta(seconds=1)).isoformat()
            return {"access_key": key, "secret_key": "s", "token": "t", "expiry_time": until}

        keys = RefreshableCredentials.create_from_metadata(fresh(), fresh, "tests")
        assert "Credential=AKID2/" in signed("http://db", by=keys)["authorization"]

    def test_is_of_the_moment_by_the_databases_clock(self, monkeypatch):
        known = Clock(local=lambda: 0.0, least=86_400, most=86_401)
        monkeypatch.setattr(clock, "process_clock", known)
        assert signed("http://db")["x-amz-date"] == "19700102T000000Z"

    def test_needs_credentials(self):
        with pytest.raises(NoCredentialsError):
            signed("http://db", by=None)
