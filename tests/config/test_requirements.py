"""The requirements: one version of each package; the demo and the lab have files of their own."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from itertools import chain

import pytest

from tests.support.project import PROJECT

EVERYTHING = "requirements.txt"
OPTIONAL = {"playwright"}
"""What takes the pictures of the README; it is in requirements.txt, for the tests."""


def pins(name: str) -> dict[str, str]:
    """The version of each package in a file, by its name in lower case."""
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", (PROJECT / name).read_text(), re.MULTILINE))


def files() -> list[str]:
    """The files for the Python that everything is tested with."""
    found = (*PROJECT.glob("requirements*.txt"), *PROJECT.glob("*/requirements.txt"))
    return sorted(str(path.relative_to(PROJECT)) for path in found)


def imported(package: str) -> Iterator[str]:
    """Yield what modules of a folder import, but for their types alone, by its first name."""
    for path in (PROJECT / package).rglob("*.py"):
        tree = ast.parse(path.read_text())
        tree.body = [node for node in tree.body if "TYPE_CHECKING" not in ast.unparse(node)[:20]]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield str(node.module).partition(".")[0]


class TestThePins:
    def test_are_the_same_in_every_file(self):
        versions: dict[str, set[str]] = {}
        for package, version in chain.from_iterable(pins(name).items() for name in files()):
            versions.setdefault(package, set()).add(version)
        assert {package: found for package, found in versions.items() if len(found) > 1} == {}

    def test_of_everything_are_those_of_the_demo_and_of_a_server_too(self):
        both = pins("demo/requirements.txt") | pins("requirements-production.txt")
        assert both.items() <= pins(EVERYTHING).items()

    @pytest.mark.parametrize("name", ["faker", "locust", "matplotlib", "moto", "psycopg"])
    def test_of_a_server_have_nothing_for_the_demo_and_the_lab(self, name):
        assert name not in pins("requirements-production.txt")

    @pytest.mark.parametrize("name", ["locust", "matplotlib", "psycopg"])
    def test_of_the_lab_are_its_own(self, name):
        assert name in pins("lab/requirements.txt")
        assert name not in pins(EVERYTHING)


@pytest.mark.parametrize(
    ("package", "names"),
    [
        ("demo", ("requirements-production.txt", "demo/requirements.txt")),
        ("lab", ("requirements-production.txt", "demo/requirements.txt", "lab/requirements.txt")),
    ],
)
def test_a_folder_imports_only_what_its_requirements_install(package, names):
    known = {name for file in names for name in pins(file)}
    ours = {path.parent.name for path in PROJECT.glob("*/__init__.py")}
    foreign = set(imported(package)) - ours - sys.stdlib_module_names - OPTIONAL
    installed = packages_distributions()
    assert [
        name
        for name in sorted(foreign)
        if name in installed and known.isdisjoint(one.lower() for one in installed[name])
    ] == []
