"""Clients of DynamoDB: metered, with time limits short enough for a page."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast

import botocore
import botocore.session
from botocore.config import Config

from dynapages.calls import attempts, clock, meter
from dynapages.items import ItemParserFactory

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


USER_AGENT = f"Botocore/{botocore.__version__}"
"""The User-Agent of all calls.

botocore's own is built twice for each call, which takes a tenth of the call's processor time.
"""


class StreamsApi(Protocol):
    """The calls of botocore's client ``dynamodbstreams`` that `dynapages.streams.walk` uses."""

    def describe_stream(self, **parameters: Any) -> Mapping[str, Any]: ...  # noqa: ANN401 - botocore's
    def get_shard_iterator(self, **parameters: Any) -> Mapping[str, Any]: ...  # noqa: ANN401 - same
    def get_records(self, **parameters: Any) -> Mapping[str, Any]: ...  # noqa: ANN401 - same


@dataclass(frozen=True, slots=True)
class Connection:
    """Where DynamoDB is, and the time limits of calls in seconds.

    Without ``endpoint_url`` it is Amazon DynamoDB in ``region``; without keys the credentials are
    those of botocore's usual chain. ``attempts`` includes the first one. ``parallel_calls`` is for
    the whole process; ``single_call_threads`` are the threads that make single calls besides.
    """

    region: str
    endpoint_url: str | None = None
    access_key: str | None = None
    secret_key: str | None = None
    connect_seconds: float = 1.0
    read_seconds: float = 3.0
    attempts: int = 3
    parallel_calls: int = 16
    single_call_threads: int = 4


def build_client(connection: Connection) -> "DynamoDBClient":
    """Build a metered client that is not shared."""
    dynamodb = cast("DynamoDBClient", _create("dynamodb", connection))
    meter.attach(dynamodb)
    clock.attach(dynamodb)
    return dynamodb


def build_streams_client(connection: Connection) -> StreamsApi:
    """Build a client of DynamoDB Streams, which is not metered, and waits ten seconds."""
    patient = replace(connection, read_seconds=10.0)
    return cast("StreamsApi", _create("dynamodbstreams", patient))


def _create(service: str, connection: Connection) -> object:
    # No validation of parameters: the service reports what is wrong, and the sequence numbers of
    # embedded engines are shorter than botocore accepts.
    session = botocore.session.get_session()
    session.register_component("data_loader", _descriptions())
    session.register_component("response_parser_factory", ItemParserFactory())
    client: object = session.create_client(
        service,
        region_name=connection.region,
        endpoint_url=connection.endpoint_url,
        aws_access_key_id=connection.access_key,
        aws_secret_access_key=connection.secret_key,
        config=Config(
            connect_timeout=connection.connect_seconds,
            read_timeout=connection.read_seconds,
            retries={"mode": "standard"},  # replaced, see `attempts`
            max_pool_connections=connection.parallel_calls + connection.single_call_threads,
            parameter_validation=False,
            user_agent=USER_AGENT,
        ),
    )
    attempts.attach(client, connection)
    return client


@cache
def _descriptions() -> object:
    # botocore's descriptions of services are large files, the same for all clients.
    return botocore.session.get_session().get_component("data_loader")
