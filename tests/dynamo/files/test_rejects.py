"""The file of rejected rows."""

import csv
from pathlib import Path

import pytest

from dynamo.files.records import Rejected
from dynamo.files.rejects import RejectsFile


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1+1"])
def test_a_spreadsheet_carries_out_nothing_of_it(tmp_path: Path, formula: str) -> None:
    with RejectsFile(tmp_path / "rejected.csv") as rejects:
        rejects.add(Rejected(2, "rating is missing", formula))
        rejects.add(Rejected(3, "rating is missing", "c1"))
    with (tmp_path / "rejected.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [f"'{formula}", "c1"]
