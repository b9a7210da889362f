"""The documentation on the site: every document, its links and its pictures."""

import re

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import resolve

from config.docs_pages import NoSuchDocument, find_document
from config.templatetags.site import DESIGNS, design_url, word_url
from dynapages.django.access import SHARED_SECONDS
from tests.support.markup import read_markup

DOCS = settings.BASE_DIR / "docs"
NAMES = sorted(
    path.relative_to(DOCS).as_posix().removesuffix(".md").removesuffix("/README")
    for path in DOCS.rglob("*.md")
)


def found(pattern: str) -> list[tuple[str, ...]]:
    """Return what matches in any document: its name, and the groups of the match."""
    return [
        (name, *(group or "" for group in match.groups()))
        for name in NAMES
        for match in re.finditer(pattern, find_document(name).html)
    ]


class TestADocument:
    def test_links_to_pages_and_headings_that_are_there(self):
        for name, address, anchor in found(r'href="(/docs/[^"#]*)(?:#([^"]*))?"'):
            other = find_document(resolve(address).kwargs["name"])
            assert not anchor or f'id="{anchor}"' in other.html, (name, address, anchor)

    def test_has_its_pictures(self):
        for name, src in found(r'src="([^"]*)"'):
            assert finders.find(src.removeprefix(settings.STATIC_URL).lstrip("/")), (name, src)

    def test_says_of_each_header_of_a_table_what_it_heads(self):
        assert {tag for _, tag in found(r"(<th\b[^>]*>)") if 'scope="col"' not in tag} == set()

    def test_is_scrolled_by_a_keyboard_where_it_is_wide(self):
        wide = found(r"(?:<div ([^>]*)>)?<(?:table\b|pre\b([^>]*))")
        assert [one for one in wide if 'tabindex="0"' not in "".join(one[1:])] == []

    def test_has_no_style_of_its_own_which_browsers_ignore(self):
        assert found(r"<([^>]*\bstyle=[^>]*)>") == []

    def test_shows_nothing_of_what_is_meant_for_commands(self):
        assert found("written by manage.py") == []


class TestThePage:
    def test_shows_a_document_under_its_title(self):
        response = Client().get("/docs/designs/filters/")
        page = read_markup(response.content.decode())
        assert page.one("h1").text == "Filters"
        assert page.all("table")
        assert f"s-maxage={SHARED_SECONDS}" in response["Cache-Control"]

    @pytest.mark.parametrize(("language", "told"), [("en", 0), ("de", 1)])
    def test_says_in_other_languages_that_it_is_in_english(self, language, told):
        browser = Client(headers={"Accept-Language": language})
        page = read_markup(browser.get("/docs/designs/filters/").content.decode())
        assert page.one("article")["lang"] == "en"
        assert len(page.one("main").all("p", class_="document-language")) == told

    @pytest.mark.parametrize("name", ["nothing", "../README", "designs/../lab", "a/b/c", "DESIGNS"])
    def test_is_none_for_what_is_no_document(self, name):
        with pytest.raises(NoSuchDocument):
            find_document(name)
        assert Client().get(f"/docs/{name}/").status_code == 404


class TestLinksFromAPanel:
    @pytest.mark.parametrize("plan", [*DESIGNS, "by_author"])
    def test_lead_to_the_design_of_a_plan(self, plan):
        self.assert_is_there(design_url(plan))

    @pytest.mark.parametrize("word", ["unit", "round", "index-and-key", "read-and-shown"])
    def test_lead_to_a_word(self, word):
        self.assert_is_there(word_url(word))

    def assert_is_there(self, url: str) -> None:
        address, mark, anchor = url.partition("#")
        found = find_document(resolve(address).kwargs["name"])
        assert not mark or f'id="{anchor}"' in found.html
