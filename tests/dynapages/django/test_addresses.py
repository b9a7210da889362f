"""Addresses that are built without asking `reverse` again."""

import re

import pytest
from django.urls import reverse

from dynapages.django.paging import address_of, address_of_item, anchor_of

IDS = ["x-1", "a b", "50%", "ä", "c#d?e", "=ID=", "~.:@!$&'()*+,;="]


@pytest.mark.parametrize("item_id", IDS)
def test_are_those_of_reverse(item_id):
    expected = reverse("order", args=[item_id])
    assert address_of("order", item_id) == expected
    assert address_of_item("order", item_id) == expected


@pytest.mark.parametrize("item_id", [*IDS, "a/b 50%#c", "a.b", "a_b", "-", "\U0001f9f6"])
def test_anchors_are_selectors_as_they_stand(item_id):
    assert re.fullmatch(r"item-[A-Za-z0-9_-]+", anchor_of("item", item_id))


def test_anchors_of_different_items_differ():
    item_ids = [*IDS, "a/b", "a_2Fb", "a%2Fb", "a_b", "a-b", "ab"]
    anchors = {anchor_of("item", item_id) for item_id in item_ids}
    assert len(anchors) == len(item_ids)
