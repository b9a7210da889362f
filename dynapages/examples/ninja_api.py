"""An API by django-ninja, in one file. Run: python ninja_api.py runserver."""

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.urls import path
from sample_table import TABLE, TEAMS

from dynapages import Index, Run
from dynapages.django.access import Caller, Scope
from dynapages.django.paging import Pager
from dynapages.items import python_item
from dynapages.process import read

OWN = {"SECRET_KEY": "signs the cursors", "DEBUG": True, "ROOT_URLCONF": __name__, "PAGE_SIZE": 5}
API = {"API_PATH": "/api/", "API_AUTHENTICATOR": f"{__name__}.caller"}
settings.configure(**OWN, **API, INSTALLED_APPS=["dynapages.django", "ninja"])
from dynapages.ninja import Cursor, KeyAuth, Listing, PageOf, ProblemAPI, list_answer  # noqa: E402

KEYS = {"kims-key": Caller("1", "kim", Scope.READ)}
INDEX = Index(TABLE, "by_team", partition="team", sort="at", table_key=("id",))
api = ProblemAPI(title="Notes", errors={})


def caller(_request, key, _scope):
    return KEYS.get(key)


@api.get("/notes", response=Listing[dict], auth=KeyAuth(Scope.READ))
def notes(request, response: HttpResponse, cursor: Cursor = None):
    def page(asked):
        found = read([Run(INDEX, team) for team in TEAMS], asked)
        return PageOf(found, [python_item(entry.item) for entry in found.entries])

    return list_answer(request, response, Pager("", "notes"), page, cursor)


urlpatterns = [path("api/", api.urls)]
if __name__ == "__main__":
    execute_from_command_line()
