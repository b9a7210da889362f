"""Items that were loaded into tables past the site, as ImportTable and StartBulkPutItems load them.

They come by BatchWriteItem here: comments, their texts, votes and replies, and nothing that is
counted or derived from them. A repair makes the rest.
"""

import json
import time
from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Any

import botocore.session
import pytest

from comments.models import TABLE as COMMENTS
from comments.models import Comment
from dynapages.calls import Batches, Pool
from dynapages.engine.server import EngineServer, MotoEngine
from dynapages.items import Item
from dynapages.process import client
from dynapages.tables import TableSchema, index_shapes
from dynapages.upkeep import every_item
from shop.models import ShopItem
from tests.support.config.moments import Moments, every_read_model, live
from tests.support.config.restored import checked, differences_of_pages, kinds_in

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]

LOADED = ("COMMENT#", "TALLY#")
"""How the partition keys of the items begin that docs/importing.md says to load."""
OF_IMPORT_TABLE = (
    "TableName",
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "GlobalSecondaryIndexes",
)
"""What ImportTable takes of the parameters of CreateTable."""
PATIENCE = 60.0
"""Seconds that an import of moto's may take."""


@pytest.fixture(scope="module")
def moments() -> Iterator[Moments]:
    with every_read_model():
        yield live()


def comments_of(moments: Moments) -> list[Item]:
    """The items of the late moment that are loaded."""
    items = moments.late.items[COMMENTS]
    return [item for (partition_key, _), item in items.items() if partition_key.startswith(LOADED)]


def load(moments: Moments) -> None:
    Batches(client(), Pool(1)).put(COMMENTS, comments_of(moments))


def line_of(item: Item) -> str:
    """Return the line of an item in a file for ImportTable, where binaries are in Base64."""

    def encoded(binary: bytes) -> str:
        return b64encode(binary).decode()

    # moto reads no escapes such as \\u2026.
    return json.dumps({"Item": item}, default=encoded, ensure_ascii=False)


class TestCommentsThatAreLoaded:
    def test_into_an_empty_table_are_counted_and_listed_by_a_repair(self, moments):
        moments.bring_back(comments="never", words="never", sets="never")
        load(moments)
        assert differences_of_pages() != []
        repaired = checked("--repair")
        assert kinds_in(repaired["found"]) == {
            ("comments", "counts"),
            ("comments", "rank"),
            ("comments", "rating"),
            ("words", "words"),
            ("sets", "sets"),
        }
        assert repaired["left"] == 0
        assert checked()["found"] == []
        assert differences_of_pages() == []

    def test_into_a_table_in_use_are_counted_and_listed_by_a_repair(self, moments):
        moments.bring_back(comments="early", words="early", sets="early")
        load(moments)
        assert differences_of_pages() != []
        assert checked("--repair")["left"] == 0
        assert checked()["found"] == []
        assert differences_of_pages() == []


class TestImportTable:
    """Tried on moto, which has it."""

    def test_makes_no_local_index_which_the_table_of_the_shop_has(self):
        operation = client().meta.service_model.operation_model("ImportTable")
        parameters = operation.input_shape.members["TableCreationParameters"]
        assert set(OF_IMPORT_TABLE) <= set(parameters.members)
        assert "LocalSecondaryIndexes" not in parameters.members
        assert TableSchema.of(ShopItem).local_indexes != []

    def test_makes_the_table_with_its_indexes_of_lines_of_items(self, moments):
        pytest.importorskip("moto")
        lines = [line_of(item) for item in comments_of(moments)]
        request = TableSchema.of(Comment).create_request()
        with MotoEngine(start_seconds=PATIENCE) as engine:
            files, database = client_of(engine, "s3"), client_of(engine, "dynamodb")
            files.create_bucket(Bucket="load")
            files.put_object(Bucket="load", Key="1.json", Body="\n".join(lines).encode())
            started = database.import_table(
                S3BucketSource={"S3Bucket": "load"},
                InputFormat="DYNAMODB_JSON",
                TableCreationParameters={name: request[name] for name in OF_IMPORT_TABLE},
            )
            wait_for(database, started["ImportTableDescription"]["ImportArn"])
            made = database.describe_table(TableName=COMMENTS)["Table"]
            found = list(every_item(database, COMMENTS))
        indexes = made["GlobalSecondaryIndexes"]
        assert index_shapes(indexes) == index_shapes(request["GlobalSecondaryIndexes"])
        assert by_key(found) == by_key(comments_of(moments))


def by_key(items: Iterable[Item]) -> dict[tuple[str, str], Item]:
    return {(item["pk"]["S"], item["sk"]["S"]): item for item in items}


def wait_for(database: Any, import_arn: str) -> None:
    """Wait until an import has ended, with or without success."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        described = database.describe_import(ImportArn=import_arn)["ImportTableDescription"]
        if described["ImportStatus"] != "IN_PROGRESS":
            return
        time.sleep(0.1)


def client_of(engine: EngineServer, service: str) -> Any:
    return botocore.session.get_session().create_client(
        service,
        "us-east-1",
        endpoint_url=engine.endpoint_url,
        aws_access_key_id="tests",
        aws_secret_access_key="tests",
    )
