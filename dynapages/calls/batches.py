"""Batches: many writes or reads by key, in parallel calls, with backoff and jitter.

`Batches` puts, deletes and gets items, as many in a call as DynamoDB takes. BatchWriteItem may
return some items unprocessed; PynamoDB resends those without a pause, which keeps a throttled table
throttled. Follows "BatchWriteItem" of the API Reference.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from dynapages.calls.client_types import ItemClient
from dynapages.calls.faults import BUSY, Throttled, fault_in
from dynapages.calls.patience import current_patience
from dynapages.calls.pool import Backoff, Pool, one_operation
from dynapages.errors import DynamoError
from dynapages.items import Item

Thing = TypeVar("Thing")
Keyed = tuple[str, Item]
"""A table, and an item in it or its key."""

WRITE_LIMIT = 25
"""Requests in a call of BatchWriteItem."""
READ_LIMIT = 100
"""Keys in a call of BatchGetItem."""
BACKOFF = Backoff()


class BatchIncomplete(DynamoError):
    """Writes or reads were left unprocessed after the last attempt. Its cause is Throttled."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a call has read, and the requests that it has left unprocessed."""

    items: list[Keyed]
    unprocessed: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Batches:
    """Batch calls of one client; ``pool`` bounds how many run at a time."""

    client: ItemClient = field(repr=False)
    pool: Pool
    backoff: Backoff = BACKOFF
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def put(self, table: str, items: Iterable[Item]) -> None:
        """Put items, replacing those with the same keys; keys must not repeat.

        Raises BatchIncomplete when the table stayed throttled, and botocore's errors.
        """
        self.write(table, [{"PutRequest": {"Item": item}} for item in items])

    def delete(self, table: str, table_keys: Iterable[Item]) -> None:
        """Delete the items with these keys; keys must not repeat. Raises like `put`."""
        self.write(table, [{"DeleteRequest": {"Key": key}} for key in table_keys])

    def put_and_delete(self, table: str, items: Iterable[Item], table_keys: Iterable[Item]) -> None:
        """Put items and delete others at the same time, in no order; keys must not repeat.

        Raises like `put`.
        """
        requests: list[Mapping[str, Any]] = []
        for key in table_keys:
            requests.append({"DeleteRequest": {"Key": key}})
        for item in items:
            requests.append({"PutRequest": {"Item": item}})
        self.write(table, requests)

    def write(self, table: str, requests: Sequence[Mapping[str, Any]]) -> None:
        """Send write requests of BatchWriteItem; their keys must not repeat."""

        def write(batch: Sequence[Any]) -> None:
            self._until_done(partial(self._write_once, table), batch)

        self.pool.map(write, in_chunks(requests, size_of_batch(WRITE_LIMIT)))

    def get(self, table: str, table_keys: Iterable[Item], *, consistent: bool = True) -> list[Item]:
        """Read the items with these keys; those that do not exist are left out.

        The order is not that of the keys, which must not repeat. Raises like `put`.
        """
        keys = [(table, key) for key in table_keys]
        return [item for _, item in self.get_from_tables(keys, consistent=consistent)]

    def get_from_tables(self, keys: Iterable[Keyed], *, consistent: bool = True) -> list[Keyed]:
        """Read items of several tables, `READ_LIMIT` in a call; see `get`."""

        def read(batch: Sequence[Any]) -> list[Keyed]:
            return self._until_done(partial(self._read_once, consistent=consistent), batch)

        items: list[Keyed] = []
        batches = in_chunks(keys, size_of_batch(READ_LIMIT))
        for items_of_batch in self.pool.map(read, batches):
            items += items_of_batch
        return items

    def _until_done(
        self, call: Callable[[Sequence[Any]], _Answer], requests: Sequence[Any]
    ) -> list[Keyed]:
        """Repeat a call with the requests that it leaves; return the items that it has read."""
        with one_operation():
            return self._repeated(call, requests)

    def _repeated(
        self, call: Callable[[Sequence[Any]], _Answer], requests: Sequence[Any]
    ) -> list[Keyed]:
        pauses = self.backoff.pauses()
        attempts = 0
        items: list[Keyed] = []
        pending = requests
        while True:
            attempts += 1
            try:
                answer = call(pending)
            except ClientError as error:  # a throttled call has processed nothing
                if not isinstance(fault_in(error), Throttled):
                    raise
            else:
                items += answer.items
                pending = answer.unprocessed
            if not pending:
                return items
            patience = current_patience.get()
            if patience is not None:
                patience.note_throttled()
            pause = next(pauses, None)
            if pause is None:
                raise BatchIncomplete(
                    f"{len(pending)} items were still unprocessed after {attempts} attempts"
                ) from Throttled(BUSY)
            self.sleep(pause)

    def _write_once(self, table: str, requests: Sequence[Any]) -> _Answer:
        """Make one call of BatchWriteItem."""
        response = self.client.batch_write_item(RequestItems={table: list(requests)})
        unprocessed = response.get("UnprocessedItems") or {}
        return _Answer([], unprocessed.get(table, []))

    def _read_once(self, keys: Sequence[Keyed], *, consistent: bool) -> _Answer:
        """Make one call of BatchGetItem, of the keys of several tables."""
        requests: dict[str, Any] = {}
        for table, key in keys:
            if table not in requests:
                requests[table] = {"Keys": [], "ConsistentRead": consistent}
            requests[table]["Keys"].append(key)
        response = self.client.batch_get_item(RequestItems=requests)
        items: list[Keyed] = []
        for table, items_of_table in response["Responses"].items():
            items += [(table, item) for item in items_of_table]
        unprocessed: list[Keyed] = []
        for table, request in (response.get("UnprocessedKeys") or {}).items():
            unprocessed += [(table, key) for key in request["Keys"]]
        return _Answer(items, unprocessed)


def size_of_batch(most: int) -> int:
    """Return how many items to put into a call: fewer than ``most`` where a job is slowed down."""
    patience = current_patience.get()
    if patience is None:
        return most
    return patience.size_of_batch(most)


def in_chunks(things: Iterable[Thing], size: int) -> Iterator[list[Thing]]:
    """Divide things into lists of ``size``, the last one shorter."""
    iterator = iter(things)
    batch = list(islice(iterator, size))
    while batch:
        yield batch
        batch = list(islice(iterator, size))
