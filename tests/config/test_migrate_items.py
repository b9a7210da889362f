"""``migrate_items`` on the command line, with the step that the documentation shows."""

import json
import re
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.management.commands import migrate_items
from dynapages.items import Item, table_key
from dynapages.process import client
from dynapages.upkeep import Migration, MigrationStep
from dynapages.writes import Action
from shop import keys
from shop.table import TABLE
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")
SECTION = "\n## Changing the shape of stored items\n"


def documented() -> MigrationStep:
    """The step in docs/operations.md."""
    text = (PROJECT / "docs" / "operations.md").read_text().partition(SECTION)[2]
    (example,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)  # noqa: S102 - the documentation is part of the project
    step: MigrationStep
    (step,) = names["STEPS"]
    return step


@pytest.fixture
def lamp(fresh):
    """The key of a product in the old shape."""
    key = table_key(*[keys.product(fresh("lamp"))] * 2)
    client().put_item(TableName=TABLE, Item={**key, "colour": {"S": "red"}})
    yield key
    client().delete_item(TableName=TABLE, Key=key)


@pytest.fixture(autouse=True)
def step(lamp, fresh, monkeypatch):
    step = replace(documented(), name=fresh("color"))
    monkeypatch.setattr(migrate_items, "STEPS", (step,))
    return step


def stored(key: Item) -> Item:
    item: Item = client().get_item(TableName=TABLE, Key=key, ConsistentRead=True)["Item"]
    return item


def run(*words: str, **options: Any) -> str:
    out = StringIO()
    call_command("migrate_items", *words, stdout=out, **options)
    return out.getvalue()


def changed(*words: str) -> dict[str, int]:
    rows = json.loads(run(*words, "--json"))["steps"]
    return {row["step"]: row["changed"] for row in rows}


class TestTheCommand:
    @pytest.mark.fallback
    def test_runs_a_step_once(self, step, lamp):
        assert changed() == {step.name: 1}
        assert stored(lamp) == {**lamp, "color": {"S": "red"}}
        assert changed() == {}
        assert run() == "These steps are finished; --restart runs them again.\n"

    def test_runs_a_finished_step_again_when_it_is_asked_to(self, step, lamp):
        run()
        client().put_item(TableName=TABLE, Item={**lamp, "colour": {"S": "blue"}})
        assert changed("--restart") == {step.name: 1}
        assert stored(lamp) == {**lamp, "color": {"S": "blue"}}

    def test_keeps_what_is_written_beside_it(self, step, lamp, monkeypatch):
        writes = iter(["blue"])

        def derive(product: Item) -> list[Action]:
            actions = step.derive(product)
            for colour in writes if actions else ():
                client().put_item(TableName=TABLE, Item={**lamp, "colour": {"S": colour}})
            return actions

        monkeypatch.setattr(migrate_items, "STEPS", (replace(step, derive=derive),))
        assert changed() == {step.name: 1}
        assert stored(lamp) == {**lamp, "color": {"S": "blue"}}

    def test_runs_only_the_steps_that_are_named(self, step, monkeypatch):
        other = MigrationStep("other", "Never run.", TABLE, step.only, step.derive)
        monkeypatch.setattr(migrate_items, "STEPS", (other, step))
        assert changed(step.name) == {step.name: 1}

    def test_lists_each_step_with_what_it_does_and_how_far_it_has_come(self, step):
        named, not_run = run("--list").splitlines()
        assert named == f"{step.name}: {step.sentence}"
        assert not_run == "    not run; items read: 0, changed: 0"
        run()
        assert run("--list").splitlines()[1].startswith("    finished; items read: ")

    def test_says_what_a_trial_would_change(self, lamp):
        assert run("--dry-run").endswith(", to be changed: 1\n")
        assert "color" not in stored(lamp)

    def test_says_that_there_are_no_steps(self, monkeypatch):
        monkeypatch.setattr(migrate_items, "STEPS", ())
        assert run() == "There are no steps: all items have the shape of this version.\n"

    def test_refuses_a_step_that_there_is_not(self):
        with pytest.raises(CommandError, match="there is no step “rank”; --list names them"):
            run("rank")

    def test_ends_with_130_and_what_to_do_when_it_is_interrupted(self, monkeypatch, capsys):
        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Migration, "carry_out", interrupt)
        with pytest.raises(SystemExit) as ended:
            run()
        assert ended.value.code == 130
        assert "Run the same command again" in capsys.readouterr().err
