"""The second engine of a proxy that lags: copies of tables, into which writes are put later."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from time import sleep
from typing import Any

from dynapages.engine.child import EngineError
from dynapages.engine.proxy import Answer, Call, EngineConnection

MOST_PUTS = 25
"""The most items of a BatchWriteItem."""
POLL_SECONDS = 0.02
INDEX_KINDS = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")


class ReplicaFailed(EngineError):
    """The second engine refused what was to be copied into it."""

    def __init__(self, operation: str, answer: Answer) -> None:
        super().__init__(f"The replica refused {operation}: {answer.body.decode(errors='replace')}")


class Replica:
    """Copies of tables in the engine at ``url``. It has no lock: its user is one thread at a time.

    A table is copied when it is met first. Whoever writes to it then puts the images of items here.
    """

    def __init__(self) -> None:
        self.url = ""
        self._key_names: dict[str, Sequence[str]] = {}  # of the tables whose copies are right
        self._tables: set[str] = set()  # that the engine has, right or not

    def key_of(self, table: str, item: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the key of an item, which may have more attributes; None if there is no copy."""
        if table not in self._key_names:
            return None
        return {name: item[name] for name in self._key_names[table]}

    def copy_missing(self, call: Call, tables: Iterable[str]) -> bool:
        """Copy tables that are not copied yet; return False if the engine has not all of them.

        The calls that this takes are made in the name of a client's ``call``.
        """
        return all(table in self._key_names or self._copy(call, table) for table in tables)

    def forget(self, table: str) -> None:
        """Have a table copied anew when it is met next."""
        self._key_names.pop(table, None)

    def forget_all(self) -> None:
        """Have all tables copied anew."""
        self._key_names.clear()

    def reset(self) -> None:
        """Forget also which tables the engine has: it is to be another one."""
        self._key_names.clear()
        self._tables.clear()

    def _copy(self, call: Call, table: str) -> bool:
        """Create a table like the engine's and put its items; return False if it has none."""
        described = call.ask("DescribeTable", {"TableName": table})
        if described.status != HTTPStatus.OK:
            return False  # the client is to hear that from the engine itself
        description = described.decoded()["Table"]
        # A copy from before may lack what others have written since.
        if table in self._tables:
            self._ask(call, "DeleteTable", {"TableName": table})
            self._wait_for_table(call, table, exists=False)
        self._ask(call, "CreateTable", _create_request(description))
        self._tables.add(table)
        self._wait_for_table(call, table, exists=True)
        for items in _scanned(call, table):
            self._put_all(call, table, items)
        self._key_names[table] = [part["AttributeName"] for part in description["KeySchema"]]
        return True

    def _put_all(self, call: Call, table: str, items: Iterable[Mapping[str, Any]]) -> None:
        """Put items into a copy, again while some are left unprocessed."""
        puts = [{"PutRequest": {"Item": item}} for item in items]
        while puts:
            answer = self._ask(call, "BatchWriteItem", {"RequestItems": {table: puts}})
            puts = answer.get("UnprocessedItems", {}).get(table, [])

    def _wait_for_table(self, call: Call, table: str, *, exists: bool) -> None:
        """Wait until a table is active, or is gone."""
        while True:
            answer = call.ask("DescribeTable", {"TableName": table}, to=self.url)
            is_there = answer.status == HTTPStatus.OK
            if not exists and not is_there:
                return
            if exists and is_there and answer.decoded()["Table"]["TableStatus"] == "ACTIVE":
                return
            sleep(POLL_SECONDS)

    def _ask(self, call: Call, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Make a call at the second engine. Raises ReplicaFailed where it is refused."""
        answer = call.ask(operation, request, to=self.url)
        if answer.status != HTTPStatus.OK:
            raise ReplicaFailed(operation, answer)
        return answer.decoded()


def put_image(
    engine: EngineConnection,
    table: str,
    *,
    key: Mapping[str, Any],
    image: Mapping[str, Any] | None,
    headers: Mapping[str, str],
) -> None:
    """Let a replica have an item as it is elsewhere; ``image`` is None where it was deleted."""
    if image is None:
        operation, request = "DeleteItem", {"TableName": table, "Key": key}
    else:
        operation, request = "PutItem", {"TableName": table, "Item": image}
    answer = engine.ask(operation, request, headers)
    if answer.status != HTTPStatus.OK:
        raise ReplicaFailed(operation, answer)


def _create_request(description: Mapping[str, Any]) -> dict[str, Any]:
    """Build the CreateTable of a table like one that DescribeTable describes."""
    request: dict[str, Any] = {
        "TableName": description["TableName"],
        "KeySchema": description["KeySchema"],
        "AttributeDefinitions": description["AttributeDefinitions"],
        # Whatever the table's own billing is, so that no throughput needs to be copied.
        "BillingMode": "PAY_PER_REQUEST",
    }
    for kind in INDEX_KINDS:
        indexes = []
        for index in description.get(kind, ()):
            indexes.append({name: index[name] for name in ("IndexName", "KeySchema", "Projection")})
        if indexes:
            request[kind] = indexes
    return request


def _scanned(call: Call, table: str) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Yield the items of a table, so many at once as a batch may put."""
    request: dict[str, Any] = {"TableName": table, "ConsistentRead": True, "Limit": MOST_PUTS}
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
