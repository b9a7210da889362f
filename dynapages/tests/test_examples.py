"""The examples run, and are short."""

import importlib
import json
import re
import sys
from pathlib import Path
from urllib.parse import parse_qsl
from wsgiref.util import setup_testing_defaults

import pytest

from dynapages import time_budget

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


class TestTheConnectionOfRelay:
    @pytest.fixture
    def get(self, sample):
        """Returns the status and the JSON of what arguments are answered."""
        for needed in ("fastapi", "httpx2"):
            pytest.importorskip(needed, reason=f"{needed} of requirements-checks.txt is not here")
        testclient = importlib.import_module("fastapi.testclient")
        counters = sample("sample_counters")
        counters.fill(sample("sample_table").client())
        with testclient.TestClient(sample("fastapi_relay").app) as client:

            def get(**arguments):
                answer = client.get("/notes", params=arguments)
                return answer.status_code, answer.json()

            yield get

    @pytest.fixture
    def truth(self, sample, get):
        """All notes, in the order of the list."""
        relay = sample("fastapi_relay")
        client = sample("sample_table").client()
        notes = [note["id"] for note in relay.Feed(relay.INDEX, relay.TEAMS, client=client)]
        client.close()
        return notes

    def test_leads_forward_through_all_notes(self, get, truth):
        size = 7
        shown, around = [], {"hasNextPage": True, "endCursor": None}
        while around["hasNextPage"]:
            after = {"after": around["endCursor"]} if around["endCursor"] else {}
            _, page = get(first=size, **after)
            around = page["pageInfo"]
            shown += [edge["node"]["id"] for edge in page["edges"]]
        assert shown == truth

    def test_leads_backward_through_all_notes(self, get, truth):
        size = 7
        shown, around = [], {"hasPreviousPage": True, "startCursor": None}
        while around["hasPreviousPage"]:
            before = {"before": around["startCursor"]} if around["startCursor"] else {}
            _, page = get(last=size, **before)
            around = page["pageInfo"]
            shown = [edge["node"]["id"] for edge in page["edges"]] + shown
        assert shown == truth

    def test_has_a_cursor_for_each_edge(self, get, truth):
        _, page = get(first=10)
        for number, edge in enumerate(page["edges"]):
            _, behind = get(first=1, after=edge["cursor"])
            assert behind["edges"][0]["node"]["id"] == truth[number + 1]

    def test_names_its_own_first_and_last_cursor(self, get):
        _, page = get(first=4)
        cursors = [edge["cursor"] for edge in page["edges"]]
        ends = page["pageInfo"]["startCursor"], page["pageInfo"]["endCursor"]
        assert ends == (cursors[0], cursors[-1])

    def test_says_on_the_whole_list_that_there_is_nothing_around(self, get):
        for arguments in ({"first": 60}, {"last": 60}):
            _, page = get(**arguments)
            assert not page["pageInfo"]["hasNextPage"]
            assert not page["pageInfo"]["hasPreviousPage"]

    def test_has_no_cursors_where_it_has_no_edges(self, get):
        _, page = get(last=1)
        _, behind = get(first=5, after=page["pageInfo"]["endCursor"])
        expected = {"startCursor": None, "endCursor": None}
        assert behind["edges"] == []
        assert expected.items() <= behind["pageInfo"].items()

    def test_tells_the_total(self, get):
        assert get(first=1)[1]["totalCount"] == 60

    def test_goes_on_behind_a_deleted_note(self, sample, get, truth):
        _, page = get(first=3)
        table = sample("sample_table")
        client = table.client()
        client.delete_item(TableName=table.TABLE, Key={"id": {"S": truth[2]}})
        client.close()
        _, behind = get(first=1, after=page["pageInfo"]["endCursor"])
        assert behind["edges"][0]["node"]["id"] == truth[3]

    def test_refuses_with_a_sentence_what_does_not_fit(self, get):
        for arguments in (
            {},
            {"first": 1, "last": 1},
            {"first": 1, "before": "end"},
            {"last": 1, "after": "start"},
            {"after": "start"},
            {"first": 1, "after": "forged"},
            {"last": 1, "before": "forged"},
            {"first": 1, "after": ""},
        ):
            status, answer = get(**arguments)
            assert status == 400, arguments
            assert answer["detail"].endswith("."), arguments

    def test_refuses_a_cursor_of_another_list(self, sample, get):
        relay = sample("fastapi_relay")
        client = sample("sample_table").client()
        tokens = relay.LIST["tokens"]
        other = relay.Feed(relay.INDEX, ["red"], client=client, tokens=tokens, name="red")
        token = other.page(1).next
        client.close()
        assert get(first=1, after=token) == (
            400,
            {"detail": "This page link belongs to another list."},
        )

    def test_refuses_sizes_and_names_as_fastapi_does(self, get):
        for arguments in ({"first": 0}, {"last": 101}, {"first": 1, "page": 2}):
            assert get(**arguments)[0] == 422, arguments

    def test_says_when_time_is_spent(self, sample, get, monkeypatch):
        relay = sample("fastapi_relay")
        monkeypatch.setattr(relay, "time_budget", lambda _seconds: time_budget(0.0))
        assert get(first=1) == (503, {"detail": "The database took too long."})

    def test_is_in_the_document_of_the_api(self, sample, get):
        schemas = sample("fastapi_relay").app.openapi()["components"]["schemas"]
        assert {"Connection_Note_", "Edge_Note_", "Note", "PageInfo"} <= set(schemas)
        assert set(schemas["PageInfo"]["properties"]) == {
            "startCursor",
            "endCursor",
            "hasPreviousPage",
            "hasNextPage",
        }


