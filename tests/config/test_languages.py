"""The language of the site: whom it speaks German to, and how the choice is kept."""

import re
import subprocess
from gettext import GNUTranslations
from pathlib import Path
from shutil import copytree, which

import pytest
from django.core.management import call_command
from django.test import Client, override_settings

from tests.support.markup import read_markup
from tests.support.project import PROJECT

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
CATALOGUES = [
    Path(app, "locale", "de", "LC_MESSAGES", "django.po")
    for app in ("config", "comments", "dynapages/django", "demo")
]
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


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """The folders, with catalogues as ``make messages`` would write them."""
    folder = tmp_path_factory.mktemp("collected")
    for name in ("config", "dynapages", "shop", "comments", "lab", "demo", "templates"):
        copytree(PROJECT / name, folder / name, ignore=lambda _, names: {"__pycache__", "tests"})
    of_the_site = [folder / "config" / "locale"]
    with pytest.MonkeyPatch.context() as patch, override_settings(LOCALE_PATHS=of_the_site):
        patch.chdir(folder)
        call_command("makemessages", locale=["de"], no_wrap=True, no_obsolete=True, verbosity=0)
    return folder


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: path.parts[0])
class TestACatalogue:
    @needs_gettext
    def test_has_every_sentence_of_its_code(self, catalogue, collected):
        fresh = (collected / catalogue).read_text()
        assert sentences(fresh) == sentences((PROJECT / catalogue).read_text())

    def test_has_german_for_every_sentence(self, catalogue):
        text = (PROJECT / catalogue).read_text()
        assert "#, fuzzy" not in text
        assert re.findall(r'^msgid "(?:.+)"(?:\n".+")*\nmsgstr ""\n\n', text, re.MULTILINE) == []

    @needs_gettext
    def test_is_compiled_as_it_is_written(self, catalogue, tmp_path):
        written, compiled = PROJECT / catalogue, tmp_path / "django.mo"
        subprocess.run(["msgfmt", "--check", "-o", compiled, written], check=True)
        with compiled.open("rb") as new, written.with_suffix(".mo").open("rb") as old:
            assert GNUTranslations(new)._catalog == GNUTranslations(old)._catalog


@needs_gettext
def test_an_app_and_the_library_bring_their_own_sentences(collected):
    site, comments, library, sample = (
        set(re.findall(r"#: (.*)", (collected / catalogue).read_text())) for catalogue in CATALOGUES
    )
    assert not any(place.startswith(("comments/", "dynapages/", "demo/")) for place in site)
    assert all(place.startswith("comments/") for place in comments)
    assert all(place.startswith("dynapages/") for place in library)
    assert all(place.startswith("demo/") for place in sample)


@needs_gettext
def test_a_template_of_jinja_gives_its_sentences_at_their_lines(tmp_path, monkeypatch):
    shown = [
        '{{ _("%(n)s “words”", n=words|length) }}{{ _("Sort\\n") }}',
        '{{ pgettext("month", "From") }}',
        '{{ ngettext("a comment", "comments", total) }}',
    ]
    (tmp_path / "page.jinja").write_text("\n".join(shown))
    (tmp_path / "locale").mkdir()
    monkeypatch.chdir(tmp_path)
    with override_settings(LOCALE_PATHS=[tmp_path / "locale"]):
        call_command("makemessages", locale=["de"], verbosity=0)
    catalogue = (tmp_path / "locale" / "de" / "LC_MESSAGES" / "django.po").read_text()
    entries = catalogue.split("\n\n")[1:]
    assert [entry.strip() for entry in entries] == [
        '#: page.jinja:1\n#, python-format\nmsgid "%(n)s “words”"\nmsgstr ""',
        '#: page.jinja:1\nmsgid "Sort\\n"\nmsgstr ""',
        '#: page.jinja:2\nmsgctxt "month"\nmsgid "From"\nmsgstr ""',
        '#: page.jinja:3\nmsgid "a comment"\nmsgid_plural "comments"\nmsgstr[0] ""\nmsgstr[1] ""',
    ]


def sentences(catalogue: str) -> list[str]:
    """Return what is to be translated, whatever its place in the files."""
    return sorted(re.findall(r"^msgid(?:_plural)? ((?:\".*\"\n)+)", catalogue, re.MULTILINE))
