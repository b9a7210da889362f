"""The type of the clients that read and write items: those of boto3 and botocore, and like ones.

A client of aiobotocore is none, as its methods return coroutines; `dynapages.Feed` takes it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

Method: TypeAlias = Callable[..., Mapping[str, Any]]
"""A method that makes a call, with botocore's parameters as keywords, and returns its answer."""


class ItemClient(Protocol):
    """What this library calls of a client of DynamoDB, to read and write items.

    That is less than a type of boto3's stubs has, so a client fits that has other stubs, or none.
    """

    @property
    def batch_get_item(self) -> Method: ...
    @property
    def batch_write_item(self) -> Method: ...
    @property
    def delete_item(self) -> Method: ...
    @property
    def get_item(self) -> Method: ...
    @property
    def put_item(self) -> Method: ...
    @property
    def query(self) -> Method: ...
    @property
    def transact_write_items(self) -> Method: ...
    @property
    def update_item(self) -> Method: ...
    @property
    def exceptions(self) -> Any:  # noqa: ANN401 - botocore makes its classes
        """Have the classes of the service's errors, such as ``TransactionConflictException``."""
