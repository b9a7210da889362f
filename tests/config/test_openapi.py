"""docs/openapi.json describes what the site answers, and docs/api.md shows such answers."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.comments.writers import someone
from tests.support.config.addresses import address, belongings, routes
from tests.support.config.lists import ADDRESSES, ListedShop, listed_shop
from tests.support.project import PROJECT
from tests.support.schemas import Schemas

pytestmark = pytest.mark.usefixtures("tables")
DOCUMENT = json.loads((PROJECT / "docs" / "openapi.json").read_text())
SCHEMAS = Schemas(DOCUMENT)
LISTS = {path: operations["get"] for path, operations in DOCUMENT["paths"].items()}
API = (PROJECT / "docs" / "api.md").read_text()


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


def parameters(path: str, place: str) -> list[dict[str, Any]]:
    found = [SCHEMAS.resolved(each) for each in LISTS[path]["parameters"]]
    return [dict(each) for each in found if each["in"] == place]


def with_each_example() -> Iterator[tuple[str, str]]:
    """Yield each address with each example of a filter: its path and its query."""
    for path in LISTS:
        if not any(parameter.get("required") for parameter in parameters(path, "query")):
            yield path, ""
        for parameter in parameters(path, "query"):
            if "example" in parameter:
                query = {parameter["name"]: parameter["example"]}
                yield path, f"&{urlencode(query, doseq=True)}"


def schema_of(path: str, status: int) -> dict[str, Any]:
    answer = SCHEMAS.resolved(LISTS[path]["responses"][str(status)])
    found: dict[str, Any] = answer["content"]["application/json"]["schema"]
    return found


def faults_of(path: str, response: HttpResponse) -> list[str]:
    assert response["Content-Type"] == "application/json"
    return [*SCHEMAS.faults(response.json(), schema_of(path, response.status_code))]


class TestTheDocument:
    def test_has_all_lists_and_no_others(self, shop):
        arguments = {**belongings(someone("owner")).arguments, **shop.arguments}
        answered = set()
        for route in routes():
            response = shop.browser.get(f"{address(route, arguments)}?format=json")
            is_json = response.status_code == 200 and "json" in response["Content-Type"]
            if is_json and "items" in response.json():
                answered.add("/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route))
        assert answered == LISTS.keys() == {one.partition("?")[0] for one in ADDRESSES}

    def test_names_all_that_an_address_takes(self):
        for path in LISTS:
            assert re.findall(r"{(\w+)}", path) == [p["name"] for p in parameters(path, "path")]


@pytest.mark.parametrize("path", LISTS)
class TestAnAnswer:
    def test_to_nobody_is_as_described(self, shop, path):
        response = Client().get(f"{shop.address(path)}?format=json")
        assert response.status_code == (403 if "security" in LISTS[path] else 200)
        assert faults_of(path, response) == []

    def test_to_a_wrong_link_is_as_described(self, shop, path):
        response = shop.browser.get(f"{shop.address(path)}?format=json&after=forged")
        assert response.status_code == 400
        assert faults_of(path, response) == []

    def test_about_what_is_not_there_is_as_described(self, shop, path):
        unknown = path.format_map({**dict.fromkeys(shop.arguments, "none"), **filters(shop)})
        browser = someone("other").browser if path.startswith("/staff/") else Client()
        response = browser.get(f"{unknown}?format=json")
        assert (response.status_code == 404) == ("404" in LISTS[path]["responses"])
        assert faults_of(path, response) == []


def filters(shop: ListedShop) -> dict[str, str]:
    return {name: shop.arguments[name] for name in ("languages", "ratings")}


class TestAList:
    @pytest.mark.parametrize(("path", "query"), [*with_each_example()])
    def test_is_as_described_by_every_filter(self, shop, settings, path, query):
        settings.PAGE_SIZE = 3
        url = f"{shop.address(path)}?format=json{query}"
        response = shop.browser.get(url)
        assert (response.status_code, response.json()["items"] != []) == (200, True)
        assert faults_of(path, response) == []
        if response.json()["next"]:
            assert faults_of(path, shop.browser.get(response.json()["next"])) == []


EXAMPLE = r"^    \$ curl [^\n]*'http://[^/\n]+(/[^\n]*)'$\n\n```json\n(.*?)```"
EXAMPLES = re.findall(EXAMPLE, API, re.MULTILINE | re.DOTALL)


class TestAnExample:
    @pytest.mark.parametrize(("url", "shown"), EXAMPLES)
    def test_shows_what_such_an_address_answers(self, url, shown):
        path = next(path for path in LISTS if _is_of(url, path))
        answer = json.loads(shown)
        status = 400 if "error" in answer else 200
        assert [*SCHEMAS.faults(answer, schema_of(path, status))] == []


def _is_of(url: str, path: str) -> bool:
    return bool(re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), url.partition("?")[0]))
