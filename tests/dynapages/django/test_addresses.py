"""Addresses that are built without asking `reverse` again."""

import pytest
from django.urls import reverse

from dynapages.django.paging import address_of, address_of_item

IDS = ["x-1", "a b", "50%", "ä", "c#d?e", "=ID=", "~.:@!$&'()*+,;="]


@pytest.mark.parametrize("item_id", IDS)
def test_are_those_of_reverse(item_id):
    expected = reverse("order", args=[item_id])
    assert address_of("order", item_id) == expected
    assert address_of_item("order", item_id) == expected
