"""The comments the benchmarks measure, and the right answers about them."""

from collections import Counter

import pytest

from comments import keys
from comments.filters import CommentFilter
from dynapages.items import item_bytes
from lab.bench.data import PRODUCT_ID, CommentAnswers, CommentData
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

    def test_counts_every_comment_once(self, items):
        *_, last = items
        assert last["pk"]["S"] == keys.counts(PRODUCT_ID, 0)["pk"]
        assert sum(int(value["N"]) for value in last.values() if "N" in value) == COUNT


class TestTheAnswers:
    def test_hold_what_the_filter_lets_through(self, data, answers):
        chosen = CommentFilter.of(languages=("de", "fr"), ratings=(1, 4))
        ids = {c.id for c in data.comments() if c.language in {"de", "fr"} and c.rating in {1, 4}}
        assert {place.partition("#")[2] for place in answers.sort_keys(chosen)} == ids


def test_the_grid_has_31_sets_of_ratings_and_12_of_languages():
    filters = list(grid())
    assert len(filters) == 31 * 12 == len(set(filters))
    assert filters[0] == CommentFilter()
