"""Eventual reads that lag behind, as Amazon's do: those of tables, and all those of global indexes.

The engines of tests show each write at once. Behind a proxy that lags, a second engine holds a
copy of each table, its indexes with it. A write goes to the first engine alone. What it left there
is read back by its key, and put into the copy when the lag is over. Eventual reads are sent to the
copy. So a read that lags is a read of an engine: its filters, limits, cursors and units are right,
and a list may show what is deleted, as on Amazon.

The second engine is a process of its own, and not other tables of the first: names of tables need
no rewriting in calls and answers, ListTables shows what there is, and the first engine may be
killed and started again.

A table is copied when a proxy that lags first meets it. From then on it follows what is written
*through the proxy*: other writes are not seen until the lag has been zero. Writes by PartiQL and by
an item's time to live are not followed; a table that UpdateTable changes is copied anew. Streams
and TransactGetItems do not lag.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from math import inf
from random import Random
from threading import Condition, Event, Thread
from time import monotonic, sleep
from typing import Any

from dynapages.engine.proxy import Answer, Call, Connections, EngineAway, EngineConnection
from dynapages.engine.server import EngineError, embedded

EVENTUAL = frozenset({"GetItem", "BatchGetItem", "Query", "Scan"})
CHANGES_OF_TABLES = frozenset({"CreateTable", "UpdateTable", "DeleteTable"})
BATCH = 25
"""The most items of a BatchWriteItem."""
TICK_SECONDS = 0.02
PATIENCE = 60.0


class ReplicaFailed(EngineError):
    """The second engine refused what was to be copied into it."""

    def __init__(self, operation: str, answer: Answer) -> None:
        super().__init__(f"The replica refused {operation}: {answer.body.decode(errors='replace')}")


@dataclass(slots=True, eq=False)
class _Write:
    """A write that the replica does not show yet; ``image`` is None where it deleted the item.

    ``share`` of the whole lag is its own, 0 to 1.
    """

    table: str
    key: Mapping[str, Any]
    image: Mapping[str, Any] | None
    headers: Mapping[str, str]
    written: float
    share: float
    is_released: bool = False
    item: str = field(init=False)

    def __post_init__(self) -> None:
        self.item = item_name(self.table, self.key)


@dataclass(frozen=True, slots=True)
class _Unread:
    """An item whose image could not be read back, because the engine did not answer."""

    table: str
    key: Mapping[str, Any]
    headers: Mapping[str, str]


def item_name(table: str, key: Mapping[str, Any]) -> str:
    """Return a name for an item, by its table and its key."""
    return f"{table} {json.dumps(key, sort_keys=True)}"


class Lag:
    """How far the eventual reads of a proxy are behind; nothing of it lags at first.

    ``seconds`` may be changed at any time. While they are `math.inf`, eventual reads stay as they
    were until `release`. After they were set to 0 the last writes appear one after another, see
    `caught_up`. With ``is_drawn``, each write has a lag of its own between 0 and ``seconds``, so
    that an item may appear before another that was written earlier. ``replica_share`` of the
    eventual reads meet the replica that lags, the others none. Both are drawn from ``seed``.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        *,
        replica_share: float = 1.0,
        is_drawn: bool = False,
        seed: int = 0,
    ) -> None:
        self.replica_share = replica_share
        self.is_drawn = is_drawn
        self._random = Random(seed)  # noqa: S311 - repeatable, nothing secret
        self._seconds = seconds
        self._changed = Condition()
        self._writes: list[_Write] = []
        self._unread: list[_Unread] = []
        self._keys: dict[str, Sequence[str]] = {}  # of the tables that were copied
        self._in_replica: set[str] = set()
        self._upstream = ""
        self._url = ""
        self._failure: EngineError | None = None
        self._thread: Thread | None = None
        self._is_over = False

    @property
    def seconds(self) -> float:
        """The longest lag. Setting it raises EngineError where no second engine can start."""
        return self._seconds

    @seconds.setter
    def seconds(self, seconds: float) -> None:
        if seconds and self._upstream:
            self._start()  # before any call is sent there
        with self._changed:
            self._seconds = seconds
            self._forget_when_idle()
            self._changed.notify_all()

    def caught_up(self, *, patience: float = PATIENCE) -> None:
        """Wait until eventual reads show all that was written so far.

        Raises ValueError where that never comes, because ``seconds`` are infinite; TimeoutError
        after ``patience`` seconds, EngineError if the replica failed.
        """
        with self._changed:
            self._wait(lambda: not self._unread, patience)
            written = set(self._writes)
            if written and self._seconds == inf:
                raise ValueError("the lag is infinite: call release()")
            # Not all writes: others may be made all the time.
            self._wait(lambda: written.isdisjoint(self._writes), patience)

    def release(self, *, patience: float = PATIENCE) -> None:
        """Let eventual reads show all that was written so far, at once; then they lag again.

        Raises TimeoutError after ``patience`` seconds, EngineError if the replica failed.
        """
        with self._changed:
            self._wait(lambda: not self._unread, patience)
            written = set(self._writes)
            for write in written:
                write.is_released = True
            self._changed.notify_all()
            self._wait(lambda: written.isdisjoint(self._writes), patience)

    # What the proxy calls.

    def open(self, upstream: str) -> None:
        """Begin before the engine at a URL. Raises EngineError."""
        self._upstream, self._is_over = upstream, False
        if self._seconds:
            self._start()

    def close(self) -> None:
        """End, and stop the second engine."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        if self._thread:
            self._thread.join()
        self._thread, self._upstream, self._failure = None, "", None
        self._writes.clear()
        self._unread.clear()
        self._keys.clear()
        self._in_replica.clear()

    def send(self, call: Call) -> Answer:
        """Send a call to the engine that it meets. Raises EngineAway, and other EngineErrors."""
        if call.operation not in EVENTUAL:
            return self._write(call)
        if not self._meets_the_replica():
            return call.send()
        if call.operation == "BatchGetItem":
            return self._read_batch(call)
        if call.request.get("ConsistentRead") or not self._has_copies(call, call.tables()):
            return call.send()
        return call.send(to=self._url)

    def _write(self, call: Call) -> Answer:
        if self._seconds:
            # A copy that was made after the write would show it at once.
            for table in {table for table, _ in call.writes()}:
                self._has_copies(call, {table})
        try:
            answer = call.send()
        except EngineAway:
            self._wrote(call)  # or not: nobody knows
            raise
        if not answer.is_refusal:
            self._wrote(call)
        return answer

    def _wrote(self, call: Call) -> None:
        """Note what a call may have written, before it is answered."""
        with self._changed:
            if call.operation in CHANGES_OF_TABLES:
                self._forget(call.request["TableName"])
            for table, item in call.writes():
                if table in self._keys:
                    key = {name: item[name] for name in self._keys[table]}
                    self._unread.append(_Unread(table, key, call.headers))
            self._read_back(call.connections)
            self._changed.notify_all()

    def _meets_the_replica(self) -> bool:
        with self._changed:
            self._raise_failure()
            is_lagging = bool(self._seconds or self._writes or self._unread)
            return is_lagging and self._random.random() < self.replica_share

    def _read_batch(self, call: Call) -> Answer:
        """Send a BatchGetItem to both engines, if it asks for consistent reads of some tables."""
        requests: Mapping[str, Any] = call.request["RequestItems"]
        eventual = {
            table: request
            for table, request in requests.items()
            if not request.get("ConsistentRead") and self._has_copies(call, {table})
        }
        consistent = {name: request for name, request in requests.items() if name not in eventual}
        if not eventual:
            return call.send()
        if not consistent:
            return call.send(to=self._url)
        stale = call.ask("BatchGetItem", {**call.request, "RequestItems": eventual}, to=self._url)
        fresh = call.ask("BatchGetItem", {**call.request, "RequestItems": consistent})
        for answer in (stale, fresh):
            if answer.status != HTTPStatus.OK:
                return answer
        return Answer(HTTPStatus.OK, json.dumps(_merged(stale.decoded(), fresh.decoded())).encode())

    # The copies of tables; the lock is held.

    def _has_copies(self, call: Call, tables: Iterable[str]) -> bool:
        """Copy tables that are not copied yet; return False if the engine has not all of them."""
        with self._changed:
            return all(table in self._keys or self._copy(call, table) for table in tables)

    def _copy(self, call: Call, table: str) -> bool:
        described = call.ask("DescribeTable", {"TableName": table})
        if described.status != HTTPStatus.OK:
            return False
        description = described.decoded()["Table"]
        if table in self._in_replica:
            self._tell_replica(call, "DeleteTable", {"TableName": table})
            self._wait_for_table(call, table, exists=False)
        self._tell_replica(call, "CreateTable", _create_request(description))
        self._in_replica.add(table)
        self._wait_for_table(call, table, exists=True)
        for items in _scanned(call, table):
            puts = [{"PutRequest": {"Item": item}} for item in items]
            while puts:
                request = {"RequestItems": {table: puts}}
                answer = self._tell_replica(call, "BatchWriteItem", request)
                puts = answer.get("UnprocessedItems", {}).get(table, [])
        self._keys[table] = [part["AttributeName"] for part in description["KeySchema"]]
        return True

    def _wait_for_table(self, call: Call, table: str, *, exists: bool) -> None:
        while True:
            answer = call.ask("DescribeTable", {"TableName": table}, to=self._url)
            is_there = answer.status == HTTPStatus.OK
            if not exists and not is_there:
                return
            if exists and is_there and answer.decoded()["Table"]["TableStatus"] == "ACTIVE":
                return
            sleep(TICK_SECONDS)

    def _tell_replica(
        self, call: Call, operation: str, request: Mapping[str, Any]
    ) -> dict[str, Any]:
        answer = call.ask(operation, request, to=self._url)
        if answer.status != HTTPStatus.OK:
            raise ReplicaFailed(operation, answer)
        return answer.decoded()

    def _forget(self, table: str) -> None:
        """Have a table copied anew when it is met next."""
        self._keys.pop(table, None)
        self._writes = [write for write in self._writes if write.table != table]
        self._unread = [item for item in self._unread if item.table != table]

    def _forget_when_idle(self) -> None:
        """Have all tables copied anew when nothing lags: they may be written by others."""
        if not self._seconds and not self._writes and not self._unread:
            self._keys.clear()

    # The writes that the replica does not show yet; the lock is held.

    def _read_back(self, connections: Connections) -> None:
        """Read the images of items that were written.

        In one thread at a time: so the images of an item are in the order of its writes.
        """
        engine = connections.to(self._upstream)
        while self._unread:
            item = self._unread[0]
            request = {"TableName": item.table, "Key": item.key, "ConsistentRead": True}
            try:
                answer = engine.ask("GetItem", request, item.headers)
            except EngineAway:
                return  # the replicator tries again
            self._unread.pop(0)
            if answer.status == HTTPStatus.OK:
                share = self._random.random() if self.is_drawn else 1.0
                image = answer.decoded().get("Item")
                write = _Write(item.table, item.key, image, item.headers, monotonic(), share)
                self._writes.append(write)

    def _due(self) -> Iterator[_Write]:
        """Yield the writes whose lag is over, and that follow no earlier one of their item."""
        now = monotonic()
        waiting: set[str] = set()
        for write in self._writes:
            is_over = write.written + write.share * self._seconds <= now
            if (is_over or write.is_released) and write.item not in waiting:
                yield write
            else:
                waiting.add(write.item)

    # The second engine, in a thread that starts and stops it: an engine ends with that thread.

    def _start(self) -> None:
        if self._thread is None:
            is_started = Event()
            self._thread = Thread(target=self._replicate, args=[is_started], daemon=True)
            self._thread.start()
            is_started.wait()
        with self._changed:
            self._raise_failure()

    def _replicate(self, is_started: Event) -> None:
        connections = Connections()
        try:
            with embedded() as engine:
                self._url = engine.endpoint_url
                is_started.set()
                self._follow(connections)
        except EngineError as error:
            with self._changed:
                self._failure = error
                self._changed.notify_all()
        finally:
            is_started.set()
            connections.close()

    def _follow(self, connections: Connections) -> None:
        replica = connections.to(self._url)
        with self._changed:
            while not self._is_over:
                if self._unread:
                    self._read_back(connections)
                for write in list(self._due()):
                    _apply(write, replica)
                    self._writes.remove(write)
                self._forget_when_idle()
                self._changed.notify_all()
                is_busy = bool(self._writes or self._unread)
                self._changed.wait(TICK_SECONDS if is_busy else None)

    def _wait(self, is_so: Callable[[], bool], patience: float) -> None:
        def is_so_or_failed() -> bool:
            return self._failure is not None or is_so()

        if not self._changed.wait_for(is_so_or_failed, patience):
            raise TimeoutError(f"The replica did not follow within {patience:g} seconds.")
        self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failure:
            raise self._failure


def _apply(write: _Write, replica: EngineConnection) -> None:
    if write.image is None:
        operation, request = "DeleteItem", {"TableName": write.table, "Key": write.key}
    else:
        operation, request = "PutItem", {"TableName": write.table, "Item": write.image}
    answer = replica.ask(operation, request, write.headers)
    if answer.status != HTTPStatus.OK:
        raise ReplicaFailed(operation, answer)


def _create_request(description: Mapping[str, Any]) -> dict[str, Any]:
    """Build the CreateTable of a table like one that DescribeTable describes."""
    request: dict[str, Any] = {
        "TableName": description["TableName"],
        "KeySchema": description["KeySchema"],
        "AttributeDefinitions": description["AttributeDefinitions"],
        "BillingMode": "PAY_PER_REQUEST",
    }
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        indexes = [
            {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
            for index in description.get(kind, ())
        ]
        if indexes:
            request[kind] = indexes
    return request


def _scanned(call: Call, table: str) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Yield the items of a table, so many at once as a batch may put."""
    request: dict[str, Any] = {"TableName": table, "ConsistentRead": True, "Limit": BATCH}
    while True:
        answer = call.ask("Scan", request)
        if answer.status != HTTPStatus.OK:
            raise ReplicaFailed("Scan", answer)
        page = answer.decoded()
        if page["Items"]:
            yield page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the answers of two BatchGetItem for different tables."""
    merged: dict[str, Any] = {
        name: {**one.get(name, {}), **other.get(name, {})}
        for name in ("Responses", "UnprocessedKeys")
    }
    if "ConsumedCapacity" in one:
        merged["ConsumedCapacity"] = [*one["ConsumedCapacity"], *other["ConsumedCapacity"]]
    return merged
