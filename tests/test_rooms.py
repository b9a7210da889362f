"""The rooms: which folder may import from which, read off the source of every module.

A room is a folder; a module that lies straight in an app's own folder, where Django looks for it
(``comments/models.py``), is a room by itself. An import inside a function counts too.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

from tests.support.project import PROJECT

LAYERS = (("dynapages",), ("shop", "comments"), ("config",), ("demo",), ("lab",))
"""A package imports only from itself and from layers before its own, so none from those beside it.

Nobody imports the lab.
"""
PACKAGES = tuple(chain.from_iterable(LAYERS))
APPS = PACKAGES[1:]
FILES = "dynapages.files"
"""What imports and exports of anything share."""
KNOWS_DJANGO = ("dynapages.django", "dynapages.drf", "dynapages.ninja", FILES)
ADAPTERS = (*KNOWS_DJANGO, "dynapages.pynamodb", "dynapages.engine")
"""What the library has besides its core, for those who install more than botocore."""
PROCESS = "dynapages.process"
"""One connection for a process: for the adapters, and for who wants it."""
PROGRAM = "dynapages.__main__"
"""Its commands: they stand above all else, and start an engine too."""
FACES = (
    "dynapages",
    "dynapages.calls",
    "dynapages.django",
    "dynapages.drf",
    "dynapages.engine",
    "dynapages.items",
    "dynapages.lists",
    "dynapages.ninja",
    "dynapages.process",
    "dynapages.pynamodb",
    "dynapages.streams",
    "dynapages.tables",
    "dynapages.upkeep",
    "dynapages.work",
    "dynapages.writes",
)
"""The modules that say what is public: the only ones with an ``__all__``."""
MOST_NAMES = 15
"""Of the library's first face."""
FOR_THIS_PROJECT = (
    "dynapages.django",
    "dynapages.engine",
    "dynapages.errors",
    "dynapages.files",
    "dynapages.process",
)
"""What the apps of this project may import as it is, though the names are not public (ADR 52)."""
TYPES = "types_boto3_dynamodb"
"""Only for type checkers."""
DATA = ("shop.data", "comments.data")
"""Imports and exports."""
BRINGS_ROWS = (*DATA, "shop.management", "comments.management")
"""What may import these; ids of other systems are in pages too."""
NOT_THE_PRODUCT = [
    PROJECT / "comments" / "tests",
    PROJECT / "dynapages" / "docs",
    PROJECT / "dynapages" / "examples",
    PROJECT / "dynapages" / "tests",
]
"""They lie in the folders of distributions, and are not in their wheels."""
MOST_MODULES = 24
LEAST_WORDS = 3
"""Of a module's first sentence: fewer repeat its name."""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@cache
def modules() -> Mapping[str, Path]:
    """Return every module of the product, by its dotted name."""
    return {
        ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__"): path
        for package in PACKAGES
        for path in sorted((PROJECT / package).rglob("*.py"))
        if not any(map(path.is_relative_to, NOT_THE_PRODUCT))
    }


def imported(source: str) -> Iterator[str]:
    """Yield what a module imports: of ``from a import b`` both ``a`` and ``a.b``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def imports_of(module: str) -> frozenset[str]:
    return frozenset(imported(modules()[module].read_text()))


def room_of(module: str) -> str:
    """Return the folder of a module; of one in an app's own folder, the module itself."""
    if modules()[module].name == "__init__.py":
        return module
    folder = module.rpartition(".")[0]
    return module if folder in PACKAGES else folder


def offenders(importers: Iterator[str], *packages: str, allowed: tuple[str, ...] = ()) -> list[str]:
    """Return each import of one of ``packages`` that is not ``allowed``.

    Each as ``importer imports name``.
    """
    return [
        f"{module} imports {name}"
        for module in importers
        for name in sorted(imports_of(module))
        if any(name == package or name.startswith(f"{package}.") for package in packages)
        and not name.startswith(allowed)
    ]


def below(*packages: str) -> Iterator[str]:
    for module in modules():
        if any(module == package or module.startswith(f"{package}.") for package in packages):
            yield module


