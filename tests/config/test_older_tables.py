"""Tables as version 0.1.0 made them: pages and commands refuse them, until they are made anew."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import (
    CommandError,
    call_command,
    get_commands,
    load_command_class,
)
from django.core.signals import request_started
from django.test import Client

from comments.checks import check_tables
from comments.models import TABLE as COMMENTS
from comments.models import Comment
from config.wsgi import start_errors
from dynapages.django import tables as differing
from dynapages.django.tables import (
    TableCommand,
    compare_with_first_request,
    refuse_tables_that_differ,
)
from dynapages.lists import PageRequest
from dynapages.process import background_client, client, write_actions
from dynapages.tables import TableDiffers, create_missing
from dynapages.writes import put
from shop.catalogue.content import NewProduct, Rating
from shop.catalogue.items import product_item
from shop.catalogue.queries import list_all_products
from shop.table import TABLE as SHOP
from shop.table import put_of
from tests.support.command_line import run_manage
from tests.support.comments.older import (
    OLDER_COMMENT,
    older_schemas,
    older_shop,
    on_older_tables,
)
from tests.support.comments.outage import connected, own_engine
from tests.support.config.environments import run_python
from tests.support.engine_plugin import PATIENCE
from tests.support.ports import spare_port
from tests.support.work import finish_what_waits

COMMENT = "/comments/old/"
FOR_VISITORS = "The database is not ready for this version of the site."
FOR_OPERATORS = (
    f"The table {COMMENTS} exists, but differs from its model in the index all. It holds comments "
    "as another version stored them. They go over into new tables, by export_comments of that "
    "version and import_comments of this one: see docs/importing.md, “From 0.1.0”."
)


@pytest.fixture(autouse=True)
def as_a_new_process():
    """Nothing is known of the tables before a test, and nothing is compared after it."""
    yield
    differing._differences.clear()
    differing._schedule.next_at = 0.0
    for handler in differing.HANDLERS:
        request_started.disconnect(differing._compare_soon, sender=handler)


@pytest.fixture
def older():
    with on_older_tables():
        yield


@contextmanager
def described() -> Iterator[list[str]]:
    """Yield the names of the tables that this process has described since."""
    names: list[str] = []

    def note(params: dict[str, Any], **_: object) -> None:
        names.append(params["TableName"])

    event = "provide-client-params.dynamodb.DescribeTable"
    background_client().meta.events.register(event, note)
    yield names
    background_client().meta.events.unregister(event, note)


def ask_as_a_visitor() -> None:
    """Have a request served by a server, as far as what it starts, and that done."""
    request_started.send(sender=WSGIHandler, environ={})
    finish_what_waits()


def make_them_anew() -> None:
    for schema in older_schemas():
        client().delete_table(TableName=schema.name)
    call_command("create_tables", stdout=StringIO())


class TestAProcessThatServes:
    def test_answers_503_in_place_of_404(self, older):
        assert Client().get(COMMENT).status_code == 404
        refuse_tables_that_differ()
        answer = Client().get(COMMENT)
        assert answer.status_code == 503
        assert answer["Retry-After"] == "30"
        assert FOR_VISITORS in answer.content.decode()
        assert COMMENTS not in answer.content.decode()

    def test_speaks_the_visitors_language(self, older):
        refuse_tables_that_differ()
        answer = Client().get(COMMENT, headers={"Accept-Language": "de"})
        assert "Die Datenbank ist für diese Version der Website nicht bereit." in (
            answer.content.decode()
        )

    def test_answers_programs_alike(self, older):
        refuse_tables_that_differ()
        answer = Client().get("/api/v1/comments/old")
        assert (answer.status_code, answer.json()["detail"]) == (503, FOR_VISITORS)

    def test_goes_on_with_what_needs_no_such_table(self, older):
        refuse_tables_that_differ()
        assert [Client().get(path).status_code for path in ("/healthz", "/basket/")] == [200, 200]

    def test_is_not_ready_and_says_why(self, older):
        answer = Client().get("/readyz")
        assert answer.status_code == 503
        assert answer.content.decode() == f"{FOR_OPERATORS}\n"

    def test_writes_nothing_to_such_a_table(self, older):
        refuse_tables_that_differ()
        with pytest.raises(TableDiffers):
            write_actions([put(COMMENTS, OLDER_COMMENT)])
        with pytest.raises(TableDiffers):
            client().batch_write_item(
                RequestItems={COMMENTS: [{"PutRequest": {"Item": OLDER_COMMENT}}]}
            )

    def test_logs_one_error_for_operators(self, older, caplog):
        refuse_tables_that_differ()
        refuse_tables_that_differ()
        Client().get(COMMENT)
        # Django itself logs each answer of 503.
        records = [one for one in caplog.records if one.name != "django.request"]
        assert [(one.levelno, one.getMessage()) for one in records] == [
            (logging.ERROR, FOR_OPERATORS)
        ]

    def test_goes_on_once_they_are_made_anew(self, older):
        refuse_tables_that_differ()
        make_them_anew()
        refuse_tables_that_differ()
        assert Client().get(COMMENT).status_code == 404
        assert Client().get("/readyz").status_code == 200

    def test_refuses_none_that_another_prefix_would_name(self, tables):
        refuse_tables_that_differ()
        assert Client().get(COMMENT).status_code == 404


class TestTheComparison:
    """It is made behind the first request of a server, and not for any page."""

    @pytest.fixture(autouse=True)
    def _begun(self):
        compare_with_first_request()

    def test_follows_the_first_request(self, older):
        ask_as_a_visitor()
        assert Client().get(COMMENT).status_code == 503

    def test_costs_no_page_a_call(self, tables):
        with described() as names:
            Client().get(COMMENT)
            request_started.send(sender=WSGIHandler, environ={})
            assert names == []
            finish_what_waits()
            assert names

    def test_is_made_once_where_all_are_as_declared(self, tables, monkeypatch):
        monkeypatch.setattr(differing, "SECONDS_BETWEEN_COMPARISONS", 0)
        ask_as_a_visitor()
        with described() as names:
            ask_as_a_visitor()
        assert names == []

    def test_is_made_again_after_a_while_where_one_differs(self, older):
        ask_as_a_visitor()
        with described() as names:
            ask_as_a_visitor()
            assert names == []
            differing._schedule.next_at -= differing.SECONDS_BETWEEN_COMPARISONS
            ask_as_a_visitor()
        assert COMMENTS in names

    def test_takes_a_database_that_is_away_for_no_difference(self, tables, monkeypatch):
        monkeypatch.setattr(differing, "SECONDS_BETWEEN_COMPARISONS", 0)
        with connected(f"http://127.0.0.1:{spare_port()}"):
            ask_as_a_visitor()
        assert Client().get(COMMENT).status_code == 404
        with described() as names:
            ask_as_a_visitor()
        assert COMMENTS in names

    def test_takes_a_missing_table_for_no_difference(self, monkeypatch):
        monkeypatch.setattr(differing, "SECONDS_BETWEEN_COMPARISONS", 0)
        with own_engine(with_tables=False):
            ask_as_a_visitor()
            call_command("create_tables", json=True, stdout=StringIO())
            assert Client().get(COMMENT).status_code == 404
            with described() as names:
                ask_as_a_visitor()
        assert COMMENTS in names

    def test_is_made_when_a_server_starts(self, older):
        assert start_errors() == []
        assert Client().get(COMMENT).status_code == 503

    def test_that_a_server_has_made_is_not_made_again_by_a_request(self, tables):
        assert start_errors() == []
        with described() as names:
            ask_as_a_visitor()
        assert names == []


PROJECT_OF_SOMEBODY = """
import os, sys, time
import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["testserver"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["dynapages.django"],
    MIDDLEWARE=["dynapages.django.middleware.RefusalMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    AWS_ACCESS_KEY_ID="local",
    AWS_SECRET_ACCESS_KEY="local",
    DYNAMODB_TABLE_PREFIX=sys.argv[1],
    DYNAMODB_MODELS=["comments.models.Comment"],
)
application = get_wsgi_application()

def page(request):
    from comments.models import TABLE
    from dynapages.process import client
    key = {"pk": {"S": "COMMENT#old"}, "sk": {"S": "C"}}
    found = client().get_item(TableName=TABLE, Key=key)
    return HttpResponse(status=200 if "Item" in found else 404)

urlpatterns = [path("", page)]

def asked():
    said = []
    application(RequestFactory().get("/").environ, lambda status, _: said.append(status[:3]))
    return said[0]

first = asked()
until = time.monotonic() + float(sys.argv[2])
while asked() == "404" and time.monotonic() < until:
    time.sleep(0.05)
print(first, asked())
"""


def test_a_project_with_the_library_alone_refuses_them_soon_after_its_first_page(older):
    endpoint = client().meta.endpoint_url
    prefix = settings.DYNAMODB_TABLE_PREFIX
    ended = run_python("-c", PROJECT_OF_SOMEBODY, prefix, PATIENCE, DYNAMODB_ENDPOINT_URL=endpoint)
    assert ended.stdout == "404 503\n"
    assert ended.stderr.count(FOR_OPERATORS) == 1


OURS = {"comments", "config", "demo", "dynapages", "lab", "shop"}
WITHOUT_TABLES = {
    "bench",  # on engines of its own
    "compare",  # the same
    "compare_keys",  # the same
    "count_words",  # reads a file
    "create_tables",  # refuses them itself, and has more to say
    "demo",  # sets the file aside that holds them
    "export_model",  # prints what is declared
    "fill_demo",  # runs commands that refuse
    "find_topics",  # reads a file
    "makemessages",  # reads source code
}
COMMANDS = sorted(
    (name, app) for name, app in get_commands().items() if app.partition(".")[0] in OURS
)


@pytest.fixture(scope="class")
def stored():
    """What an older table holds, after any commands were started."""
    with on_older_tables():
        yield lambda: client().scan(TableName=COMMENTS)["Items"]


class TestAllCommands:
    @pytest.mark.parametrize(("name", "app"), COMMANDS)
    def test_refuse_to_begin(self, stored, name, app):
        command = load_command_class(app, name)
        if name in WITHOUT_TABLES:
            assert not getattr(command, "compares_tables", False)
            return
        assert isinstance(command, TableCommand)
        with pytest.raises(CommandError) as refused:
            command.execute()
        assert str(refused.value) == FOR_OPERATORS
        assert stored() == [OLDER_COMMENT]

    def test_are_known(self):
        assert {name for name, _ in COMMANDS} > WITHOUT_TABLES


class TestACommand:
    @pytest.mark.parametrize("name", ["import_comments", "create_tables"])
    def test_ends_with_the_sentence(self, older, name, tmp_path):
        file = tmp_path / "comments.jsonl"
        file.write_text("{}\n")
        code, _, err = run_manage(name, *([file] if name == "import_comments" else []))
        assert code == 1
        assert err == f"CommandError: {FOR_OPERATORS}\n"

    def test_begins_where_tables_are_as_declared(self, tables):
        out = StringIO()
        call_command("moderate", "none", "delete", stdout=out)
        assert out.getvalue() == "The comment “none” is not there (any more).\n"

    def test_says_itself_that_the_database_is_away(self):
        with (
            connected(f"http://127.0.0.1:{spare_port()}"),
            pytest.raises(CommandError, match=r"^The database cannot be reached"),
        ):
            call_command("moderate", "none", "delete")


def test_the_check_of_a_project_says_it(older):
    (said,) = check_tables(None, databases=["default"])
    assert (said.id, said.msg, said.is_serious()) == ("comments.tables", FOR_OPERATORS, False)


class TestATableOfTheShopWithoutRatings:
    @pytest.fixture
    def older_index(self):
        with own_engine(with_tables=False):
            create_missing([older_shop(), Comment], client=client())
            yield

    def test_is_refused_with_a_sentence_that_says_how_its_index_is_made_anew(self, older_index):
        with pytest.raises(CommandError) as refused:
            call_command("create_tables", stdout=StringIO())
        assert f"The table {SHOP} exists, but differs from its model in the index by_data" in str(
            refused.value
        )
        assert "“Upgrading” in docs/deploying.md" in str(refused.value)

    def test_keeps_its_items_when_its_index_is_made_anew(self, older_index):
        product = product_item(NewProduct("scarf", "Scarf", (), rating=Rating(2, 9)))
        write_actions([put_of(product)])
        client().update_table(
            TableName=SHOP, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_data"}}]
        )
        call_command("create_tables", stdout=StringIO())
        (tile,) = list_all_products(PageRequest(5)).items
        assert tile.rating == Rating(2, 9)
