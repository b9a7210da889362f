"""What a record of the stream asks for."""

import pytest

from comments.sets.applying import (
    SetWrites,
    UnreadableRecord,
    name_of,
    writes_by_primary,
    writes_for,
)
from comments.sets.copies import copies_of
from tests.support.sets.items import primary_item, record


def names(primary):
    return {name_of(copy) for copy in copies_of(primary)}


class TestARecord:
    def test_of_another_rating_replaces_what_both_share_and_deletes_the_rest(self):
        before, after = primary_item(rating=5), primary_item(rating=4)
        writes = writes_for(record(before, after))
        assert list(writes.puts.values()) == copies_of(after)
        assert writes.deletes == names(before) - names(after)
        assert len(writes.deletes) == 16

    def test_of_another_text_deletes_nothing(self):
        writes = writes_for(record(primary_item(title="Good"), primary_item(title="Better")))
        assert (len(writes.puts), writes.deletes) == (31, frozenset())

    def test_of_a_copy_asks_for_nothing(self):
        copy = copies_of(primary_item())[0]
        for images in [(None, copy), (copy, copy | {"t": {"S": "new"}}), (copy, None)]:
            assert writes_for(record(*images)) == SetWrites()


class TestAPrimaryThatSomebodySpoiled:
    @pytest.mark.parametrize(
        "spoiled",
        [{"s": {"N": "9"}}, {"s": {"S": "five"}}, {"g": {"NULL": True}}],
        ids=["rating", "type", "language"],
    )
    def test_asks_for_no_copies_but_for_the_end_of_those_it_had(self, spoiled):
        before = primary_item()
        writes = writes_for(record(before, before | spoiled))
        assert (writes.puts, writes.deletes) == ({}, names(before))

    def test_has_its_copies_again_when_it_is_mended(self):
        after = primary_item()
        spoiled = {name: after[name] for name in ("pk", "sk")}
        assert list(writes_for(record(spoiled, after)).puts.values()) == copies_of(after)


class TestARecordThatTellsTooLittle:
    @pytest.mark.parametrize("image", ["OldImage", "NewImage"])
    def test_is_refused_rather_than_leave_copies_behind(self, image):
        told = record(primary_item(rating=5), primary_item(rating=4))
        del told["dynamodb"][image]
        with pytest.raises(UnreadableRecord, match="NEW_AND_OLD_IMAGES"):
            writes_for(told)

    @pytest.mark.parametrize("told", [{}, {"dynamodb": {}}, {"eventName": "INSERT"}])
    def test_is_refused_when_it_is_none_at_all(self, told):
        with pytest.raises(UnreadableRecord):
            writes_by_primary([told])


class TestSeveralRecords:
    def test_of_two_products_of_one_comment_are_kept_apart(self):
        here, there = primary_item(product_id="1"), primary_item(product_id="2")
        asked = writes_by_primary([record(here, None), record(None, there)])
        assert set(asked) == {name_of(here), name_of(there)}