class TestRooms:
    def test_import_each_other_in_no_circle(self):
        graph: dict[str, set[str]] = {}
        for module in modules():
            found = {room_of(name) for name in imports_of(module) & modules().keys()}
            graph.setdefault(room_of(module), set()).update(found - {room_of(module)})
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            pytest.fail(f"a circle of rooms: {' <- '.join(error.args[1])}")

    @pytest.mark.parametrize("package", PACKAGES)
    def test_import_no_later_layer_and_none_beside(self, package):
        (place,) = (n for n, layer in enumerate(LAYERS) if package in layer)
        others = {*chain.from_iterable(LAYERS[place:])} - {package}
        assert offenders(below(package), *others) == []

    def test_hold_no_more_modules_than_one_can_survey(self):
        sizes = Counter(path.parent for path in modules().values() if path.name != "__init__.py")
        assert [str(folder) for folder, size in sizes.items() if size > MOST_MODULES] == []


def names_of(nodes: Iterable[ast.AST]) -> set[str]:
    return {name.id for node in nodes for name in ast.walk(node) if isinstance(name, ast.Name)}


def late_constants(source: str) -> Iterator[tuple[int, bool]]:
    """Yield the line of each constant that stands behind a definition without a need.

    It needs to, where its value or type names what is defined above it. The second value is
    whether a definition stands between it and the constant before.
    """
    defined: set[str] = set()
    is_behind_definition = False
    for node in ast.parse(source).body:
        if isinstance(node, DEFINITIONS):
            defined.add(node.name)
            is_behind_definition = True
        elif isinstance(node, ast.Assign | ast.AnnAssign) and defined:
            targets = names_of(node.targets if isinstance(node, ast.Assign) else [node.target])
            if (names_of([node]) - targets) & defined:
                defined |= targets
            else:
                yield node.lineno, is_behind_definition
                is_behind_definition = False


def islands(source: str) -> int:
    """Return in how many places behind definitions constants stand that could stand at the top."""
    return sum(is_behind for _line, is_behind in late_constants(source))


def is_logger(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and "getLogger(" in ast.unparse(node.value)


def has_late_logger(source: str) -> bool:
    body = ast.parse(source).body
    starts = [number for number, node in enumerate(body) if isinstance(node, DEFINITIONS)]
    return any(map(is_logger, body[starts[0] :])) if starts else False


def first_sentence(source: str) -> str:
    text = ast.get_docstring(ast.parse(source)) or ""
    return text.partition("\n\n")[0]


class TestAModule:
    """It holds one subject: its docstring names it, and its constants stand at the top."""

    def test_names_its_subject(self):
        sentences = {name: first_sentence(path.read_text()) for name, path in modules().items()}
        silent = [name for name, text in sentences.items() if len(text.split()) < LEAST_WORDS]
        assert [name for name in silent if modules()[name].read_text().strip()] == []

    def test_has_its_constants_in_one_place(self):
        sizes = {name: islands(path.read_text()) for name, path in modules().items()}
        assert {name for name, size in sizes.items() if size > 1} == set()

    def test_has_its_logger_at_the_top(self):
        late = {name for name, path in modules().items() if has_late_logger(path.read_text())}
        assert late == set()


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ("A = 1\ndef f(): pass", 0),
        ("def f(): pass\nA = 1\nB = 2", 1),
        ("def f(): pass\nA = 1\nclass C: pass\nB = 2", 2),
        ("def f(): pass\nA = f()\nclass C: pass\nB: C = 2", 0),
        ("def f(): pass\nA = f()\nB = A + 1", 0),
    ],
)
def test_constants_behind_definitions_are_found(source, places):
    assert islands(source) == places


