"""What overloaded indexes cost, and what an index for each of their lists would."""

import pytest

from comments.models import Comment
from dynapages.tables import TableSchema
from lab.native_keys.overloaded import MOST_PROJECTED, count_indexes, price_lists

LISTS = {listed.name: listed for listed in price_lists()}
WITH_TEXT_THAT_NOBODY_SEES = ["a user's reports", "replies of staff"]


@pytest.mark.parametrize("name", LISTS)
def test_an_item_is_put_for_the_same_units_in_an_index_of_its_own(name):
    assert LISTS[name].put_units == LISTS[name].own_put_units == 2


@pytest.mark.parametrize("name", LISTS)
def test_an_entry_is_smaller_without_the_prefix_of_its_list(name):
    assert LISTS[name].own_bytes < LISTS[name].entry_bytes


@pytest.mark.parametrize("name", WITH_TEXT_THAT_NOBODY_SEES)
def test_an_overloaded_index_copies_texts_that_only_another_list_shows(name):
    assert LISTS[name].own_bytes < LISTS[name].entry_bytes / 2


def test_another_text_of_a_reply_costs_a_unit_for_its_copy():
    reply = LISTS["replies of staff"]
    assert (reply.text_units, reply.own_text_units) == (2, 1)


def test_an_index_for_each_list_is_allowed():
    today, with_own = count_indexes()
    assert today.indexes == len(TableSchema.of(Comment).global_indexes)
    assert with_own.indexes == today.indexes - 2 + len(LISTS)
    assert today.projected < with_own.projected <= MOST_PROJECTED
