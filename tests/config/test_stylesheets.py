"""The stylesheets: a small file for each part of the page, all linked in every page."""

import re

from tests.support.project import PROJECT

FOLDER = PROJECT / "static" / "css"
MOST_LINES = 900


def test_each_is_linked_once():
    base = (PROJECT / "templates" / "_head_links.html").read_text()
    linked = re.findall(r"{% static 'css/(\w+\.css)' %}", base)
    assert sorted(linked) == sorted(path.name for path in FOLDER.glob("*.css"))


def test_none_is_long():
    lengths = {path.name: len(path.read_text().splitlines()) for path in FOLDER.glob("*.css")}
    assert [name for name, length in lengths.items() if length > MOST_LINES] == []
