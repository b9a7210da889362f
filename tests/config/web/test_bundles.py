"""One style sheet and one script for all pages, made of their parts."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.test import Client

from config.web.bundles import BUNDLES, BundlesFinder
from tests.support.markup import read_markup

pytestmark = pytest.mark.fallback


@pytest.fixture
def var(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    return tmp_path


def words_of(path: Path) -> list[str]:
    """The words of a style sheet or a script, but for those of its comments."""
    text = path.read_text()
    if path.suffix == ".css":
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
        return re.findall(r"[^\s{};,]+|[{};]", text)
    return [line for line in map(without_comment, text.splitlines()) if line]


def without_comment(line: str) -> str:
    code, _mark, _comment = line.partition("// ")
    return code.strip()


@pytest.mark.parametrize("bundle", BUNDLES)
class TestABundle:
    def test_has_all_its_parts_in_their_order(self, var, bundle):
        words = []
        for part in BUNDLES[bundle]:
            words += words_of(Path(finders.find(part)))
        assert words_of(Path(finders.find(bundle))) == words

    def test_has_no_comments(self, var, bundle):
        text = Path(finders.find(bundle)).read_text()
        assert "// " not in text
        assert "/*" not in text

    def test_is_written_again_when_it_is_not_as_its_parts(self, var, bundle):
        found = Path(finders.find(bundle))
        whole = found.read_text()
        found.write_text("of an earlier version")
        assert Path(finders.find(bundle)).read_text() == whole

    def test_is_left_alone_when_its_parts_did_not_change(self, var, bundle):
        before = Path(finders.find(bundle)).stat()
        after = Path(finders.find(bundle)).stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    def test_leaves_no_other_file(self, var, bundle):
        finders.find(bundle)
        files = [one for one in var.rglob("*") if one.is_file()]
        assert files == [var / "bundles" / bundle]

    def test_is_collected(self, settings, var, bundle):
        settings.STATIC_ROOT = var / "collected"
        call_command("collectstatic", "--no-input", verbosity=0)
        assert (var / "collected" / bundle).is_file()

    def test_is_what_a_page_links(self, client, bundle):
        page = read_markup(client.get("/accounts/login/").content.decode())
        links = [one["href"] for one in page.all("link")]
        assert f"/static/{bundle}" in [
            *links,
            *(one["src"] for one in page.all("script", src=True)),
        ]

    def test_is_served(self, bundle):
        response = Client().get(f"/static/{bundle}")
        response.close()
        assert response.status_code == 200


def test_where_nothing_can_be_written_a_sentence_says_what_helps(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "file" / "var"
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ImproperlyConfigured, match="set STATIC_ROOT and run collectstatic"):
        list(BundlesFinder().list(None))
