"""``comment_sets`` in memory, with its stream, and accidents between any two of its writes."""

from collections.abc import Callable
from random import Random
from typing import Any

from comments.sets.copies import CopyWriter, Name, name_of
from dynapages.calls import Batches, Pool
from dynapages.items import Item
from tests.support.sets.items import record


class Crash(BaseException):
    """The process dies here."""


class FakeTable:
    """Does what `CopyWriter` asks a client for; a batch is written in no particular order.

    ``accidents`` are what happens just before the nth write from now on: a crash, another change,
    another consumer.
    """

    def __init__(self, seed: int) -> None:
        self.items: dict[Name, Item] = {}
        self.records: list[dict[str, Any]] = []
        self.accidents: dict[int, Callable[[], None]] = {}
        self._random = Random(seed)
        self._writes = 0

    def change(self, before: Item | None, after: Item | None) -> None:
        """Write a primary item, as a comment's own transaction does."""
        for item in (before, after):
            if item is not None:
                self.items.pop(name_of(item), None)
        if after is not None:
            self.items[name_of(after)] = after
        if before is not None and after is not None and name_of(before) != name_of(after):
            self._tell(before, None)
            self._tell(None, after)
        elif before is not None or after is not None:
            self._tell(before, after)

    def expect(self, accident: Callable[[], None], *, after: int) -> None:
        self.accidents[self._writes + after] = accident

    def writer(self) -> CopyWriter:
        """Return a consumer that has just been started."""
        client: Any = self
        return CopyWriter(Batches(client, Pool(1)))

    def batch_write_item(self, *, RequestItems: dict[str, list[Any]]) -> dict[str, Any]:  # noqa: N803 - botocore's name
        ((_table, requests),) = RequestItems.items()
        for request in self._random.sample(requests, len(requests)):
            self._writes += 1
            self.accidents.pop(self._writes, _nothing)()
            if "PutRequest" in request:
                item = request["PutRequest"]["Item"]
                self.items[name_of(item)] = item
            else:
                self.items.pop(name_of(request["DeleteRequest"]["Key"]), None)
        return {}

    def batch_get_item(self, *, RequestItems: dict[str, Any]) -> dict[str, Any]:  # noqa: N803 - botocore's name
        ((table, request),) = RequestItems.items()
        assert request["ConsistentRead"] is True
        found = [
            self.items[name] for key in request["Keys"] if (name := name_of(key)) in self.items
        ]
        return {"Responses": {table: found}}

    def _tell(self, before: Item | None, after: Item | None) -> None:
        self.records.append(record(before, after, number=len(self.records) + 1))


def _nothing() -> None:
    pass
