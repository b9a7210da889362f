"""Feeds of PynamoDB's models: pages of an index or a table, whose items are instances.

feed = feed_of(Comment.by_rating, ["P#42/4", "P#42/5"], tokens=Tokens(SECRET))
page = feed.page(20, after=request.args.get("after"))
page.items[0].title, page.next, page.previous
"""

from collections.abc import Sequence
from typing import Any, TypeVar, Unpack, cast, overload

from pynamodb.attributes import Attribute
from pynamodb.indexes import Index as ModelIndex
from pynamodb.models import Model

from dynapages.calls.client_types import ItemClient
from dynapages.items import Item
from dynapages.lists.feed import Feed, FeedOptions
from dynapages.lists.key_types import KeyType
from dynapages.lists.partitions import Partitions
from dynapages.lists.runs import Index

M = TypeVar("M", bound=Model)


@overload
def feed_of(
    listed: ModelIndex[M] | type[M], partitions: Partitions, **options: Unpack[FeedOptions]
) -> Feed[M]: ...


@overload
def feed_of(
    listed: ModelIndex[Any] | type[Model],
    partitions: Partitions,
    *,
    model: type[M],
    **options: Unpack[FeedOptions],
) -> Feed[M]: ...


def feed_of(
    listed: ModelIndex[Any] | type[Model],
    partitions: Partitions,
    *,
    model: type[Any] | None = None,
    **options: Unpack[FeedOptions],
) -> Feed[Any]:
    """Return the feed of some partitions of an index, such as ``Comment.by_rating``, or of a table.

    Items are instances of ``model``, by default the one that declares the index. ``partitions`` are
    values as they are stored, and ``options`` the other arguments of `dynapages.Feed`. The calls
    are made by the model's own client where neither ``client`` nor ``source`` is given. Raises
    ValueError as `dynapages.Feed` does, and where there is no sort key.
    """
    index = index_of(listed)
    parsed_as: type[Model] = model or _model_of(listed)

    def instance(item: Item) -> Model:
        return parsed_as.from_raw_data(dict(item))

    if options.get("client") is None and options.get("source") is None:
        options["client"] = _client_of(parsed_as)
    return Feed(index, partitions, parse=instance, **options)


def index_of(listed: ModelIndex[Any] | type[Model]) -> Index:
    """Return an index or a table by its declaration. Raises ValueError without a sort key."""
    model = _model_of(listed)
    table = model.Meta.table_name
    attributes = list(model.get_attributes().values())
    table_key = _key_of(attributes)
    if not isinstance(listed, ModelIndex):
        partition, sort = _both_of(table_key, table)
        return Index(table, partition=partition, sort=sort, key_types=_types_of(attributes))
    name = listed.Meta.index_name
    attributes = list(listed.Meta.attributes.values())
    partition, sort = _both_of(_key_of(attributes), name)
    return Index(
        table,
        name,
        partition=partition,
        sort=sort,
        table_key=table_key,
        key_types=_types_of(attributes),
    )


def _both_of(key: Sequence[str], name: str) -> tuple[str, str]:
    """Return the partition key and the sort key. Raises ValueError where there is no sort key."""
    if len(key) == 1:
        raise ValueError(f"{name} has no sort key: its items have no order to be listed in")
    partition, sort = key
    return partition, sort


def _key_of(attributes: Sequence[Attribute[Any]]) -> tuple[str, ...]:
    """Return the names of the key attributes, the partition key first."""
    partition_key = [each.attr_name for each in attributes if each.is_hash_key]
    sort_key = [each.attr_name for each in attributes if each.is_range_key]
    return (*partition_key, *sort_key)


def _types_of(attributes: Sequence[Attribute[Any]]) -> dict[str, KeyType]:
    """Return the types of the key attributes by name."""
    types: dict[str, KeyType] = {}
    for attribute in attributes:
        if attribute.is_hash_key or attribute.is_range_key:
            types[attribute.attr_name] = cast("KeyType", attribute.attr_type)
    return types


def _model_of(listed: ModelIndex[Any] | type[Model]) -> type[Model]:
    """Return the model that an index is declared in, or the model itself."""
    if not isinstance(listed, ModelIndex):
        return listed
    model: type[Model] = listed._model  # noqa: SLF001 - it has no public name
    return model


def _client_of(model: type[Model]) -> ItemClient:
    private: Any = model._get_connection().connection  # noqa: SLF001 - nor has this
    client: ItemClient = private.client
    return client
