import csv

import pytest

from tests.support.command_line import run_manage

HAVING = {"the pan": 11, "The lid": 9, "a lid": 80}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "comments.csv"
    with path.open("w", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(["id", "product_id", "language", "rating", "created_at", "title", "body"])
        bodies = [body for body, count in HAVING.items() for _ in range(count)]
        for number, body in enumerate(bodies):
            rows.writerow([number, "1", "en", 5, "2026-01-01T00:00:00Z", "", body])
        rows.writerow(["de", "1", "de", 5, "2026-01-01T00:00:00Z", "", "der"])
    return path


class TestCountWords:
    def test_prints_stems_that_over_a_tenth_of_the_comments_have(self, file):
        _, out, _ = run_manage("count_words", file, "--enough", 100)
        assert out == 'en = ["a", "lid", "pan", "the"]  # of 100 comments\n'

    def test_leaves_out_those_to_keep(self, file):
        _, out, _ = run_manage("count_words", file, "--enough", 100, "--keep", "lid,pan")
        assert '["a", "the"]' in out

    def test_leaves_out_languages_of_few_comments(self, file):
        assert run_manage("count_words", file)[:2] == (0, "")
