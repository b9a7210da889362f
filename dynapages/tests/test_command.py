"""The command ``python -m dynapages explain``."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dynapages.__main__ import main

pytestmark = pytest.mark.real_engine

COSTS = Path(__file__).resolve().parents[1] / "docs" / "costs.md"
SHOWN = re.compile(r"```console\n\$ python (.*?[^\\])\n(.*?)```", re.DOTALL)
QUERY = {
    "TableName": "dynapages-notes",
    "IndexName": "by_team",
    "KeyConditionExpression": "team = :team",
    "ExpressionAttributeValues": {":team": {"S": "red"}},
}
OPTIONS = ["--table", "dynapages-notes", "--index", "by_team", "--key", "team = :team"]
RED = ["--values", '{":team": "red"}']


@pytest.fixture
def notes(sample_tables, monkeypatch):
    """The table of the examples, filled, and its DynamoDB in the environment."""
    monkeypatch.syspath_prepend(COSTS.parents[1] / "examples")
    for name, value in sample_tables.items():
        monkeypatch.setenv(name, value)
    import sample_table  # noqa: PLC0415 - it is an example, of no package

    sample_table.fill(sample_table.client())
    yield sample_table.TABLE
    del sys.modules["sample_table"]


@pytest.fixture
def explain(capsys):
    """Runs the command; gives its status, and what it printed and complained of."""

    def explain(*options):
        status = main(["explain", *options])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return explain


class TestAQueryInOptions:
    def test_is_explained(self, notes, explain):
        status, printed, complaint = explain(*OPTIONS, *RED)
        assert printed.startswith(f"Query of {notes}, index by_team\nkey: team = 'red'\n")
        assert (status, complaint) == (0, "")

    def test_takes_numbers_and_values_in_dynamodbs_form(self, notes, explain):
        values = '{":team": {"S": "red"}, ":from": 17.5}'
        _, printed, _ = explain(
            *OPTIONS[:4], "--key", "team = :team AND #at > :from",
            "--values", values, "--names", '{"#at": "at"}',
        )  # fmt: skip
        assert "key: team = 'red' AND at > 17.5\nread: 2 items of" in printed

    def test_takes_a_filter_and_a_limit(self, notes, explain):
        values = '{":team": "red", ":id": "note-0"}'
        _, printed, _ = explain(
            *OPTIONS, "--values", values, "--filter", "id = :id", "--limit", "10"
        )
        assert "returned: 1 item; the filter drops 9 (90 %)" in printed
        assert "warning: Limit counts the items before the filter" in printed

    def test_is_printed_as_json_where_that_is_asked(self, notes, explain):
        _, printed, _ = explain(*OPTIONS, *RED, "--json")
        figures = json.loads(printed)
        assert (figures["table"], figures["items_read"]) == (notes, 20)


class TestAQueryInAFile:
    def test_is_explained(self, notes, explain, tmp_path):
        path = tmp_path / "query.json"
        path.write_text(json.dumps(QUERY))
        assert explain("--query", str(path)) == explain(*OPTIONS, *RED)

    def test_may_be_standard_input(self, notes):
        ended = subprocess.run(
            [sys.executable, "-m", "dynapages", "explain", "--query", "-"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            input=json.dumps(QUERY),
            capture_output=True,
            check=False,
            text=True,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.startswith(f"Query of {notes}, index by_team\n")

    def test_has_bytes_in_base64(self, notes, explain, tmp_path):
        path = tmp_path / "query.json"
        values = {":team": {"S": "red"}, ":b": {"B": "AP8="}}
        filtered = {"FilterExpression": "id = :b", "ExpressionAttributeValues": values}
        path.write_text(json.dumps({**QUERY, **filtered}))
        _, printed, _ = explain("--query", str(path))
        assert "filter: id = 0x00ff\n" in printed


class TestTheDocument:
    def test_shows_what_is_printed(self, notes, capsys):
        ((command, printed),) = SHOWN.findall(COSTS.read_text())
        module, *options = shlex.split(command.replace("\\\n", ""))
        assert module == "-m"
        assert main(options[1:]) == 0
        assert capsys.readouterr().out == printed


class TestWrongInput:
    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ([], "A Query has a --table and a --key, or is a file of JSON: --query"),
            (["--table", "x"], "A Query has a --table and a --key, or is a file of JSON: --query"),
            (["--query", "-", "--table", "x"], "give --query or the others"),
            (["--query", "no/such/file"], "no/such/file: No such file or directory"),
            ([*OPTIONS, "--values", "{"], "--values is a JSON object, and this is no JSON"),
            ([*OPTIONS, "--names", "[1]"], "--names is a JSON object, and not [1]"),
            ([*OPTIONS, "--values", '{":a": true}'], 'such as {"BOOL": true}, and not true'),
            ([*OPTIONS, *RED, "--endpoint-url", "nowhere"], "Invalid endpoint: nowhere"),
        ],
    )
    def test_is_refused_by_a_sentence(self, explain, options, sentence):
        status, printed, complaint = explain(*options)
        assert (status, printed) == (2, "")
        assert sentence in complaint
        assert complaint.count("\n") == 1

    def test_may_be_a_parameter_that_no_query_has(self, notes, explain, tmp_path):
        path = tmp_path / "query.json"
        path.write_text(json.dumps({**QUERY, "Filter": "id = :id"}))
        status, _, complaint = explain("--query", str(path))
        assert status == 2
        assert 'Unknown parameter in input: "Filter"' in complaint

    def test_may_be_no_command(self, capsys):
        with pytest.raises(SystemExit) as ended:
            main([])
        assert ended.value.code == 2


class TestAFailure:
    def test_of_a_wrong_expression_is_a_sentence(self, notes, explain):
        status, _, complaint = explain(*OPTIONS)
        assert status == 1
        assert "ValidationException" in complaint
        assert complaint.count("\n") == 1

    def test_of_a_missing_table_is_a_sentence(self, notes, explain):
        status, _, complaint = explain("--table", "no-such-table", *OPTIONS[4:], *RED)
        assert (status, complaint.count("\n")) == (1, 1)
        assert complaint.startswith("There is no such table")

    def test_of_an_address_where_nothing_answers_is_a_sentence(self, notes, explain):
        status, _, complaint = explain(*OPTIONS, *RED, "--endpoint-url", "http://127.0.0.1:9")
        assert (status, complaint) == (1, "The database cannot be reached at the moment.\n")

    def test_of_missing_credentials_is_a_sentence(self, notes, explain, monkeypatch):
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
        status, _, complaint = explain(*OPTIONS, *RED)
        assert status == 1
        assert complaint.startswith("There are no AWS credentials")

    def test_of_a_missing_region_is_a_sentence(self, explain, monkeypatch):
        for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "DYNAMODB_ENDPOINT_URL"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
        assert explain(*OPTIONS, *RED) == (1, "", "Give a --region, or set AWS_DEFAULT_REGION.\n")
