"""An API by django-ninja, in one file. Run: python ninja_api.py runserver."""

from django.conf import settings
from django.core.management import execute_from_command_line
from django.urls import path
from sample_counters import total
from sample_table import TABLE, TEAMS, client

from dynapages import Feed, Index
from dynapages.django import Caller, Pager, Scope

OWN = {"SECRET_KEY": "signs the cursors", "DEBUG": True, "ROOT_URLCONF": __name__, "PAGE_SIZE": 5}
API = {"API_PATH": "/api/", "API_AUTHENTICATOR": f"{__name__}.caller"}
settings.configure(**OWN, **API, INSTALLED_APPS=["dynapages.django", "ninja"])
from dynapages.ninja import KeyAuth, Listing, ListOf, ProblemAPI, lists  # noqa: E402 - needs settings

KEYS = {"kims-key": Caller("1", "17", Scope.WRITE)}
INDEX = Index(TABLE, "by_team", partition="team", sort="at", table_key=("id",))
TOTAL = total(client())
NOTES = Feed(INDEX, TEAMS, client=client(), total=TOTAL, parse=lambda item: {"id": item["id"]["S"]})
api = ProblemAPI(title="Notes", errors={})


def caller(_request, key, _scope):
    return KEYS.get(key)


@api.get("/notes", response=Listing[dict], auth=KeyAuth(Scope.READ))
@lists
def list_notes(request):
    return ListOf(Pager("", "notes"), NOTES.page_at)


urlpatterns = [path("api/", api.urls)]
if __name__ == "__main__":
    execute_from_command_line()
