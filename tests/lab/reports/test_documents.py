"""The figures in words."""

import pytest

from lab.designs.run import heading_of, sections_of
from lab.reports.page import find_published
from lab.reports.tables import LAYOUTS, Table, replace_section
from tests.support.project import PROJECT

MOST_COLUMNS = 5
"""What a page has room for, on a phone as well."""
TABLES = [
    (name, table)
    for name, layout in LAYOUTS.items()
    for table in layout["tables"]
    if "promises" not in table
]


class TestTheTablesOfDocuments:
    @pytest.mark.parametrize(("name", "table"), TABLES)
    def test_are_no_wider_than_a_page(self, name, table):
        titles = [*table.get("by", ()), *(title for title, *_ in table["columns"])]
        documented = table.get("documented", titles)
        assert len(documented) <= MOST_COLUMNS
        assert {*documented} <= {*titles}

    def test_have_the_columns_that_are_documented(self):
        table = Table("Seen", ("bird", "wings", "colour"), (("crow", "2", "black"),), ["bird"])
        assert list(table.piped())[1:] == ["| bird |", "| --- |", "| crow |"]
        assert "wings" in "\n".join(table.aligned())


class TestReplacingASection:
    def test_leaves_what_is_around_it(self, tmp_path):
        page = tmp_path / "benchmarks.md"
        page.write_text("# Speed\n\nBefore.\n")
        replace_section(page, "comments", "first", command="bench")
        page.write_text(page.read_text() + "\nAfter.\n")
        replace_section(page, "comments", "second", command="bench")
        text = page.read_text()
        assert text.startswith("# Speed\n\nBefore.\n")
        assert text.endswith("\nAfter.\n")
        assert "second" in text
        assert "first" not in text


class TestThePageOfTheLab:
    def test_has_the_figures_that_the_documentation_ships(self):
        figures = find_published()
        assert figures is not None
        text = (PROJECT / "docs" / "lab.md").read_text()
        assert heading_of(figures) in text
        for section in sections_of(figures):
            assert section.markdown(folder="lab") in text
