"""Reviews with 4 and with 5 stars as one list, newest first: a page, the next one, and back."""

import os

import botocore.session  # boto3.client("dynamodb", …) makes the same client

from dynapages import Feed, Index, Tokens, metered


def keys(**roles):
    return [{"AttributeName": name, "KeyType": role} for name, role in roles.items()]


url = os.environ.get("DYNAMODB_ENDPOINT_URL")
client = botocore.session.get_session().create_client("dynamodb", "us-east-1", endpoint_url=url)
types = {"id": "S", "rated": "S", "at": "N"}
by_rating = {"IndexName": "by_rating", "KeySchema": keys(rated="HASH", at="RANGE")}
client.create_table(
    TableName="dynapages-reviews",
    BillingMode="PAY_PER_REQUEST",
    AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in types.items()],
    KeySchema=keys(id="HASH"),
    GlobalSecondaryIndexes=[{**by_rating, "Projection": {"ProjectionType": "ALL"}}],
)
client.get_waiter("table_exists").wait(TableName="dynapages-reviews")
for n in range(60):  # in each second one review of 3 stars, one of 4 and one of 5
    item = {"id": {"S": f"review-{n}"}, "rated": {"S": f"lamp/{3 + n % 3}"}}
    client.put_item(TableName="dynapages-reviews", Item={**item, "at": {"N": str(n // 3)}})

key = {"partition": "rated", "sort": "at", "table_key": ("id",), "key_types": types}
index = Index("dynapages-reviews", "by_rating", **key)
tokens = Tokens("a secret of this site alone")
reviews = Feed(index, ["lamp/4", "lamp/5"], client=client, tokens=tokens, name="lamp/4.5")
with metered() as meter:
    first = reviews.page(4)
print([item["id"] for item in first.items], meter.units, meter.rounds)
second = reviews.page(4, after=first.next)
print([item["id"] for item in second.items], second.has_previous, second.has_next)
again = reviews.page(4, before=second.previous)
print([item["id"] for item in again.items] == [item["id"] for item in first.items])
