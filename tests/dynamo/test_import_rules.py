"""Who may import whom. Read off the source, so that an import inside a function counts too."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
APPS = ("comments", "shop", "config")
DJANGO_SIDE = ("web", "management", "apps.py", "checks.py")
"""The parts of the library that know Django."""


def modules(*folders: str, named: str = "") -> list[str]:
    """Give the modules in folders; ``named="views"`` are views.py and order_views.py."""
    found = [path for folder in folders for path in (PROJECT / folder).rglob("*.py")]
    return sorted(
        str(path.relative_to(PROJECT))
        for path in found
        if not named or path.stem == named or path.stem.endswith(f"_{named}")
    )


def core() -> list[str]:
    return [path for path in modules("dynamo") if Path(path).parts[1] not in DJANGO_SIDE]


def imported(source: str) -> Iterator[str]:
    """Name what a module imports: of ``from a import b`` both ``a`` and ``a.b``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def forbidden(path: str, *packages: str) -> set[str]:
    return {
        name
        for name in imported((PROJECT / path).read_text())
        if any(name == package or name.startswith(f"{package}.") for package in packages)
    }


class TestTheLibrary:
    @pytest.mark.parametrize("path", core())
    def test_core_knows_neither_django_nor_an_app(self, path):
        assert not forbidden(path, "django", "django_htmx", *APPS)

    @pytest.mark.parametrize("path", [path for path in modules("dynamo") if path not in core()])
    def test_django_side_knows_no_app(self, path):
        assert not forbidden(path, *APPS)

    @pytest.mark.parametrize("name", ["reader", "sources", "runs", "tokens", "pool", "meter"])
    def test_core_is_looked_at(self, name):
        assert f"dynamo/{name}.py" in core()


class TestTheApps:
    @pytest.mark.parametrize("path", modules("shop"))
    def test_shop_does_not_know_the_comments(self, path):
        assert not forbidden(path, "comments")

    @pytest.mark.parametrize("path", modules("shop", "comments"))
    def test_do_not_know_the_project_they_are_in(self, path):
        assert not forbidden(path, "config")

    @pytest.mark.parametrize("path", list(modules(*APPS, named="views")))
    def test_views_know_no_dynamodb(self, path):
        assert not forbidden(
            path, "pynamodb", "botocore", "dynamo.lists.sources", "dynamo.calls.client"
        )

    @pytest.mark.parametrize("path", modules("shop", "comments", named="queries"))
    def test_queries_know_no_http(self, path):
        assert not forbidden(path, "django.http", "django.shortcuts", "django_htmx")


class TestReadingImports:
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
    def test_finds_every_form(self, source):
        assert "django.http" in set(imported(source))
