"""The examples run, and are short."""

import importlib
import json
import re
import sys
from pathlib import Path
from wsgiref.util import setup_testing_defaults

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
LONGEST = 40


@pytest.mark.parametrize("path", [pytest.param(p, id=p.name) for p in EXAMPLES.rglob("*.py")])
def test_an_example_is_short(path):
    assert len(path.read_text().splitlines()) <= LONGEST


@pytest.fixture
def sample(sample_tables, monkeypatch):
    """Imports an example by its name; the table of notes is filled."""
    monkeypatch.syspath_prepend(EXAMPLES)
    for name, value in sample_tables.items():
        monkeypatch.setenv(name, value)
    table = importlib.import_module("sample_table")
    table.fill(table.client())
    yield importlib.import_module
    for module in list(sys.modules.values()):
        if str(getattr(module, "__file__", "")).startswith(str(EXAMPLES)):
            del sys.modules[module.__name__]


class TestTheWsgiEndpoint:
    @pytest.fixture
    def get(self, sample):
        app = sample("wsgi_endpoint").app

        def get(path):
            environ = {"QUERY_STRING": path.partition("?")[2]}
            setup_testing_defaults(environ)
            answered = []
            body = app(environ, lambda status, _headers: answered.append(status))
            return answered[0], json.loads(b"".join(body))

        return get

    def test_links_each_page_to_the_next_and_back(self, get):
        _, first = get("/notes?team=red&team=blue")
        _, second = get(first["after"])
        _, again = get(second["before"])
        assert again == first
        assert {note["team"] for note in first["items"]} == {"red", "blue"}

    def test_leads_through_all_notes(self, get):
        shown, path = [], "/notes"
        while path:
            _, page = get(path)
            shown += [(note["at"], note["id"]) for note in page["items"]]
            path = page["after"]
        assert len(set(shown)) == len(shown) == 60
        assert [at for at, _ in shown] == sorted((at for at, _ in shown), reverse=True)

    def test_refuses_a_link_of_another_list(self, get):
        _, page = get("/notes?team=red")
        status, body = get(page["after"].replace("red", "blue"))
        assert status == "400 Bad Request"
        assert body == {"error": "This page link belongs to another list."}


class TestTheCostsOfACall:
    def test_are_told_of_three_clients(self, sample, capsys):
        pytest.importorskip("pynamodb")
        sample("sample_table").client().delete_table(TableName="dynapages-notes")
        sample("call_costs")
        told = capsys.readouterr().out
        assert re.fullmatch(r"boto3 \d+\.\d\d ms; dynapages \d.* ms; PynamoDB \d.* ms\n", told)
