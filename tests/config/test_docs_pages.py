"""The documentation on the site: every document, its links and its pictures; and their index."""

import re

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404
from django.test import Client
from django.urls import resolve

from config.docs_pages import find_document, read_doors, read_order
from config.templatetags.site import DESIGNS, design_url, word_url
from dynapages.calls import metered
from dynapages.django.access import SHARED_SECONDS
from tests.support.markup import Element, read_markup

DOCS = settings.BASE_DIR / "docs"
NAMES = sorted(
    path.relative_to(DOCS).as_posix().removesuffix(".md").removesuffix("README").rstrip("/")
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
        for name, address, anchor in found(r'href="(/docs/(?:[^"#]*/)?)(?:#([^"]*))?"'):
            other = find_document(resolve(address).kwargs.get("name", ""))
            assert not anchor or f'id="{anchor}"' in other.html, (name, address, anchor)

    def test_has_its_pictures(self):
        for name, src in found(r'src="([^"]*)"'):
            assert finders.find(src.removeprefix(settings.STATIC_URL).lstrip("/")), (name, src)

    def test_has_each_id_once(self):
        ids = found(r'\sid="([^"]*)"')
        assert len(ids) == len(set(ids)) > 100

    def test_says_of_each_header_of_a_table_what_it_heads(self):
        assert {tag for _, tag in found(r"(<th\b[^>]*>)") if 'scope="col"' not in tag} == set()

    def test_has_code_that_a_keyboard_scrolls(self):
        assert [one for one in found(r"<pre\b([^>]*)") if 'tabindex="0"' not in one[1]] == []

    def test_has_no_style_of_its_own_which_browsers_ignore(self):
        assert found(r"<([^>]*\bstyle=[^>]*)>") == []

    def test_shows_nothing_of_what_is_meant_for_commands(self):
        assert found("written by manage.py") == []


def page_of(path: str, language: str = "en") -> Element:
    browser = Client(headers={"Accept-Language": language})
    return read_markup(browser.get(path).content.decode())


SAID = ("aria-label", "alt", "title", "placeholder", "data-announce")
"""Attributes whose value is read out, or shown."""
SAME_IN_GERMAN = {"Dynashop", "Shop", "/", "·", "English", "Deutsch"}


def unmarked_texts(element: Element) -> set[str]:
    """What a page says without naming its language."""
    texts = set()
    for name in SAID:
        if element.get(name):
            texts.add(element[name])
    for child in element.children:
        if isinstance(child, str):
            texts.add(" ".join(child.split()))
        elif child.tag != "script" and not child.get("lang"):
            texts |= unmarked_texts(child)
    return texts - {""}


class TestTheIndex:
    def test_has_all_documents_behind_five_doors(self):
        doors = read_doors()
        assert list(doors) == ["Use", "Run", "Understand", "Measure", "Change"]
        listed = [name for titles in doors.values() for name in titles]
        assert sorted(listed) == [n for n in NAMES if n and not n.startswith("adr/")]

    def test_is_followed_by_the_records(self):
        assert sorted(read_order()) == [name for name in NAMES if name]
        assert list(read_order())[-1].startswith("adr/")

    def test_says_of_each_document_what_is_in_it(self):
        lines = [item.text for item in page_of("/docs/").one("article").all("li")]
        assert len(lines) > 20
        assert [line for line in lines if not re.fullmatch(r"[^:]+: .{8,}", line)] == []

    def test_is_at_the_foot_of_every_page(self):
        assert page_of("/docs/").one("footer").one("a", href="/docs/").text == "Documentation"


GERMAN_DOORS = ["Benutzen", "Betreiben", "Verstehen", "Messen", "Ändern"]


class TestAGermanPage:
    @pytest.mark.parametrize("name", NAMES)
    def test_has_nothing_english_that_is_not_marked_so(self, name):
        path = f"/docs/{name}/" if name else "/docs/"
        german = unmarked_texts(page_of(path, "de").one("body"))
        english = unmarked_texts(page_of(path, "en").one("body"))
        assert german & english <= SAME_IN_GERMAN

    def test_has_german_headings_of_the_documents(self):
        pages = page_of("/docs/api/", "de").one("nav", aria_label="Dokumentation")
        assert [summary.text for summary in pages.all("summary")] == GERMAN_DOORS

    def test_has_german_headings_in_the_index(self):
        article = page_of("/docs/", "de").one("article")
        headings = article.all("h2")
        assert [heading.text for heading in headings] == GERMAN_DOORS
        assert {heading["lang"] for heading in [article.one("h1"), *headings]} == {"de"}


class TestBesideADocument:
    def test_are_its_contents(self):
        page = page_of("/docs/how-it-works/")
        links = page.one("nav", aria_label="On this page").all("a")
        headings = [one for one in page.one("article").all() if one.tag in {"h2", "h3"}]
        assert [(link["href"], link.text) for link in links] == [
            (f"#{heading['id']}", heading.text) for heading in headings
        ]

    def test_are_no_contents_where_it_has_no_headings(self):
        assert find_document("adr").headings == []
        page = page_of("/docs/adr/")
        assert [nav["aria-label"] for nav in page.one("aside").all("nav")] == ["Documentation"]

    @pytest.mark.parametrize(
        ("path", "current", "how"),
        [
            ("/docs/orders/", "/docs/orders/", "page"),
            ("/docs/designs/sets/", "/docs/designs/sets/", "page"),
            ("/docs/adr/0012-one-client/", "/docs/adr/", "true"),
        ],
    )
    def test_is_its_place_among_all_behind_the_open_door(self, path, current, how):
        pages = page_of(path).one("nav", aria_label="Documentation")
        assert len(pages.all("a")) == len([n for n in NAMES if n and not n.startswith("adr/")]) + 1
        (marked,) = pages.all("a", aria_current=True)
        assert (marked["href"], marked["aria-current"]) == (current, how)
        assert pages.one("details", open=True).all("a", href=current) == [marked]

    def test_are_the_previous_and_the_next_one(self):
        names, addresses = list(read_order()), []
        for name in names:
            page = page_of(f"/docs/{name}/")
            addresses.append(
                [[a["href"] for a in page.all("a", rel=rel)] for rel in ("prev", "next")]
            )
        expected = [[f"/docs/{name}/"] for name in names]
        assert [before for before, _ in addresses] == [[], *expected[:-1]]
        assert [after for _, after in addresses] == [*expected[1:], []]

    def test_is_the_way_back_to_the_index(self):
        trail = page_of("/docs/orders/", "de").one("nav", aria_label="Pfad")
        assert [link["href"] for link in trail.all("a")] == ["/", "/docs/"]

    def test_is_nothing_on_the_index(self):
        assert page_of("/docs/").all("aside") == []


class TestThePage:
    @pytest.mark.parametrize("path", ["/docs/", "/docs/how-it-works/"])
    def test_reads_nothing_from_the_database(self, path):
        with metered() as meter:
            assert Client().get(path).status_code == 200
        assert meter.calls == 0

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
        with pytest.raises(Http404):
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
