"""The requirements: one version of each package; the demo and the lab have files of their own."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import distributions, metadata, packages_distributions
from itertools import chain

import pytest
from packaging.requirements import Requirement

from tests.support.project import PROJECT

EVERYTHING = "requirements-development.txt"
VISITOR = "requirements.txt"
"""What ``make run`` installs."""
OPTIONAL = {"playwright"}
"""What takes the pictures of the README; it is in requirements-development.txt, for the tests."""
TOOLS = ["djlint", "hypothesis", "mypy", "playwright", "pytest", "ruff", "schemathesis"]


def pins(name: str) -> dict[str, str]:
    """The version of each package in a file, by its name in lower case."""
    return {package: version for package, _, version in found_in(name)}


def found_in(name: str) -> list[tuple[str, str, str]]:
    """The name, the extras and the version of each package in a file."""
    text = (PROJECT / name).read_text()
    return re.findall(r"^([a-z0-9._-]+)(?:\[(.+)\])?==(\S+)", text, re.MULTILINE)


def normalized(package: str) -> str:
    """The name of a package as pins have it."""
    return package.lower().replace("_", "-")


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
        assert pins(VISITOR) == pins("demo/requirements.txt") | pins("requirements-production.txt")
        assert pins(VISITOR).items() <= pins(EVERYTHING).items()

    def test_have_the_extras_that_other_packages_ask_for(self):
        """Pip refuses a file with hashes where a requirement has extras that its pin has not."""
        pinned = {package: {*extras.split(",")} for package, extras, _ in found_in(EVERYTHING)}
        installed = {str(one.metadata["Name"]).lower() for one in distributions()}
        asked = [
            Requirement(text)
            for package in pinned.keys() & installed
            for text in metadata(package).get_all("Requires-Dist") or ()
        ]
        applying = [one for one in asked if one.marker is None or one.marker.evaluate()]
        assert [
            str(one) for one in applying if not one.extras <= pinned.get(one.name.lower(), set())
        ] == []

    @pytest.mark.parametrize("name", ["faker", "locust", "moto", "psycopg"])
    def test_of_a_server_have_nothing_for_the_demo_and_the_lab(self, name):
        assert name not in pins("requirements-production.txt")

    @pytest.mark.parametrize("name", TOOLS)
    def test_of_a_visitor_have_no_tool_of_tests_and_lint(self, name):
        assert name in pins(EVERYTHING)
        assert name not in pins(VISITOR)

    @pytest.mark.parametrize("name", ["locust", "psycopg"])
    def test_of_the_lab_are_its_own(self, name):
        assert name in pins("lab/requirements.txt")
        assert name not in pins(EVERYTHING)


@pytest.mark.parametrize(
    ("package", "names"),
    [
        ("demo", (VISITOR,)),
        ("config", (VISITOR, "requirements-telemetry.txt")),
        ("comments", (VISITOR, ".ci/comments-requirements.txt")),
        ("shop", (VISITOR,)),
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
        if name in installed and known.isdisjoint(map(normalized, installed[name]))
    ] == []
