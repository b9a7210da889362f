"""``load_sample``: the sample shop in the tables."""

import json
from collections import Counter
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from comments.access_patterns import plan
from comments.filters import CommentFilter
from dynamo.client import client
from dynamo.meter import metered
from dynamo.reader import PageRequest
from dynamo.reading import read
from shop.models import ShopItem
from shop.queries import find_product, list_categories
from shop.sample import sample_catalogue
from tests.whole_lists import every_item

pytestmark = pytest.mark.usefixtures("loaded")

WRITES = {"BatchWriteItem", "TransactWriteItems", "UpdateItem", "PutItem"}


def load(**options: Any) -> dict[str, int]:
    out = StringIO()
    call_command("load_sample", comments=200, json=True, stdout=out, **options)
    return json.loads(out.getvalue() or "{}")


@pytest.fixture(scope="module")
def loaded(tables: None) -> None:
    load()


class TestLoadSample:
    def test_puts_every_product_with_its_description_and_categories(self) -> None:
        for product in sample_catalogue().products:
            found = find_product(product.id)
            assert (found.name, found.description) == (product.name, product.description)
            assert {c.slug for c in found.categories} == set(product.category_slugs)

    def test_leads_from_the_root_to_every_category(self) -> None:
        edges = every_item(list_categories)
        slugs = {edge["sk"]["S"].removeprefix("CATEGORY#") for edge in edges}
        assert slugs >= {category.slug for category in sample_catalogue().categories}

    def test_puts_the_comments_asked_for(self) -> None:
        found = Counter[str]()
        for product in sample_catalogue().products:
            runs = plan(product.id, CommentFilter()).runs
            found[product.id] = len(read(runs, PageRequest(500)).entries)
        assert found.total() == 200
        assert 0 in found.values()

    def test_again_writes_no_comment(self) -> None:
        assert load()["unchanged"] == 200

    def test_only_if_empty_does_nothing_when_it_is_there(self) -> None:
        with metered() as meter:
            load(if_empty=True)
        assert not WRITES & {call.operation for call in meter.calls}

    def test_only_if_empty_finishes_a_load_that_was_interrupted(self) -> None:
        last = sample_catalogue().categories[-1]
        edge = {"pk": {"S": "CATEGORY#~"}, "sk": {"S": f"CATEGORY#{last.slug}"}}
        client().delete_item(TableName=ShopItem.Meta.table_name, Key=edge)
        assert load(if_empty=True)["unchanged"] == 200
