from collections.abc import Sequence
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from dynapages.calls.batches import Batches, BatchIncomplete
from dynapages.calls.faults import Throttled, fault_in
from dynapages.calls.pool import Backoff, Pool

TABLE = "things"


class MoodyTable:
    """Processes as many requests of each call as it is told to; an error stands for none."""

    def __init__(self, *moods: int | Exception) -> None:
        self._moods = list(moods)
        self.sent: list[int] = []
        self.stored: list[str] = []
        self.consistent: list[bool] = []

    def batch_write_item(self, *, RequestItems: dict[str, Any]) -> dict[str, Any]:  # noqa: N803 - boto
        done, left = self._some(RequestItems[TABLE])
        self.stored += [request["PutRequest"]["Item"]["pk"]["S"] for request in done]
        return {"UnprocessedItems": {TABLE: left} if left else {}}

    def batch_get_item(self, *, RequestItems: dict[str, Any]) -> dict[str, Any]:  # noqa: N803 - boto
        asked = RequestItems[TABLE]
        self.consistent.append(asked["ConsistentRead"])
        done, left = self._some(asked["Keys"])
        return {
            "Responses": {TABLE: done},
            "UnprocessedKeys": {TABLE: {"Keys": left}} if left else {},
        }

    def _some(self, requests: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
        self.sent.append(len(requests))
        mood = self._moods.pop(0) if self._moods else len(requests)
        if isinstance(mood, Exception):
            raise mood
        return requests[:mood], requests[mood:]


class Imitation:
    """Says by None that nothing is left."""

    def batch_write_item(self, **_request: Any) -> dict[str, Any]:
        return {"UnprocessedItems": None}

    def batch_get_item(self, **request: Any) -> dict[str, Any]:
        keys = request["RequestItems"][TABLE]["Keys"]
        return {"Responses": {TABLE: keys}, "UnprocessedKeys": None}


def throttled() -> ClientError:
    return ClientError({"Error": {"Code": "ThrottlingException"}}, "BatchWriteItem")


def items(count: int) -> list[dict[str, dict[str, str]]]:
    return [{"pk": {"S": f"{number:03}"}} for number in range(count)]


@pytest.fixture
def pauses():
    return []


def batches(table: MoodyTable, pauses: list[float], **how: Any) -> Batches:
    return Batches(table, Pool(1), sleep=pauses.append, **how)


class TestWriting:
    def test_sends_25_at_a_time(self, pauses):
        table = MoodyTable()
        batches(table, pauses).put(TABLE, items(60))
        assert table.sent == [25, 25, 10]
        assert len(table.stored) == 60
        assert pauses == []

    def test_sends_again_what_was_not_processed_after_a_pause(self, pauses):
        table = MoodyTable(10, 12)
        batches(table, pauses).put(TABLE, items(25))
        assert table.sent == [25, 15, 3]
        assert table.stored == [item["pk"]["S"] for item in items(25)]
        assert len(pauses) == 2

    def test_gives_up_after_the_last_attempt(self, pauses):
        table = MoodyTable(2, 0, throttled())
        with pytest.raises(
            BatchIncomplete, match=r"3 items were still .* after 3 attempts"
        ) as raised:
            batches(table, pauses, backoff=Backoff(attempts=3)).put(TABLE, items(5))
        assert (table.sent, len(pauses)) == ([5, 3, 3], 2)
        assert isinstance(fault_in(raised.value), Throttled)

    @pytest.mark.parametrize(
        "error",
        [
            ClientError({"Error": {"Code": "ValidationException"}}, "BatchWriteItem"),
            EndpointConnectionError(endpoint_url="http://127.0.0.1:9"),
        ],
    )
    def test_does_not_repeat_other_failures(self, pauses, error):
        table = MoodyTable(error)
        with pytest.raises(type(error)):
            batches(table, pauses).put(TABLE, items(5))
        assert table.sent == [5]


class TestDeleting:
    def test_removes_the_items(self, client, new_table):
        name = new_table()
        keys = [{"pk": {"S": str(n)}, "sk": {"S": str(n)}} for n in range(30)]
        real = Batches(client, Pool(2))
        real.put(name, keys)
        real.delete(name, keys[:28])
        left = real.get(name, keys)
        assert sorted(key["pk"]["S"] for key in left) == ["28", "29"]


class TestReading:
    def test_asks_for_100_at_a_time_and_strongly(self, pauses):
        table = MoodyTable()
        assert batches(table, pauses).get(TABLE, items(150)) == items(150)
        assert table.sent == [100, 50]
        assert table.consistent == [True, True]

    def test_keeps_what_came_before_the_rest(self, pauses):
        table = MoodyTable(2, throttled(), 1)
        found = batches(table, pauses).get(TABLE, items(5))
        assert found == items(5)
        assert (table.sent, len(pauses)) == ([5, 3, 3, 2], 3)


class TestBackoff:
    def test_grows_up_to_the_longest_with_jitter(self):
        backoff = Backoff(attempts=30, first=1.0, longest=4.0)
        tried = [list(backoff.pauses()) for _ in range(50)]
        assert all(0 <= pauses[0] <= 1 and 0 <= pauses[1] <= 2 for pauses in tried)
        assert all(0 <= pause <= 4 for pauses in tried for pause in pauses)
        assert len({pause for pauses in tried for pause in pauses}) > 1
        assert max(pause for pauses in tried for pause in pauses) > 2


class TestAnAnswerThatSaysByNoneThatNothingIsLeft:
    def test_ends_a_batch(self, pauses):
        imitated = Batches(Imitation(), Pool(1), sleep=pauses.append)
        imitated.put(TABLE, items(1))
        assert imitated.get(TABLE, items(2)) == items(2)
        assert pauses == []
