"""Plain clients: the client in botocore's form that a boto3 resource, or a Table, has.

The handlers of a resource change all values of its calls: it takes and returns Python values.
`plain_client` returns a client without these handlers.
"""

from copy import copy
from typing import Any, Protocol
from weakref import WeakKeyDictionary

_HANDLERS_OF_RESOURCES = (
    ("provide-client-params.dynamodb", "dynamodb-create-params-copy"),
    ("before-parameter-build.dynamodb", "dynamodb-condition-expression"),
    ("before-parameter-build.dynamodb", "dynamodb-attr-value-input"),
    ("after-call.dynamodb", "dynamodb-attr-value-output"),
)
"""Events and ids of the handlers that a DynamoDBHighLevelResource of boto3 registers."""
_CHANGES_VALUES = "dynamodb-attr-value-input"
_plain_clients: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""By the clients of resources that are in use."""


class ResourceMeta(Protocol):
    """What a `Resource` says of itself."""

    @property
    def client(self) -> Any:  # noqa: ANN401 - a client of boto3, or of aioboto3
        """The client that makes its calls."""


class Resource(Protocol):
    """A boto3 resource of DynamoDB, or a Table of one."""

    @property
    def meta(self) -> ResourceMeta:
        """What it says of itself."""


def plain_client(given: object) -> Any:  # noqa: ANN401 - any client
    """Return the client to make calls with in botocore's form: the given one, or a resource's.

    Of a boto3 resource or Table it has the connections, credentials and handlers, except the ones
    that change values; handlers that are registered on the resource later do not count. The
    resource itself stays as it is. Raises ValueError for what has no method ``query``.
    """
    client = client_in(given)
    if not _changes_values(client):
        return client
    # The copy of events takes a millisecond, and feeds are made for each request.
    plain = _plain_clients.get(client)
    if plain is None:
        plain = _plain_clients[client] = _without_changes(client)
    return plain


def client_in(given: object) -> Any:  # noqa: ANN401 - any client
    """Return the client that makes the calls: the given one, or a resource's.

    Raises ValueError for what has no method ``query``.
    """
    client: Any = given
    meta = getattr(given, "meta", None)
    if not hasattr(meta, "events"):
        client = getattr(meta, "client", given)
    if isinstance(client, type) or not callable(getattr(client, "query", None)):
        sentence = (
            'A client has the method query, such as boto3.client("dynamodb"), or is a resource or '
            f"a Table of boto3, and not {given!r}"
        )
        raise ValueError(sentence)  # noqa: TRY004 - a wrong argument, as the others of lists
    return client


def _changes_values(client: Any) -> bool:  # noqa: ANN401 - any client
    """Return whether a client has the handlers of a resource."""
    events = getattr(getattr(client, "meta", None), "events", None)
    emitter = getattr(events, "_emitter", None)
    return _CHANGES_VALUES in getattr(emitter, "_unique_id_handlers", ())


def _without_changes(client: Any) -> Any:  # noqa: ANN401 - any client
    """Return a client like another, with events of its own, without the handlers of a resource."""
    # `copy` asks a client for attributes before it has any, which botocore's does not survive.
    plain = object.__new__(type(client))
    vars(plain).update(vars(client))
    plain.meta = copy(client.meta)
    plain.meta.events = copy(client.meta.events)
    for event, unique_id in _HANDLERS_OF_RESOURCES:
        plain.meta.events.unregister(event, unique_id=unique_id)
    return plain
