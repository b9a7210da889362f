"""The check of categories: what it finds, and that repairing mends it."""

import pytest

from dynapages.upkeep.integrity import confirmed
from shop import keys
from shop.catalogue.queries import find_category, find_product
from shop.catalogue.shelves import items_on
from shop.catalogue.tiles import NoSuchCategory
from shop.integrity.catalogue import CatalogueItems, catalogue_kinds
from tests.support.catalogue.spoiling import found, mend, put_lamp
from tests.support.shop.checks import lose, spoil, stored

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def lamp():
    return put_lamp()


class TestTheCheckOfCategories:
    def test_gives_a_place_in_the_tree_to_what_was_there_before_the_index(self, lamp):
        slug = lamp.category_slugs[1]
        before = spoil((keys.category(slug), keys.category(slug)), "data", "data_partition")
        assert mend(slug) == [True]
        assert stored((keys.category(slug), keys.category(slug))) == before

    def test_brings_a_new_name_to_all_that_shows_it(self, lamp):
        inner, slug = lamp.category_slugs
        spoil((keys.category(slug), keys.category(slug)), name={"S": "Renamed"})
        assert all(mend(slug, lamp.id))
        assert found(slug, lamp.id) == []
        assert [step.name for step in find_category(inner).trail] == ["Renamed"]
        assert find_product(lamp.id).trail[0].name == "Renamed"

    def test_takes_away_an_edge_from_where_a_category_is_no_more(self, lamp, fresh):
        inner = lamp.category_slugs[0]
        stale = (keys.category(fresh("elsewhere")), keys.category(inner))
        spoil(stale, name={"S": "Inner"})
        assert mend(inner) == [True]
        assert stored(stale) is None

    def test_takes_away_an_edge_to_a_category_that_is_gone(self, fresh):
        stale = (keys.ROOT, keys.category(fresh("gone")))
        spoil(stale, name={"S": "Gone"})
        assert mend(stale[1].removeprefix("CATEGORY#")) == [True]
        assert stored(stale) is None

    def test_leaves_an_edge_alone_whose_category_came_after_it_was_looked_for(self, lamp):
        edge = stored(
            (keys.category(lamp.category_slugs[1]), keys.category(lamp.category_slugs[0]))
        )
        assert edge is not None
        seen = CatalogueItems(catalogue_kinds()[0])
        seen.add(edge)
        assert list(confirmed(seen.candidates())) == []

    def test_puts_a_category_to_the_top_whose_way_is_broken(self, lamp):
        inner, slug = lamp.category_slugs
        lose((keys.category(slug), keys.category(slug)))
        with pytest.raises(NoSuchCategory):
            find_category(slug)
        assert all(mend(inner, slug))
        assert find_category(inner).trail == ()
        assert stored((keys.ROOT, keys.category(inner))) is not None

    def test_fills_the_shelf_of_a_category_that_it_puts_to_the_top(self, lamp):
        inner, slug = lamp.category_slugs
        lose((keys.category(slug), keys.category(slug)))
        mend(inner, slug)
        assert found(inner, slug) == []
        edge = stored((keys.ROOT, keys.category(inner)))
        assert edge is not None
        assert [product["name"]["S"] for product in items_on(edge)] == [lamp.name]
