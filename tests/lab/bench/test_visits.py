"""Visits to pages of comments, as people make them."""

from collections import Counter
from itertools import islice
from random import Random

from comments.filters import CommentFilter
from comments.lists.orders import CommentOrder
from lab.bench.visits import Visit, random_visits, zipf_visits


def visits_by_zipf(number: int) -> list[Visit]:
    return list(islice(zipf_visits(10, Random(1)), number))


class TestAVisit:
    def test_without_a_filter_is_to_the_products_own_page(self):
        assert Visit(0).path("lamp") == "/products/lamp/"

    def test_with_one_is_to_the_address_of_its_list(self):
        visit = Visit(0, CommentFilter.of(["de", "en"], [1]), CommentOrder.OLDEST)
        assert visit.path("lamp") == "/products/lamp/comments/de.en/1/?order=oldest"


class TestVisitsAtRandom:
    def test_are_to_lists_none_of_them_twice(self):
        visits = list(islice(random_visits(3, Random(1)), 400))
        assert len(set(visits)) == 400
        assert all(visit.chosen is not None for visit in visits)

    def test_are_the_same_for_the_same_seed(self):
        drawn = list(islice(random_visits(3, Random(7)), 20))
        assert drawn == list(islice(random_visits(3, Random(7)), 20))


class TestVisitsByZipfsLaw:
    def test_are_to_the_first_product_most_often(self):
        products = Counter(visit.product for visit in visits_by_zipf(2_000))
        assert 1.5 < products[0] / products[1] < 2.6
        assert products[0] > 5 * products[9]

    def test_are_in_part_to_products_own_pages(self):
        own = sum(visit.chosen is None for visit in visits_by_zipf(1_000))
        assert 350 < own < 450

    def test_return_to_what_was_visited(self):
        assert len(set(visits_by_zipf(1_000))) < 900
