"""Documents that list the tables list all of them: those of the models, and those of the months."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

import comments
import shop
from dynapages.process import client
from dynapages.pynamodb import DynamoModel
from tests.support.config.environments import settings_of
from tests.support.project import PROJECT

MODEL_MODULES = re.compile(r"\.(models|tables)$")
"""The names of modules that may have a model with a table."""
EVERYTHING_ON = {"DEBUG": "1", "COMMENT_SEARCH": "1", "COMMENTS_READ_MODEL": "sets"}
"""Each setting that adds a table."""
MONTH = re.compile(r"-\d{4}-\d\d$")


def own_name(table: str) -> str:
    """The name without the prefix of all tables, and of a month's table without its month."""
    return MONTH.sub("-<month>", table.removeprefix(settings.DYNAMODB_TABLE_PREFIX))


def tables_of_models() -> set[str]:
    """The tables that the models of the shop and the comments name, whether declared or not."""
    for package in (comments, shop):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if MODEL_MODULES.search(module.name):
                import_module(module.name)
    found = set[str]()
    for model in DynamoModel.__subclasses__():
        is_ours = model.__module__.startswith(("comments.", "shop."))
        if is_ours and hasattr(model, "Meta"):  # a month's model is made when it is needed
            found.add(own_name(model.Meta.table_name))
    return found


def declared_tables(site: Mapping[str, Any]) -> set[str]:
    """The tables of the models that a site's settings declare."""
    models = map(import_string, site["DYNAMODB_MODELS"])
    return {own_name(model.Meta.table_name) for model in models}


@pytest.fixture
def everything_on(tmp_path):
    """The settings of a site that has all tables."""
    return settings_of(tmp_path, **EVERYTHING_ON)


@pytest.fixture
def table_names(everything_on, tables):
    """The names of all tables: those of models, and those that the makers report."""
    lines: list[str] = []
    for path in everything_on["DYNAMODB_TABLE_MAKERS"]:
        import_string(path)(client=client(), now=datetime.now(UTC), report=lines.append)
    made = [line.partition(":")[0] for line in lines]
    return declared_tables(everything_on) | {own_name(name) for name in made}


def section(document: str, begin: str, end: str) -> str:
    """The text of a document between two others."""
    text = (PROJECT / "docs" / document).read_text()
    assert begin in text
    return text.partition(begin)[2].partition(end)[0]


class TestEachModelWithATable:
    def test_is_declared_by_the_settings_that_are_on(self, everything_on):
        assert tables_of_models() == declared_tables(everything_on)


class TestEveryTable:
    def test_is_in_the_list_for_operators(self, table_names):
        listed = re.findall(
            r"^\| `(\S+)` \|", section("deploying.md", "**Tables.**", "\n**"), re.MULTILINE
        )
        assert {*listed} == table_names
        assert len(listed) == len(table_names)

    def test_is_in_the_recipe_for_restoring_them(self, table_names):
        rows = section("operations.md", "| table | restore it |", "\n\n")
        first_cells = re.findall(r"^\| (.+?) \|", rows, re.MULTILINE)
        assert {*re.findall(r"`(\S+?)`", " ".join(first_cells))} == table_names

    def test_is_among_those_that_may_hold_something_about_a_person(self, table_names):
        told = section("security.md", "## What is stored about a person", "\n## ")
        assert [name for name in table_names if f"`{name}`" not in told] == []

    def test_is_one_that_the_policy_is_about(self, table_names):
        policy = (PROJECT / "deploy" / "iam-policy.json").read_text()
        resources = set[str]()
        for statement in json.loads(policy)["Statement"]:
            resources.update(re.findall(r"table/shop-([\w*-]+)", json.dumps(statement["Resource"])))
        assert {name.replace("*", "<month>") for name in resources} == table_names
