"""What checks of copies are measured by: the stream that is counted, and what they must find."""

from datetime import UTC, datetime, timedelta

import pytest

from dynapages.upkeep import Difference
from lab.bench.readers import WrongAnswer
from lab.sets.checks import CountedStreams, measure

MOMENT = datetime(2026, 11, 20, tzinfo=UTC)


class TwoRecords:
    """A stream with two records."""

    def describe_stream(self, **_parameters: object):
        return {"StreamDescription": {"CreationRequestDateTime": MOMENT, "Shards": []}}

    def get_shard_iterator(self, **_parameters: object):
        return {"ShardIterator": "first"}

    def get_records(self, **_parameters: object):
        return {"Records": [{"dynamodb": {"SizeBytes": size}} for size in (300, 400)]}


class TestTheStream:
    def test_is_counted_as_it_is_read(self):
        stream = CountedStreams(TwoRecords())
        for _ in range(2):
            assert len(stream.get_records()["Records"]) == 2
        assert (stream.calls, stream.records, stream.bytes) == (2, 4, 1_400)
        assert stream.get_shard_iterator() == {"ShardIterator": "first"}

    def test_is_older_than_it_is_so_that_a_check_begins(self):
        description = CountedStreams(TwoRecords()).describe_stream()["StreamDescription"]
        assert description["CreationRequestDateTime"] <= MOMENT - timedelta(hours=1)
        assert description["Shards"] == []


class TestAMeasuredCheck:
    def test_must_find_the_copy_that_is_lost(self):
        lost = Difference("missing copies", "comment a", "none", "1")
        assert measure("all", lambda: [lost], "a").name == "all"
        with pytest.raises(WrongAnswer, match=r"all found \[\]"):
            measure("all", list, "a")

    def test_must_find_nothing_else(self):
        hint = Difference("counts", "product p", "2 shards", "1", is_hint=True)
        assert measure("all", lambda: [hint], None).calls == 0
        with pytest.raises(WrongAnswer, match="product p"):
            measure("all", lambda: [Difference("counts", "product p", "1", "2")], None)
