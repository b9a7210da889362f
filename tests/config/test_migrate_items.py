"""``migrate_items`` on the command line; what its steps do is tested with each package."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.management.commands.migrate_items import STEPS
from dynamo.upkeep.migrations import Migration
from tests.support.comments.outage import connected
from tests.support.ports import spare_port

pytestmark = pytest.mark.usefixtures("tables")
NAMES = [step.name for step in STEPS]


def run(*words: str, **options: Any) -> str:
    out = StringIO()
    call_command("migrate_items", *words, stdout=out, **options)
    return out.getvalue()


def told(*words: str) -> dict[str, Any]:
    rows = json.loads(run(*words, "--json"))["steps"]
    return {row["step"]: row for row in rows}


class TestTheCommand:
    @pytest.mark.fallback
    def test_runs_all_steps_once_in_their_order(self):
        assert list(told("--restart")) == NAMES
        assert told() == {}
        assert run() == "These steps are finished; --restart runs them again.\n"

    def test_runs_only_the_steps_that_are_named(self):
        assert list(told("shelves", "ranks", "--restart")) == ["shelves", "ranks"]

    def test_lists_each_step_with_what_it_does_and_how_far_it_has_come(self):
        run("--restart")
        listed = run("--list").splitlines()
        assert [line.partition(":")[0] for line in listed[::2]] == NAMES
        assert all(line.startswith("    finished; ") for line in listed[1::2])

    def test_says_what_a_trial_would_change(self):
        assert run("ranks", "--restart", "--dry-run").endswith(", to be changed: 0\n")

    def test_is_silent_where_that_is_asked_for(self):
        assert run("--restart", verbosity=0) == ""

    def test_refuses_a_step_that_there_is_not(self):
        with pytest.raises(CommandError, match="there is no step “rank”; --list names them"):
            run("rank")

    def test_ends_with_130_and_what_to_do_when_it_is_interrupted(self, monkeypatch, capsys):
        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Migration, "carry_out", interrupt)
        with pytest.raises(SystemExit) as ended:
            run("--restart")
        assert ended.value.code == 130
        assert "Run the same command again" in capsys.readouterr().err

    def test_tells_a_failure_in_one_line(self):
        with (
            connected(f"http://127.0.0.1:{spare_port()}"),
            pytest.raises(CommandError, match="The database cannot be reached"),
        ):
            run("--restart")


class TestTheSteps:
    def test_have_names_of_their_own_and_a_sentence(self):
        assert len(set(NAMES)) == len(STEPS)
        assert all(step.sentence.endswith(".") for step in STEPS)
