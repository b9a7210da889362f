"""The partition keys that calls to DynamoDB use, and the capacity units that they take of each.

The keys of a call are in its request, and its units in the ConsumedCapacity of the answer, which
has those of the table and of each index. Where a write changes an index, the keys there are those
of the item before and after it, which are read for this.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from botocore.model import OperationModel

from dynapages.items import Item
from dynapages.process import client
from lab.bench.site import bare_client

READS = frozenset({"GetItem", "BatchGetItem", "Query"})
SINGLE_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
SHARD_SUFFIX = re.compile(r"#\d+$")


class Partition(NamedTuple):
    """A partition key of a table or of an index, for reads or writes: what AWS limits."""

    table: str
    index_name: str
    key: str
    is_write: bool

    @property
    def family(self) -> "Partition":
        """The partition that stands for all shards of one, whose numbers end their keys."""
        return self._replace(key=SHARD_SUFFIX.sub("#*", self.key))


@dataclass(frozen=True, slots=True)
class Table:
    """The key attributes of a table, and of each of its global indexes by the index's name."""

    key_names: Sequence[str]
    indexes: Mapping[str, Sequence[str]]


@dataclass(slots=True)
class Recorder:
    """The units of each partition, and of all calls, since `clear`."""

    by_partition: dict[Partition, float] = field(default_factory=lambda: defaultdict(float))
    read_units: float = 0.0
    write_units: float = 0.0
    _tables: dict[str, Table] = field(default_factory=dict)
    _bare: Any = field(default_factory=bare_client)

    def clear(self) -> None:
        """Begin anew."""
        self.by_partition.clear()
        self.read_units = self.write_units = 0.0

    def before_call(
        self, params: Mapping[str, Any], model: OperationModel, context: dict[str, Any], **_: object
    ) -> None:
        """Note the parameters of a call, and the items that it is about to change."""
        actions = _actions_of(model.name, params)
        context["parameters"] = params
        context["items_before"] = [self._current_item(action) for action in actions]

    def after_call(
        self,
        parsed: Mapping[str, Any],
        model: OperationModel,
        context: Mapping[str, Any],
        **_: object,
    ) -> None:
        """Add the units that an answered call took."""
        consumed = parsed.get("ConsumedCapacity")
        if not consumed:
            return
        request = context["parameters"]
        if model.name in READS:
            keys = list(self._keys_read(model.name, request))
        else:
            actions = _actions_of(model.name, request)
            keys = [self._key_written(action) for action in actions]
            for action, before in zip(actions, context["items_before"], strict=True):
                keys += self._index_keys(action["TableName"], before, self._current_item(action))
        # Calls about one item or one list answer with one table, others with a list of them.
        if not isinstance(consumed, list):
            consumed = [consumed]
        for table in consumed:
            self._add(table, keys, is_write=model.name not in READS)

    def _add(
        self, consumed: Mapping[str, Any], keys: Sequence[Partition], *, is_write: bool
    ) -> None:
        """Divide the units that a table and its indexes took evenly among their keys."""
        units = consumed["CapacityUnits"]
        if is_write:
            self.write_units += units
        else:
            self.read_units += units
        # The table's own units are what the indexes leave of the sum.
        units_by_index = {"": units}
        for index, of_index in consumed.get("GlobalSecondaryIndexes", {}).items():
            units_by_index[index] = of_index["CapacityUnits"]
            units_by_index[""] -= of_index["CapacityUnits"]
        for index, of_index in units_by_index.items():
            among = [
                key for key in keys if (key.table, key.index_name) == (consumed["TableName"], index)
            ]
            for key in among:
                self.by_partition[key] += of_index / len(among)

    def _keys_read(self, operation: str, request: Mapping[str, Any]) -> Iterator[Partition]:
        if operation == "Query":
            name = request["TableName"]
            table, index = self._table(name), ""
            key_name = table.key_names[0]
            # A local index is in the partitions of its table.
            if request.get("IndexName") in table.indexes:
                index = request["IndexName"]
                key_name = table.indexes[index][0]
            yield Partition(name, index, _queried_key(request, key_name), is_write=False)
            return
        requests = request.get("RequestItems")
        if requests is None:
            requests = {request["TableName"]: {"Keys": [request["Key"]]}}
        for name, of_table in requests.items():
            key_name = self._table(name).key_names[0]
            for key in of_table["Keys"]:
                yield Partition(name, "", _text(key[key_name]), is_write=False)

    def _key_written(self, action: Mapping[str, Any]) -> Partition:
        name = action["TableName"]
        item = action.get("Item") or action["Key"]
        key = _text(item[self._table(name).key_names[0]])
        return Partition(name, "", key, is_write=True)

    def _index_keys(self, name: str, before: Item, after: Item) -> Iterator[Partition]:
        """Yield the keys that a changed item has, or had, in the indexes of its table."""
        if before == after:
            return
        for index, key_names in self._table(name).indexes.items():
            keys = set()
            for item in (before, after):
                # An item without the whole key has no entry.
                if all(key_name in item for key_name in key_names):
                    keys.add(_text(item[key_names[0]]))
            for key in keys:
                yield Partition(name, index, key, is_write=True)

    def _current_item(self, action: Mapping[str, Any]) -> Item:
        """Read the item that a write is about; nothing where its table has no global index."""
        name = action["TableName"]
        table = self._table(name)
        if not table.indexes:
            return {}
        # By a client of its own, whose calls are not recorded.
        key = action.get("Key") or {part: action["Item"][part] for part in table.key_names}
        answer = self._bare.get_item(TableName=name, Key=key, ConsistentRead=True)
        item: Item = answer.get("Item", {})
        return item

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            described = self._bare.describe_table(TableName=name)["Table"]
            indexes = {}
            for index in described.get("GlobalSecondaryIndexes", ()):
                indexes[index["IndexName"]] = _key_names(index)
            self._tables[name] = Table(_key_names(described), indexes)
        return self._tables[name]


@contextmanager
def recorded_partitions() -> Iterator[Recorder]:
    """Record the calls of the process's client within the block."""
    recorder = Recorder()
    events = client().meta.events
    events.register_last("before-parameter-build.dynamodb.*", recorder.before_call)
    events.register_last("after-call.dynamodb.*", recorder.after_call)
    try:
        yield recorder
    finally:
        events.unregister("before-parameter-build.dynamodb.*", recorder.before_call)
        events.unregister("after-call.dynamodb.*", recorder.after_call)


def _actions_of(operation: str, request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the writes of a call, each with its TableName, and its Item or Key."""
    if operation in SINGLE_WRITES:
        return [request]
    actions = []
    for action in request.get("TransactItems", ()):
        actions += action.values()
    return actions


def _key_names(described: Mapping[str, Any]) -> list[str]:
    return [part["AttributeName"] for part in described["KeySchema"]]


def _queried_key(request: Mapping[str, Any], key_name: str) -> str:
    """Return the value that a Query's key condition compares the partition key with."""
    names = request.get("ExpressionAttributeNames", {})
    for name, value in re.findall(r"([\w#]+)\s*=\s*(:\w+)", request["KeyConditionExpression"]):
        if names.get(name, name) == key_name:
            return _text(request["ExpressionAttributeValues"][value])
    raise KeyError(key_name)


def _text(value: Mapping[str, Any]) -> str:
    """Return the text of a value of DynamoDB, such as ``{"S": "a"}``."""
    return str(next(iter(value.values())))
