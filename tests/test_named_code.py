"""Documents and docstrings name only code that is there: files, modules, functions, attributes.

In documents these are paths and dotted names in backticks; in docstrings, which have other code in
two backticks, every name in single ones.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.config.test_documents import DOCUMENTS, relative
from tests.support.project import PROJECT
from tests.test_rooms import PACKAGES, modules

IN_BACKTICKS = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
PATH = re.compile(r"(?:[\w.-]+/)*[\w.-]+\.(?:py|toml|html|jinja|css|js|json|sh)(?:::\w+)*")
DOTTED = re.compile(rf"(?:{'|'.join(PACKAGES)}|tests)(?:\.[A-Za-z_]\w*)+(?:\(\))?")
NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
OF_A_READERS_PROJECT = {
    "settings.py",
    "goods/models.py",
    "news/models.py",
    "news/tests.py",
    "tests.py",
    "base.html",
}
IN_DJANGO = {"registration/password_reset_email.html"}
LIBRARIES = {"math.inf"}
"""Names of other packages in docstrings."""
ID_OF_CHECK = re.compile(r"(?:comments|config)\.[A-Z_0-9]+|dynapages\.(?:keys|templates)")
"""Django prints it with a message; it ends in the setting that is wrong."""
MANAGE_COMMANDS = {"check_integrity"}


def named_in(text: str) -> Iterator[str]:
    for found in IN_BACKTICKS.finditer(text):
        yield found[1].strip()


def is_there(name: str) -> bool:
    """Return whether a dotted name leads to a module, or to what one has."""
    parts = name.removesuffix("()").split(".")
    length = len(parts)
    while length and not is_module("/".join(parts[:length])):
        length -= 1
    if length == 0:
        return False
    try:
        value: object = import_module(".".join(parts[:length]))
    except ModuleNotFoundError:  # of a requirement that is optional
        return set(parts) <= identifiers()
    for attribute in parts[length:]:
        # A field without a default is in the annotations of its class alone.
        if not hasattr(value, attribute) and attribute not in getattr(value, "__annotations__", ()):
            return False
        value = getattr(value, attribute, None)
    return True


def is_module(path: str) -> bool:
    return (PROJECT / path / "__init__.py").exists() or (PROJECT / f"{path}.py").exists()


@cache
def files() -> frozenset[str]:
    """Return the paths of all files, and each without the folders at its beginning."""
    found: set[str] = set()
    for folder in (*PACKAGES, "templates", "static", "tests", "deploy", "docs"):
        for path in (PROJECT / folder).rglob("*.*"):
            parts = path.relative_to(PROJECT).parts
            found.update("/".join(parts[start:]) for start in range(len(parts)))
    return frozenset(found)


def is_file(name: str) -> bool:
    path = name.partition("::")[0]
    return path in files() | OF_A_READERS_PROJECT | IN_DJANGO or (PROJECT / path).exists()


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_a_document_names_what_is_there(document):
    if document.name == "CHANGELOG.md":  # it tells what was
        return
    missing = []
    for name in named_in(document.read_text()):
        if PATH.fullmatch(name):
            if not is_file(name):
                missing.append(name)
        elif DOTTED.fullmatch(name) and not ID_OF_CHECK.fullmatch(name) and not is_there(name):
            missing.append(name)
    assert missing == []


@cache
def identifiers() -> frozenset[str]:
    """Return every identifier of the project's code, and of what it imports."""
    found: set[str] = set()
    for path in PROJECT.glob("*/**/*.py"):
        if "node_modules" in path.parts or ".venv" in path.parts or "var" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.arg | ast.keyword) and node.arg:
                found.add(node.arg)
            elif isinstance(node, ast.alias):
                found.update(node.name.split("."))
    return frozenset(found)


def docstrings(path: Path) -> Iterator[str]:
    """Yield the docstrings of a module, those behind constants too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
            continue
        if isinstance(node.value.value, str):
            yield node.value.value


def is_known(name: str) -> bool:
    """Return whether a name in a docstring is one of this project's code, or no name at all."""
    if not NAME.fullmatch(name) or name in LIBRARIES | MANAGE_COMMANDS:
        return True
    if DOTTED.fullmatch(name):
        return is_there(name)
    return set(name.split(".")) <= identifiers()


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_name_what_is_there(package):
    missing = []
    for module, path in modules().items():
        if module.partition(".")[0] != package:
            continue
        for text in docstrings(path):
            for name in named_in(text.replace("\n", " ")):
                if not is_known(name):
                    missing.append(f"{module}: {name}")
    assert missing == []
