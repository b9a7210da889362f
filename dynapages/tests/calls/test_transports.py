"""The two ways to send a call: they answer the same, and reach the database over the same HTTP."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from dynapages.calls.client import build_client
from dynapages.calls.faults import Unauthorized, Unreachable, fault_in
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages_testing.chance import unique

TABLE = unique("dynapages-test")
KEY = {"pk": {"S": "A"}, "sk": {"S": "1"}}
ITEM = KEY | {
    "bytes": {"B": b"\0\xff"},
    "some": {"BS": [b"a", b"b"]},
    "deep": {"M": {"list": {"L": [{"N": "1.5"}, {"B": b"x"}, {"NULL": True}]}}},
    "B": {"S": "a name like a type's"},
}
_TABLE, _ITEM = {"TableName": TABLE}, {"TableName": TABLE, "Key": KEY}
_IS_NEW = {"ConditionExpression": "attribute_not_exists(pk)"}
_OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("PutItem", {**_TABLE, "Item": ITEM, "ReturnValues": "ALL_OLD"}),
    ("GetItem", {**_ITEM, "ConsistentRead": True}),
    ("GetItem", {"TableName": TABLE, "Key": {"pk": {"S": "B"}, "sk": {"S": "1"}}}),
    ("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [KEY]}}}),
    ("BatchWriteItem", {"RequestItems": {TABLE: [{"PutRequest": {"Item": ITEM}}]}}),
    (
        "Query",
        {
            **_TABLE,
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": KEY["pk"]},
            "Limit": 1,
        },
    ),
    ("Scan", {**_TABLE, "Limit": 1}),
    (
        "UpdateItem",
        {
            **_ITEM,
            "UpdateExpression": "SET bytes = :b",
            "ExpressionAttributeValues": {":b": {"B": b"\1"}},
            "ReturnValues": "ALL_NEW",
        },
    ),
    ("PutItem", {**_TABLE, "Item": ITEM, **_IS_NEW, **_OLD}),
    (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {**_TABLE, "Item": KEY | {"sk": {"S": "2"}}}},
                {"Put": {**_TABLE, "Item": ITEM, **_IS_NEW, **_OLD}},
            ]
        },
    ),
    ("TransactGetItems", {"TransactItems": [{"Get": _ITEM}]}),
    ("Query", {**_TABLE, "KeyConditionExpression": "nonsense"}),
    ("GetItem", {"TableName": "dynapages-test-nothing", "Key": KEY}),
    ("DescribeTable", _TABLE),
    ("DescribeTimeToLive", _TABLE),
    ("DeleteItem", {**_ITEM, "ReturnValues": "ALL_OLD"}),
]
_OF_ONE_ANSWER = ("RequestId", "HTTPHeaders", "MaxAttemptsReached")


@pytest.fixture(scope="module", autouse=True)
def table(new_table):
    return new_table(TABLE)


@pytest.fixture(scope="module", params=[True, False], ids=["direct", "by botocore"])
def transport(request, connection):
    """A connection by either transport."""
    return replace(connection, library_transport=request.param)


def told(client: Any, operation: str, parameters: dict[str, Any]) -> tuple[str, Any]:
    """What a call answers, without what differs each time."""
    try:
        found, kind = client._make_api_call(operation, dict(parameters)), ""
    except ClientError as error:
        found, kind = error.response, type(error).__name__
    metadata = {k: v for k, v in found["ResponseMetadata"].items() if k not in _OF_ONE_ANSWER}
    return kind, {**found, "ResponseMetadata": metadata}


class TestBothTransports:
    def test_answer_the_same(self, connection):
        answers = [
            [told(client, *call) for call in CALLS]
            for client in (
                build_client(replace(connection, library_transport=by_library))
                for by_library in (True, False)
            )
        ]
        for call, ours, theirs in zip(CALLS, *answers, strict=True):
            assert ours == theirs, call

    def test_repeat_a_write_that_was_carried_out_without_doing_it_twice(self, transport, fresh):
        lost = Rule("reset after", operation="TransactWriteItems", times=1)
        with FaultProxy(transport.endpoint_url, rules=[lost]) as proxy:
            client = build_client(replace(transport, endpoint_url=proxy.endpoint_url))
            key = {"pk": {"S": fresh("count")}, "sk": {"S": "1"}}
            add = {
                "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            }
            client.transact_write_items(
                TransactItems=[{"Update": {"TableName": TABLE, "Key": key, **add}}]
            )
            assert lost.fired == 1
        found = build_client(transport).get_item(TableName=TABLE, Key=key, ConsistentRead=True)
        assert found["Item"]["n"] == {"N": "1"}

    def test_may_be_paginated_and_waited_for(self, transport):
        client = build_client(transport)
        client.get_waiter("table_exists").wait(TableName=TABLE)
        for number in range(3):
            client.put_item(TableName=TABLE, Item=KEY | {"sk": {"S": f"page {number}"}})
        pages = client.get_paginator("scan").paginate(TableName=TABLE, Limit=2)
        assert sum(page["Count"] for page in pages) >= 3

    def test_raise_the_exceptions_of_their_client(self, transport):
        client = build_client(transport)
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            client.describe_table(TableName="dynapages-test-nothing")

    def test_can_be_stubbed(self, transport):
        client = build_client(transport)
        with Stubber(client) as stub:
            stub.add_response("get_item", {"Item": KEY}, {"TableName": TABLE, "Key": KEY})
            stub.add_client_error("get_item", "ThrottlingException")
            assert client.get_item(TableName=TABLE, Key=KEY)["Item"] == KEY
            with pytest.raises(ClientError, match="ThrottlingException"):
                client.get_item(TableName=TABLE, Key=KEY)

    def test_may_be_answered_by_a_handler_of_its_sending(self, transport):
        """This is how moto works within a process."""
        client = build_client(transport)

        class Body:
            def stream(self, **_: object) -> Iterator[bytes]:
                yield b'{"TableNames":["of a handler"]}'

        def answer(request: Any, **_: object) -> AWSResponse:
            assert ".ListTables" in str(request.headers["x-amz-target"])
            return AWSResponse(request.url, 200, {}, Body())

        client.meta.events.register("before-send.dynamodb.*", answer)
        assert client.list_tables()["TableNames"] == ["of a handler"]


@pytest.fixture
def direct(connection):
    """A connection by the library's transport."""
    return replace(connection, library_transport=True)


