"""The README and the tables of the documents are those of the code, and what they name is there."""

import ast
import re
import tomllib
from datetime import UTC, datetime
from importlib import import_module
from types import SimpleNamespace

import pytest
from cogapp import Cog
from django.core.management import call_command
from django.test import Client

from comments.items import NewComment
from config.docs_tables import PATTERNS, brief_table, native_table
from config.environment import AWS_CREDENTIALS
from shop.accounts.queries import find_user
from shop.accounts.services import create_profile
from shop.order_status import Status
from tests.support.comments.loading import load
from tests.support.orders.making import made_order, put
from tests.support.project import PROJECT

README = PROJECT / "README.md"
SETTINGS = PROJECT / "docs" / "settings.md"
GENERATED = (
    "README.md",
    *(f"docs/{name}.md" for name in ("access-patterns", "api", "commands", "orders", "webhooks")),
    *(f"docs/designs/{name}.md" for name in ("README", "filters", "keys", "several-attributes")),
)
MOST_BYTES = 7168
"""What a stranger reads in two minutes."""

READERS_OF_THE_ENVIRONMENT = ("config/settings.py", "demo/management/commands/demo.py")


def readme() -> str:
    return README.read_text()


def settings_rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(r"\| `\w+` \|", line)]


def settings_table() -> dict[str, str]:
    """The defaults that docs/settings.md gives, by variable."""
    rows = [row.strip("| ").split(" | ") for row in settings_rows(SETTINGS.read_text())]
    return {name.strip("`"): cells[0].strip("` ") for name, *cells in rows}


