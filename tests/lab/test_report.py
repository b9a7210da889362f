"""Reports: tables, limits, and sections in documents."""

import pytest

from lab.report import Limit, Section, Table, replace_section


class TestASection:
    def test_is_markdown_with_numbers_on_the_right(self):
        table = Table("Seen", ("bird", "wings"), [("crow", 2_000), ("kiwi", 0.5)])
        assert Section("Birds", ["From a window."], [table]).text() == (
            "## Birds\n\nFrom a window.\n\nSeen:\n\n"
            "| bird   |   wings |\n"
            "|:-------|--------:|\n"
            "| crow   |   2,000 |\n"
            "| kiwi   |     0.5 |"
        )

    def test_holds_when_each_figure_is_within_its_limit(self):
        assert Section("Speed", [], [], [Limit("pages", 2, 1.999)]).holds
        section = Section("Speed", [], [], [Limit("pages", 2, 1), Limit("lists", 2, 2.006)])
        assert not section.holds
        assert "| lists  |         2 |       2.01 | no      |" in section.text()


class TestReplacingASection:
    def test_leaves_what_is_around_it(self, tmp_path):
        page = tmp_path / "lab.md"
        page.write_text(
            "Before.\n<!-- a: written by manage.py x -->\nold\n<!-- end of a -->\nAfter.\n"
        )
        replace_section(page, "a", "new", command="x")
        text = page.read_text()
        assert text.startswith("Before.\n<!-- a")
        assert text.endswith("<!-- end of a -->\nAfter.\n")
        assert "new" in text
        assert "old" not in text

    def test_needs_its_marks(self, tmp_path):
        page = tmp_path / "lab.md"
        page.write_text("Nothing.\n")
        with pytest.raises(ValueError, match="no section “a”"):
            replace_section(page, "a", "new", command="x")
