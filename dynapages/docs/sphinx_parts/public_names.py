"""What is public, as the reference has it: each name once, in the first module that has it."""

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import isclass, ismodule, isroutine, unwrap
from pathlib import Path
from typing import cast

MODULES = (
    "dynapages",
    "dynapages.lists",
    "dynapages.calls",
    "dynapages.items",
    "dynapages.process",
    "dynapages.writes",
    "dynapages.tables",
    "dynapages.streams",
    "dynapages.work",
    "dynapages.upkeep",
    "dynapages.engine",
    "dynapages.pynamodb",
    "dynapages.django",
    "dynapages.drf",
    "dynapages.ninja",
)
"""In the order of the site."""


@dataclass(frozen=True)
class PublicName:
    """A name of a public module, and the statement that gives it its value, if it is no class."""

    module: str
    name: str

    @property
    def value(self) -> object:
        return getattr(import_module(self.module), self.name)

    @property
    def kind(self) -> str:
        """The heading of the reference that the name stands under."""
        value = self.value
        if isclass(value) and issubclass(value, BaseException):
            return "Errors"
        if isclass(value):
            return "Classes"
        if ismodule(value):
            return "Modules"
        if isroutine(unwrap(cast("Callable[..., object]", value))):
            return "Functions"
        return "Values and types"


def names_of(module: str) -> list[PublicName]:
    """Return what a public module has, in the order of its ``__all__``."""
    return [PublicName(module, name) for name in import_module(module).__all__]


def first_module_of(public: PublicName) -> str:
    """Return the first of the modules that has the same value by the same name."""
    for module in MODULES:
        found = import_module(module)
        if public.name in found.__all__ and getattr(found, public.name) is public.value:
            return module
    raise LookupError(f"{public} is in no module of {MODULES}.")


@dataclass(frozen=True)
class Definition:
    """The statement that gives a name its value, and the text below it."""

    expression: str
    is_type: bool
    text: str


def definition_of(module: str, name: str) -> Definition:
    """Return how a name is defined, in this module or in that from which it imports it.

    Raises LookupError for a name that no assignment of a module defines.
    """
    import_module(module)
    statements = ast.parse(Path(str(sys.modules[module].__file__)).read_text()).body
    for position, statement in enumerate(statements):
        if isinstance(statement, ast.ImportFrom):
            for imported in statement.names:
                if name == (imported.asname or imported.name):
                    return definition_of(str(statement.module), imported.name)
        if isinstance(statement, ast.Assign):
            target: ast.expr = statement.targets[0]
        elif isinstance(statement, ast.AnnAssign):
            target = statement.target
        else:
            continue
        if ast.unparse(target) == name and statement.value is not None:
            is_type = "TypeAlias" in ast.unparse(statement).partition("=")[0]
            text = text_below(statements[position + 1 :])
            return Definition(ast.unparse(statement.value), is_type, text)
    raise LookupError(f"{module} defines no {name}.")


def text_below(statements: list[ast.stmt]) -> str:
    """Return the docstring that the statements begin with, or nothing."""
    if not statements or not isinstance(statements[0], ast.Expr):
        return ""
    value = statements[0].value
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    return ""
