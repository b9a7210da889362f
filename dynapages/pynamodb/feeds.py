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
from dynapages.index_keys import require_declared_order
from dynapages.items import Item
from dynapages.lists.feed import Feed, FeedOptions
from dynapages.lists.key_types import KeyType
from dynapages.lists.partitions import Partitions
from dynapages.lists.runs import Index

M = TypeVar("M", bound=Model)
Names = str | tuple[str, ...]
"""One attribute, or several in their order."""


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
    """Return an index or a table by its declaration.

    Of a `SeveralAttributesIndex` the attributes are in the order of its class. Raises ValueError
    without a sort key, and for several attributes in an index of another class.
    """
    model = _model_of(listed)
    table = model.Meta.table_name
    attributes = list(model.get_attributes().values())
    if not isinstance(listed, ModelIndex):
        partition, sort = _key_of(attributes, table)
        return Index(table, partition=partition, sort=sort, key_types=_types_of(attributes))
    name = listed.Meta.index_name
    require_declared_order(listed._get_schema())  # noqa: SLF001 - it has no public name
    table_key = (*_partition_of(attributes), *_sort_of(attributes))
    attributes = list(listed.Meta.attributes.values())
    partition, sort = _key_of(attributes, name)
    return Index(
        table,
        name,
        partition=partition,
        sort=sort,
        table_key=table_key,
        key_types=_types_of(attributes),
    )


def _key_of(attributes: Sequence[Attribute[Any]], name: str) -> tuple[Names, Names]:
    """Return the partition attributes and the sort attributes.

    Raises ValueError where there is no sort attribute.
    """
    sort = _sort_of(attributes)
    if not sort:
        raise ValueError(f"{name} has no sort key: its items have no order to be listed in")
    return _one_or_several(_partition_of(attributes)), _one_or_several(sort)


def _one_or_several(names: Sequence[str]) -> Names:
    """Return one name as it is, and several as a tuple: so are the values of a feed."""
    if len(names) == 1:
        return names[0]
    return tuple(names)


def _partition_of(attributes: Sequence[Attribute[Any]]) -> list[str]:
    return [each.attr_name for each in attributes if each.is_hash_key]


def _sort_of(attributes: Sequence[Attribute[Any]]) -> list[str]:
    return [each.attr_name for each in attributes if each.is_range_key]


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
