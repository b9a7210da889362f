"""The table of the other examples: notes of three teams, in an index by team and time."""

import os

import botocore.session

TABLE = "dynapages-notes"
TYPES = {"id": "S", "team": "S", "at": "N"}
TEAMS = ("red", "green", "blue")


def keys(**roles):
    """Write a KeySchema: the names of attributes and their roles."""
    return [{"AttributeName": name, "KeyType": role} for name, role in roles.items()]


def client():
    """Make a client of the DynamoDB at DYNAMODB_ENDPOINT_URL, or else of Amazon's."""
    url = os.environ.get("DYNAMODB_ENDPOINT_URL")
    return botocore.session.get_session().create_client("dynamodb", "us-east-1", endpoint_url=url)


def fill(client, notes=60):
    """Create the table with so many notes, of which three are of the same second."""
    index = {"IndexName": "by_team", "KeySchema": keys(team="HASH", at="RANGE")}
    client.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in TYPES.items()],
        KeySchema=keys(id="HASH"),
        GlobalSecondaryIndexes=[{**index, "Projection": {"ProjectionType": "ALL"}}],
    )
    client.get_waiter("table_exists").wait(TableName=TABLE)
    for n in range(notes):
        item = {"id": {"S": f"note-{n}"}, "team": {"S": TEAMS[n % 3]}, "at": {"N": str(n // 3)}}
        client.put_item(TableName=TABLE, Item=item)
