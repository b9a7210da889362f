"""What attribute names of one letter save, as docs/designs/otherwise.md says."""

import re
from collections.abc import Iterator
from math import ceil
from statistics import mean

import pytest

from comments.items import items_of
from comments.models import All, ByLanguage, ByLanguageAndRating, ByRating, Comment, ListIndex
from dynapages.items import Item, item_bytes
from lab.designs.comments import load_sample
from tests.support.lab.labs import NOW
from tests.support.project import PROJECT

DOCUMENT = PROJECT / "docs" / "designs" / "otherwise.md"
PAGE_AND_ONE_MORE = 21
BYTES_OF_HALF_A_UNIT = 4096
NAMES = {attribute.attr_name: name for name, attribute in Comment.get_attributes().items()}
"""The names that attributes have in the model, by those on the wire."""
PARTITIONS: dict[type[ListIndex], str] = {
    All: "a",
    ByLanguage: "l",
    ByRating: "r",
    ByLanguageAndRating: "b",
}
"""The partition key of each index that lists all comments."""


def told(what: str) -> list[float]:
    """Return the figures of a row of the document."""
    (row,) = re.findall(rf"^\| {re.escape(what)} \|(.*)\|$", DOCUMENT.read_text(), re.MULTILINE)
    return [float(cell.replace(",", "")) for cell in row.split("|")]


def as_stored(item: Item) -> Item:
    return item


def with_names_of_the_model(item: Item) -> Item:
    return {NAMES[name]: value for name, value in item.items()}


SPELLINGS = (as_stored, with_names_of_the_model)


@pytest.fixture(scope="module")
def items() -> list[Item]:
    """The comments of the most commented product of the sample, newest first."""
    comments = load_sample(6_000, now=NOW).of_product
    items = [items_of(comment)[0].serialize() for comment in comments]
    return sorted(items, key=lambda item: item["o"]["S"], reverse=True)


def entry(item: Item, index: type[ListIndex]) -> Item:
    """Return what an index has of an item."""
    names = ("pk", "sk", "o", PARTITIONS[index], *index.Meta.projection.non_key_attributes)
    return {name: item[name] for name in names if name in item}


@pytest.fixture(scope="module")
def entries(items: list[Item]) -> list[Item]:
    """What the index `all` has of them."""
    return [entry(item, All) for item in items]


def pages(entries: list[Item]) -> Iterator[list[Item]]:
    """Yield what is read for each page: its entries, and one that tells whether there are more."""
    step = PAGE_AND_ONE_MORE - 1
    for start in range(0, len(entries) - step, step):
        yield entries[start : start + PAGE_AND_ONE_MORE]


class TestNamesOfOneLetter:
    def test_make_an_item_smaller(self, items):
        sizes = [mean(item_bytes(spell(item)) for item in items) for spell in SPELLINGS]
        assert [round(size) for size in sizes] == told("an item, bytes")

    def test_make_an_entry_of_a_list_smaller(self, entries):
        sizes = [mean(item_bytes(spell(entry)) for entry in entries) for spell in SPELLINGS]
        assert [round(size) for size in sizes] == told("an entry of `all`, bytes")

    def test_save_in_each_index(self, items):
        sizes = []
        for spell in SPELLINGS:
            of_items = []
            for item in items:
                stored = [item, *(entry(item, index) for index in PARTITIONS)]
                of_items.append(sum(item_bytes(spell(each)) for each in stored))
            sizes.append(round(mean(of_items)))
        assert sizes == told("an item and its entries in four indexes, bytes")

    def test_make_few_pages_cheaper(self, entries):
        units = []
        for spell in SPELLINGS:
            of_pages = []
            for page in pages(entries):
                size = sum(item_bytes(spell(entry)) for entry in page)
                of_pages.append(ceil(size / BYTES_OF_HALF_A_UNIT) / 2)
            units.append(round(mean(of_pages), 3))
        assert units == told("a page of 20, capacity units")

    def test_make_no_write_cheaper(self, items):
        assert max(item_bytes(with_names_of_the_model(item)) for item in items) <= 1024
