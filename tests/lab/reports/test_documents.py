"""The figures in words."""

from lab.reports.tables import Table, replace_section

TABLE = Table("What it takes", ("list", "ms"), (("all", "1.50"), ("one rating", "12.25")))


class TestATable:
    def test_sets_words_to_the_left_and_numbers_to_the_right(self):
        assert list(TABLE.aligned()) == [
            "What it takes",
            "list           ms",
            "all          1.50",
            "one rating  12.25",
        ]

    def test_becomes_markdown(self):
        assert list(TABLE.piped()) == [
            "What it takes:\n",
            "| list | ms |",
            "| --- | ---: |",
            "| all | 1.50 |",
            "| one rating | 12.25 |",
        ]


class TestReplacingASection:
    def test_begins_a_document_where_there_is_none(self, tmp_path):
        page = tmp_path / "benchmarks.md"
        replace_section(page, "comments", "fast", command="bench")
        assert page.read_text().startswith("# Benchmarks\n\n<!-- comments")
        assert "\nfast\n" in page.read_text()

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
