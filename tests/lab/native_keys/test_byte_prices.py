"""Units and bytes that are counted from the bytes of items."""

import pytest

from lab.native_keys.byte_prices import IndexShape, ReadPrice, WritePrice, price_of_write, stored

BY_TEAM = IndexShape("by_team", partition=("team", "state"), sort=("at",), projected=("text",))
ITEM = {
    "pk": {"S": "1"},
    "sk": {"S": "1"},
    "team": {"S": "red"},
    "state": {"S": "open"},
    "at": {"N": "12"},
    "text": {"S": "hello"},
    "note": {"S": "secret"},
}


def changed(**values: str) -> dict[str, dict[str, str]]:
    return {**ITEM, **{name: {"S": value} for name, value in values.items()}}


class TestAnEntry:
    def test_has_the_keys_of_table_and_index_and_what_is_projected(self):
        entry = BY_TEAM.entry_of(ITEM)
        assert entry is not None
        assert set(entry) == {"pk", "sk", "team", "state", "at", "text"}

    def test_is_missing_where_one_attribute_of_the_key_is(self):
        without = {name: value for name, value in ITEM.items() if name != "state"}
        assert BY_TEAM.entry_of(without) is None

    def test_is_declared_with_its_attributes_in_their_order(self):
        parts = BY_TEAM.declaration()["KeySchema"]
        assert [part["AttributeName"] for part in parts] == ["team", "state", "at"]
        assert [part["KeyType"] for part in parts] == ["HASH", "HASH", "RANGE"]


def test_storage_has_a_hundred_bytes_more_for_each_item_and_entry():
    of_one = stored([ITEM], [BY_TEAM])
    assert (of_one.items, of_one.entries) == (1, 1)
    assert of_one.billed == of_one.item_bytes + of_one.entry_bytes + 200


class TestAWrite:
    def test_puts_the_item_and_its_entry(self):
        assert price_of_write(None, ITEM, [BY_TEAM]) == WritePrice(
            attributes=7, put=1, changed=0, deleted=0, units=2
        )

    def test_leaves_an_entry_alone_that_does_not_project_what_changes(self):
        assert price_of_write(ITEM, changed(note="other"), [BY_TEAM]) == WritePrice(
            attributes=1, put=0, changed=0, deleted=0, units=1
        )

    def test_changes_an_entry_that_projects_what_changes(self):
        assert price_of_write(ITEM, changed(text="other"), [BY_TEAM]) == WritePrice(
            attributes=1, put=0, changed=1, deleted=0, units=2
        )

    def test_deletes_and_puts_an_entry_whose_key_changes(self):
        assert price_of_write(ITEM, changed(state="closed"), [BY_TEAM]) == WritePrice(
            attributes=1, put=1, changed=0, deleted=1, units=3
        )

    def test_deletes_the_entry_of_an_item_that_loses_a_key(self):
        without = {name: value for name, value in ITEM.items() if name != "state"}
        assert price_of_write(ITEM, without, [BY_TEAM]) == WritePrice(
            attributes=1, put=0, changed=0, deleted=1, units=2
        )

    def test_takes_a_unit_for_each_kilobyte_begun_of_the_larger_item(self):
        large = changed(text="x" * 1_024)
        assert price_of_write(large, ITEM, [BY_TEAM]).units == 2 + 2


@pytest.mark.parametrize(("size", "units"), [(0, 0.5), (100, 0.5), (4_096, 0.5), (4_097, 1.0)])
def test_a_query_takes_half_a_unit_for_each_four_kilobytes_begun(size, units):
    price = ReadPrice()
    price.add([{"x": {"S": "y" * (size - 1)}}] if size else [])
    assert price.units == units
