"""Batches: many writes or reads by key, in parallel calls, with backoff and jitter.

BatchWriteItem may return some items unprocessed; PynamoDB resends those without a pause, which
keeps a throttled table throttled. Follows "BatchWriteItem" of the API Reference.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ClientError

from dynapages.calls.faults import BUSY, Throttled, fault_in
from dynapages.calls.pool import Backoff, Pool
from dynapages.errors import DynamoError
from dynapages.items import Item

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

WRITE_LIMIT = 25
READ_LIMIT = 100
BACKOFF = Backoff()

Thing = TypeVar("Thing")
Keyed = tuple[str, Item]
"""A table, and an item in it or its key."""
Once = Callable[[Sequence[Any]], tuple[list[Keyed], Sequence[Any]]]
"""Sends requests, and returns the items read and the requests that were left unprocessed."""


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
        once = partial(self._write_once, table)
        calls = [
            partial(self._until_done, batch, once) for batch in in_chunks(requests, WRITE_LIMIT)
        ]
        self.pool.gather(calls)

    def get(self, table: str, table_keys: Iterable[Item], *, consistent: bool = True) -> list[Item]:
        """Read the items with these keys; those that do not exist are left out.

        The order is not that of the keys, which must not repeat. Raises like `put`.
        """
        wanted = [(table, key) for key in table_keys]
        return [item for _, item in self.get_from_tables(wanted, consistent=consistent)]

    def get_from_tables(self, wanted: Iterable[Keyed], *, consistent: bool = True) -> list[Keyed]:
        """Read items of several tables, `READ_LIMIT` in a call; see `get`."""
        once = partial(self._read_once, consistent=consistent)
        calls = [partial(self._until_done, batch, once) for batch in in_chunks(wanted, READ_LIMIT)]
        return [found for some in self.pool.gather(calls) for found in some]

    def _until_done(self, pending: Sequence[Any], once: Once) -> list[Keyed]:
        pauses = self.backoff.pauses()
        found: list[Keyed] = []
        while True:
            try:
                some, pending = once(pending)
                found += some
            except ClientError as error:  # a throttled call has processed nothing
                if not isinstance(fault_in(error), Throttled):
                    raise
            if not pending:
                return found
            pause = next(pauses, None)
            if pause is None:
                raise BatchIncomplete(
                    f"{len(pending)} items were still unprocessed "
                    f"after {self.backoff.attempts} attempts"
                ) from Throttled(BUSY)
            self.sleep(pause)

    def _write_once(self, table: str, requests: Sequence[Any]) -> tuple[list[Keyed], Sequence[Any]]:
        response = self.client.batch_write_item(RequestItems={table: list(requests)})
        return [], response.get("UnprocessedItems", {}).get(table, [])

    def _read_once(
        self, wanted: Sequence[Keyed], *, consistent: bool
    ) -> tuple[list[Keyed], Sequence[Keyed]]:
        requests: dict[str, Any] = {}
        for table, key in wanted:
            asked = requests.setdefault(table, {"Keys": [], "ConsistentRead": consistent})
            asked["Keys"].append(key)
        response = self.client.batch_get_item(RequestItems=requests)
        left: Any = response.get("UnprocessedKeys", {})
        return (
            [(table, item) for table, items in response["Responses"].items() for item in items],
            [(table, key) for table, asked in left.items() for key in asked["Keys"]],
        )


def in_chunks(things: Iterable[Thing], size: int) -> Iterator[list[Thing]]:
    """Divide things into lists of ``size``, the last one shorter."""
    iterator = iter(things)
    while batch := list(islice(iterator, size)):
        yield batch
