"""The stylesheets: a small file for each part of the page; those of all pages are sent as one."""

import re

from config.web.bundles import BUNDLES
from tests.support.project import PROJECT

FOLDERS = {
    "css": PROJECT / "static" / "css",
    "dynapages": PROJECT / "dynapages" / "django" / "static" / "dynapages",
    "comments": PROJECT / "comments" / "static" / "comments",
}
SHEETS = {f"{name}/{path.name}": path for name, at in FOLDERS.items() for path in at.glob("*.css")}
TEMPLATES = [PROJECT / "templates", PROJECT / "lab" / "templates"]
HEAD = PROJECT / "comments" / "templates" / "comments" / "head.html"
OF_ALL_PAGES = BUNDLES["css/site.css"]
ELSEWHERE = "dynapages/page.css"
"""What surrounds the app's pages in a base that is not this site's."""
MOST_LINES = 900


def linked(text: str) -> list[str]:
    return re.findall(r"""\bstatic[ (]["']([\w/]+\.css)["']""", text)


def test_each_is_linked_by_all_pages_or_by_those_that_need_it():
    paths = [path for folder in TEMPLATES for path in folder.rglob("*.*")]
    texts = [path.read_text() for path in paths if path.suffix in {".html", ".jinja"}]
    of_some = {sheet for text in texts for sheet in linked(text)} - BUNDLES.keys()
    assert of_some.isdisjoint(OF_ALL_PAGES)
    assert of_some | set(OF_ALL_PAGES) == SHEETS.keys() - {ELSEWHERE}


def test_those_of_the_apps_are_linked_for_other_projects_in_the_same_order():
    theirs = linked(HEAD.read_text())
    assert set(theirs) == {sheet for sheet in SHEETS if not sheet.startswith("css/")}
    assert [sheet for sheet in OF_ALL_PAGES if sheet in theirs] == [
        sheet for sheet in theirs if sheet != ELSEWHERE
    ]


def test_those_of_the_apps_style_nothing_outside_their_pages():
    for sheet, path in SHEETS.items():
        if not sheet.startswith("css/"):
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
            outermost = re.findall(r"^([^\s@}].*) \{", text, re.MULTILINE)
            assert {one for one in outermost if ".dynapages" not in one} <= {":root"}, sheet


def test_none_is_long():
    lengths = {name: len(path.read_text().splitlines()) for name, path in SHEETS.items()}
    assert [name for name, length in lengths.items() if length > MOST_LINES] == []
