"""Records which permission each call of the tests needs, to compare them with the policy.

A call is the site's where a test client has made the request, or that of the command that runs; all
other calls are those of the tests themselves.
"""

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

from botocore.client import BaseClient
from django.core.management.base import BaseCommand
from django.test.client import ClientHandler

from dynapages.calls.client import Caller

SITE = "the site"
Use = tuple[str, str, str]
"""Who needs which action on what: ``("the site", "PutItem", "comments")``."""
used: set[Use] = set()

_TABLE = re.compile(r"(shop|comments|comment_sets|comment_words)$")
_GROUP = re.compile(r"(?:^|-)(activity|lab)-")
_LOG_THREAD = "The activity log"
"""The site's thread that writes the activity log."""
_actor: ContextVar[str | None] = ContextVar("actor", default=None)
_OF_CREATION = frozenset(
    {"CreateTable", "DescribeTable", "DescribeTimeToLive", "UpdateTable", "UpdateTimeToLive"}
)
_MADE = ("shop", "comments", "comment_sets", "comment_words")
_WRITES = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}


def record_permissions() -> None:
    """Have all calls recorded from now on."""
    _wrap(Caller, "_make_api_call", _noted)
    # Clients that the library did not make. What replaces their `_make_api_call` is taken for an
    # instrumentor, and then botocore would make all calls of the tests.
    _wrap(BaseClient, "_emit_api_params", _noted_by_botocore)
    _wrap(ClientHandler, "__call__", _acting(lambda _handler: SITE))
    _wrap(BaseCommand, "execute", _acting(lambda one: type(one).__module__.rpartition(".")[2]))


@contextmanager
def acting_as(who: str) -> Iterator[None]:
    """Record what is called in the block as that of ``who``."""
    token = _actor.set(who)
    try:
        yield
    finally:
        _actor.reset(token)


def _wrap(owner: type, name: str, around: Callable[..., Any]) -> None:
    original = getattr(owner, name)

    @wraps(original)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        return around(original, self, *args, **kwargs)

    setattr(owner, name, wrapped)


def _acting(name_of: Callable[[Any], str]) -> Callable[..., Any]:
    def act(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
        with acting_as(_actor.get() or name_of(self)):
            return original(self, *args, **kwargs)

    return act


def _noted(original: Callable[..., Any], self: Any, operation: str, params: Any) -> Any:
    _note(self, operation, params)
    return original(self, operation, params)


def _noted_by_botocore(original: Callable[..., Any], self: Any, **call: Any) -> Any:
    _note(self, call["operation_model"].name, call["api_params"])
    return original(self, **call)


def _note(client: BaseClient, operation: str, params: Any) -> None:
    actor = SITE if threading.current_thread().name == _LOG_THREAD else _actor.get()
    if client.meta.service_model.service_name.startswith("dynamodb"):
        for action, resource in _needed(operation, params):
            # The tests make tables as create_tables does.
            is_making = actor is None and operation in _OF_CREATION and resource in _MADE
            who = "create_tables" if is_making else actor
            if who is not None and resource:
                used.add((who, action, resource))


def _needed(operation: str, params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if operation.startswith("Transact"):
        for one in params["TransactItems"]:
            ((kind, what),) = one.items()
            yield _WRITES.get(kind, "GetItem"), _resource(what["TableName"])
    elif operation.startswith("Batch"):
        for table in params["RequestItems"]:
            yield operation, _resource(table)
    elif "StreamArn" in params or "ShardIterator" in params:
        yield operation, "comment_sets/stream/*"
    elif "TableName" in params:
        table = _resource(params["TableName"])
        yield operation, f"{table}/index/*" if table and "IndexName" in params else table
    else:
        yield operation, "*"


def _resource(table: str) -> str:
    """Return a table's name without the prefix, which many tests change; empty of their own."""
    group = _GROUP.search(table)
    found = _TABLE.search(table)
    return f"{group[1]}-*" if group else found[0] if found else ""
