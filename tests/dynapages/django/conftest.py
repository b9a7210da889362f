"""A table of notes, and a feed of two teams' notes."""

from typing import Any

import pytest
from django.conf import settings

from dynapages import Feed, Index
from dynapages.django.paging import tokens
from dynapages.process import client
from tests.support.chance import unique


@pytest.fixture(scope="session")
def notes():
    """A table with notes 0 to 10 of team red and 11 to 21 of team blue."""
    name = f"{settings.DYNAMODB_TABLE_PREFIX}{unique('notes')}"
    client().create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": "team", "KeyType": "HASH"},
            {"AttributeName": "at", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "team", "AttributeType": "S"},
            {"AttributeName": "at", "AttributeType": "S"},
        ],
    )
    for number in range(22):
        team = "red" if number < 11 else "blue"
        item = {"team": {"S": team}, "at": {"S": f"{number:02d}"}, "id": {"N": str(number)}}
        client().put_item(TableName=name, Item=item)
    return name


@pytest.fixture
def feed_of(notes):
    """Makes the feed of some teams; its name is theirs."""

    def make(*teams: str, **options: Any) -> Feed:
        index = Index(notes, partition="team", sort="at")
        name = " ".join(teams)
        return Feed(index, teams, client=client(), tokens=tokens(), name=name, **options)

    return make


@pytest.fixture
def feed(feed_of):
    return feed_of("red", "blue")
