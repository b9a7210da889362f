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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from math import inf
from random import Random
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any

from dynapages.engine.child import EngineError
from dynapages.engine.proxy import Answer, Call, Connections, EngineAway, item_name
from dynapages.engine.replica import Replica, put_image
from dynapages.engine.server import embedded

EVENTUAL_READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan"})
CHANGES_OF_TABLES = frozenset({"CreateTable", "UpdateTable", "DeleteTable"})
TICK_SECONDS = 0.02
"""How often it is looked whether the lag of a write is over."""
PATIENCE = 60.0
"""Seconds until the replica is said not to follow."""


@dataclass(slots=True, eq=False)
class PendingWrite:
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
class UnreadItem:
    """An item that was written, and whose image was not read back yet."""

    table: str
    key: Mapping[str, Any]
    headers: Mapping[str, str]


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
        """Held by whoever reads or changes what follows; notified of each change."""
        self._writes: list[PendingWrite] = []
        self._unread: list[UnreadItem] = []
        self._replica = Replica()
        self._upstream = ""
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
            self._start_replica()  # before any call is sent there
        with self._changed:
            self._seconds = seconds
            self._forget_when_idle()
            self._changed.notify_all()

    def caught_up(self) -> None:
        """Wait until eventual reads show all that was written so far.

        Raises ValueError where that never comes, because ``seconds`` are infinite; TimeoutError
        after a minute, EngineError if the replica failed.
        """
        with self._changed:
            self._wait(self._is_all_read_back, PATIENCE)
            if self._writes and self._seconds == inf:
                raise ValueError("the lag is infinite: call release()")
            self._wait_until_shown(list(self._writes))

    def release(self) -> None:
        """Let eventual reads show all that was written so far, at once; then they lag again.

        Raises TimeoutError after a minute, EngineError if the replica failed.
        """
        with self._changed:
            self._wait(self._is_all_read_back, PATIENCE)
            for write in self._writes:
                write.is_released = True
            self._changed.notify_all()
            self._wait_until_shown(list(self._writes))

    def _is_all_read_back(self) -> bool:
        return not self._unread

    def _wait_until_shown(self, writes: Iterable[PendingWrite]) -> None:
        """Wait for these writes, not for all there are: others may be made all the time."""
        pending = set(writes)

        def are_shown() -> bool:
            return pending.isdisjoint(self._writes)

        self._wait(are_shown, PATIENCE)

    # What the proxy calls

    def open(self, upstream: str) -> None:
        """Begin before the engine at a URL. Raises EngineError."""
        self._upstream, self._is_over = upstream, False
        if self._seconds:
            self._start_replica()

    def close(self) -> None:
        """End, and stop the second engine."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        # The second engine ends with its thread.
        if self._thread:
            self._thread.join()
        self._thread, self._upstream, self._failure = None, "", None
        self._writes.clear()
        self._unread.clear()
        self._replica.reset()

    def send(self, call: Call) -> Answer:
        """Send a call to the engine that it meets. Raises EngineAway, and other EngineErrors."""
        if call.operation not in EVENTUAL_READS:
            return self._send_write(call)
        if not self._meets_the_replica():
            return call.send()
        if call.operation == "BatchGetItem":
            return self._read_batch(call)
        if call.request.get("ConsistentRead") or not self._has_copies(call, call.tables()):
            return call.send()
        return call.send(to=self._replica.url)

    def _send_write(self, call: Call) -> Answer:
        """Send a call that may write, and note what it may have written."""
        if self._seconds:
            # A copy that was made after the write would show it at once.
            for table in {table for table, _ in call.writes()}:
                self._has_copies(call, [table])
        try:
            answer = call.send()
        except EngineAway:
            self._note_writes(call)  # or none: nobody knows
            raise
        if not answer.is_refusal:
            self._note_writes(call)
        return answer

    def _note_writes(self, call: Call) -> None:
        """Note what a call may have written, before it is answered."""
        with self._changed:
            if call.operation in CHANGES_OF_TABLES:
                self._forget(call.request["TableName"])
            for table, item in call.writes():
                key = self._replica.key_of(table, item)
                if key is not None:
                    self._unread.append(UnreadItem(table, key, call.headers))
            self._read_back(call.connections)
            self._changed.notify_all()

    def _meets_the_replica(self) -> bool:
        """Return whether an eventual read is answered by the engine that lags."""
        with self._changed:
            self._raise_failure()
            # After the lag was set to 0, the last writes may still be on their way.
            is_lagging = bool(self._seconds or self._writes or self._unread)
            return is_lagging and self._random.random() < self.replica_share

    def _has_copies(self, call: Call, tables: Iterable[str]) -> bool:
        with self._changed:
            return self._replica.copy_missing(call, tables)

    def _read_batch(self, call: Call) -> Answer:
        """Send a BatchGetItem to both engines, if it asks for consistent reads of some tables."""
        eventual: dict[str, Any] = {}
        consistent: dict[str, Any] = {}
        for table, request in call.request["RequestItems"].items():
            if request.get("ConsistentRead") or not self._has_copies(call, [table]):
                consistent[table] = request
            else:
                eventual[table] = request
        if not eventual:
            return call.send()
        url = self._replica.url
        if not consistent:
            return call.send(to=url)
        # One call at the client is two here: each engine answers for its tables.
        stale = call.ask("BatchGetItem", {**call.request, "RequestItems": eventual}, to=url)
        fresh = call.ask("BatchGetItem", {**call.request, "RequestItems": consistent})
        for answer in (stale, fresh):
            if answer.status != HTTPStatus.OK:
                return answer
        return Answer(HTTPStatus.OK, json.dumps(_merged(stale.decoded(), fresh.decoded())).encode())

    # The writes that the replica does not show yet; the lock is held

    def _forget(self, table: str) -> None:
        """Have a table copied anew when it is met next."""
        self._replica.forget(table)
        self._writes = [write for write in self._writes if write.table != table]
        self._unread = [item for item in self._unread if item.table != table]

    def _forget_when_idle(self) -> None:
        """Have all tables copied anew when nothing lags: they may be written by others."""
        if not self._seconds and not self._writes and not self._unread:
            self._replica.forget_all()

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
                self._writes.append(
                    PendingWrite(item.table, item.key, image, item.headers, monotonic(), share)
                )

    def _due(self) -> Iterator[PendingWrite]:
        """Yield the writes whose lag is over, and that follow no pending one of their item."""
        now = monotonic()
        items_waiting: set[str] = set()
        for write in self._writes:
            is_over = write.written + write.share * self._seconds <= now
            # An item must not go back to an earlier image when the later write is due first.
            if (is_over or write.is_released) and write.item not in items_waiting:
                yield write
            else:
                items_waiting.add(write.item)

    # The second engine, in a thread that starts and stops it: an engine ends with that thread

    def _start_replica(self) -> None:
        """Start the second engine unless it runs. Raises EngineError where it cannot."""
        if self._thread is None:
            is_started = Event()
            self._thread = Thread(target=self._run_replica, args=[is_started], daemon=True)
            self._thread.start()
            is_started.wait()
        with self._changed:
            self._raise_failure()

    def _run_replica(self, is_started: Event) -> None:
        """Run the second engine until the proxy ends; this is the body of its thread."""
        connections = Connections()
        try:
            with embedded() as engine:
                self._replica.url = engine.endpoint_url
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
        """Put writes into the replica when their lag is over, until the proxy ends."""
        engine = connections.to(self._replica.url)
        with self._changed:
            while not self._is_over:
                if self._unread:
                    self._read_back(connections)
                for write in list(self._due()):
                    put_image(
                        engine,
                        write.table,
                        key=write.key,
                        image=write.image,
                        headers=write.headers,
                    )
                    self._writes.remove(write)
                self._forget_when_idle()
                self._changed.notify_all()
                is_busy = bool(self._writes or self._unread)
                self._changed.wait(TICK_SECONDS if is_busy else None)

    def _wait(self, is_so: Callable[[], bool], seconds: float) -> None:
        """Wait until something is so. Raises TimeoutError, and the replica's failure."""

        def is_so_or_failed() -> bool:
            return self._failure is not None or is_so()

        if not self._changed.wait_for(is_so_or_failed, seconds):
            raise TimeoutError(f"The replica did not follow within {seconds:g} seconds.")
        self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failure:
            raise self._failure


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the answers of two BatchGetItem for different tables."""
    merged: dict[str, Any] = {}
    for name in ("Responses", "UnprocessedKeys"):
        merged[name] = {**one.get(name, {}), **other.get(name, {})}
    if "ConsumedCapacity" in one:
        merged["ConsumedCapacity"] = [*one["ConsumedCapacity"], *other["ConsumedCapacity"]]
    return merged
