"""A list of a feed in an API of a project that has nothing else."""

from typing import Any

import pytest
from django.conf import settings
from django.http import HttpRequest
from django.test import Client
from django.urls import path

from dynapages import Feed, Index
from dynapages.django import Pager
from dynapages.ninja import KEY_OR_NOBODY, Listing, ListOf, ProblemAPI, lists
from dynapages.process import client
from tests.support.chance import unique

INDEX = Index(f"{settings.DYNAMODB_TABLE_PREFIX}{unique('notes')}", partition="team", sort="at")
TEAMS = ("red", "blue")


def number_of(item: Any) -> int:
    return int(item["at"]["N"])


def feed(**options: Any) -> Feed[int]:
    return Feed(INDEX, TEAMS, client=client(), parse=number_of, **options)


api = ProblemAPI(errors={}, title="Notes", urls_namespace="listed")


@api.get("/counted", response=Listing[int], auth=KEY_OR_NOBODY)
@lists
def list_counted(request: HttpRequest) -> ListOf[int]:
    return ListOf(Pager("", "counted"), feed(total=lambda: 22).page_at)


@api.get("/plain", response=Listing[int], auth=KEY_OR_NOBODY)
@lists
def list_plain(request: HttpRequest) -> ListOf[int]:
    return ListOf(Pager("", "plain"), feed().page_at)


urlpatterns = [path("own/", api.urls)]
pytestmark = [pytest.mark.urls(__name__), pytest.mark.usefixtures("notes")]


@pytest.fixture(scope="module")
def notes():
    """The table with notes 0 to 21."""
    client().create_table(
        TableName=INDEX.table,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": "team", "KeyType": "HASH"},
            {"AttributeName": "at", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "team", "AttributeType": "S"},
            {"AttributeName": "at", "AttributeType": "N"},
        ],
    )
    for number in range(22):
        item = {"team": {"S": TEAMS[number % 2]}, "at": {"N": str(number)}}
        client().put_item(TableName=INDEX.table, Item=item)
    yield
    client().delete_table(TableName=INDEX.table)


def page(url: str) -> dict[str, Any]:
    answer = Client().get(url)
    assert answer.status_code == 200, answer.content
    return answer.json()


class TestAListOfAFeed:
    def test_is_followed_by_links_to_the_end(self):
        found = [page("/own/counted?limit=5")]
        while url := found[-1]["next"]:
            found.append(page(url))
        assert [n for each in found for n in each["items"]] == list(range(21, -1, -1))

    def test_leads_back_to_the_first_page(self):
        first = page("/own/counted?limit=5")
        assert page(page(first["next"])["previous"]) == first

    def test_has_its_last_page(self):
        last = page(page("/own/counted?limit=5")["last"])
        assert (last["items"], last["next"]) == ([4, 3, 2, 1, 0], None)

    def test_refuses_a_cursor_of_another(self):
        cursor = page("/own/plain?limit=5")["next"].partition("?")[2]
        assert Client().get(f"/own/counted?{cursor}").status_code == 400


class TestTheTotal:
    def test_is_that_of_the_feed(self):
        assert page("/own/counted")["total"] == 22

    def test_is_null_where_the_feed_does_not_count(self):
        assert page("/own/plain")["total"] is None
