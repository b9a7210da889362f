import csv

import pytest

from tests.support.command_line import run_manage
from tests.support.comments.made_reviews import Planted, made_products


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    made = made_products(3, planted={"a": [Planted("battery", 0.2, ratings=(1,))]})
    path = tmp_path_factory.mktemp("topics") / "comments.csv"
    with path.open("w", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(["id", "product_id", "language", "rating", "created_at", "title", "body"])
        for product_id, comments in made.comments.items():
            for number, comment in enumerate(comments):
                moment = f"2026-01-01T00:{number // 60:02}:{number % 60:02}Z"
                row = [f"{product_id}{number}", product_id, "en", comment.rating, moment]
                rows.writerow([*row, "", comment.body])
    return path


class TestFindTopics:
    def test_prints_the_topics_of_each_product(self, file):
        _, out, _ = run_manage("find_topics", file)
        products = out.split("comments,")
        assert "battery · " in products[1]
        assert out.count("no topics") == 5

    def test_draws_as_many_products_as_are_asked_for(self, file):
        _, out, _ = run_manage("find_topics", file, "--sample", 2, "--seed", 1)
        assert out.count(" comments, ") == 2
        assert out == run_manage("find_topics", file, "--sample", 2, "--seed", 1)[1]
