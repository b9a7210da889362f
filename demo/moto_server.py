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
        undo = [_undo(backend, *action) for one in transact_items for action in one.items()]
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
    _Table.__deepcopy__ = lambda table, _memo: table
    try:
        yield
    finally:
        del _Table.__deepcopy__


def _undo(backend: Any, kind: str, action: Mapping[str, Any]) -> Undo:  # noqa: ANN401 - moto's
    table = backend.tables.get(action["TableName"])
    if table is None:  # moto is about to refuse it
        return lambda: None
    partition, place = backend.get_keys_value(table, action["Item" if kind == "Put" else "Key"])
    before = copy.deepcopy(table.get_item(partition, place))

    def put_back() -> None:
        table.delete_item(partition, place)
        if before is not None and place:
            table.items[partition][place] = before
        elif before is not None:
            table.items[partition] = before

    return put_back


def main(host: str, port: str) -> None:
    """Serve until SIGINT or SIGTERM."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    copy_items_only()
    app = DomainDispatcherApplication(create_backend_app)
    run_simple(host, int(port), app, threaded=False, request_handler=MotoRequestHandler)


if __name__ == "__main__":
    main(*sys.argv[1:])
