"""The file of rejected rows."""

import csv

import pytest

from dynapages.files import rejects as rejects_module
from dynapages.files.records import Rejected
from dynapages.files.rejects import RejectsFile


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1+1"])
def test_a_spreadsheet_carries_out_nothing_of_it(tmp_path, formula):
    with RejectsFile(tmp_path / "rejected.csv") as rejects:
        rejects.add(Rejected(2, "rating is missing", formula))
        rejects.add(Rejected(3, "rating is missing", "c1"))
    with (tmp_path / "rejected.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [f"'{formula}", "c1"]


def test_it_lists_no_more_rows_than_it_may_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(rejects_module, "MOST_LISTED", 10)
    with RejectsFile(tmp_path / "rejected.csv") as rejects:
        for number in range(15):
            rejects.add(Rejected(number + 2, "rating is missing"))
    lines = (tmp_path / "rejected.csv").read_text("utf-8").splitlines()
    assert len(lines) == 1 + 10 + 1
    assert lines[-1].startswith(',,"More rows were rejected: ')
    assert rejects.sentence.startswith("15 rows were rejected; the first 10 are listed")


def test_it_cuts_long_ids_and_reasons(tmp_path):
    with RejectsFile(tmp_path / "rejected.csv") as rejects:
        rejects.add(Rejected(2, "x" * 100_000, "y" * 100_000))
    assert (tmp_path / "rejected.csv").stat().st_size < 2_000
