"""The figures in words."""

from lab.reports.tables import replace_section


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
