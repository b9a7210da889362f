"""The language of the site: whom it speaks German to, and how the choice is kept."""

import re
import subprocess
from gettext import GNUTranslations
from shutil import copytree, which

import pytest
from django.core.management import call_command
from django.test import Client, override_settings

from tests.support.markup import read_markup
from tests.support.project import PROJECT

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
CATALOGUE = PROJECT / "config" / "locale" / "de" / "LC_MESSAGES" / "django.po"
needs_gettext = pytest.mark.skipif(not which("msgfmt"), reason="gettext is not installed")


def language_of(response) -> str:
    return read_markup(response.content.decode()).one("html")["lang"]


class TestTheLanguage:
    @pytest.mark.parametrize(
        ("accepted", "language"),
        [("", "en"), ("de-AT,de;q=0.9,en;q=0.5", "de"), ("fr,en;q=0.5", "en"), ("fr", "en")],
    )
    def test_is_what_the_browser_asks_for(self, accepted, language):
        response = Client().get("/", headers={"Accept-Language": accepted})
        assert language_of(response) == language

    def test_is_what_the_visitor_chose(self):
        visitor = Client(headers={"Accept-Language": "en"})
        chosen = visitor.post("/language/", {"language": "de"}, headers={"Referer": "/categories/"})
        assert chosen["Location"] == "/categories/"
        assert language_of(visitor.get("/")) == "de"

    def test_leads_to_no_other_site(self):
        answer = Client().post(
            "/language/", {"language": "de"}, headers={"Referer": "https://evil.example/"}
        )
        assert answer["Location"] == "/"

    def test_is_that_of_refusals_too(self):
        answer = Client().get("/nowhere/", headers={"Accept-Language": "de"})
        assert "Hier ist nichts" in answer.content.decode()


class TestTheCatalogue:
    @needs_gettext
    def test_has_every_sentence_of_the_code(self, tmp_path):
        for name in ("config", "dynapages", "shop", "comments", "lab", "templates"):
            copytree(PROJECT / name, tmp_path / name, ignore=lambda _, names: {"__pycache__"})
        catalogue = tmp_path / "config" / "locale"
        with pytest.MonkeyPatch.context() as patch, override_settings(LOCALE_PATHS=[catalogue]):
            patch.chdir(tmp_path)
            call_command("makemessages", locale=["de"], no_wrap=True, no_obsolete=True, verbosity=0)
        fresh = (catalogue / "de" / "LC_MESSAGES" / "django.po").read_text()
        assert sentences(fresh) == sentences(CATALOGUE.read_text())

    def test_has_german_for_every_sentence(self):
        text = CATALOGUE.read_text()
        assert "#, fuzzy" not in text
        assert re.findall(r'^msgid "(?:.+)"(?:\n".+")*\nmsgstr ""\n\n', text, re.MULTILINE) == []

    @needs_gettext
    def test_is_compiled_as_it_is_written(self, tmp_path):
        compiled = tmp_path / "django.mo"
        subprocess.run(["msgfmt", "--check", "-o", compiled, CATALOGUE], check=True)
        with compiled.open("rb") as new, CATALOGUE.with_suffix(".mo").open("rb") as old:
            assert GNUTranslations(new)._catalog == GNUTranslations(old)._catalog


def sentences(catalogue: str) -> list[str]:
    """Return what is to be translated, whatever its place in the files."""
    return sorted(re.findall(r"^msgid(?:_plural)? ((?:\".*\"\n)+)", catalogue, re.MULTILINE))
