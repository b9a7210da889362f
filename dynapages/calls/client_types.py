"""The types of clients that this library takes: of boto3, botocore, aiobotocore, or like these.

They name what is called, and nothing else. So a client fits with any stubs, without stubs, and one
that a test has made.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

Method: TypeAlias = Callable[..., Mapping[str, Any]]
"""A method that makes a call, with botocore's parameters as keywords, and returns its answer."""


class UntypedClient(Protocol):
    """A client whose methods a type checker does not know: one of botocore without stubs."""

    def __getattr__(self, name: str, /) -> Any: ...  # noqa: ANN401 - any method


class HasQuery(Protocol):
    """A client with botocore's method ``query``, which may be awaited, such as aiobotocore's."""

    @property
    def query(self) -> Callable[..., Any]:
        """Make a Query, with botocore's parameters as keywords."""


class HasItemMethods(Protocol):
    """A client with botocore's methods for items, which are not awaited."""

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


QueryClient: TypeAlias = HasQuery | UntypedClient
"""A client that reads lists: boto3's, botocore's or aiobotocore's, or any with its ``query``."""
ItemClient: TypeAlias = HasItemMethods | UntypedClient
"""A client that reads and writes items: boto3's or botocore's, or any with their methods."""
