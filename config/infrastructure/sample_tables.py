"""The tables of the settings and a month of the activity log, with kinds and sample rows."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from comments import keys as comment_keys
from comments.models import CommentItem
from comments.sets import models as set_models
from comments.sets.models import CommentSetItem
from config.infrastructure.comment_rows import comment_rows, set_rows
from config.infrastructure.item_kinds import ItemKind, kind_of, kinds_in
from config.infrastructure.shop_rows import activity_rows, shop_rows
from dynamo.calls.models import DynamoModel
from dynamo.items import Item
from dynamo.tables.schema import TableSchema
from shop import keys as shop_keys
from shop.activity import entries
from shop.activity.months import Month
from shop.activity.tables import Activity, model_of
from shop.models import ShopItem
from shop.table import key_of
from shop.table_picture import START

_SAMPLES: tuple[tuple[type[DynamoModel], ModuleType, Callable[[], Iterable[Item]]], ...] = (
    (ShopItem, shop_keys, shop_rows),
    (CommentItem, comment_keys, comment_rows),
    (CommentSetItem, set_models, set_rows),
    (Activity, entries, activity_rows),
)
"""The base of all models of a table, the module whose docstring lists its kinds, and its rows."""


@dataclass(frozen=True)
class SampleTable:
    """A table with the kinds of its items and rows of each kind.

    ``base`` is the model that those of all its items are made from.
    """

    schema: TableSchema
    base: type[DynamoModel]
    kinds: tuple[ItemKind, ...]
    rows: tuple[Item, ...]

    @cached_property
    def rows_by_kind(self) -> dict[ItemKind, list[Item]]:
        """The rows of each kind, in the order in which the kinds are documented."""
        found: dict[ItemKind, list[Item]] = {kind: [] for kind in self.kinds}
        for row in self.rows:
            found[kind_of(row, self.kinds)].append(row)
        return found

    @cached_property
    def attributes(self) -> dict[str, str]:
        """The type of each attribute by name: those of the models, then what only rows have."""
        types = {name: type_ for model in _models(self.base) for name, type_ in _declared(model)}
        for row in self.rows:
            for name, value in row.items():
                types.setdefault(name, next(iter(value)))
        return types


def sample_tables() -> list[SampleTable]:
    """Return the tables of ``DYNAMODB_MODELS`` (a setting), and the month's of `START`."""
    models = [import_string(name) for name in settings.DYNAMODB_MODELS]
    return [_sample_table(model) for model in [*models, model_of(Month.of(START))]]


def json_value(value: Any) -> Any:  # noqa: ANN401 - any part of a typed value
    """Return a typed value as JSON can hold it: bytes in base64, as DynamoDB's JSON has them."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, dict):
        return {name: json_value(part) for name, part in value.items()}
    return [json_value(part) for part in value] if isinstance(value, list) else value


def _sample_table(model: type[DynamoModel]) -> SampleTable:
    base, documented, rows = next(each for each in _SAMPLES if issubclass(model, each[0]))
    by_key = {key_of(row): row for row in rows()}
    return SampleTable(
        schema=TableSchema.of(model),
        base=base,
        kinds=kinds_in(documented),
        rows=tuple(by_key.values()),
    )


def _models(base: type[DynamoModel]) -> Iterator[type[DynamoModel]]:
    yield base
    for model in base.__subclasses__():
        yield from _models(model)


def _declared(model: type[DynamoModel]) -> Iterator[tuple[str, str]]:
    for attribute in model.get_attributes().values():
        yield attribute.attr_name, attribute.attr_type