class TestADirectCall:
    def test_needs_credentials(self, direct, monkeypatch, tmp_path):
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("HOME", str(tmp_path))
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
            monkeypatch.delenv(name, raising=False)
        client = build_client(replace(direct, access_key=None, secret_key=None))
        with pytest.raises(Exception) as raised:  # noqa: PT011 - its fault is looked at
            client.list_tables()
        assert isinstance(fault_in(raised.value), Unauthorized)

    @pytest.mark.parametrize(
        ("environment", "url"),
        [
            ({}, "https://dynamodb.eu-west-1.amazonaws.com"),
            ({"AWS_USE_FIPS_ENDPOINT": "true"}, "https://dynamodb-fips.eu-west-1.amazonaws.com"),
            ({"AWS_USE_DUALSTACK_ENDPOINT": "true"}, "https://dynamodb.eu-west-1.api.aws"),
            ({"AWS_ENDPOINT_URL_DYNAMODB": "http://other:1"}, "http://other:1"),
        ],
    )
    def test_goes_to_the_endpoint_that_the_environment_asks_for(
        self, direct, monkeypatch, environment, url
    ):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        client: Any = build_client(replace(direct, endpoint_url=None, region="eu-west-1"))
        assert client.http.url == url


class _Engine(BaseHTTPRequestHandler):
    """Answers as an engine without tables.

    ``asked`` are the addresses that were asked for, ``framing`` how answers end, and
    ``connections`` those that were made.
    """

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str | None]]
    framing = "length"
    connections: list[Any]

    def setup(self) -> None:
        super().setup()
        self.connections.append(self.connection)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append((self.path, self.headers["Proxy-Authorization"]))
        content = b'{"TableNames":[]}'
        self.send_response(200)
        if self.framing == "chunks":
            self.send_header("Transfer-Encoding", "chunked")
            content = b"%x\r\n%b\r\n0\r\n\r\n" % (len(content), content)
        elif self.framing == "end":
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(content)))
        if self.framing == "close":
            self.send_header("Connection", "close")
            # It leaves that to the client, which must not wait for it.
            self.close_connection = False
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def serving_engine(context: ssl.SSLContext | None = None) -> Iterator[tuple[int, Any]]:
    """Run an `_Engine`, over TLS with a context; yields its port and its class."""
    engine: Any = type("Engine", (_Engine,), {"asked": [], "connections": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), engine)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with serving(server) as port:
        yield port, engine


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[int]:
    """Run a server; yields its port."""
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with a certificate for localhost that nobody signed, and its key."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - if it is there
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - the same

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = tmp_path_factory.mktemp("certificate") / "localhost.pem"
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture(scope="module")
def served(certificate):
    """The port of a server that has the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serving_engine(context) as (port, _):
        yield port


class TestAServerWithACertificate:
    def at(self, connection: Any, url: str) -> Any:
        return build_client(replace(connection, endpoint_url=url, attempts=1))

    def test_is_refused_where_nobody_vouches_for_it(self, transport, served):
        with pytest.raises(Unreachable) as raised:
            self.at(transport, f"https://localhost:{served}").list_tables()
        assert "certificate verify failed" in str(raised.value.__cause__)

    def test_is_refused_under_another_name(self, transport, served, certificate, monkeypatch):
        monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
        with pytest.raises(Unreachable) as raised:
            self.at(transport, f"https://127.0.0.1:{served}").list_tables()
        assert "certificate" in str(raised.value.__cause__)

    def test_is_taken_where_the_bundle_has_its_authority(
        self, transport, served, certificate, monkeypatch
    ):
        monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
        assert self.at(transport, f"https://localhost:{served}").list_tables()["TableNames"] == []


class _TunnelProxy(BaseHTTPRequestHandler):
    """Makes a tunnel to any server; ``asked`` are the servers that were asked for."""

    asked: list[str]

    def do_CONNECT(self) -> None:
        self.asked.append(self.path)
        host, _, port = self.path.partition(":")
        with socket.create_connection((host, int(port))) as server:
            self.send_response(200)
            self.end_headers()
            Thread(target=relay, args=(self.connection, server), daemon=True).start()
            relay(server, self.connection)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def relay(source: socket.socket, target: socket.socket) -> None:
    """Send what one socket receives to another, until either is closed."""
    with suppress(OSError):
        while content := source.recv(65_536):
            target.sendall(content)


class TestAConnection:
    @pytest.fixture
    def engine(self):
        with serving_engine() as (self.port, engine):
            yield engine

    def lists_twice(self, transport: Any) -> None:
        client = build_client(replace(transport, endpoint_url=f"http://127.0.0.1:{self.port}"))
        for _ in range(2):
            assert client.list_tables()["TableNames"] == []

    @pytest.mark.parametrize("framing", ["length", "chunks"])
    def test_is_kept_for_the_next_call(self, transport, engine, framing):
        engine.framing = framing
        self.lists_twice(transport)
        assert (len(engine.asked), len(engine.connections)) == (2, 1)

    @pytest.mark.parametrize("framing", ["close", "end"])
    def test_is_not_used_after_the_last_answer(self, transport, engine, framing):
        engine.framing = framing
        self.lists_twice(transport)
        assert (len(engine.asked), len(engine.connections)) == (2, 2)

    def test_that_its_server_has_closed_is_made_again(self, transport, engine):
        client = build_client(
            replace(transport, endpoint_url=f"http://127.0.0.1:{self.port}", attempts=1)
        )
        client.list_tables()
        engine.connections[0].shutdown(socket.SHUT_RDWR)
        assert client.list_tables()["TableNames"] == []
        assert (len(engine.asked), len(engine.connections)) == (2, 2)


class TestAProxy:
    def test_of_the_environment_is_asked_for_the_address(self, transport, monkeypatch):
        with serving_engine() as (port, engine):
            monkeypatch.setenv("HTTP_PROXY", f"http://ann:p%40ss@127.0.0.1:{port}")
            monkeypatch.setenv("NO_PROXY", "")
            client = build_client(replace(transport, endpoint_url="http://db.example:8000"))
            assert client.list_tables()["TableNames"] == []
        assert engine.asked == [("http://db.example:8000/", "Basic YW5uOnBAc3M=")]

    def test_makes_a_tunnel_for_tls(self, transport, monkeypatch, served, certificate):
        asked: list[str] = []
        handler = type("Proxy", (_TunnelProxy,), {"asked": asked})
        with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as port:
            monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
            monkeypatch.setenv("NO_PROXY", "")
            monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
            url = f"https://localhost:{served}"
            client = build_client(replace(transport, endpoint_url=url))
            for _ in range(2):
                assert client.list_tables()["TableNames"] == []
        assert asked == [f"localhost:{served}"]

    def test_is_passed_by_for_what_the_environment_excepts(self, transport, monkeypatch):
        with serving_engine() as (port, engine):
            monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
            monkeypatch.setenv("NO_PROXY", "localhost")
            url = f"http://localhost:{port}"
            client = build_client(replace(transport, endpoint_url=url))
            assert client.list_tables()["TableNames"] == []
        assert engine.asked == [("/", None)]
