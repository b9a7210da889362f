"""An import prints the units that an engine counts, and those that Amazon DynamoDB takes.

An engine is sent postings in transactions, which it counts double; Amazon is sent batches.
"""

import csv
import json
import re
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from comments.search.models import TABLE
from comments.search.pending import PENDING
from comments.search.writer import CHANGES
from comments.store import writing
from dynapages.process import client
from dynapages.upkeep import every_item
from tests.support.comments.options import comments_set

pytestmark = [pytest.mark.usefixtures("searchable"), pytest.mark.real_engine]
ROWS = 40
"""More than a transaction takes."""


@pytest.fixture(autouse=True)
def nothing_to_wait_for(monkeypatch):
    """No replica lags here."""
    monkeypatch.setattr(writing, "SETTLED_AFTER", timedelta())


@pytest.fixture
def imported(fresh, tmp_path, settings):
    """What an import of comments prints; of any two the data are alike, but for ids."""

    def run(*, is_engine: bool, as_json: bool = True) -> str:
        settings.DYNAMODB_IS_AN_ENGINE = is_engine
        out, path = StringIO(), written_file(tmp_path / "comments.csv", fresh("product"))
        call_command("import_comments", str(path), json=as_json, stdout=out, stderr=StringIO())
        return out.getvalue()

    return run


def written_file(path: Path, product: str) -> Path:
    rows = [
        {
            "id": f"{product}-{number:03}",
            "product_id": product,
            "language": "en",
            "rating": number % 5 + 1,
            "created_at": f"2024-01-01T00:00:{number:02}Z",
            "title": "The battery died",
            "body": "It was charged twice, and the screen stayed dark. " * (number + 1),
        }
        for number in range(ROWS)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def postings() -> int:
    found = (item["pk"]["S"] for item in every_item(client(), TABLE))
    return sum(not key.startswith((CHANGES, PENDING)) for key in found)


class TestTheUnitsOfAnImport:
    def test_at_amazon_are_the_same_whichever_database_it_writes_to(self, imported):
        imported(is_engine=True)  # the first one also makes the category of its product
        before = postings()
        on_engine: dict[str, Any] = json.loads(imported(is_engine=True))
        new_postings = postings() - before
        at_amazon: dict[str, Any] = json.loads(imported(is_engine=False))
        assert at_amazon["units"] == at_amazon["amazon_units"]
        assert on_engine["amazon_units"] == at_amazon["amazon_units"]
        # A posting has at most a kilobyte: a unit in a batch, two in a transaction.
        assert on_engine["units"] - on_engine["amazon_units"] == new_postings > ROWS

    def test_are_both_named_in_words(self, imported):
        both = r"^Reads and writes: [\d,.]+ units on this engine; [\d,.]+ on Amazon DynamoDB\.$"
        assert re.search(both, imported(is_engine=True, as_json=False), re.MULTILINE)

    @pytest.mark.parametrize(("is_engine", "has_words"), [(False, True), (True, False)])
    def test_are_one_number_where_they_are_equal(self, imported, is_engine, has_words):
        with comments_set(SEARCH=has_words):
            printed = imported(is_engine=is_engine, as_json=False)
        assert re.search(r"^Reads and writes: [\d,.]+ units\.$", printed, re.MULTILINE)
