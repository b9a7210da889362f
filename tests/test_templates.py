"""The templates of the library and of the app of comments, which go with them into any project."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.project import PROJECT

LIBRARY, APP = PROJECT / "dynapages" / "django", PROJECT / "comments"
OF_THE_LIBRARY, OF_THE_APP = (LIBRARY,), (LIBRARY, APP)
"""Where each takes from what it names."""
DJANGOS = {"i18n", "l10n", "static", "tz"}
OTHERS_STATIC = "django_htmx/"
TAG = re.compile(r"""\{%-?\s*(\w+)\s+(.*?)\s*%\}""", re.DOTALL)
NAMED = re.compile(r"""^["']([^"']*)["']""")
CALL = re.compile(r"""\b(\w+)\(["']([^"']*)["']""")
OF_TEMPLATES = ("extends", "include", "include_jinja", "call_macro", "from", "import")
OF_URLS = ("url", "item_url", "optional_url")


@cache
def templates(app: Path) -> dict[str, str]:
    """Return the templates of an app, by their names."""
    folder = app / "templates"
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def named(app: Path, *tags: str) -> Iterator[tuple[str, str]]:
    """Yield each name in quotes that a tag or a call begins with, and the template it is in."""
    for template, text in templates(app).items():
        for tag, arguments in TAG.findall(text):
            if tag in tags and (found := NAMED.match(arguments)):
                yield template, found[1]
        if template.endswith(".jinja"):
            for function, name in CALL.findall(text):
                if function in tags:
                    yield template, name


@pytest.mark.parametrize(
    ("app", "folders"), [(LIBRARY, OF_THE_LIBRARY), (APP, OF_THE_APP)], ids=["library", "app"]
)
class TestTemplates:
    def test_extend_and_include_no_others(self, app, folders):
        known = set().union(*(templates(folder) for folder in folders))
        found = set(named(app, *OF_TEMPLATES))
        assert {(name, other) for name, other in found if other not in known} == set()

    def test_load_no_other_tags(self, app, folders):
        known = DJANGOS | {
            path.stem for folder in folders for path in (folder / "templatetags").glob("*.py")
        }
        found = {
            (name, library)
            for name, text in templates(app).items()
            for tag, arguments in TAG.findall(text)
            for library in arguments.split(" from ")[-1].split()
            if tag == "load"
        }
        assert {(name, library) for name, library in found if library not in known} == set()

    def test_reverse_no_other_urls(self, app, folders):
        prefix = f"{app.name}:" if app is APP else "none:"
        found = set(named(app, *OF_URLS))
        assert {(name, url) for name, url in found if not url.startswith(prefix)} == set()

    def test_link_no_other_files(self, app, folders):
        missing = {
            (name, path)
            for name, path in named(app, "static")
            if not path.startswith(OTHERS_STATIC)
            if not any((folder / "static" / path).is_file() for folder in folders)
        }
        assert missing == set()

    def test_say_no_name_of_a_site(self, app, folders):
        assert [name for name, text in templates(app).items() if "Dynashop" in text] == []


@pytest.mark.parametrize(
    ("tags", "at_least"), [(OF_TEMPLATES, 60), (OF_URLS, 25), (OF_URLS[1:], 10)]
)
def test_what_is_named_is_found(tags, at_least):
    """Or the tests above would pass whatever the templates said."""
    assert len(set(named(APP, *tags))) > at_least
