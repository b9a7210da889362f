"""Items that a transaction holds for a while, so that others of the same items are cancelled."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

from dynapages.engine.faults import conflict
from dynapages.engine.proxy import Answer, Call, item_name, refusal

IN_PROGRESS = refusal(
    400,
    "TransactionInProgressException",
    "The transaction with the given request token is already in progress.",
)


class TransactionLocks:
    """The items and the tokens that calls hold, as DynamoDB locks them: not what is only read."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._held: set[str] = set()
        self._key_names: dict[str, Sequence[str]] = {}

    @contextmanager
    def held_by(self, call: Call) -> Iterator[Answer | None]:
        """Hold the items that a call writes or checks, and its token, within the block.

        Yields None, or the refusal of the call where another one holds some of them.
        """
        # Before the lock is taken: this may ask the engine for the keys of a table.
        items = [self._item_of(call, action) for action in call.actions()]
        token = f"token {call.request.get('ClientRequestToken', '')}"
        own: set[str] = set()
        refused = None
        with self._guard:
            conflicts = [index for index, item in enumerate(items) if item in self._held]
            if token in self._held:
                refused = IN_PROGRESS  # the first attempt of this call is not over
            elif conflicts:
                refused = conflict(call, conflicts)
            elif call.operation != "TransactGetItems":
                own = set(items)
            if own and "ClientRequestToken" in call.request:
                own.add(token)
            self._held |= own
        try:
            yield refused
        finally:
            with self._guard:
                self._held -= own

    def _item_of(self, call: Call, action: Mapping[str, Any]) -> str:
        """Return the name of the item that an action is about; of a put, by the table's key."""
        table, key = action["TableName"], action.get("Key")
        if key is None:
            item = action["Item"]
            key = {name: item[name] for name in self._key_names_of(call, table) if name in item}
        return item_name(table, key)

    def _key_names_of(self, call: Call, table: str) -> Sequence[str]:
        """Return the names of a table's key attributes; of a table that is not there, none."""
        if table not in self._key_names:
            description = call.ask("DescribeTable", {"TableName": table}).decoded()
            parts = description.get("Table", {}).get("KeySchema", [])
            if not parts:
                return ()  # not remembered: the table may be created yet
            self._key_names[table] = [part["AttributeName"] for part in parts]
        return self._key_names[table]
