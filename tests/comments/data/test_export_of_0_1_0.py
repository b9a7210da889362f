"""What version 0.1.0 exported is imported, and exports to the same file again."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from comments.data.shapes import FIELDS
from tests.support.comments.browsing import visit
from tests.support.comments.outage import own_engine
from tests.support.importing import run_import
from tests.support.project import PROJECT

FOLDER = PROJECT / "tests" / "data" / "exports"
"""Written by version 0.1.0, of made comments; it made two more, one hidden and one held."""
NEWEST_FIRST = [
    "of-sample-0370",
    "01K9Z5Q7W8E9R0T1Y2V3B4N5M8",
    "01K9Z5Q7W8E9R0T1Y2V3B4N5M7",
    "01K9Z5Q7W8E9R0T1Y2V3B4N5M6",
    "r-8",
    "r-7",
    "no text/2 of 2",
    "lg:AOqpTOEqMade-KBkIG2MtwY_PZ-EqMKyQNs_wcd2KlJlknJ8B0BoDc9ab2rq-iF-ahSXp2ggb6fZ7Kp0XWg1IIXNb",
]
"""The comments on one of the two products, as version 0.1.0 listed them."""
NEW_FIELDS = {"text_format", "helpful", "exported_votes", "state"}
"""Those that version 0.1.0 did not have."""

pytestmark = pytest.mark.real_engine


@pytest.fixture(scope="module", params=["csv", "jsonl"])
def exported(request):
    """The file that was exported; its comments are all that there are."""
    file = FOLDER / f"comments-0.1.0.{request.param}"
    with own_engine():
        counts = run_import("import_comments", file)
        assert (counts["read"], counts["rejected"]) == (9, 0)
        yield file


def rows_of(file: Path) -> list[dict[str, object]]:
    """The rows in the order of their ids; a Scan has none."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines) if file.suffix == ".csv" else map(json.loads, lines)
        return sorted(rows, key=lambda row: row["id"])


class TestAFileOfVersion010:
    def test_has_all_fields(self, exported):
        assert {name for row in rows_of(exported) for name, value in row.items() if value} == {
            *FIELDS
        } - NEW_FIELDS

    def test_is_exported_again_as_it_was(self, exported, tmp_path):
        again = tmp_path / f"again{exported.suffix}"
        call_command("export_comments", output=again, format=exported.suffix[1:], stdout=StringIO())
        rows = [
            {name: value for name, value in row.items() if name not in NEW_FIELDS}
            for row in rows_of(again)
        ]
        assert rows == rows_of(exported)

    def test_is_listed_in_the_same_order(self, exported):
        shown = visit("/products/linen-scarf/comments/~/~/")
        assert shown.comment_ids == NEWEST_FIRST

    def test_has_the_comments_of_its_users(self, exported):
        assert visit("/users/dora/").comment_ids == ["01K9Z5Q7W8E9R0T1Y2V3B4N5M6"]
