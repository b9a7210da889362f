"""The sample catalogue."""

import re

import pytest

from demo.sample.catalogue import sample_catalogue

PRODUCT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


@pytest.fixture(scope="module")
def catalogue():
    return sample_catalogue()


class TestTheSampleCatalogue:
    def test_has_ten_categories_of_six_products(self, catalogue):
        first_categories = [product.category_slugs[0] for product in catalogue.products]
        assert len(catalogue.categories) == 10
        assert {first_categories.count(c.slug) for c in catalogue.categories} == {6}

    def test_is_the_same_for_the_same_seed(self):
        assert sample_catalogue(seed=7) == sample_catalogue(seed=7)


class TestASampleProduct:
    @pytest.mark.parametrize("seed", range(20))
    def test_has_an_id_of_its_own_that_a_url_can_carry(self, seed):
        ids = [product.id for product in sample_catalogue(seed).products]
        assert len(set(ids)) == len(ids) == 60
        assert all(PRODUCT_ID.fullmatch(product_id) for product_id in ids)

    def test_is_in_one_to_three_categories_that_exist(self, catalogue):
        known = {c.slug for c in (*catalogue.categories, *catalogue.subcategories)}
        for product in catalogue.products:
            assert len(set(product.category_slugs)) == len(product.category_slugs) in {1, 2, 3}
            assert known.issuperset(product.category_slugs)

    def test_in_a_subcategory_is_in_the_category_above_it(self, catalogue):
        parents = {sub.slug: sub.parent for sub in catalogue.subcategories}
        inside = [(p, s) for p in catalogue.products for s in p.category_slugs if s in parents]
        assert {sub for _, sub in inside} == set(parents)
        assert all(parents[sub] in product.category_slugs for product, sub in inside)

    def test_is_called_by_its_name_in_one_to_four_paragraphs(self, catalogue):
        for product in catalogue.products:
            paragraphs = product.description.split("\n\n")
            assert product.name in paragraphs[0]
            assert 1 <= len(paragraphs) == len(set(paragraphs)) <= 4
