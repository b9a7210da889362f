"""Comments that come in from a file, and go out into one."""

from io import StringIO

from django.core.management import call_command

from sample_project.pages import ids_in, text_of

ROWS = """\
id,product_id,rating,created_at,author,body
one,lamp,5,2. März 2024,Ada,Diese Lampe macht ein sehr schönes und warmes Licht.
two,lamp,3,14. Dezember 2024,Bo,This lamp is a good one and the light of it is warm.
"""


def run(*arguments):
    """Run a command, and return what it prints."""
    printed = StringIO()
    call_command(*arguments, stdout=printed)
    return printed.getvalue()


class TestAnImport:
    def test_reads_dates_in_words_and_finds_languages(self, tables, visitor, tmp_path, settings):
        settings.VAR_DIR = tmp_path
        source = tmp_path / "reviews.csv"
        source.write_text(ROWS, encoding="utf-8")
        run("import_comments", str(source), "--date-locale", "de", "--detect-language")
        assert ids_in(text_of(visitor, "/reviews/products/lamp/")) == ["two", "one"]
        assert ids_in(text_of(visitor, "/reviews/products/lamp/comments/de/~/")) == ["one"]
        assert 'datetime="2024-03-02' in text_of(visitor, "/reviews/comments/one/")

    def test_can_be_exported_again(self, tables, tmp_path, settings):
        settings.VAR_DIR = tmp_path
        source, target = tmp_path / "reviews.csv", tmp_path / "out.csv"
        source.write_text(ROWS, encoding="utf-8")
        run("import_comments", str(source), "--date-locale", "de", "--set", "language=de")
        run("export_comments", "--output", str(target))
        lines = target.read_text(encoding="utf-8").splitlines()
        assert len(lines) == 3
        assert "warmes Licht" in target.read_text(encoding="utf-8")
