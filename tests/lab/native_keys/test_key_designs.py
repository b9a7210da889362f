"""What the designs of keys store of a comment, and what writes of it change."""

from datetime import UTC, datetime

import pytest

from comments.items import NewComment
from dynapages.items import item_bytes
from lab.designs.comments import comment_item
from lab.native_keys.byte_prices import stored
from lab.native_keys.designs import Concatenated, KeyDesign, NativePartitions, NativeSortKeys
from lab.native_keys.figures import KeyWriting
from lab.native_keys.writes import price_writings

COMMENT = NewComment(
    id="100001",
    product_id="42",
    language="en",
    rating=5,
    created_at=datetime(2026, 11, 20, 9, 30, tzinfo=UTC),
    author="Ada",
    title="Lovely",
    body="Bright and warm.",
)
LIST_KEYS_WRITTEN = {
    "post": (4, 1),
    "edit of the text": (0, 0),
    "edit of the rating": (2, 0),
    "hide": (4, 1),
    "move to another product": (4, 1),
}
"""Today, and with keys of several attributes."""
natively = pytest.mark.parametrize(
    "design", [NativePartitions(), NativeSortKeys()], ids=["partition", "sort key"]
)


def list_key_bytes(design: KeyDesign) -> int:
    """The bytes of a comment's attributes that put it into lists."""
    item = design.item_of(comment_item(COMMENT))
    return item_bytes({name: item[name] for name in design.list_keys})


def writing(design: KeyDesign, action: str) -> KeyWriting:
    found = {one.action: one for one in price_writings(design, [COMMENT])}
    return found[action]


class TestAComment:
    def test_has_four_keys_of_lists_today(self):
        assert list_key_bytes(Concatenated()) == 54

    @natively
    def test_has_its_product_alone_with_native_keys(self, design):
        assert design.item_of(comment_item(COMMENT))["a"] == {"S": "42"}
        assert list_key_bytes(design) == 3

    @natively
    def test_is_listed_by_the_same_indexes(self, design):
        today = stored([comment_item(COMMENT)], Concatenated().indexes)
        native = stored([design.item_of(comment_item(COMMENT))], design.indexes)
        assert native.entries == today.entries == 4
        assert native.billed < today.billed

    @natively
    def test_has_in_each_entry_what_lists_show(self, design):
        item = design.item_of(comment_item(COMMENT))
        entries = [index.entry_of(item) for index in design.indexes]
        for entry in filter(None, entries):
            assert entry.keys() >= {"pk", "o", "g", "s", "u", "t", "x"}


class TestAWrite:
    @pytest.mark.parametrize("action", LIST_KEYS_WRITTEN)
    def test_of_native_keys_changes_at_most_one_key_of_lists(self, action):
        today, native = LIST_KEYS_WRITTEN[action]
        assert writing(Concatenated(), action).list_keys == today
        assert writing(NativePartitions(), action).list_keys == native

    @natively
    @pytest.mark.parametrize("action", LIST_KEYS_WRITTEN)
    def test_costs_the_same_units_as_today(self, design, action):
        assert writing(design, action).units == writing(Concatenated(), action).units

    def test_that_hides_a_comment_deletes_its_four_entries(self):
        hidden = writing(NativePartitions(), "hide")
        # It is put into the moderators' queue, and its author still finds it.
        assert (hidden.entries_deleted, hidden.entries_put, hidden.entries_changed) == (4, 1, 1)
