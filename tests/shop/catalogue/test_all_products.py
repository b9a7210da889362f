"""The list of all products: what is in it, how it is walked, what brings it up to date."""

import pytest
from django.test import Client

from shop import keys
from shop.catalogue.content import NewProduct
from shop.catalogue.names import fold_name
from shop.catalogue.services import put_catalogue
from tests.support.catalogue.making import products_in
from tests.support.catalogue.spoiling import found, mend, put_lamp
from tests.support.catalogue.switching import put_back, take_off
from tests.support.comments.browsing import follow, visit
from tests.support.comments.outage import own_engine
from tests.support.shop.checks import spoil, stored

LISTED = "data_partition", "data"


@pytest.mark.real_engine
class TestThePage:
    @pytest.fixture
    def products(self):
        with own_engine():
            made = [NewProduct(p.id, p.name, ()) for p in products_in("all", 45)]
            put_catalogue(categories=[], products=made)
            yield made

    def test_is_walked_by_its_links_there_and_back(self, products):
        there = list(follow("/products/", "older"))
        back = list(follow(there[-2].older, "newer"))
        truth = [p.id for p in sorted(products, key=lambda p: (fold_name(p.name), p.id))]
        for shown in (there, [*reversed(back)]):
            tiles = [tile for page in shown for tile in page.page.all(class_="tile")]
            assert [tile["data-product"] for tile in tiles] == truth
        assert (there[0].newer, there[-1].older) == (None, None)


@pytest.mark.usefixtures("tables")
class TestItsAddress:
    def test_is_the_canonical_one_of_its_first_page(self):
        page = visit("/products/?unknown=1").page
        assert page.one("link", rel="canonical")["href"].endswith("/products/")

    @pytest.mark.parametrize("page", ["/categories/", "/"])
    def test_is_linked_where_categories_are(self, page):
        assert 'href="/products/"' in Client().get(page).content.decode()

    def test_takes_no_link_of_another_list(self):
        assert Client().get("/products/?after=forged").status_code == 400


@pytest.mark.usefixtures("tables")
class TestTheCheck:
    @pytest.mark.parametrize("wrong", [{}, {"data": {"S": "torch#x"}}])
    def test_lists_a_product_again(self, wrong):
        lamp = put_lamp()
        key = (keys.product(lamp.id),) * 2
        before = spoil(key, *LISTED)
        spoil(key, **({"data_partition": before["data_partition"], **wrong} if wrong else {}))
        assert [d.kind for d in found(lamp.id)] == ["listed"] * len(found(lamp.id)) != []
        assert all(mend(lamp.id))
        assert (stored(key), found(lamp.id)) == (before, [])

    def test_takes_what_is_off_out_of_all_lists(self):
        lamp = put_lamp()
        key = (keys.product(lamp.id),) * 2
        spoil(key, is_off={"BOOL": True})
        assert {d.kind for d in found(lamp.id)} == {"listed", "edge", "word"}
        assert all(mend(lamp.id))
        assert found(lamp.id) == []
        put_back(lamp.id)
        assert found(lamp.id) == []

    def test_lists_what_is_not_off_any_more(self):
        lamp = put_lamp()
        take_off(lamp.id)
        spoil((keys.product(lamp.id),) * 2, "is_off")
        assert {d.kind for d in found(lamp.id)} >= {"listed", "edge"}
        assert all(mend(lamp.id))
        assert found(lamp.id) == []

    def test_takes_a_category_that_is_off_out_of_all_lists(self):
        lamp = put_lamp()
        inner, outer = lamp.category_slugs
        spoil((keys.category(inner),) * 2, is_off={"BOOL": True})
        assert found(inner)
        assert all(mend(inner))
        assert stored((keys.category(outer), keys.category(inner))) is None
        assert "data" not in (stored((keys.category(inner),) * 2) or {})
        assert found(inner) == []
