"""Categories in categories."""

import pytest

from shop.catalogue.items import MOST_DEEP, MOST_IN_ONE, BrokenTree, CategoryTree, NewCategory
from shop.catalogue.services import put_catalogue
from tests.support.catalogue.making import category


class TestATree:
    def test_gives_the_way_from_the_root(self):
        tree = CategoryTree.of([category("c", "b"), category("b", "a"), category("a")])
        assert [step.slug for step in tree.path("c")] == ["a", "b", "c"]

    def test_gives_the_longest_way_to_a_product(self):
        tree = CategoryTree.of([category("a"), category("b"), category("c", "b")])
        assert [step.slug for step in tree.deepest_path(("a", "c", "b"))] == ["b", "c"]
        assert [step.slug for step in tree.deepest_path(("b", "a"))] == ["b"]
        assert tree.deepest_path(()) == ()

    @pytest.mark.parametrize(
        "broken",
        [
            [category("a", "a")],
            [category("a", "b"), category("b", "a")],
            [category("a", "elsewhere")],
            [category(str(n), str(n - 1) if n else None) for n in range(MOST_DEEP + 1)],
            [category("a"), *(NewCategory(f"a{n}", "", "a") for n in range(MOST_IN_ONE + 1))],
        ],
    )
    def test_that_is_broken_is_refused_before_anything_is_written(self, broken):
        with pytest.raises(BrokenTree):
            put_catalogue(categories=broken, products=[])
