"""Metering every client of DynamoDB in this process that makes a call meanwhile, for tests.

botocore has events of one client, and none of all. So the method that each call of a client goes
through is replaced within the block, as instrumentors replace it.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from threading import Lock
from typing import Any

from botocore.client import BaseClient

from dynapages.calls import meter

_METHOD = "_make_api_call"
_AWAITED_CLIENTS = "aiobotocore.client"
"""The module of clients that are awaited, whose class has a method of its own."""


@dataclass(slots=True)
class _Replaced:
    """The number of open blocks, and each class of clients with its method and what replaced it."""

    blocks: int = 0
    methods: list[tuple[type, object, object]] = field(default_factory=list)


_lock = Lock()
_replaced = _Replaced()


@contextmanager
def every_client_metered() -> Iterator[None]:
    """Meter each client of botocore or aiobotocore that makes a call in the block.

    It stays metered behind the block.
    """
    with _lock:
        _replaced.blocks += 1
        if _replaced.blocks == 1:
            _replace_methods()
    try:
        yield
    finally:
        with _lock:
            _replaced.blocks -= 1
            if not _replaced.blocks:
                _put_methods_back()


def _replace_methods() -> None:
    classes: list[type] = [BaseClient]
    awaited_clients = sys.modules.get(_AWAITED_CLIENTS)
    if awaited_clients is not None:
        classes.append(awaited_clients.AioBaseClient)
    for each in classes:
        replacement = _metering(getattr(each, _METHOD))
        # An instrumentor has put an object of its own there, which is more than a method.
        _replaced.methods.append((each, vars(each)[_METHOD], replacement))
        setattr(each, _METHOD, replacement)


def _put_methods_back() -> None:
    for each, method, replacement in _replaced.methods:
        # An instrumentor that came meanwhile stays.
        if vars(each)[_METHOD] is replacement:
            setattr(each, _METHOD, method)
    _replaced.methods.clear()


def _metering(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def make_api_call(client: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - botocore's
        if client.meta.service_model.service_name == "dynamodb":
            meter.attach(client)
        return method(client, *args, **kwargs)

    return make_api_call
