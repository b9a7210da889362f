"""The sample rows beside what the site stores: every kind of item, with the same attributes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import pytest
from django.test import override_settings

from comments.sets.following import SETS
from comments.sets.models import CommentSetItem
from config.infrastructure.item_kinds import kind_of
from config.infrastructure.sample_tables import SampleTable, sample_tables
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.tables.create import create_missing
from dynamo.writes.counters import cells_in
from shop.activity.months import Month
from shop.table_picture import START
from tests.support.comments.read_models import reading_by
from tests.support.config.every_kind import MODELS, NOW, load_every_kind

pytestmark = pytest.mark.real_engine
CHANGE = "_change"
"""An attribute of every counter."""
Shapes = Mapping[str, set[tuple[str, str]]]
"""Attributes and their types, by kind of item."""


@pytest.fixture(scope="module")
def stored(engine_name: str) -> Iterator[dict[str, Shapes]]:
    """The shapes of all that is stored, by table."""
    with (
        reading_by(SETS, engine_name=engine_name),
        override_settings(DYNAMODB_MODELS=MODELS),
    ):
        create_missing([CommentSetItem], client=client())  # with its stream
        load_every_kind()
        yield {table.schema.name: shapes(table, scanned(table)) for table in sample_tables()}


@pytest.fixture(params=range(4), ids=["shop", "comments", "comment_sets", "activity"])
def table(request: pytest.FixtureRequest) -> SampleTable:
    with override_settings(DYNAMODB_MODELS=MODELS):
        return sample_tables()[request.param]


def scanned(table: SampleTable) -> Iterator[Item]:
    """All that a table holds; instead of the sample's month of the log, this one."""
    name = table.schema.name
    if name == Month.of(START).table:
        name = Month.of(NOW).table
    for page in client().get_paginator("scan").paginate(TableName=name):
        yield from page["Items"]


def shapes(table: SampleTable, items: Iterator[Item] | list[Item]) -> Shapes:
    found = defaultdict[str, set[tuple[str, str]]](set)
    for item in items:
        cells = cells_in(item) if CHANGE in item else {}
        kept = {name: value for name, value in item.items() if name not in cells}
        kind = kind_of(item, table.kinds)
        found[kind.name] |= {(name, next(iter(value))) for name, value in kept.items()}
    return found


class TestTheSampleRows:
    def test_are_of_every_kind_that_is_stored_and_documented(self, stored, table):
        names = {kind.name for kind in table.kinds}
        assert stored[table.schema.name].keys() == names
        assert {kind.name for kind, rows in table.rows_by_kind.items() if rows} == names

    def test_have_the_attributes_that_are_stored_with_their_types(self, stored, table):
        assert shapes(table, list(table.rows)) == stored[table.schema.name]
