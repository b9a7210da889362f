"""The table of the comparison: notes on shelves, of which a few have the same second."""

from random import Random
from typing import Any

import botocore.session

TABLE = "beside"
ONE = ["shelf/0"]
"""The partition of the task of one."""
SEVERAL = [f"shelf/{number}" for number in range(8)]
"""The partitions of the task of several."""
OTHERS = [f"other/{number}" for number in range(8)]
"""Partitions of another list."""
FULL = ["full"]
"""A partition that ends with a full page."""
SIZE = 20
SECONDS = 200
NOTES_OF_A_SECOND = 6
TEXT = "Hello. " * 40
ANY = "any"
"""An engine takes any credentials."""

Item = dict[str, dict[str, str]]


def key(**roles: str) -> list[dict[str, str]]:
    """Write a KeySchema: the names of attributes and their roles."""
    return [{"AttributeName": name, "KeyType": role} for name, role in roles.items()]


def notes() -> list[Item]:
    """Return the notes: six of each second on any of eight shelves, and as many of another list."""
    chance = Random(57)  # noqa: S311 - which shelf a note is on is no secret
    found = []
    for kind, shelves in (("note", SEVERAL), ("other", OTHERS)):
        for number in range(SECONDS * NOTES_OF_A_SECOND):
            second = number // NOTES_OF_A_SECOND
            found.append(note(f"{kind}-{number:04}", chance.choice(shelves), second))
    for number in range(2 * SIZE):
        found.append(note(f"full-{number:04}", FULL[0], number))
    return found


def note(identity: str, shelf: str, second: int) -> Item:
    """Return a note as DynamoDB stores it."""
    at = f"2026-11-28T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
    return {"id": {"S": identity}, "shelf": {"S": shelf}, "at": {"S": at}, "text": {"S": TEXT}}


def client_of(endpoint_url: str) -> Any:  # noqa: ANN401 - botocore makes its methods at run time
    """Return a client of an engine."""
    return botocore.session.get_session().create_client(
        "dynamodb",
        "us-east-1",
        endpoint_url=endpoint_url,
        aws_access_key_id=ANY,
        aws_secret_access_key=ANY,
    )


class Notes:
    """The table at an engine, filled."""

    def __init__(self, endpoint_url: str) -> None:
        self._client = client_of(endpoint_url)
        self._client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("id", "shelf", "at")
            ],
            KeySchema=key(id="HASH"),
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "by_shelf",
                    "KeySchema": key(shelf="HASH", at="RANGE"),
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        )
        self._by_id = {}
        for item in notes():
            self._by_id[item["id"]["S"]] = item
            self._client.put_item(TableName=TABLE, Item=item)

    def on(self, shelves: list[str]) -> set[str]:
        """Return the ids of the notes on some shelves."""
        return {name for name, item in self._by_id.items() if item["shelf"]["S"] in shelves}

    def value(self, identity: str, name: str) -> str:
        """Return an attribute of a note."""
        return self._by_id[identity][name]["S"]

    def delete(self, identity: str) -> None:
        """Delete a note."""
        self._client.delete_item(TableName=TABLE, Key={"id": {"S": identity}})

    def restore(self, identity: str) -> None:
        """Put a deleted note back."""
        self._client.put_item(TableName=TABLE, Item=self._by_id[identity])
