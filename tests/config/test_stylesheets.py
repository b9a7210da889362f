"""The stylesheets: a small file for each part of the page, all linked in every page."""

import re

from tests.support.project import PROJECT

FOLDER = PROJECT / "static" / "css"
MOST_LINES = 900


def test_each_is_linked_by_all_pages_or_by_those_that_need_it():
    folders = (PROJECT / "templates", PROJECT / "lab" / "templates")
    templates = [path.read_text() for folder in folders for path in folder.rglob("*.html")]
    linked = [set(re.findall(r"{% static 'css/(\w+\.css)' %}", text)) for text in templates]
    assert set().union(*linked) == {path.name for path in FOLDER.glob("*.css")}


def test_none_is_long():
    lengths = {path.name: len(path.read_text().splitlines()) for path in FOLDER.glob("*.css")}
    assert [name for name, length in lengths.items() if length > MOST_LINES] == []