def settings_read() -> dict[str, str | None]:
    """The variables the code reads with their defaults, where these are spelled out."""
    found: dict[str, str | None] = {}
    for path in READERS_OF_THE_ENVIRONMENT:
        for node in ast.walk(ast.parse((PROJECT / path).read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                is_environment = isinstance(owner, ast.Name) and owner.id in {"env", "current"}
                if is_environment and node.args and node.func.attr != "report":
                    name = ast.literal_eval(node.args[0])
                    found[name] = found.get(name) or _default(node)
    return found


def _default(call: ast.Call) -> str | None:
    given = [word.value for word in call.keywords if word.arg == "default"] + call.args[1:]
    if given and isinstance(given[0], ast.Constant):
        value = given[0].value
        return str(int(value)) if isinstance(value, bool | int) else str(value)
    return "0" if isinstance(call.func, ast.Attribute) and call.func.attr == "flag" else None


@pytest.fixture(scope="module")
def shop(tables):
    """A product with comments, two orders of it, and a member of staff who placed them."""
    product, username = "readme-product", "readme-sam"
    moment = datetime(2023, 1, 10, tzinfo=UTC)
    load(
        NewComment(f"readme-{n}", product, "en", n % 5 + 1, moment, body="word " * 400)
        for n in range(25)
    )
    create_profile(username=username, password=None, now=moment, is_staff=True)
    order = made_order(username, Status.SHIPPED, placed_at=moment, foreign_id="readme-order")
    open_order = made_order(username, placed_at=moment)
    put(order, open_order)
    browser = Client()
    browser.force_login(find_user(username))
    first = browser.get(f"/products/{product}/comments/~/~/").content.decode()
    token = re.search(r"after=([\w.~-]+)", first)
    assert token
    places = {
        "product": product,
        "category": "everything-else",
        "comment": "readme-1",
        "order": order.id,
        "open_order": open_order.id,
        "username": username,
        "token": token[1],
    }
    return SimpleNamespace(browser=browser, places=places)


class TestTheTables:
    @pytest.mark.parametrize("document", GENERATED)
    def test_are_those_of_the_code(self, document):
        assert Cog().main(["cog", "--check", str(PROJECT / document)]) == 0, (
            "'make readme' brings them up to date"
        )


class TestTheReadme:
    def test_is_short(self):
        assert len(README.read_bytes()) <= MOST_BYTES

    def test_asks_nine_questions_by_keys_of_their_answers(self):
        asked = [pattern for pattern in PATTERNS if pattern.brief]
        assert len(asked) == 9
        for pattern in asked:
            (key,) = re.findall(r"`[^`]*`", pattern.key)
            assert any(key in each.answer for each in PATTERNS), pattern.number

    def test_asks_the_same_nine_as_the_table_with_native_keys(self):
        asked = [row.split(" | ")[:2] for row in brief_table().splitlines()[3:]]
        native = [row.split(" | ") for row in native_table().splitlines()[3:]]
        assert [row[:2] for row in native] == asked
        assert all(row[2].strip(" |") for row in native)

    def test_has_a_part_of_the_librarys_first_example(self):
        library = (PROJECT / "dynapages" / "README.md").read_text()
        (example,), (printed,) = (
            re.findall(rf"^```{kind}\n(.*?)^```$", readme(), re.MULTILINE | re.DOTALL)
            for kind in ("python", "text")
        )
        for part in (*example.split("\n\n"), printed):
            assert part in library

    @pytest.mark.fallback
    def test_shows_ones_own_data_by_its_commands(self, tables, tmp_path, monkeypatch, capsys):
        (tmp_path / "reviews.csv").write_text(
            "title,body,rating,review_date,source,curated,reviewer_name,product_handle\n"
            "Fine,It arrived in time and works as described,5,2024-03-02,web,ok,Ann,lamp\n"
        )
        monkeypatch.chdir(tmp_path)
        commands = re.findall(r"^    .venv/bin/python manage.py (.+)$", readme(), re.MULTILINE)
        for command in commands:
            call_command(*command.split())
        assert "1 written" in capsys.readouterr().out
        assert [command.split()[0] for command in commands] == ["import_comments", "explain"]


class TestTheAccessPatterns:
    def test_name_code_that_exists(self):
        for pattern in PATTERNS:
            module = pattern.module
            found = import_module(module)
            for name in pattern.code.removeprefix(f"{module}.").split("."):
                found = getattr(found, name)
            assert callable(found), pattern.code
            assert found.__module__ == module

    @pytest.mark.fallback
    def test_are_answered_by_their_pages(self, shop):
        pages = {p.seen_at for p in PATTERNS if p.seen_at.startswith("/")}
        answers = {
            page: shop.browser.get(page.format_map(shop.places)).status_code for page in pages
        }
        assert answers == dict.fromkeys(pages, 200)

    @pytest.mark.fallback
    def test_are_answered_by_their_commands(self, shop, capsys):
        for command in {p.seen_at for p in PATTERNS if p.seen_at.startswith("manage.py ")}:
            call_command(*command.format_map(shop.places).split()[1:])
            assert shop.places["product"] in capsys.readouterr().out, command


class TestTheSettings:
    def test_are_all_that_the_code_reads(self):
        told = settings_table().keys() - set(AWS_CREDENTIALS) - {"AWS_SECRET_ACCESS_KEY"}
        assert told == settings_read().keys() - set(AWS_CREDENTIALS)

    def test_have_the_defaults_of_the_code(self):
        told = settings_table()
        spelled = {name: default for name, default in settings_read().items() if default}
        assert {name: told[name] for name in spelled} == spelled


class TestTheCommands:
    def test_of_make_are_targets(self):
        targets = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
        assert set(re.findall(r"(?m:`|^    )make ([a-z-]+)", readme())) <= targets


class TestTheChangelogs:
    @pytest.mark.parametrize("folder", ["", "dynapages/"])
    def test_have_what_comes_next_and_the_release_of_this_version(self, folder):
        version = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"]
        text = (PROJECT / f"{folder}CHANGELOG.md").read_text()
        coming, newest, *_ = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert coming == "Unreleased"
        assert re.fullmatch(rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", newest)
