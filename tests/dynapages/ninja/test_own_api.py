"""An API of a project that has nothing else: what the library refuses and answers by itself."""

from typing import Annotated

import pytest
from django.http import HttpRequest
from django.test import Client
from django.urls import path
from ninja import Body, Query, Router
from pydantic import Field

from dynapages.ninja import KEY_OR_NOBODY, ProblemAPI, QueryParameters, RequestBody, ResponseBody
from tests.support.config.api import PROBLEM


class Tag(RequestBody):
    name: str


class Note(RequestBody):
    text: str
    tags: list[Tag] = Field([], max_length=5)
    main: Tag | None = None


class Filter(QueryParameters):
    team: list[str] = Field([])
    day: int | None = None


class NoteOut(ResponseBody):
    text: str


router = Router()


@router.get("/notes", response=NoteOut, auth=KEY_OR_NOBODY)
def list_notes(request: HttpRequest, chosen: Query[Filter], size: int = 1) -> dict[str, str]:
    return {"text": f"{chosen.team} {chosen.day} {size}"}


@router.post("/notes", response=NoteOut, auth=KEY_OR_NOBODY)
def add_note(request: HttpRequest, content: Note) -> Note:
    return content


@router.put("/notes", response=NoteOut, auth=KEY_OR_NOBODY)
def put_notes(
    request: HttpRequest, one: Annotated[Note, Body()], other: Annotated[Tag, Body()]
) -> Note:
    return one


@router.get("/motto", response=NoteOut)
def motto(request: HttpRequest) -> dict[str, str]:
    return {"text": "Write it down."}


api = ProblemAPI(errors={}, title="Notes", urls_namespace="notes")
api.add_router("", router)
urlpatterns = [path("own/", api.urls)]
pytestmark = pytest.mark.urls(__name__)


def faults(method: str, query: str = "", body: object = None) -> dict[str, str]:
    """The sentences on what does not fit, by where it stands."""
    send = getattr(Client(), method)
    answer = send(f"/own/notes{query}", body, content_type="application/json")
    assert answer.status_code == 422
    return {each["at"]: each["detail"] for each in answer.json()["errors"]}


@pytest.mark.parametrize("debug", [False, True], ids=["production", "debug"])
@pytest.mark.parametrize("url", ["/own/", "/own/nowhere", "/own/notes/7", "/own/openapi.json/"])
def test_an_address_that_is_not_there_is_a_problem(settings, debug, url):
    settings.DEBUG = debug
    for method in ("get", "post", "delete"):
        answer = getattr(Client(), method)(url, headers={"Accept": "text/html"})
        assert (answer.status_code, answer["Content-Type"]) == (404, PROBLEM)


class TestItsDocument:
    def test_has_the_summary_that_ninja_makes_of_a_name(self):
        paths = Client().get("/own/openapi.json").json()["paths"]
        assert paths["/own/notes"]["post"]["summary"] == "Add Note"

    def test_has_an_operation_that_looks_at_no_key(self):
        paths = Client().get("/own/openapi.json").json()["paths"]
        assert paths["/own/motto"]["get"]["security"] == []


def test_an_operation_that_looks_at_no_key_is_answered_to_everybody():
    for headers in ({}, {"Authorization": "Bearer nonsense"}):
        answer = Client().get("/own/motto", headers=headers)
        assert answer.json() == {"text": "Write it down."}
        assert "public" in answer["Cache-Control"]


class TestAFault:
    def test_is_named_as_callers_send_it(self):
        assert faults("post", body={"text": 5, "tags": [{"name": "a"}, {"name": 1}]}) == {
            "body.text": "This has to be text.",
            "body.tags.1.name": "This has to be text.",
        }

    def test_of_a_name_within_a_list_says_what_is_allowed_there(self):
        body = {"text": "a", "tags": [{"name": "a", "colour": "red"}], "main": {"colour": "red"}}
        assert faults("post", body=body) == {
            "body.tags.0.colour": "This is not known here: allowed are name.",
            "body.main.name": "This is needed.",
            "body.main.colour": "This is not known here: allowed are name.",
        }

    def test_of_one_of_several_bodies_names_it(self):
        body = {"one": {"text": 1}, "other": {"name": "a", "colour": "red"}}
        assert faults("put", body=body) == {
            "body.one.text": "This has to be text.",
            "body.other.colour": "This is not known here: allowed are name.",
        }

    def test_of_a_parameter_names_it(self):
        assert faults("get", "?day=x&size=y") == {
            "query.day": "This has to be a whole number.",
            "query.size": "This has to be a whole number.",
        }

    def test_of_an_unknown_parameter_names_all_that_there_are(self):
        assert faults("get", "?colour=red&day=1&day=2&team=a&team=b") == {
            "query.colour": "This is not known here: allowed are team, day, size.",
            "query.day": "This is given twice: give it once.",
        }
