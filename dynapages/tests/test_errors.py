"""The exceptions of the library: one base, and a tree that names each of them."""

import ast
import builtins
from pathlib import Path

import pytest

from dynapages import DynamoError, errors
from dynapages.process import NotConnected
from dynapages.work import Postponed

LIBRARY = Path(__file__).resolve().parents[1]
NOT_PUBLIC = {"examples", "files", "tests"}
"""`dynapages.files` serves commands of this project; what is wrong in a file is a ValueError."""
BASE = "DynamoError"


def bases_by_class() -> dict[str, list[str]]:
    """Return the names of the base classes of each class, without importing any."""
    bases = {}
    for path in sorted(LIBRARY.rglob("*.py")):
        if path.relative_to(LIBRARY).parts[0] in NOT_PUBLIC:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return bases


BASES = bases_by_class()


def ancestors(name: str) -> set[str]:
    """Return the names of a class and of all that it derives from."""
    found = {name}
    for base in BASES.get(name, ()):
        found |= ancestors(base)
    return found


def is_exception(name: str) -> bool:
    builtin = getattr(builtins, name, None)
    return isinstance(builtin, type) and issubclass(builtin, BaseException)


def exceptions() -> list[str]:
    """Return the names of the library's exceptions."""
    return sorted(name for name in BASES if any(is_exception(each) for each in ancestors(name)))


class TestTheExceptions:
    def test_are_found(self):
        assert {BASE, "Unreachable", "Refusal", "EngineError", "Postponed"} <= set(exceptions())

    @pytest.mark.parametrize("name", exceptions())
    def test_have_one_base(self, name):
        assert BASE in ancestors(name)

    @pytest.mark.parametrize("name", exceptions())
    def test_are_in_the_tree(self, name):
        assert name in (errors.__doc__ or "").replace("├── ", "").replace("└── ", "").split()

    def test_keep_the_base_of_python_that_they_had(self):
        assert issubclass(NotConnected, DynamoError)
        assert issubclass(NotConnected, RuntimeError)

    def test_are_what_a_handler_may_raise_too(self):
        assert issubclass(Postponed, DynamoError)
