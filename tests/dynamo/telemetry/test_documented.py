"""docs/operations.md tells of every field, and of every metric."""

import re
from dataclasses import fields

from dynamo.telemetry.facts import COUNTED, NAMED, RequestFacts
from tests.support.project import PROJECT

TEXT = (PROJECT / "docs" / "operations.md").read_text()


def first_cells(heading: str) -> list[str]:
    """The names in the first column of the first table behind a heading."""
    behind = TEXT.partition(heading)[2]
    table = re.search(r"\|---.*\n((?:\|.*\n)+)", behind)
    assert table
    return re.findall(r"^\| `([^`]+)` \|", table[1], re.MULTILINE)


def test_has_the_fields_of_the_log_in_their_order() -> None:
    told = RequestFacts(view="", method="", status=200).as_dict()
    assert first_cells("## A line for each request") == list(told)
    assert {field.name for field in fields(RequestFacts)} - told.keys() == {"route"}


def test_has_the_parts_of_a_filter() -> None:
    (row,) = (line for line in TEXT.splitlines() if line.startswith("| `filter` |"))
    assert set(re.findall(r"`(\w+)`", row)) == {"filter", *COUNTED, *NAMED}


def test_has_the_metrics() -> None:
    source = (PROJECT / "dynamo" / "telemetry" / "otel.py").read_text()
    named = re.findall(r'create_\w+\(\s*"([^"]+)"', source)
    assert sorted(first_cells("**Metrics.**")) == sorted(named)
