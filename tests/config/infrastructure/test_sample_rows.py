"""The sample rows beside what the site stores: every kind of item, with the same attributes.

With ``--write-sample-rows`` they are picked anew out of the loaded sample shop; after that, run
``make readme``: a table in docs/orders.md shows them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from comments import keys as comment_keys
from comments.host import SETS
from comments.sets import models as set_models
from comments.sets.models import CommentSetItem
from config.infrastructure.sample_rows import ROWS_FILE, rows_of, sample_rows
from dynapages.items import Item
from dynapages.process import client
from dynapages.tables import create_missing
from shop import keys as shop_keys
from shop.activity import entries
from shop.activity.months import Month
from tests.support.comments.read_models import reading_by
from tests.support.config.every_kind import MODELS, NOW, load_every_kind
from tests.support.config.sample_rows import (
    ItemKind,
    attributes_of,
    kind_of,
    kinds_in,
    write_rows,
)

KINDS = {
    "shop": kinds_in(shop_keys),
    "comments": kinds_in(comment_keys),
    "comment_sets": kinds_in(set_models),
    "activity": kinds_in(entries),
}


@pytest.fixture(scope="module")
def stored(engine_name, pytestconfig):
    """All that is stored, by table."""
    with (
        reading_by(SETS, engine_name=engine_name),
        override_settings(DYNAMODB_MODELS=MODELS),
    ):
        create_missing([CommentSetItem], client=client())  # with its stream
        load_every_kind()
        prefix = settings.DYNAMODB_TABLE_PREFIX
        month = Month.of(NOW).table.removeprefix(prefix)
        tables = {table: list(scanned(prefix + table)) for table in (*list(KINDS)[:3], month)}
        if pytestconfig.getoption("--write-sample-rows"):
            write_rows(ROWS_FILE, tables, {**KINDS, month: KINDS["activity"]}, prefix=prefix)
            sample_rows.cache_clear()
        yield dict(zip(KINDS, tables.values(), strict=True))


def scanned(table: str) -> Iterator[Item]:
    for page in client().get_paginator("scan").paginate(TableName=table):
        yield from page["Items"]


def shapes(items: Iterable[Item], kinds: tuple[ItemKind, ...]) -> dict[str, set[tuple[str, str]]]:
    """Attributes and their types, by kind of item."""
    found = defaultdict[str, set[tuple[str, str]]](set)
    for item in items:
        found[kind_of(item, kinds).name] |= attributes_of(item)
    return found


def rows_in(table: str) -> list[dict[str, Any]]:
    """The kinds of a table with their rows; the log's has the name of a month's table."""
    (found,) = (kinds for name, kinds in sample_rows().items() if name.startswith(table))
    return found


@pytest.mark.parametrize("table", KINDS)
class TestTheSampleRows:
    @pytest.mark.real_engine
    def test_are_of_every_kind_and_attribute_that_is_stored(self, stored, table):
        """If not, have them written: see above."""
        kinds = KINDS[table]
        assert shapes(rows_of(rows_in(table)), kinds) == shapes(stored[table], kinds)

    def test_are_of_every_kind_that_is_documented(self, table):
        kinds = [ItemKind(kind["name"], kind["pk"], kind["sk"]) for kind in rows_in(table)]
        assert kinds == [*KINDS[table]]

    def test_are_each_of_the_kind_that_they_are_said_to_be(self, table):
        for kind in rows_in(table):
            assert {kind_of(row, KINDS[table]).name for row in kind["rows"]} == {kind["name"]}
