"""``manage.py export_model``: where it writes, and what it refuses."""

import json

import pytest
from botocore.client import BaseClient

from config.infrastructure.workbench import workbench_model
from tests.support.command_line import run_manage
from tests.support.config.exporting import exported, template


def refused(*arguments: object) -> str:
    code, out, err = run_manage("export_model", *arguments)
    assert code != 0
    assert out == ""
    return err


class TestTheCommand:
    def test_makes_no_call_and_needs_no_credentials(self, monkeypatch):
        monkeypatch.delattr(BaseClient, "_make_api_call")
        monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
        assert template()["Resources"]

    def test_writes_a_file(self, tmp_path):
        target = tmp_path / "stack.json"
        options = ("--format", "cloudformation", "--output", target)
        assert run_manage("export_model", *options) == (0, "", "")
        assert json.loads(target.read_text()) == template()

    def test_prints_the_request_of_one_table(self, settings):
        name = f"{settings.DYNAMODB_TABLE_PREFIX}comments"
        one = exported("aws-json", "--table", name)
        assert one == exported("aws-json")[name]["CreateTable"]

    def test_prints_the_model_for_workbench(self):
        assert exported("workbench") == workbench_model()


class TestABadArgument:
    def test_is_a_file_that_cannot_be_written(self, tmp_path):
        target = tmp_path / "nowhere" / "stack.json"
        err = refused("--format", "cloudformation", "--output", target)
        assert err == f"CommandError: {target} cannot be written: No such file or directory.\n"

    def test_is_a_table_that_no_model_has(self, settings):
        prefix = settings.DYNAMODB_TABLE_PREFIX
        err = refused("--format", "aws-json", "--table", "comments")
        assert "There is no table “comments” in the model, only " in err
        assert f"{prefix}comments, {prefix}shop." in err

    def test_is_a_table_with_another_format(self):
        err = refused("--format", "cloudformation", "--table", "x")
        assert err == "CommandError: --table goes with --format aws-json alone.\n"

    @pytest.mark.parametrize("option", [("--provisioned", 5, 5), ("--without-months",)])
    def test_is_an_option_that_workbench_has_no_place_for(self, option):
        sentence = "--provisioned and --without-months do not go with --format workbench."
        assert sentence in refused("--format", "workbench", *option)

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ((), "the following arguments are required: --format"),
            (("--format", "terraform"), "invalid choice: 'terraform'"),
            (("--format", "aws-json", "--provisioned", 0, 1), "“0” is not a whole number"),
        ],
    )
    def test_is_told_in_a_sentence(self, arguments, sentence):
        assert sentence in refused(*arguments)