@cache
def exported(module: str) -> frozenset[str] | None:
    """Return the ``__all__`` of a module; None where it is the library's own business."""
    for node in ast.parse(modules()[module].read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return frozenset(ast.literal_eval(node.value))
    return None


def is_public(module: str) -> bool:
    """Return whether this is a module whose names others may use."""
    return module in modules() and exported(module) is not None


def taken_from_the_library(source: str) -> Iterator[tuple[str, str]]:
    """Yield each name that a module imports of the library, with the module it is imported from."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").partition(".")[0] == "dynapages"
        ):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            found = (alias.name for alias in node.names)
            yield from ((name, "") for name in found if name.partition(".")[0] == "dynapages")


def core() -> list[str]:
    """Return the modules of the library that botocore is enough for."""
    others = (*ADAPTERS, PROCESS, PROGRAM)
    return [name for name in below("dynapages") if not name.startswith(others)]


def names_in(source: ast.Module) -> Iterator[str]:
    """Yield what a module defines or imports at its top."""
    for node in source.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (ast.unparse(target) for target in node.targets)
        elif isinstance(node, ast.AnnAssign):
            yield ast.unparse(node.target)


class TestTheLibrary:
    def test_needs_botocore_and_its_http_alone_for_its_core(self):
        known = {*sys.stdlib_module_names, "botocore", "dynapages", "urllib3", TYPES}
        others = {
            f"{module} imports {name}"
            for module in core()
            for name in imports_of(module)
            if name.partition(".")[0] not in known
        }
        assert others == set()

    def test_has_a_core_that_knows_no_adapter_and_no_process(self):
        assert offenders(iter(core()), *ADAPTERS, PROCESS) == []

    def test_has_adapters_that_know_django_only_where_it_is_theirs(self):
        others = (name for name in below("dynapages") if not name.startswith(KNOWS_DJANGO))
        assert offenders(others, "django", "django_htmx", "rest_framework") == []

    def test_says_in_its_faces_alone_what_is_public(self):
        saying = {name for name in below("dynapages") if exported(name) is not None}
        assert saying == {*FACES}

    def test_exports_few_names(self):
        names = exported("dynapages")
        assert names is not None
        assert len(names) <= MOST_NAMES

    def test_exports_what_it_has(self):
        for module in below("dynapages"):
            source = ast.parse(modules()[module].read_text())
            defined = set(names_in(source))
            assert (exported(module) or frozenset()) - defined == frozenset(), module

    def test_takes_no_type_of_key_for_granted_in_lists(self):
        strings = re.compile(r"""\[["']S["']\]|\.get\(["']S["']""")
        lists = [name for name in core() if name.startswith(("dynapages.lists", "dynapages.items"))]
        assert [name for name in lists if strings.search(modules()[name].read_text())] == []

    @pytest.mark.parametrize("app", APPS)
    def test_gives_an_app_what_is_public_or_is_for_this_project(self, app):
        private = {
            f"{module} imports {name} of {source}"
            for module in below(app)
            for source, name in taken_from_the_library(modules()[module].read_text())
            if name not in (exported(source) or ())
            and not is_public(f"{source}.{name}")
            and (name.startswith("_") or not source.startswith(FOR_THIS_PROJECT))
        }
        assert private == set()


class TestWhatARoomIsFor:
    def test_the_site_knows_no_engine(self):
        assert offenders(below("shop", "comments", "config"), "dynapages.engine") == []

    def test_no_room_but_that_for_tests_needs_what_tests_need(self):
        others = (name for name in below(*APPS) if not name.startswith("comments.testing"))
        assert offenders(others, "comments.testing", "pytest") == []

    @pytest.mark.parametrize("app", ["shop", "comments"])
    def test_an_app_reads_and_writes_without_its_imports_and_exports(self, app):
        others = (name for name in below(app) if not name.startswith(BRINGS_ROWS))
        assert offenders(others, *DATA, FILES, allowed=(f"{FILES}.identifiers",)) == []

    def test_views_know_no_dynamodb(self):
        views = (name for name in modules() if name.endswith((".views", "_views")))
        assert offenders(views, "pynamodb", "botocore", "dynapages.process.client") == []

    def test_queries_know_no_http(self):
        queries = (name for name in modules() if name.endswith((".queries", "_queries")))
        assert offenders(queries, "django.http", "django.shortcuts", "django_htmx") == []

    def test_the_library_alone_writes_and_by_transactions_and_batches(self):
        """Where a single write meets a transaction, only its `write_item` waits for its end."""
        calls = re.compile(
            r"\.(put_item|update_item|delete_item|transact_write_items|batch_write_item)\("
        )
        writers = {"dynapages.calls.batches", "dynapages.writes.transactions"}
        asked = (name for name in below("comments", "config", "demo", "dynapages", "shop"))
        found = {name for name in asked if calls.search(modules()[name].read_text())}
        assert found - {"demo.moto_server"} == writers


@pytest.mark.parametrize(
    "source",
    [
        "import django.http",
        "import django.http as h",
        "from django import http",
        "from django.http import HttpResponse",
        "def f():\n    from django.http import HttpResponse",
        "if TYPE_CHECKING:\n    import django.http",
    ],
)
def test_every_form_of_import_is_found(source):
    assert "django.http" in set(imported(source))
