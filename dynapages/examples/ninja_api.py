"""An API by django-ninja, in one file. Run: python ninja_api.py runserver."""

from http import HTTPStatus

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import Http404
from django.urls import path
from sample_table import TABLE, TEAMS

from dynapages import Index, Run
from dynapages.django import Caller, Pager, Scope
from dynapages.lists import PageResult
from dynapages.process import client, read
from dynapages.writes import ConditionFailed, put, unchanged, write_item

OWN = {"SECRET_KEY": "signs the cursors", "DEBUG": True, "ROOT_URLCONF": __name__, "PAGE_SIZE": 5}
API = {"API_PATH": "/api/", "API_AUTHENTICATOR": f"{__name__}.caller"}
settings.configure(**OWN, **API, INSTALLED_APPS=["dynapages.django", "ninja"])
from dynapages.ninja import (  # noqa: E402 - needs settings
    Conflict,
    IfMatch,
    KeyAuth,
    Listing,
    ListOf,
    ProblemAPI,
    ProblemType,
    RequestBody,
    ResponseBody,
    StrictNumber,
    conflict,
    lists,
    version_seen,
)

KEYS = {"kims-key": Caller("1", "17", Scope.WRITE)}
INDEX = Index(TABLE, "by_team", partition="team", sort="at", table_key=("id",))
CHANGED = ProblemType("note-changed", HTTPStatus.CONFLICT, "The note has another version by now.")
WAS_CHANGED = "Somebody has changed this note. Read it again."
api = ProblemAPI(title="Notes", errors={ConditionFailed: (CHANGED, WAS_CHANGED)})


def caller(_request, key, _scope):
    return KEYS.get(key)


# A list


@api.get("/notes", response=Listing[dict], auth=KeyAuth(Scope.READ))
@lists
def list_notes(request):
    """List notes by their time."""

    def page(asked):
        found = read([Run(INDEX, team) for team in TEAMS], asked)
        return PageResult(tuple({"id": entry.item["id"]["S"]} for entry in found.entries), found)

    return ListOf(Pager("", "notes"), page)


# A note, and a write of the version that was read


class NoteOut(ResponseBody):
    """A note."""

    id: str
    text: str
    version: int


class NoteIn(RequestBody):
    """The text of a note, and the version that it is to replace, unless If-Match says it."""

    text: str
    version: StrictNumber | None = None


def find(note_id):
    key = {"id": {"S": note_id}}
    item = client().get_item(TableName=TABLE, Key=key, ConsistentRead=True).get("Item")
    if item is None:
        raise Http404("There is no such note.")
    return item


def shown(item):
    text, version = item.get("text", {"S": ""}), item.get("version", {"N": "0"})
    return NoteOut(id=item["id"]["S"], text=text["S"], version=int(version["N"]))


@api.get("/notes/{note_id}", response=NoteOut, auth=KeyAuth(Scope.READ))
def get_note(request, note_id: str):
    """Return a note."""
    return shown(find(note_id))


CHANGE = {200: NoteOut, 409: Conflict[NoteOut], 412: Conflict[NoteOut]}


@api.put("/notes/{note_id}", response=CHANGE, auth=KeyAuth(Scope.WRITE))
def change_note(request, note_id: str, body: NoteIn, if_match: IfMatch = None):
    """Change the text of a note, if its version is still the one that was read."""
    item = find(note_id)
    before = shown(item)
    if version_seen(request, body.version) not in {None, str(before.version)}:
        return conflict(request, CHANGED, WAS_CHANGED, before)
    after = {**item, "text": {"S": body.text}, "version": {"N": str(before.version + 1)}}
    # Another write may come between: DynamoDB compares once more.
    write_item(client(), put(TABLE, after, unchanged(item, "version")))
    return shown(after)


urlpatterns = [path("api/", api.urls)]
if __name__ == "__main__":
    execute_from_command_line()
