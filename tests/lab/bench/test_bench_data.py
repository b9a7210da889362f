"""The comments the benchmarks measure, and the right answers about them."""

from collections import Counter

import pytest

from comments import keys
from comments.filters import CommentFilter
from dynapages.items import item_bytes
from lab.bench.data import PRODUCT_ID, CommentAnswers, CommentData, ManyProducts
from lab.bench.grid import grid

COUNT = 1_500


@pytest.fixture(scope="module")
def data():
    return CommentData(COUNT)


@pytest.fixture(scope="module")
def items(data):
    return list(data.items())


@pytest.fixture(scope="module")
def answers(data):
    return CommentAnswers(data.comments())


class TestTheData:
    def test_has_uneven_languages(self, data):
        languages = Counter(comment.language for comment in data.comments())
        assert 0.55 < languages["en"] / COUNT < 0.65
        assert languages["en"] > languages["de"] > languages["fr"] > languages["es"] > 40
        assert len(languages) == 8

    def test_has_list_entries_of_a_realistic_size(self, items):
        table_only = {"l", "r", "b", "d"}
        sizes = [
            item_bytes({name: value for name, value in item.items() if name not in table_only})
            for item in items
            if item["sk"] == {"S": keys.COMMENT} and "g" in item
        ]
        assert 270 < sum(sizes) / len(sizes) < 340

    def test_counts_every_comment_once_by_rating_and_once_by_month(self, items):
        *_, last = items
        assert last["pk"]["S"] == keys.counts(PRODUCT_ID, 0)["pk"]
        numbers = {name: int(value["N"]) for name, value in last.items() if "N" in value}
        months = sum(number for name, number in numbers.items() if name.endswith(".0"))
        assert months == sum(numbers.values()) - months == COUNT


class TestSeveralProducts:
    many = ManyProducts(1_100, 4, "lamp")

    def test_have_numbers_of_comments_that_fall_off_by_zipfs_law(self):
        numbers = Counter(comment.product_id for comment in self.many.comments())
        assert numbers == {"lamp-001": 528, "lamp-002": 264, "lamp-003": 176, "lamp-004": 132}

    def test_have_comments_and_counts_of_their_own(self):
        ids = [comment.id for comment in self.many.comments()]
        assert len(set(ids)) == len(ids)
        counted = [item for item in self.many.items() if item["pk"]["S"].startswith("COUNTS")]
        assert len(counted) == 4

    def test_have_no_comment_of_the_single_product(self):
        single = {comment.id for comment in CommentData(500).comments()}
        assert single.isdisjoint(comment.id for comment in self.many.comments())


class TestTheAnswers:
    def test_hold_what_the_filter_lets_through(self, data, answers):
        chosen = CommentFilter.of(languages=("de", "fr"), ratings=(1, 4))
        ids = {c.id for c in data.comments() if c.language in {"de", "fr"} and c.rating in {1, 4}}
        assert {place.partition("#")[2] for place in answers.sort_keys(chosen)} == ids


def test_the_grid_has_31_sets_of_ratings_and_12_of_languages():
    filters = list(grid())
    assert len(filters) == 31 * 12 == len(set(filters))
    assert filters[0] == CommentFilter()
