"""Each class of a page has a rule in a stylesheet, and each class of a rule is on some page."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.config.test_stylesheets import SHEETS
from tests.support.project import PROJECT

FOLDERS = ("templates", "comments", "shop", "dynapages", "lab", "config", "static")
OF_SWAGGER = "css/api.css"
"""The sheet of the page on which Swagger UI shows the API's operations."""
WITHOUT_A_RULE = {
    "comment-body": "lists.js moves the focus to it",
    "document-language": "tests count the documents that tell their language",
    "edited": "tests read the moment of an edit",
    "explanation-summary": "tests read what a page cost",
    "helpful": "tests find the button of a vote",
    "message-text": "tests read what a message says, without its button",
    "reported": "lists.js moves the focus to it",
    "shop-reply": "a reply of the shop is swapped into it",
    "tile-price": "tests read the price of a product",
    "undo": "tests find the form that takes a move back",
}
"""Classes that are there for JavaScript or tests, and why."""
OF_LIBRARIES = {
    "htmx-request": "htmx sets it while a request is under way",
    "errorlist": "Django renders the errors of a form in it",
    "error": "the level of a message of Django",
    "warning": "the level of a message of Django",
}
"""Classes of rules that no file of the project sets, and who does."""

IN_MARKUP = re.compile(r'(?<![\w-])class="([^"]*)"')
IN_PYTHON = (re.compile(r'class="([\w{} -]*)"'), re.compile(r'"class"[,:] "([\w -]+)"'))
IN_JAVASCRIPT = (
    re.compile(r'\.classList\.(?:add|toggle)\("([\w-]+)"'),
    re.compile(r'\.className = "([\w -]+)"'),
)
TAGS = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
OUTPUTS = re.compile(r"\{\{?[^{}]*\}?\}")


def classes_in(text: str, suffix: str) -> Iterator[str]:
    """Yield the classes that a file sets; one that ends in "*" is the start of several."""
    if suffix == ".js":
        patterns: tuple[re.Pattern[str], ...] = (IN_MARKUP, *IN_JAVASCRIPT)
    elif suffix == ".py":
        patterns = IN_PYTHON
    else:
        text = TAGS.sub(" ", text)
        patterns = (IN_MARKUP,)
    for pattern in patterns:
        for value in pattern.findall(text):
            yield from re.findall(r"[a-zA-Z][\w-]*\*?", OUTPUTS.sub("*", value))


def files_with_classes() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in (PROJECT / folder).rglob("*.*"):
            if path.suffix in {".html", ".jinja", ".js", ".py"}:
                yield path


@cache
def set_by_files() -> dict[str, str]:
    """Return a file that sets each class."""
    found = {}
    for path in files_with_classes():
        for name in classes_in(path.read_text(), path.suffix):
            found[name] = str(path.relative_to(PROJECT))
    return found


def classes_of_rules(sheet: str) -> set[str]:
    """Return the classes in the selectors of a stylesheet."""
    text = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    selectors = [before.rpartition(";")[2] for before in re.findall(r"([^{}]*)\{", text)]
    found: set[str] = set()
    for selector in selectors:
        if not selector.strip().startswith("@"):
            found.update(re.findall(r"\.([a-zA-Z][\w-]*)", selector))
    return found


@cache
def styled() -> frozenset[str]:
    found: set[str] = set()
    for path in SHEETS.values():
        found |= classes_of_rules(path.read_text())
    return frozenset(found)


def of_swagger() -> set[str]:
    """Return the classes of the sheet for Swagger UI, which sets them by a script."""
    return classes_of_rules(SHEETS[OF_SWAGGER].read_text())


def has_rule(name: str) -> bool:
    if name.endswith("*"):
        return any(one.startswith(name[:-1]) for one in styled())
    return name in styled()


def has_element(name: str) -> bool:
    if name in set_by_files():
        return True
    starts = [one[:-1] for one in set_by_files() if one.endswith("*")]
    return any(name.startswith(start) for start in starts)


class TestAClass:
    def test_has_a_rule(self):
        unstyled = {name: at for name, at in set_by_files().items() if not has_rule(name)}
        assert {name: at for name, at in unstyled.items() if name not in WITHOUT_A_RULE} == {}

    def test_without_a_rule_is_on_a_page(self):
        assert [name for name in WITHOUT_A_RULE if name not in set_by_files()] == []
        assert [name for name in WITHOUT_A_RULE if has_rule(name)] == []


class TestARule:
    def test_has_an_element(self):
        unused = {name for name in styled() if not has_element(name)}
        assert unused - OF_LIBRARIES.keys() - of_swagger() == set()

    def test_for_swagger_is_within_it_or_of_the_site(self):
        sheet = re.sub(r"/\*.*?\*/", "", SHEETS[OF_SWAGGER].read_text(), flags=re.DOTALL)
        selectors = [
            before.rpartition(";")[2].strip() for before in re.findall(r"([^{}]*)\{", sheet)
        ]
        ours = ("@", ".api-operations", "html.dark-mode")
        others = [each for each in selectors if not each.startswith(ours)]
        assert [each for each in others if "swagger-ui" not in each] == []

    def test_of_a_library_is_there(self):
        assert OF_LIBRARIES.keys() - styled() == set()


class TestWhatIsRead:
    @pytest.mark.parametrize(
        ("text", "suffix", "found"),
        [
            ('<p class="one two">', ".html", ["one", "two"]),
            ('<p class="one{% if a == "b" %} two{% endif %}">', ".html", ["one", "two"]),
            ('<p class="of-{{ tag }}">', ".jinja", ["of-*"]),
            ('{# class="old" #}', ".jinja", []),
            ('x.classList.toggle("long", is); y.className = "a b";', ".js", ["long", "a", "b"]),
            ('token.attrSet("class", "number")', ".py", ["number"]),
            ('<p data-class="x">', ".html", []),
        ],
    )
    def test_are_the_classes_that_a_file_sets(self, text, suffix, found):
        assert list(classes_in(text, suffix)) == found

    def test_are_the_classes_of_selectors_alone(self):
        sheet = (
            "/* .no */ .one:is(.two, a) { margin: 0.5em; .three { top: 1.5rem } }"
            " @media x { .four {} }"
        )
        assert classes_of_rules(sheet) == {"one", "two", "three", "four"}
