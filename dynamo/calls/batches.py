"""Batches: many writes or reads by key, in parallel calls, with backoff.

BatchWriteItem takes 25 items and may return some unprocessed; PynamoDB resends those without a
pause, which keeps a throttled table throttled. Here they are retried with exponential backoff and
jitter. Follows "BatchWriteItem" of the API Reference and "Error retries and exponential backoff" of
the Developer Guide.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynamo.calls.backoff import Backoff
from dynamo.calls.faults import BUSY, Throttled, fault_in
from dynamo.calls.pool import Pool
from dynamo.errors import DynamoError
from dynamo.items import Item

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

WRITE_LIMIT = 25
READ_LIMIT = 100
BACKOFF = Backoff()


class BatchIncomplete(DynamoError):
    """Writes or reads were left unprocessed after the last attempt. Its cause is Throttled."""


@dataclass(frozen=True, slots=True)
class Batches:
    """Batch calls of one client; ``pool`` bounds how many run at a time."""

    client: "DynamoDBClient"
    pool: Pool
    backoff: Backoff = BACKOFF
    sleep: Callable[[float], None] = time.sleep

    def put(self, table: str, items: Iterable[Item]) -> None:
        """Put items, replacing those with the same keys; keys must not repeat.

        Raises BatchIncomplete when the table stayed throttled, and botocore's errors.
        """
        self.write(table, [{"PutRequest": {"Item": item}} for item in items])

    def delete(self, table: str, table_keys: Iterable[Item]) -> None:
        """Delete the items with these keys; keys must not repeat. Raises like `put`."""
        self.write(table, [{"DeleteRequest": {"Key": key}} for key in table_keys])

    def write(self, table: str, requests: Sequence[Mapping[str, Any]]) -> None:
        """Send write requests of BatchWriteItem; their keys must not repeat."""
        calls = [
            partial(self._until_done, table, batch, self._write_once)
            for batch in _batched(requests, WRITE_LIMIT)
        ]
        self.pool.gather(calls)

    def get(self, table: str, table_keys: Iterable[Item], *, consistent: bool = True) -> list[Item]:
        """Read the items with these keys; those that do not exist are left out.

        The order is not that of the keys, which must not repeat. Raises like `put`.
        """
        once = partial(self._read_once, consistent=consistent)
        calls = [
            partial(self._until_done, table, batch, once)
            for batch in _batched(table_keys, READ_LIMIT)
        ]
        return [item for found in self.pool.gather(calls) for item in found]

    def _until_done(
        self,
        table: str,
        pending: Sequence[Any],
        once: Callable[[str, Sequence[Any]], tuple[list[Item], Sequence[Any]]],
    ) -> list[Item]:
        pauses = self.backoff.pauses()
        found: list[Item] = []
        while True:
            some, pending = self._unless_throttled(once, table, pending)
            found += some
            if not pending:
                return found
            pause = next(pauses, None)
            if pause is None:
                sentence = (
                    f"{len(pending)} items of {table} were still unprocessed "
                    f"after {self.backoff.attempts} attempts"
                )
                raise BatchIncomplete(sentence) from Throttled(BUSY)
            self.sleep(pause)

    def _unless_throttled(
        self,
        once: Callable[[str, Sequence[Any]], tuple[list[Item], Sequence[Any]]],
        table: str,
        pending: Sequence[Any],
    ) -> tuple[list[Item], Sequence[Any]]:
        """Call once; a throttled call has processed nothing."""
        try:
            return once(table, pending)
        except ClientError as error:
            if not isinstance(fault_in(error), Throttled):
                raise
            return [], pending

    def _write_once(self, table: str, requests: Sequence[Any]) -> tuple[list[Item], Sequence[Any]]:
        response = self.client.batch_write_item(RequestItems={table: list(requests)})
        return [], response.get("UnprocessedItems", {}).get(table, [])

    def _read_once(
        self, table: str, table_keys: Sequence[Any], *, consistent: bool
    ) -> tuple[list[Item], Sequence[Any]]:
        response = self.client.batch_get_item(
            RequestItems={table: {"Keys": list(table_keys), "ConsistentRead": consistent}}
        )
        left: Any = response.get("UnprocessedKeys", {}).get(table, {})
        return list(response["Responses"].get(table, [])), left.get("Keys", [])


def _batched(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    iterator = iter(things)
    while batch := list(islice(iterator, size)):
        yield batch
