"""Moto's server, adapted: transactions copy only their items.

Each action of moto's transactions first copies the whole table: the sample's orders would not load
in time. Moto is not safe for threads: one request is served at a time. This program takes the host
and the port as arguments.
"""

import copy
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.table import Table
from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import run_simple

Actions = list[dict[str, Any]]
Undo = Callable[[], None]

_Backend: Any = DynamoDBBackend  # whose methods are to be replaced
_Table: Any = Table


def copy_items_only() -> None:
    """Make moto's transactions roll back items instead of tables."""
    write = _Backend.transact_write_items

    def transact_write_items(backend: Any, transact_items: Actions) -> None:  # noqa: ANN401 - moto's
        undo = []
        for transact_item in transact_items:
            for kind, action in transact_item.items():
                undo.append(_undo(backend, kind, action))
        with _uncopied_tables():
            try:
                write(backend, transact_items)
            except Exception:  # whatever it is goes on, once nothing of it is left
                for put_back in undo:
                    put_back()
                raise

    _Backend.transact_write_items = transact_write_items


@contextmanager
def _uncopied_tables() -> Iterator[None]:
    """Make a deep copy of a table return the table itself."""

    def itself(table: Any, _memo: object) -> Any:  # noqa: ANN401 - moto's
        return table

    _Table.__deepcopy__ = itself
    try:
        yield
    finally:
        del _Table.__deepcopy__


def _undo(backend: Any, kind: str, action: Mapping[str, Any]) -> Undo:  # noqa: ANN401 - moto's
    """Return what puts the item of an action back as it is now."""
    table = backend.tables.get(action["TableName"])
    if table is None:  # moto is about to refuse it
        return lambda: None
    key_holder = action["Item"] if kind == "Put" else action["Key"]
    partition_key, sort_key = backend.get_keys_value(table, key_holder)
    # The item as it is now: the action replaces or changes it in place.
    before = copy.deepcopy(table.get_item(partition_key, sort_key))

    def put_back() -> None:
        table.delete_item(partition_key, sort_key)
        if before is not None and sort_key:
            table.items[partition_key][sort_key] = before
        elif before is not None:
            table.items[partition_key] = before

    return put_back


def main(host: str, port: str) -> None:
    """Serve until SIGINT or SIGTERM."""

    def end(*_: object) -> None:
        sys.exit(0)

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    copy_items_only()
    app = DomainDispatcherApplication(create_backend_app)
    run_simple(host, int(port), app, threaded=False, request_handler=MotoRequestHandler)


if __name__ == "__main__":
    main(*sys.argv[1:])
