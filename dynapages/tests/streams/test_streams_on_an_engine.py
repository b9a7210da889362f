"""The walk over a real stream, with checkpoints in a table."""

import pytest

from dynapages.streams import build_streams_client
from dynapages.streams.checkpoints import CHECKPOINT_SECONDS, Checkpoint, TableCheckpoints
from dynapages.streams.walk import NoStream, Record, StreamWalk, stream_of
from dynapages_testing.chance import unique


def key(stream: str, shard: str) -> dict[str, str]:
    return {"pk": f"{stream}#{shard}", "sk": "checkpoint"}


@pytest.fixture
def checkpoints(client, new_table):
    return TableCheckpoints(client, new_table(), key, expiry_attribute="z", clock=lambda: 1)


@pytest.fixture
def table(client):
    """A table with a stream."""
    name = unique("dynapages-test")
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    yield name
    client.delete_table(TableName=name)


@pytest.fixture
def drained(client, connection, table, checkpoints):
    """Read the records since the last call, by a walk that knows only the checkpoints."""

    def drained() -> list[Record]:
        found: list[Record] = []
        StreamWalk(
            api=build_streams_client(connection),
            arn=stream_of(client, table),
            checkpoints=checkpoints,
            apply=found.extend,
            limit=2,
            pause=0,
        ).drain()
        return found

    return drained


class TestARealStream:
    def test_gives_what_was_written_with_both_images(self, client, table, drained):
        client.put_item(TableName=table, Item={"pk": {"S": "a"}, "v": {"N": "1"}})
        client.put_item(TableName=table, Item={"pk": {"S": "a"}, "v": {"N": "2"}})
        client.delete_item(TableName=table, Key={"pk": {"S": "a"}})
        told = [(r["eventName"], _value(r, "OldImage"), _value(r, "NewImage")) for r in drained()]
        assert told == [("INSERT", None, "1"), ("MODIFY", "1", "2"), ("REMOVE", "2", None)]


class TestCheckpointsInATable:
    @pytest.mark.parametrize(
        "kept", [Checkpoint("17"), Checkpoint("18", finished=True), Checkpoint(finished=True)]
    )
    def test_are_read_as_they_were_kept(self, checkpoints, kept):
        checkpoints.save("stream", "shard", Checkpoint("16"))
        checkpoints.save("stream", "shard", kept)
        assert checkpoints.load("stream", "shard") == kept
        assert checkpoints.load("stream", "another shard") == Checkpoint()

    def test_expire_when_the_records_are_long_gone(self, client, checkpoints):
        checkpoints.save("stream", "shard", Checkpoint("17"))
        (item,) = client.scan(TableName=checkpoints.table)["Items"]
        assert item["z"] == {"N": str(1 + CHECKPOINT_SECONDS)}


class TestATableWithoutAStream:
    def test_is_refused_in_a_sentence(self, client, new_table):
        with pytest.raises(NoStream, match="has no stream"):
            stream_of(client, new_table())


def _value(record: Record, image: str) -> str | None:
    value = record["dynamodb"].get(image, {}).get("v")
    return value and value["N"]
