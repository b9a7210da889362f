"""The rooms: which folder may import from which, read off the source of every module.

A room is a folder; a module that lies straight in an app's own folder, where Django looks for it
(``comments/models.py``), is a room by itself. An import inside a function counts too.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.project import PROJECT

LAYERS = ("dynapages", "shop", "comments", "config", "demo", "lab")
"""Each imports only from itself and from those before it: nobody imports the lab."""
KNOWS_DJANGO = ("dynapages.django", "dynapages.drf")
BRINGS_ROWS = (
    *("shop.data", "shop.management"),
    *("comments.data", "comments.management", "comments.erasure"),
)
"""What may import imports and exports; ``erasure`` exports all that is stored about a user."""
ROWS_OF_FILES = ("shop.data.files", "shop.data.options")
"""What imports and exports of anything share."""
NOT_THE_LIBRARY = [PROJECT / "dynapages" / folder for folder in ("examples", "tests")]
"""They lie in its folder, and are not in its wheel."""
MOST_MODULES = 20
LEAST_LINES = 40
MAY_BE_SHORT = {"__init__", "apps", "formats", "models", "urls"}
"""What Django looks for by its name; so are commands."""


@cache
def modules() -> Mapping[str, Path]:
    """Return every module of the product, by its dotted name."""
    return {
        ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__"): path
        for layer in LAYERS
        for path in sorted((PROJECT / layer).rglob("*.py"))
        if not any(map(path.is_relative_to, NOT_THE_LIBRARY))
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
    return module if folder in LAYERS else folder


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

    @pytest.mark.parametrize("layer", LAYERS)
    def test_import_no_later_layer(self, layer):
        later = LAYERS[LAYERS.index(layer) + 1 :]
        assert offenders(below(layer), *later) == []

    def test_hold_no_more_modules_than_one_can_survey(self):
        sizes = Counter(path.parent for path in modules().values() if path.name != "__init__.py")
        assert [str(folder) for folder, size in sizes.items() if size > MOST_MODULES] == []

    def test_hold_no_splinters(self):
        short = (
            (str(path.relative_to(PROJECT)), len(path.read_text().splitlines()))
            for path in modules().values()
            if path.stem not in MAY_BE_SHORT and path.parent.name != "commands"
        )
        assert [(name, lines) for name, lines in short if lines < LEAST_LINES] == []


class TestWhatARoomIsFor:
    def test_the_library_knows_no_django(self):
        library = [name for name in below("dynapages") if not name.startswith(KNOWS_DJANGO)]
        assert offenders(iter(library), "django", "django_htmx") == []

    def test_the_site_knows_no_engine(self):
        assert offenders(below("shop", "comments", "config"), "dynapages.engine") == []

    @pytest.mark.parametrize("app", ["shop", "comments"])
    def test_an_app_reads_and_writes_without_its_imports_and_exports(self, app):
        others = (name for name in below(app) if not name.startswith(BRINGS_ROWS))
        assert offenders(others, "shop.data", "comments.data") == []

    def test_rows_of_files_know_nothing_of_what_they_are_about(self):
        files = below(*ROWS_OF_FILES)
        assert offenders(files, "shop", "comments", allowed=ROWS_OF_FILES) == []

    def test_comments_take_nothing_else_of_the_shops_data(self):
        """But Olist's reviews, which are of the products in its orders."""
        mine = (name for name in below("comments.data") if name != "comments.data.olist")
        assert offenders(mine, "shop.data", allowed=ROWS_OF_FILES) == []

    def test_views_know_no_dynamodb(self):
        views = (name for name in modules() if name.endswith((".views", "_views")))
        assert offenders(views, "pynamodb", "botocore", "dynapages.process.client") == []

    def test_queries_know_no_http(self):
        queries = (name for name in modules() if name.endswith((".queries", "_queries")))
        assert offenders(queries, "django.http", "django.shortcuts", "django_htmx") == []

    def test_the_library_alone_writes_and_by_transactions_and_batches(self):
        """Where a single write meets a transaction, only its `write_one` waits for its end."""
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
