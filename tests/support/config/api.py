"""Programs that call the API, each with a key of its own or without one.

Each answer is compared with the schema that the site serves.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_network
from typing import Any

import httpx
import jsonschema_rs
from django.core.handlers.wsgi import WSGIHandler

from config.api import api
from dynapages.calls import clock
from dynapages.django.callers import Scope
from shop.api_keys.services import create_key

ROOT = "/api/v1"
SITE = "http://testserver"
PROBLEM = "application/problem+json"


@lru_cache(maxsize=1)
def site() -> WSGIHandler:
    """The site as a server calls it."""
    return WSGIHandler()


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The OpenAPI document of the API."""
    return dict(api.get_openapi_schema())


def operations() -> dict[str, dict[str, Any]]:
    """All operations by method and path below `ROOT`, such as ``GET /orders/{order_id}``."""
    return {
        f"{method.upper()} {path.removeprefix(ROOT)}": operation
        for path, operations in schema()["paths"].items()
        for method, operation in operations.items()
    }


@dataclass(frozen=True)
class Program:
    """Calls the API with the text of a key, or without one, from the network ``address``."""

    text: str = ""
    key_id: str = ""
    username: str = ""
    address: str = "10.78.0.1"

    def send(
        self,
        method: str,
        url: str,
        body: object = None,
        *,
        once: str = "",
        app: Any = None,
        **headers: str,
    ) -> httpx.Response:
        """Send a request below `ROOT`, or to the link of an answer; ``once`` names it."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.text:
            named["Authorization"] = f"Bearer {self.text}"
        if once:
            named["Idempotency-Key"] = once
        transport = httpx.WSGITransport(app or site(), remote_addr=self.address)
        with httpx.Client(transport=transport, base_url=SITE) as client:
            path = url if url.startswith(f"{ROOT}/") else f"{ROOT}{url}"
            answer = client.request(method, path, json=body, headers=named)
        assert [*faults_of(answer)] == [], (method, url)
        return answer

    def get(self, url: str, **how: Any) -> httpx.Response:
        return self.send("GET", url, **how)

    def post(self, url: str, body: object = None, **how: Any) -> httpx.Response:
        return self.send("POST", url, body, **how)

    def put(self, url: str, body: object = None, **how: Any) -> httpx.Response:
        return self.send("PUT", url, body, **how)

    def patch(self, url: str, body: object = None, **how: Any) -> httpx.Response:
        return self.send("PATCH", url, body, **how)

    def delete(self, url: str, **how: Any) -> httpx.Response:
        return self.send("DELETE", url, **how)


NOBODY = Program()
_ADDRESSES = ip_network("10.80.0.0/12").hosts()
"""One for each program: all those in a network share its limits of writes."""


def program_of(username: str, scope: Scope = Scope.WRITE) -> Program:
    """A program with a new key of a user, or of nobody where the name is empty."""
    key, text = create_key(name="test", scope=scope, username=username, now=clock.now())
    return Program(text, key.id, username, str(next(_ADDRESSES)))


def sent(method: str, path: str, body: bytes, **headers: str) -> httpx.Response:
    """Send a body as it is."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with httpx.Client(transport=httpx.WSGITransport(site()), base_url=SITE) as client:
        return client.request(method, path, content=body, headers=named)


def problem_of(answer: httpx.Response) -> tuple[int, str]:
    """The status of a problem, and its sentence."""
    told = answer.json()
    assert answer.headers["Content-Type"] == PROBLEM
    assert told["type"] == f"/docs/api/#{told['code']}"
    assert told["status"] == answer.status_code
    assert told["title"]
    return answer.status_code, told["detail"]


def faults_of(answer: httpx.Response) -> list[str]:
    """What the schema of the operation says is wrong with an answer."""
    path = answer.request.url.path
    if answer.request.method in {"OPTIONS", "HEAD"}:
        return []
    found = [
        operations[answer.request.method.lower()]
        for route, operations in schema()["paths"].items()
        if re.fullmatch(_pattern(route), path) and answer.request.method.lower() in operations
    ]
    if not found:
        assert answer.status_code in {400, 404, 405, 503} or not path.startswith(ROOT)
        return []
    described = found[0]["responses"].get(answer.status_code)
    if described is None:
        return [] if answer.status_code in {405, 413, 500} else [f"no {answer.status_code}"]
    wrong = [*faults_of_headers(answer, described["headers"])]
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    if "content" not in described:
        return [*wrong, answer.text] if answer.content else wrong
    if kind not in described["content"]:
        return [f"{kind} is no type of a {answer.status_code}"]
    codes = schema()["components"]["schemas"]["ProblemCode"]["enum"]
    if kind == PROBLEM and answer.json()["code"] not in codes:
        wrong.append(f"{answer.json()['code']} is no code of a problem")
    of_it = {**described["content"][kind]["schema"], "components": schema()["components"]}
    validator = jsonschema_rs.Draft202012Validator(of_it, validate_formats=True)
    errors = validator.iter_errors(answer.json())
    return [*wrong, *(f"{error.instance_path}: {error.message}" for error in errors)]


def faults_of_headers(answer: httpx.Response, described: dict[str, Any]) -> Iterator[str]:
    """Yield which headers an answer has and should not have, by the schema, or the reverse."""
    for name, header in schema()["components"]["headers"].items():
        if name in answer.headers and name not in described:
            yield f"{name} is not described for a {answer.status_code}"
        if name in described and header["required"] and name not in answer.headers:
            yield f"{name} is missing in a {answer.status_code}"


def _pattern(route: str) -> str:
    """A regular expression for the paths of a route: only a comment's id may hold slashes."""
    return re.sub(r"{(\w+)}", lambda m: ".+" if m[1] == "comment_id" else "[^/]+", route)