class TestTheHandlerOfLambda:
    @pytest.fixture
    def handler(self, sample, monkeypatch):
        monkeypatch.setenv("PAGE_SECRET", "a secret of the tests alone")
        module = sample("lambda_handler")
        yield module.handler
        module.CLIENT.close()

    @pytest.fixture
    def get(self, handler):
        """Returns what a link is answered, by an event as Amazon documents it."""

        def get(link, milliseconds=3_000):
            path, _, query = link.partition("?")
            answer = handler(http_event(path, query), Context(milliseconds))
            assert answer["headers"] == {"content-type": "application/json"}
            return answer["statusCode"], json.loads(answer["body"])

        return get

    def test_leads_through_all_notes_and_back(self, get):
        pages, link = [], "/notes"
        while link:
            _, page = get(link)
            pages.append(page)
            link = page["after"]
        shown = [note["id"] for page in pages for note in page["items"]]
        assert len(set(shown)) == len(shown) == 60
        link = pages[-1]["before"]
        for page in reversed(pages[:-1]):
            _, again = get(link)
            assert again["items"] == page["items"]
            link = again["before"]
        assert link is None

    def test_links_to_the_path_of_the_request(self, get):
        _, page = get("/prod/notes?team=red&team=blue")
        assert page["after"].startswith("/prod/notes?team=blue&team=red&after=")

    def test_refuses_a_bad_token_with_a_sentence(self, get):
        for query in ("after=forged", "before=forged", "after=start&before=end"):
            status, answer = get(f"/notes?{query}")
            assert status == 400, query
            assert answer["error"].endswith("."), query

    def test_refuses_a_link_of_another_list(self, get):
        _, page = get("/notes?team=red")
        expected = {"error": "This page link belongs to another list."}
        assert get(page["after"].replace("red", "blue")) == (400, expected)

    def test_answers_before_the_function_is_ended(self, get):
        assert get("/notes", milliseconds=400) == (503, {"error": "The database took too long."})

    def test_needs_a_secret(self, sample, monkeypatch):
        monkeypatch.delenv("PAGE_SECRET", raising=False)
        with pytest.raises(KeyError):
            sample("lambda_handler")


class Context:
    """What Lambda gives beside the event."""

    def __init__(self, milliseconds):
        self._milliseconds = milliseconds

    def get_remaining_time_in_millis(self):
        return self._milliseconds


def http_event(path, query):
    """An event of an HTTP API, of the payload version 2.0, with the fields of Amazon's page."""
    joined = {}
    for name, value in parse_qsl(query):
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {"accept": "application/json"},
        "queryStringParameters": joined,
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "api-id",
            "domainName": "id.execute-api.us-east-1.amazonaws.com",
            "http": {"method": "GET", "path": path, "protocol": "HTTP/1.1"},
            "requestId": "id",
            "routeKey": "$default",
            "stage": "$default",
        },
        "isBase64Encoded": False,
    }
