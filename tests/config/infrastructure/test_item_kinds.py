"""Kinds of items, read from the tables of keys in docstrings."""

from types import ModuleType

import pytest

from comments import keys as comment_keys
from config.infrastructure.item_kinds import NoSuchKind, kind_of, kinds_in
from dynamo.items import table_key
from shop import keys as shop_keys


class TestKindsInADocstring:
    def test_are_the_rows_of_its_first_table(self):
        kinds = kinds_in(comment_keys)
        assert (kinds[0].name, kinds[0].pk, kinds[0].sk) == (
            "comment",
            "COMMENT#<id>",
            "COMMENT#<id>",
        )
        assert kinds[1].sk == "BODY"
        assert "in `ranked`" not in {kind.name for kind in kinds}

    def test_are_missing_without_one(self):
        with pytest.raises(LookupError, match="The docstring of bare has no table of keys"):
            kinds_in(ModuleType("bare"))


@pytest.mark.parametrize(
    ("pk", "sk", "name"),
    [
        ("USER#alex", "PROFILE#alex", "user profile"),
        ("USER#alex", "BOUGHT#alex#lamp", "user bought product"),
        ("ITEM#01J#02", "ORDER#01J", "order item"),
        ("CATEGORY#light", "CATEGORY#light", "category"),
        ("CATEGORY#light", "CATEGORY#lamps", "category in a category"),
        ("CATEGORY#~", "CATEGORY#light", "category in the root"),
        ("CATEGORY#light", "NAME#lamp", "product by its name"),
        ("GEO#ey", "eycs2n#rossio", "pickup point in its area"),
    ],
)
def test_the_kind_of_an_item_follows_from_its_keys(pk, sk, name):
    assert kind_of(table_key(pk, sk), kinds_in(shop_keys)).name == name


@pytest.mark.parametrize(
    ("pk", "sk"),
    [("ITEM#01J#02", "ORDER#01K"), ("USER#alex", "PROFILE#kim"), ("user#alex", "PROFILE#alex")],
)
def test_keys_that_differ_where_they_must_agree_are_of_no_kind(pk, sk):
    with pytest.raises(NoSuchKind, match=pk):
        kind_of(table_key(pk, sk), kinds_in(shop_keys))
